/* SPDX-License-Identifier: MIT */
/*
 * Parts of the values that steps move.  A chunk of scratch has the size of what
 * was written to it last, so the schedule is replayed once, for all ranks, with
 * parts as values.
 */
#include "coll/project/rank_program.h"

#include "base/alloc.h"

/* Messages that a lane has sent, one part for each chunk. */
typedef struct part_lane {
	plait__vector sent;	/* uint32_t */
	uint32_t received;	/* of `sent`, by the receiver */
	uint32_t sender;	/* lane that it receives from, or NONE */
	uint64_t done;		/* steps */
} part_lane;

typedef struct part_replay {
	plait__rank_program *program;
	const plait__schedule *schedule;
	const plait_allocator *allocator;
	part_lane *lanes;
	uint64_t *first_cell;	/* by rank */
	uint32_t *parts;	/* by cell */
	uint64_t cell_count;
} part_replay;

static uint32_t *cell_at(const part_replay *replay, uint32_t rank,
			 uint32_t buffer, uint64_t chunk)
{
	return &replay->parts[replay->first_cell[rank] +
			      plait__schedule_memory_index(
				      replay->schedule, rank, buffer, chunk)];
}

/* ---- a step ---- */

static bool is_local(uint32_t kind)
{
	return kind == PLAIT__STEP_COPY || kind == PLAIT__STEP_REDUCE ||
	       kind == PLAIT__STEP_SEND;
}

static bool reads_source(uint32_t kind)
{
	return kind != PLAIT__STEP_RECV && kind != PLAIT__STEP_RECV_SEND;
}

/* Store a value: chunks of the user's buffers have a size of their own. */
static void store(part_replay *replay, uint32_t rank,
		  const plait__coll_step *step, uint32_t i, uint32_t part)
{
	uint32_t *cell = cell_at(replay, rank, step->target_buffer,
				 step->target + (uint64_t)i);

	if (step->target_buffer != PLAIT__COLL_SCRATCH && *cell != part)
		replay->program->needs_multiple = true;
	if (step->kind == PLAIT__STEP_REDUCE && *cell != part)
		replay->program->needs_multiple = true;
	*cell = part;
}

static int move_chunk(part_replay *replay, const plait__coll_lane *at,
		      part_lane *lane, const plait__coll_step *step, uint32_t i)
{
	part_lane *sender = is_local(step->kind) ? NULL :
						   &replay->lanes[lane->sender];
	uint32_t source = reads_source(step->kind) ?
		*cell_at(replay, at->rank, step->source_buffer,
			 step->source + (uint64_t)i) : 0;
	uint32_t part = sender == NULL ? source :
		*(uint32_t *)plait__vector_at(&sender->sent,
					      sender->received++);

	if (reads_source(step->kind) && source != part)
		replay->program->needs_multiple = true;
	if (step->kind != PLAIT__STEP_SEND &&
	    step->kind != PLAIT__STEP_RECV_REDUCE_SEND)
		store(replay, at->rank, step, i, part);
	if (plait__step_sends(step->kind) &&
	    PLAIT__VECTOR_ADD(&lane->sent, &part) == NULL)
		return -1;
	return at->rank != replay->program->rank ||
	       PLAIT__VECTOR_ADD(&replay->program->parts, &part) ? 0 : -1;
}

/* Note where the parts of a step of the rank begin. */
static void note_step(part_replay *replay, const plait__coll_lane *at,
		      uint64_t done)
{
	plait__rank_program *program = replay->program;
	const plait__coll_rank *own = &replay->schedule->ranks[at->rank];
	const plait__rank_lane *lane;
	plait__rank_step *step;

	if (at->rank != program->rank)
		return;
	lane = plait__vector_at(&program->lanes,
				(uint32_t)(at - replay->schedule->lanes) -
					own->first_lane);
	step = plait__vector_at(&program->steps,
				lane->first_step + (uint32_t)done);
	step->first_part = program->parts.count;
}

static int execute(part_replay *replay, const plait__coll_lane *at,
		   part_lane *lane)
{
	const plait__coll_step *step =
		&replay->schedule->steps[at->first_step + lane->done];

	note_step(replay, at, lane->done++);
	if (step->kind == PLAIT__STEP_NOP)
		return 0;
	for (uint32_t i = 0; i < step->count; i++)
		if (move_chunk(replay, at, lane, step, i))
			return -1;
	return 0;
}

/* ---- order ---- */

