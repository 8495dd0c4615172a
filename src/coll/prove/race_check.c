/* SPDX-License-Identifier: MIT */
/*
 * Races: replay the steps of each rank and demand that each access happens after
 * the last store to its chunk, and each store after the reads since.  All other
 * conflicts follow from these, which are linear in the accesses.
 *
 * Vector clocks over the lanes of the rank decide most of them; race_sweeps.c
 * decides the others.  Slots of FIFOs do not order anything here, so that the
 * result holds for any depth.
 */
#include "coll/prove/race_check.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum { NO_NODE = UINT32_MAX, MAX_SCRATCH_TILES = 8 };

/* A chunk of the memory of the rank. */
typedef struct memory_cell {
	uint32_t writer;	/* node */
	uint32_t first_reader;	/* in `readers`, since the last store */
	uint32_t stamp, place;	/* targets of the step at hand */
} memory_cell;

typedef struct reader_entry {
	uint32_t node, next;
} reader_entry;

typedef struct race_state {
	plait__proof_state *state;
	const plait__coll_rank *rank;
	uint32_t rank_index;
	uint32_t tiles, tile;
	uint64_t step_count;	/* of the rank */
	uint32_t first_step;
	const uint32_t *order;	/* of the steps of the rank */
	uint32_t *clocks;	/* by node of the rank and lane of the rank */
	memory_cell *cells;
	uint64_t cell_count;
	plait__vector readers;
	plait__vector obligations;
} race_state;

/* ---- clocks ---- */

static uint32_t *clock_of(const race_state *race, uint32_t tile, uint32_t step)
{
	uint64_t row = tile * race->step_count + step - race->first_step;

	return race->clocks + row * race->rank->lane_count;
}

