/* SPDX-License-Identifier: MIT */
/* Replay of a schedule: its steps become copies and reductions. */
#include "coll/merge/merge.h"

#include "coll/merge/merge_cells.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* The step at hand. */
typedef struct step_cells {
	const plait__coll_step *step;
	uint32_t rank;
	/* By chunk, each of `count`. */
	uint32_t *target, *source, *in, *staged;
} step_cells;

static bool stores(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_SEND &&
	       kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

/* ---- what a step computes ---- */

static plait_status emit_copy(plait__merge_state *state, const step_cells *at,
			      const uint32_t *target, const uint32_t *source)
{
	const plait__merge_action action = {
		.kind = PLAIT__MERGE_COPY, .rank = at->rank,
		.count = at->step->count, .target = target, .source = source,
	};

	if (memcmp(target, source, at->step->count * sizeof(*target)) == 0)
		return PLAIT_OK;
	return plait__merge_emit(state, &action);
}

/* Copy what arrives from memory that kernels of the rank cannot read. */
static plait_status stage(plait__merge_state *state, step_cells *at)
{
	const uint32_t *memories = state->request->memories;
	uint32_t sender = plait__merge_cells_at(state, at->in[0])->rank, first;
	plait_status status;

	if (memories == NULL || memories[sender] == memories[at->rank])
		return PLAIT_OK;
	status = plait__merge_cells_add(state, at->rank, at->in,
					at->step->count, &first);
	for (uint32_t i = 0; i < at->step->count; i++)
		at->staged[i] = first + i;
	if (status == PLAIT_OK)
		status = emit_copy(state, at, at->staged, at->in);
	memcpy(at->in, at->staged, at->step->count * sizeof(*at->in));
	return status;
}

/* target = source + in */
static plait_status emit_reduction(plait__merge_state *state, step_cells *at)
{
	plait__merge_action action = {
		.kind = PLAIT__MERGE_REDUCE_TO, .rank = at->rank,
		.count = at->step->count, .target = at->target,
		.source = at->in, .other = at->source,
	};
	plait_status status = stage(state, at);

	if (memcmp(at->target, at->source,
		   at->step->count * sizeof(*at->target)) == 0) {
		action.kind = PLAIT__MERGE_REDUCE;
		action.other = NULL;
	}
	return status == PLAIT_OK ? plait__merge_emit(state, &action) : status;
}

/* Returns true if the cells are of a message, and no other message refers to
 * them. */
static bool is_own_message(const plait__merge_state *state,
			   const uint32_t *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (cells[i] < state->buffer_cells)
			return false;
	return !plait__merge_message_refers(state, cells, count);
}

/* Add to what arrives, for a message: in its memory if it has some of its own,
 * else in new memory; `target` gets the cells. */
static plait_status emit_message(plait__merge_state *state, step_cells *at)
{
	uint32_t count = at->step->count, first;
	const plait__merge_action action = {
		.kind = PLAIT__MERGE_REDUCE, .rank = at->rank, .count = count,
		.target = at->target, .source = at->source,
	};
	plait_status status = stage(state, at);

	if (status != PLAIT_OK)
		return status;
	if (is_own_message(state, at->in, count)) {
		memcpy(at->target, at->in, count * sizeof(*at->in));
		return plait__merge_emit(state, &action);
	}
	status = plait__merge_cells_add(state, at->rank, at->source, count,
					&first);
	for (uint32_t i = 0; i < count; i++)
		at->target[i] = first + i;
	return status == PLAIT_OK ? emit_reduction(state, at) : status;
}

static plait_status emit_local(plait__merge_state *state, const step_cells *at)
{
	const plait__merge_action action = {
		.kind = PLAIT__MERGE_REDUCE, .rank = at->rank,
		.count = at->step->count, .target = at->target,
		.source = at->source,
	};

	return plait__merge_emit(state, &action);
}

static plait_status compute(plait__merge_state *state, step_cells *at)
{
	switch (at->step->kind) {
	case PLAIT__STEP_RECV:
	case PLAIT__STEP_RECV_SEND:
		return emit_copy(state, at, at->target, at->in);
	case PLAIT__STEP_RECV_REDUCE_SEND:
		return emit_message(state, at);
	case PLAIT__STEP_RECV_REDUCE:
	case PLAIT__STEP_RECV_REDUCE_BOTH:
		return emit_reduction(state, at);
	case PLAIT__STEP_COPY:
		return emit_copy(state, at, at->target, at->source);
	case PLAIT__STEP_REDUCE:
		return emit_local(state, at);
	default:
		return PLAIT_OK;
	}
}

/* ---- steps ---- */

static void find_cells(const plait__merge_state *state, const step_cells *at)
{
	const plait__coll_step *step = at->step;
	bool has_source = step->kind != PLAIT__STEP_RECV &&
			  step->kind != PLAIT__STEP_RECV_SEND;

	for (uint32_t i = 0; i < step->count; i++) {
		if (stores(step->kind))
			at->target[i] = plait__merge_cells_find(
				state, at->rank, step->target_buffer,
				step->target + i);
		if (has_source)
			at->source[i] = plait__merge_cells_find(
				state, at->rank, step->source_buffer,
				step->source + i);
	}
}

static plait_status execute(plait__merge_state *state,
			    plait__merge_lane *lane, step_cells *at)
{
	uint32_t kind = at->step->kind;
	plait_status status = PLAIT_OK;

	if (plait__step_receives(kind))
		plait__merge_message_receive(
			state, &state->lanes[lane->sender], at->in);
	if (stores(kind))
		status = plait__merge_message_save(state, at->target,
						   at->step->count);
	if (status == PLAIT_OK)
		status = compute(state, at);
	if (status == PLAIT_OK && plait__step_sends(kind))
		status = plait__merge_message_send(
			state, lane, kind == PLAIT__STEP_SEND ? at->source :
								at->target,
			at->step->count);
	lane->done++;
	return status;
}

/* Execute the next step of a lane, unless it would overwrite what a message
 * refers to and that is not permitted; *out tells. */
static plait_status try_step(plait__merge_state *state,
			     const plait__coll_lane *at,
			     plait__merge_lane *lane, bool save, bool *out)
{
	uint64_t index = at->first_step + lane->done;
	step_cells cells = { .step = &state->schedule->steps[index],
			     .rank = at->rank };
	uint32_t count = cells.step->count;
	uint32_t *room = plait__alloc_array(state->allocator, count + 1ull,
					    4 * sizeof(*room));
	plait_status status = PLAIT_OK;

	if (room == NULL)
		return plait__merge_no_memory(state);
	cells.target = room;
	cells.source = room + count;
	cells.in = room + 2 * (uint64_t)count;
	cells.staged = room + 3 * (uint64_t)count;
	find_cells(state, &cells);
	*out = save || !stores(cells.step->kind) ||
	       !plait__merge_message_refers(state, cells.target, count);
	state->step = (uint32_t)index;
	if (*out)
		status = execute(state, lane, &cells);
	plait__free(state->allocator, room,
		    (count + 1ull) * 4 * sizeof(*room));
	return status;
}

/* ---- order ---- */

static bool is_ready(const plait__merge_state *state,
		     const plait__coll_lane *at, const plait__merge_lane *lane)
{
	const plait__schedule *schedule = state->schedule;
	const plait__coll_step *step;

	if (lane->done == at->step_count)
		return false;
	step = &schedule->steps[at->first_step + lane->done];
	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[step->first_wait + i];

		if (state->lanes[wait->lane].done <= wait->step)
			return false;
	}
	return !plait__step_receives(step->kind) ||
	       state->lanes[lane->sender].oldest != PLAIT__MERGE_NONE;
}

