/* SPDX-License-Identifier: MIT */
/*
 * Obligations through other ranks: for some lanes at once, one pass over all
 * steps computes the last step of each of these lanes that happens before.
 */
#include "coll/prove/race_check.h"

#include "base/alloc.h"

#include <string.h>

enum { MAX_WIDTH = 64, TABLE_ENTRIES = 1 << 24 };

typedef struct sweep_state {
	plait__proof_state *state;
	uint32_t tiles;
	uint32_t width;		/* lanes of a pass, at most */
	uint32_t lane_count;	/* of this pass */
	uint32_t lanes[MAX_WIDTH];
	uint32_t *column;	/* by lane: its place in `lanes` + 1, or 0 */
	uint32_t *table;	/* by node and place: a position, or 0 */
	uint32_t *received;	/* by lane: receipts of the tile so far */
} sweep_state;

/* ---- refusals ---- */

static void locate(const plait__schedule *schedule, uint32_t rank,
		   uint32_t cell, uint32_t *out_buffer, uint32_t *out_index)
{
	const plait__coll_rank *at = &schedule->ranks[rank];

	*out_buffer = PLAIT__COLL_INPUT;
	if (cell >= at->input_chunks) {
		*out_buffer = PLAIT__COLL_OUTPUT;
		cell -= at->input_chunks;
		if (cell >= at->output_chunks) {
			*out_buffer = PLAIT__COLL_SCRATCH;
			cell -= at->output_chunks;
			cell %= at->scratch_chunks;
		}
	}
	*out_index = cell;
}

static plait_status refuse(plait__proof_state *state,
			   const plait__race_obligation *obligation)
{
	const plait__schedule *schedule = state->schedule;
	uint32_t before = obligation->before % state->step_count;
	uint32_t after = obligation->after % state->step_count;
	uint32_t rank = schedule->lanes[state->lane_of[before]].rank;
	char one[PLAIT__PROOF_NAME_BYTES], other[PLAIT__PROOF_NAME_BYTES];
	uint32_t buffer, index;

	locate(schedule, rank, obligation->cell, &buffer, &index);
	return plait__proof_refuse(
		state, PLAIT__PROOF_RACE,
		"race: %s and %s access %s chunk %u in any order%s",
		plait__proof_step_name(state, before, one),
		plait__proof_step_name(state, after, other),
		plait__proof_buffer_name(buffer), index,
		obligation->before / state->step_count !=
				obligation->after / state->step_count ?
			" (of two tiles)" : "");
}

/* ---- passes ---- */

static uint32_t *row_of(const sweep_state *sweep, uint32_t node)
{
	return sweep->table + (uint64_t)node * sweep->width;
}

static uint32_t position_of(const plait__proof_state *state, uint32_t node)
{
	uint32_t step = node % state->step_count;
	const plait__coll_lane *lane =
		&state->schedule->lanes[state->lane_of[step]];

	return node / state->step_count * (uint32_t)lane->step_count + step -
	       (uint32_t)lane->first_step + 1;
}

static void raise(const sweep_state *sweep, uint32_t *row, uint32_t node)
{
	const uint32_t *other = row_of(sweep, node);

	for (uint32_t i = 0; i < sweep->lane_count; i++)
		if (other[i] > row[i])
			row[i] = other[i];
}

static void raise_by_waits(const sweep_state *sweep, uint32_t *row, uint32_t tile,
			   uint32_t step)
{
	const plait__schedule *schedule = sweep->state->schedule;
	const plait__coll_step *at = &schedule->steps[step];

	for (uint32_t i = 0; i < at->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[at->first_wait + i];

		raise(sweep, row, tile * sweep->state->step_count +
				  (uint32_t)schedule->lanes[wait->lane]
					  .first_step + wait->step);
	}
}

/* Fill the clock row of a step in a tile; nodes come in an order that
 * happens-before implies. */