static void raise(uint32_t *clock, const uint32_t *other, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

/* Compute what happens before the step, and the step itself. */
static void advance_clock(race_state *race, uint32_t step)
{
	const plait__schedule *schedule = race->state->schedule;
	const plait__coll_step *at = &schedule->steps[step];
	uint32_t lane = race->state->lane_of[step];
	const plait__coll_lane *own = &schedule->lanes[lane];
	uint32_t lanes = race->rank->lane_count;
	uint32_t *clock = clock_of(race, race->tile, step);

	if (step > own->first_step)
		memcpy(clock, clock_of(race, race->tile, step - 1),
		       lanes * sizeof(*clock));
	else if (race->tile > 0)
		memcpy(clock, clock_of(race, race->tile - 1,
				       step + (uint32_t)own->step_count - 1),
		       lanes * sizeof(*clock));
	else
		memset(clock, 0, lanes * sizeof(*clock));
	for (uint32_t i = 0; i < at->wait_count; i++) {
		const plait__coll_wait *wait =
			&schedule->waits[at->first_wait + i];
		uint32_t waited = (uint32_t)schedule->lanes[wait->lane]
					  .first_step + wait->step;

		raise(clock, clock_of(race, race->tile, waited), lanes);
	}
	clock[lane - race->rank->first_lane] =
		race->tile * (uint32_t)own->step_count + step -
		(uint32_t)own->first_step + 1;
}

/* ---- obligations ---- */

static bool is_ordered(const race_state *race, uint32_t before, uint32_t after)
{
	const plait__proof_state *state = race->state;
	uint32_t step = before % state->step_count;
	uint32_t tile = before / state->step_count;
	uint32_t lane = state->lane_of[step];
	const plait__coll_lane *at = &state->schedule->lanes[lane];
	uint32_t position = tile * (uint32_t)at->step_count + step -
			    (uint32_t)at->first_step + 1;

	return clock_of(race, race->tile, after % state->step_count)
		       [lane - race->rank->first_lane] >= position;
}

static int demand(race_state *race, uint32_t before, uint32_t after, uint32_t cell)
{
	plait__race_obligation item = {
		.before = before, .after = after, .cell = cell,
	};

	if (before == NO_NODE || before == after ||
	    is_ordered(race, before, after))
		return 0;
	item.lane = race->state->lane_of[before % race->state->step_count];
	return PLAIT__VECTOR_ADD(&race->obligations, &item) ? 0 : -1;
}

/* ---- accesses ---- */

static uint32_t lane_of_node(const race_state *race, uint32_t node)
{
	return race->state->lane_of[node % race->state->step_count];
}

/* A later read of the same lane replaces the earlier one. */
static int note_reader(race_state *race, uint32_t node, memory_cell *at)
{
	reader_entry item = { node, at->first_reader };

	for (uint32_t i = at->first_reader; i != NO_NODE;) {
		reader_entry *other = plait__vector_at(&race->readers, i);

		if (lane_of_node(race, other->node) ==
		    lane_of_node(race, node)) {
			other->node = node;
			return 0;
		}
		i = other->next;
	}
	at->first_reader = race->readers.count;
	return PLAIT__VECTOR_ADD(&race->readers, &item) ? 0 : -1;
}

static int read_cell(race_state *race, uint32_t node, uint32_t index)
{
	memory_cell *at = &race->cells[index];

	if (demand(race, at->writer, node, index))
		return -1;
	return note_reader(race, node, at);
}

static int write_cell(race_state *race, uint32_t node, uint32_t index)
{
	memory_cell *at = &race->cells[index];
	int failed = 0;

	if (at->first_reader == NO_NODE)
		failed = demand(race, at->writer, node, index);
	for (uint32_t i = at->first_reader; i != NO_NODE;) {
		const reader_entry *other = plait__vector_at(&race->readers, i);

		failed |= demand(race, other->node, node, index);
		i = other->next;
	}
	at->first_reader = NO_NODE;
	at->writer = node;
	return failed;
}

static uint32_t cell_of(const race_state *race, uint32_t buffer, uint32_t index)
{
	uint64_t cell = plait__schedule_memory_index(
		race->state->schedule, race->rank_index, buffer, index);

	if (buffer == PLAIT__COLL_SCRATCH && race->tiles > 1)
		cell += (uint64_t)(race->tile % (race->tiles - 1)) *
			race->rank->scratch_chunks;
	return (uint32_t)cell;
}

static bool reads_source(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_RECV &&
	       kind != PLAIT__STEP_RECV_SEND;
}

static bool stores_target(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_SEND &&
	       kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

/* Refuse a step whose source and target overlap with an offset: its result
 * depends on the order of its chunks. */
static plait_status check_overlap(race_state *race, const plait__coll_step *step,
				  uint32_t node)
{
	char name[PLAIT__PROOF_NAME_BYTES];

	if (!reads_source(step->kind) || !stores_target(step->kind))
		return PLAIT_OK;
	for (uint32_t i = 0; i < step->count; i++) {
		memory_cell *at = &race->cells[cell_of(race, step->target_buffer,
						step->target + i)];

		at->stamp = node;
		at->place = i;
	}
	for (uint32_t i = 0; i < step->count; i++) {
		const memory_cell *at = &race->cells[cell_of(
			race, step->source_buffer, step->source + i)];

		if (at->stamp == node && at->place != i)
			return plait__proof_refuse(
				race->state, PLAIT__PROOF_RACE,
				"race: %s: its source and target overlap",
				plait__proof_step_name(
					race->state,
					node % race->state->step_count, name));
	}
	return PLAIT_OK;
}

static int access_all(race_state *race, const plait__coll_step *step, uint32_t node)
{
	int failed = 0;

	if (reads_source(step->kind))
		for (uint32_t i = 0; i < step->count; i++)
			failed |= read_cell(race, node,
					    cell_of(race, step->source_buffer,
						    step->source + i));
	if (stores_target(step->kind))
		for (uint32_t i = 0; i < step->count; i++)
			failed |= write_cell(race, node,
					     cell_of(race, step->target_buffer,
						     step->target + i));
	return failed;
}

static plait_status access(race_state *race, uint32_t step)
{
	const plait__coll_step *at = &race->state->schedule->steps[step];
	uint32_t node = race->tile * race->state->step_count + step;
	plait_status status;

	advance_clock(race, step);
	status = check_overlap(race, at, node);
	if (!status && access_all(race, at, node))
		status = plait__proof_no_memory(race->state);
	return status;
}

/* ---- a rank ---- */

/* Inputs and outputs of tiles are different memory; scratch is not. */
static void enter_tile(race_state *race)
{
	uint64_t count = race->tile == 0 ? race->cell_count :
			 (uint64_t)race->rank->input_chunks +
				 race->rank->output_chunks;

	for (uint64_t i = 0; i < count; i++)
		race->cells[i] = (memory_cell){ NO_NODE, NO_NODE, NO_NODE, 0 };
}

static plait_status replay(race_state *race)
{
	plait_status status = PLAIT_OK;

	for (race->tile = 0; race->tile < race->tiles; race->tile++) {
		enter_tile(race);
		for (uint64_t i = 0; i < race->step_count && !status; i++)
			status = access(race, race->order[i]);
	}
	return status;
}

/* Replay the accesses of one rank, with vector clocks over its lanes. */
static plait_status check_rank(race_state *race)
{
	const plait_allocator *allocator = race->state->allocator;
	uint64_t slots = race->tiles > 1 ? race->tiles - 1 : 1;
	uint64_t clock_count = race->step_count * race->tiles *
			       race->rank->lane_count;
	plait_status status;

	race->cell_count = (uint64_t)race->rank->input_chunks +
			   race->rank->output_chunks +
			   race->rank->scratch_chunks * slots;
	if (race->step_count == 0 || race->cell_count == 0)
		return PLAIT_OK;
	race->clocks = plait__alloc_array(allocator, clock_count,
					  sizeof(*race->clocks));
	race->cells = plait__alloc_array(allocator, race->cell_count,
					 sizeof(*race->cells));
	plait__vector_truncate(&race->readers, 0);
	status = race->clocks && race->cells ?
			 replay(race) : plait__proof_no_memory(race->state);
	plait__free(allocator, race->clocks,
		    clock_count * sizeof(*race->clocks));
	plait__free(allocator, race->cells,
		    race->cell_count * sizeof(*race->cells));
	return status;
}

/* ---- all ranks ---- */

static void enter_rank(race_state *race, uint32_t rank, const uint32_t *order,
		       uint32_t first_step)
{
	const plait__schedule *schedule = race->state->schedule;

	race->rank = &schedule->ranks[rank];
	race->rank_index = rank;
	race->first_step = first_step;
	race->step_count = 0;
	for (uint32_t i = 0; i < race->rank->lane_count; i++)
		race->step_count +=
			schedule->lanes[race->rank->first_lane + i].step_count;
	/* Null without steps. */
	race->order = order != NULL ? order + first_step : NULL;
}

/* Sort the order of all steps by rank, without changing it within a rank: the
 * steps of a rank follow each other in `steps`. */
static void order_by_rank(const plait__proof_state *state, uint32_t *order,
			  uint32_t *place)
{
	const plait__schedule *schedule = state->schedule;

	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *rank = &schedule->ranks[i];

		place[i] = rank->lane_count == 0 ? 0 :
			   (uint32_t)schedule->lanes[rank->first_lane]
				   .first_step;
	}
	for (uint32_t i = 0; i < state->step_count; i++) {
		uint32_t step = state->order[i];

		order[place[schedule->lanes[state->lane_of[step]].rank]++] =
			step;
	}
}

static plait_status check_ranks(race_state *race, const uint32_t *order)
{
	const plait__schedule *schedule = race->state->schedule;
	plait_status status = PLAIT_OK;
	uint32_t first_step = 0;

	for (uint32_t i = 0; i < schedule->rank_count && !status; i++) {
		enter_rank(race, i, order, first_step);
		status = check_rank(race);
		first_step += (uint32_t)race->step_count;
	}
	return status;
}

plait_status plait__race_check(plait__proof_state *state)
{
	const plait_allocator *allocator = state->allocator;
	uint64_t steps = state->step_count, ranks = state->schedule->rank_count;
	uint32_t *order, *place;
	race_state race = { .state = state,
		      .tiles = state->request->scratch_tiles + 1 };
	plait_status status;

	if (race.tiles > MAX_SCRATCH_TILES + 1)
		return plait__fail(state->error, PLAIT_E_INVALID,
				   "scratch of %u tiles; at most %u",
				   race.tiles - 1, MAX_SCRATCH_TILES);
	plait__vector_init(&race.readers, allocator, sizeof(reader_entry));
	plait__vector_init(&race.obligations, allocator,
			   sizeof(plait__race_obligation));
	order = plait__alloc_array(allocator, steps, sizeof(*order));
	place = plait__alloc_array(allocator, ranks, sizeof(*place));
	if ((steps > 0 && !order) || !place) {
		status = plait__proof_no_memory(state);
	} else {
		order_by_rank(state, order, place);
		status = check_ranks(&race, order);
	}
	if (!status)
		status = plait__race_sweep(state, race.tiles,
					   &race.obligations);
	plait__free(allocator, order, steps * sizeof(*order));
	plait__free(allocator, place, ranks * sizeof(*place));
	plait__vector_fini(&race.readers);
	plait__vector_fini(&race.obligations);
	return status;
}
