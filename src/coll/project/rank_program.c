/* SPDX-License-Identifier: MIT */
/* Rank programs: a rank's lanes, steps, waits and links, cut from a schedule. */
#include "coll/project/rank_program.h"

#include "coll/merge/merge.h"
#include "base/error.h"

/* ---- places ---- */

/* Chunk of the input that the first output chunk would be; negative where the
 * input is a part of the output. */
static int64_t find_shift(const plait__schedule *schedule, uint32_t rank)
{
	const plait__coll_rank *at = &schedule->ranks[rank];

	for (uint32_t i = 0; i < at->output_chunks; i++) {
		uint64_t index = plait__schedule_memory_index(
			schedule, rank, PLAIT__COLL_OUTPUT, i);

		if (index < at->input_chunks)
			return (int64_t)index - i;
	}
	return 0;
}

static plait__rank_place find_place(const plait__rank_program *program,
				    const plait__schedule *schedule,
				    uint32_t buffer, uint32_t chunk)
{
	const plait__coll_rank *at = &schedule->ranks[program->rank];
	int64_t shift;

	if (!program->in_place || buffer == PLAIT__COLL_SCRATCH)
		return (plait__rank_place){ buffer, chunk };
	shift = find_shift(schedule, program->rank);
	if (buffer == PLAIT__COLL_OUTPUT &&
	    at->input_chunks > at->output_chunks)
		chunk = (uint32_t)(chunk + shift);
	if (buffer == PLAIT__COLL_INPUT &&
	    at->input_chunks <= at->output_chunks)
		chunk = (uint32_t)(chunk - shift);
	return (plait__rank_place){ PLAIT__COLL_OUTPUT, chunk };
}

/* ---- lanes ---- */

/* Add half a link; *out is its index. */
static int add_link(plait__rank_program *program, int32_t peer,
		    uint32_t channel, bool receives, uint32_t *out)
{
	const plait__rank_link link = { (uint32_t)peer, channel, receives };

	*out = PLAIT__RANK_NONE;
	if (peer < 0)
		return 0;
	*out = program->links.count;
	return PLAIT__VECTOR_ADD(&program->links, &link) ? 0 : -1;
}

static void note_uses(plait__rank_program *program,
		      const plait__rank_step *step)
{
	bool reads = step->kind != PLAIT__STEP_NOP &&
		     step->kind != PLAIT__STEP_RECV &&
		     step->kind != PLAIT__STEP_RECV_SEND;
	bool stores = step->kind != PLAIT__STEP_NOP &&
		      step->kind != PLAIT__STEP_SEND &&
		      step->kind != PLAIT__STEP_RECV_REDUCE_SEND;

	if (reads && step->source.buffer != PLAIT__COLL_SCRATCH)
		program->uses[step->source.buffer] = true;
	if (stores && step->target.buffer != PLAIT__COLL_SCRATCH)
		program->uses[step->target.buffer] = true;
}

static int add_step(plait__rank_program *program,
		    const plait__schedule *schedule,
		    const plait__coll_step *step)
{
	const plait__coll_rank *own = &schedule->ranks[program->rank];
	plait__rank_step ours = {
		.kind = step->kind, .count = step->count,
		.source = find_place(program, schedule, step->source_buffer,
				     step->source),
		.target = find_place(program, schedule, step->target_buffer,
				     step->target),
		.first_wait = program->waits.count,
		.wait_count = step->wait_count,
	};

	note_uses(program, &ours);
	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[step->first_wait + i];
		const plait__rank_wait local = { wait->lane - own->first_lane,
						 wait->step };

		if (!PLAIT__VECTOR_ADD(&program->waits, &local))
			return -1;
	}
	return PLAIT__VECTOR_ADD(&program->steps, &ours) ? 0 : -1;
}

static int add_lane(plait__rank_program *program,
		    const plait__schedule *schedule,
		    const plait__coll_lane *at)
{
	plait__rank_lane lane = { .first_step = program->steps.count,
			     .step_count = (uint32_t)at->step_count };

	if (add_link(program, at->send_peer, at->channel, false,
		     &lane.send) ||
	    add_link(program, at->recv_peer, at->channel, true,
		     &lane.receive))
		return -1;
	for (uint64_t i = 0; i < at->step_count; i++) {
		const plait__coll_step *step =
			&schedule->steps[at->first_step + i];

		lane.stages |= step->kind == PLAIT__STEP_RECV_REDUCE_SEND;
		if (add_step(program, schedule, step))
			return -1;
	}
	return PLAIT__VECTOR_ADD(&program->lanes, &lane) ? 0 : -1;
}

static int add_lanes(plait__rank_program *program,
		     const plait__schedule *schedule)
{
	const plait__coll_rank *own = &schedule->ranks[program->rank];

	for (uint32_t i = 0; i < own->lane_count; i++)
		if (add_lane(program, schedule,
			     &schedule->lanes[own->first_lane + i]))
			return -1;
	return plait__step_parts_find(program, schedule);
}

/* ---- all ---- */

/* A step of any rank. */
static void note_any(plait__rank_program *program, const plait__coll_step *step)
{
	program->reduces |= step->kind == PLAIT__STEP_RECV_REDUCE ||
			    step->kind == PLAIT__STEP_RECV_REDUCE_SEND ||
			    step->kind == PLAIT__STEP_RECV_REDUCE_BOTH ||
			    step->kind == PLAIT__STEP_REDUCE;
	if (plait__step_sends(step->kind) &&
	    step->count > program->message_chunks)
		program->message_chunks = step->count;
}

static void init(plait__rank_program *program, const plait__schedule *schedule,
		 uint32_t rank)
{
	const plait__coll_rank *own = &schedule->ranks[rank];
	const plait_allocator *allocator = schedule->allocator;

	*program = (plait__rank_program){
		.allocator = allocator, .rank = rank,
		.share = plait__merge_share(schedule),
		.scratch_chunks = own->scratch_chunks,
		.buffer_chunks = { own->input_chunks, own->output_chunks },
		.in_place = schedule->flags & PLAIT__COLL_IN_PLACE,
		.is_simple = schedule->protocol == PLAIT__PROTOCOL_SIMPLE,
	};
	plait__vector_init(&program->steps, allocator,
			   sizeof(plait__rank_step));
	plait__vector_init(&program->lanes, allocator, sizeof(plait__rank_lane));
	plait__vector_init(&program->waits, allocator,
			   sizeof(plait__rank_wait));
	plait__vector_init(&program->links, allocator,
			   sizeof(plait__rank_link));
	plait__vector_init(&program->parts, allocator, sizeof(uint32_t));
	for (uint64_t i = 0; i < schedule->step_count; i++)
		note_any(program, &schedule->steps[i]);
	if (program->in_place) {
		uint32_t most = own->input_chunks > own->output_chunks ?
				own->input_chunks : own->output_chunks;

		program->buffer_chunks[0] = most;
		program->buffer_chunks[1] = most;
	}
}

plait_status plait__rank_program_make(plait__rank_program *program,
				      const plait__schedule *schedule,
				      uint32_t rank, plait_error *error)
{
	init(program, schedule, rank);
	if (program->share == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the schedule has no chunks");
	if (add_lanes(program, schedule))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the lanes of rank %u", rank);
	return PLAIT_OK;
}

void plait__rank_program_free(plait__rank_program *program)
{
	if (program->allocator == NULL)
		return;
	plait__vector_fini(&program->steps);
	plait__vector_fini(&program->lanes);
	plait__vector_fini(&program->waits);
	plait__vector_fini(&program->links);
	plait__vector_fini(&program->parts);
}