/* Execute each lane as far as it goes.  With `save` one step may save what it
 * overwrites. */
static plait_status sweep(plait__merge_state *state, bool save,
			  bool *out_moved)
{
	const plait__schedule *schedule = state->schedule;
	plait_status status = PLAIT_OK;

	*out_moved = false;
	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *at = &schedule->lanes[i];
		plait__merge_lane *lane = &state->lanes[i];
		bool moved = true;

		while (moved && status == PLAIT_OK &&
		       is_ready(state, at, lane)) {
			status = try_step(state, at, lane, save, &moved);
			*out_moved |= moved;
			if (save)
				return status;
		}
	}
	return status;
}

static plait_status replay(plait__merge_state *state)
{
	bool moved = true;
	plait_status status = PLAIT_OK;

	while (moved && status == PLAIT_OK) {
		status = sweep(state, false, &moved);
		if (status == PLAIT_OK && !moved)
			status = sweep(state, true, &moved);
	}
	for (uint64_t i = 0; i < state->schedule->lane_count && !status; i++)
		if (state->lanes[i].done <
		    state->schedule->lanes[i].step_count)
			status = plait__fail(state->error, PLAIT_E_DEADLOCK,
					     "rank %u does not end",
					     state->schedule->lanes[i].rank);
	return status;
}

/* ---- all ---- */