static bool is_ready(const part_replay *replay, const plait__coll_lane *at,
		     const part_lane *lane)
{
	const plait__schedule *schedule = replay->schedule;
	const plait__coll_step *step;

	if (lane->done == at->step_count)
		return false;
	step = &schedule->steps[at->first_step + lane->done];
	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[step->first_wait + i];

		if (replay->lanes[wait->lane].done <= wait->step)
			return false;
	}
	return !plait__step_receives(step->kind) ||
	       replay->lanes[lane->sender].sent.count >
		       replay->lanes[lane->sender].received;
}

/* The schedule is proved, so each sweep moves a lane until all have ended. */
static int run_lanes(part_replay *replay)
{
	const plait__schedule *schedule = replay->schedule;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint64_t i = 0; i < schedule->lane_count; i++)
			while (is_ready(replay, &schedule->lanes[i],
					&replay->lanes[i])) {
				moved = true;
				if (execute(replay, &schedule->lanes[i],
					    &replay->lanes[i]))
					return -1;
			}
	}
	return 0;
}

/* ---- all ---- */

static uint32_t find_sender(const plait__schedule *schedule,
			    const plait__coll_lane *at)
{
	const plait__coll_rank *peer;

	if (at->recv_peer < 0)
		return PLAIT__RANK_NONE;
	peer = &schedule->ranks[at->recv_peer];
	for (uint32_t i = 0; i < peer->lane_count; i++) {
		const plait__coll_lane *from =
			&schedule->lanes[peer->first_lane + i];

		if (from->send_peer == (int32_t)at->rank &&
		    from->channel == at->channel)
			return peer->first_lane + i;
	}
	return PLAIT__RANK_NONE;
}

static void set_parts(part_replay *replay, uint32_t rank, uint32_t buffer,
		      uint32_t chunks)
{
	for (uint32_t i = 0; i < chunks; i++)
		*cell_at(replay, rank, buffer, i) = i % replay->program->share;
}

/* Where input and output share memory the larger one decides. */
static void init_rank(part_replay *replay, uint32_t rank)
{
	const plait__coll_rank *at = &replay->schedule->ranks[rank];
	bool input_last = at->input_chunks > at->output_chunks;

	replay->first_cell[rank] = replay->cell_count;
	replay->cell_count += (uint64_t)at->input_chunks + at->output_chunks +
			      at->scratch_chunks;
	if (!input_last)
		set_parts(replay, rank, PLAIT__COLL_INPUT, at->input_chunks);
	set_parts(replay, rank, PLAIT__COLL_OUTPUT, at->output_chunks);
	if (input_last)
		set_parts(replay, rank, PLAIT__COLL_INPUT, at->input_chunks);
}

static uint64_t count_cells(const plait__schedule *schedule)
{
	uint64_t cells = 1;

	for (uint32_t i = 0; i < schedule->rank_count; i++)
		cells += (uint64_t)schedule->ranks[i].input_chunks +
			 schedule->ranks[i].output_chunks +
			 schedule->ranks[i].scratch_chunks;
	return cells;
}

static void init_lanes(part_replay *replay)
{
	const plait__schedule *schedule = replay->schedule;

	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		plait__vector_init(&replay->lanes[i].sent, replay->allocator,
				   sizeof(uint32_t));
		replay->lanes[i].sender = find_sender(schedule,
						      &schedule->lanes[i]);
	}
}

int plait__step_parts_find(plait__rank_program *program,
			   const plait__schedule *schedule)
{
	const plait_allocator *allocator = program->allocator;
	uint64_t cells = count_cells(schedule);
	uint64_t lanes = schedule->lane_count + 1;
	part_replay replay = {
		.program = program, .schedule = schedule,
		.allocator = allocator,
		.lanes = plait__alloc_array(allocator, lanes,
					    sizeof(part_lane)),
		.first_cell = plait__alloc_array(allocator,
						 schedule->rank_count,
						 sizeof(uint64_t)),
		.parts = plait__alloc_array(allocator, cells,
					    sizeof(uint32_t)),
	};
	int failed = replay.lanes == NULL || replay.first_cell == NULL ||
		     replay.parts == NULL ? -1 : 0;

	if (!failed) {
		init_lanes(&replay);
		for (uint32_t i = 0; i < schedule->rank_count; i++)
			init_rank(&replay, i);
		failed = run_lanes(&replay);
		for (uint64_t i = 0; i < schedule->lane_count; i++)
			plait__vector_fini(&replay.lanes[i].sent);
	}
	plait__free(allocator, replay.lanes, lanes * sizeof(part_lane));
	plait__free(allocator, replay.first_cell,
		    schedule->rank_count * sizeof(uint64_t));
	plait__free(allocator, replay.parts, cells * sizeof(uint32_t));
	return failed;
}