static void visit(sweep_state *sweep, uint32_t tile, uint32_t step)
{
	const plait__proof_state *state = sweep->state;
	uint32_t node = tile * state->step_count + step;
	uint32_t lane = state->lane_of[step];
	const plait__coll_lane *at = &state->schedule->lanes[lane];
	uint32_t *row = row_of(sweep, node);

	memset(row, 0, sweep->width * sizeof(*row));
	if (step > at->first_step)
		raise(sweep, row, node - 1);
	else if (tile > 0)
		raise(sweep, row, node - state->step_count +
				  (uint32_t)at->step_count - 1);
	raise_by_waits(sweep, row, tile, step);
	if (plait__step_receives(state->schedule->steps[step].kind))
		raise(sweep, row, tile * state->step_count +
				  state->sends[state->first_send[
					  state->sender[lane]] +
					  sweep->received[lane]++]);
	if (sweep->column[lane] > 0)
		row[sweep->column[lane] - 1] = position_of(state, node);
}

static void pass(sweep_state *sweep)
{
	const plait__proof_state *state = sweep->state;

	for (uint32_t tile = 0; tile < sweep->tiles; tile++) {
		memset(sweep->received, 0,
		       state->lane_count * sizeof(*sweep->received));
		for (uint32_t i = 0; i < state->step_count; i++)
			visit(sweep, tile, state->order[i]);
	}
}

/* Select the lanes of the obligations from `first` on; returns the end of
 * those that this pass decides. */
static uint32_t select_lanes(sweep_state *sweep, const plait__vector *obligations,
			     uint32_t first)
{
	uint32_t i = first;

	for (uint32_t k = 0; k < sweep->lane_count; k++)
		sweep->column[sweep->lanes[k]] = 0;
	sweep->lane_count = 0;
	for (; i < obligations->count; i++) {
		const plait__race_obligation *item =
			plait__vector_at(obligations, i);

		if (sweep->column[item->lane] > 0)
			continue;
		if (sweep->lane_count == sweep->width)
			break;
		sweep->lanes[sweep->lane_count++] = item->lane;
		sweep->column[item->lane] = sweep->lane_count;
	}
	return i;
}

static plait_status decide(sweep_state *sweep, const plait__vector *obligations)
{
	uint32_t first = 0;

	while (first < obligations->count) {
		uint32_t end = select_lanes(sweep, obligations, first);

		pass(sweep);
		for (; first < end; first++) {
			const plait__race_obligation *item =
				plait__vector_at(obligations, first);

			if (row_of(sweep, item->after)
				    [sweep->column[item->lane] - 1] <
			    position_of(sweep->state, item->before))
				return refuse(sweep->state, item);
		}
	}
	return PLAIT_OK;
}

static int compare_obligations(const void *left, const void *right)
{
	const plait__race_obligation *one = left, *other = right;

	if (one->lane != other->lane)
		return one->lane < other->lane ? -1 : 1;
	if (one->after != other->after)
		return one->after < other->after ? -1 : 1;
	if (one->cell != other->cell)
		return one->cell < other->cell ? -1 : 1;
	return one->before < other->before ? -1 : one->before > other->before;
}

plait_status plait__race_sweep(plait__proof_state *state, uint32_t tiles,
			       plait__vector *obligations)
{
	uint64_t nodes = (uint64_t)state->step_count * tiles;
	uint64_t lanes = state->lane_count, entries;
	sweep_state sweep = { .state = state, .tiles = tiles, .width = MAX_WIDTH };
	plait_status status;

	if (obligations->count == 0)
		return PLAIT_OK;
	plait__vector_sort(obligations, compare_obligations);
	if (nodes * MAX_WIDTH > TABLE_ENTRIES)
		sweep.width = nodes < TABLE_ENTRIES ?
				      (uint32_t)(TABLE_ENTRIES / nodes) : 1;
	entries = nodes * sweep.width;
	sweep.table = plait__alloc_array(state->allocator, entries,
					 sizeof(*sweep.table));
	sweep.column = plait__alloc_array(state->allocator, lanes,
					  sizeof(*sweep.column));
	sweep.received = plait__alloc_array(state->allocator, lanes,
					    sizeof(*sweep.received));
	status = sweep.table && sweep.column && sweep.received ?
			 decide(&sweep, obligations) :
			 plait__proof_no_memory(state);
	plait__free(state->allocator, sweep.table,
		    entries * sizeof(*sweep.table));
	plait__free(state->allocator, sweep.column,
		    lanes * sizeof(*sweep.column));
	plait__free(state->allocator, sweep.received,
		    lanes * sizeof(*sweep.received));
	return status;
}