static void find_senders(plait__merge_state *state)
{
	const plait__schedule *schedule = state->schedule;

	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *at = &schedule->lanes[i];
		const plait__coll_rank *peer;

		state->lanes[i] = (plait__merge_lane){
			PLAIT__MERGE_NONE, PLAIT__MERGE_NONE,
			PLAIT__MERGE_NONE, 0
		};
		if (at->recv_peer < 0)
			continue;
		peer = &schedule->ranks[at->recv_peer];
		for (uint32_t k = 0; k < peer->lane_count; k++) {
			const plait__coll_lane *from =
				&schedule->lanes[peer->first_lane + k];

			if (from->send_peer == (int32_t)at->rank &&
			    from->channel == at->channel)
				state->lanes[i].sender = peer->first_lane + k;
		}
	}
}

static int init(plait__merge_state *state)
{
	const plait__schedule *schedule = state->schedule;

	plait__vector_init(&state->cells, state->allocator,
			   sizeof(plait__merge_cell));
	plait__vector_init(&state->reads, state->allocator,
			   sizeof(plait__merge_read));
	plait__vector_init(&state->words, state->allocator,
			   sizeof(plait__merge_word));
	plait__vector_init(&state->messages, state->allocator,
			   sizeof(plait__merge_message));
	state->first_cell = plait__alloc_array(state->allocator,
					       schedule->rank_count,
					       sizeof(*state->first_cell));
	state->lanes = plait__alloc_array(state->allocator,
					  schedule->lane_count + 1,
					  sizeof(*state->lanes));
	if (state->first_cell == NULL || state->lanes == NULL)
		return -1;
	find_senders(state);
	return 0;
}

static void fini(plait__merge_state *state)
{
	const plait__schedule *schedule = state->schedule;

	plait__free(state->allocator, state->first_cell,
		    schedule->rank_count * sizeof(*state->first_cell));
	plait__free(state->allocator, state->lanes,
		    (schedule->lane_count + 1) * sizeof(*state->lanes));
	plait__vector_fini(&state->cells);
	plait__vector_fini(&state->reads);
	plait__vector_fini(&state->words);
	plait__vector_fini(&state->messages);
}

/* Lower the schedule for one piece. */
static plait_status merge_piece(const plait__merge_state *how, uint32_t piece)
{
	plait__merge_state state = *how;
	bool detached = state.request->detached;
	plait_status status;

	state.piece = piece;
	status = init(&state) ? plait__merge_no_memory(&state) :
				plait__merge_cells_make(&state);
	if (status == PLAIT_OK && detached)
		status = plait__merge_detach_load(&state);
	if (status == PLAIT_OK)
		status = replay(&state);
	state.step = UINT32_MAX;
	if (status == PLAIT_OK && detached)
		status = plait__merge_detach_store(&state);
	fini(&state);
	return status;
}

static plait_status merge_pieces(const plait__merge_state *how,
				 plait__merge_chains *chains)
{
	plait__merge *merge = how->merge;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < chains->count; i++)
		chains->lasts[i] = PLAIT__MERGE_NONE;
	for (uint32_t i = 0; i < how->pieces && status == PLAIT_OK; i++) {
		uint32_t first = merge->ops.count;

		chains->first_before = merge->befores.count;
		status = merge_piece(how, i);
		if (status == PLAIT_OK && plait__merge_chains_link(
						  merge, chains, first))
			status = plait__merge_no_memory(how);
	}
	return status;
}

plait_status plait__merge_schedule(const plait__schedule *schedule,
				   const plait__merge_request *request,
				   plait__merge *out, plait_error *error)
{
	const plait__merge_state how = {
		.schedule = schedule, .request = request, .merge = out,
		.allocator = schedule->allocator, .error = error,
		.step = UINT32_MAX,
		.pieces = request->pieces > 0 ? request->pieces : 1,
	};
	plait__merge_chains chains = {
		.count = request->chains > 0 ? request->chains : 1,
	};
	plait_status status;

	plait__vector_init(&out->ops, how.allocator, sizeof(plait__merge_op));
	plait__vector_init(&out->befores, how.allocator, sizeof(uint32_t));
	plait__vector_init(&out->temporaries, how.allocator,
			   sizeof(plait__merge_temporary));
	if (request->pieces == 0)
		return merge_piece(&how, 0);
	chains.lasts = plait__alloc_array(how.allocator, chains.count,
					  sizeof(*chains.lasts));
	status = chains.lasts == NULL ? plait__merge_no_memory(&how) :
					merge_pieces(&how, &chains);
	plait__free(how.allocator, chains.lasts,
		    chains.count * sizeof(*chains.lasts));
	return status;
}

void plait__merge_free(plait__merge *merge)
{
	plait__vector_fini(&merge->ops);
	plait__vector_fini(&merge->befores);
	plait__vector_fini(&merge->temporaries);
}
