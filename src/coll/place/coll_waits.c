/* SPDX-License-Identifier: MIT */
/*
 * Waits of steps, and the finished schedule.  A step waits for the newest step
 * of each other lane of its rank on which it depends, unless its lane or
 * another wait implies that.  A clock of a unit tells how many steps of each
 * lane of its rank happen before its end.
 */
#include "coll/place/placement.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

typedef struct plait__waits {
	plait__placement *place;
	plait__schedule *schedule;
	plait__vector waits;	/* plait__coll_wait */
	plait__vector needs;	/* units that a unit depends on */
	/* Units of each rank in order of execution: those of rank r from
	 * first_unit[r] on. */
	uint32_t *first_unit, *units;
	uint32_t *row;		/* by unit: its clock in `clocks` */
	uint32_t *last;		/* by lane: its last unit so far, or NONE */
	uint32_t *clocks;	/* rows of the rank at hand */
	uint64_t clock_count;
	uint32_t width;		/* lanes of the rank at hand */
} plait__waits;

static uint32_t *clock_of(const plait__waits *waits, uint32_t unit)
{
	return waits->clocks + (uint64_t)waits->row[unit] * waits->width;
}

/* ---- dependences of a unit ---- */

static int need_preds(plait__waits *waits, uint32_t node, uint32_t unit)
{
	const plait__dag *dag = waits->place->dag;
	uint32_t count;
	const uint32_t *preds;

	if (node == PLAIT__COLL_NONE)
		return 0;
	preds = plait__dag_preds(dag, node, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t other = plait__dag_at(dag, preds[i])->unit;

		if (other != unit && waits->place->lane[other] !=
					     waits->place->lane[unit] &&
		    PLAIT__VECTOR_ADD(&waits->needs, &other) == NULL)
			return -1;
	}
	return 0;
}

/* Collect the units that a unit's nodes depend on in waits->needs.  Returns 0,
 * or -1 without memory. */
static int collect_needs(plait__waits *waits, uint32_t unit)
{
	const plait__dag_node *node = plait__dag_at(waits->place->dag, unit);
	uint32_t *needs;

	plait__vector_truncate(&waits->needs, 0);
	if (need_preds(waits, unit, unit) != 0 ||
	    need_preds(waits, node->local, unit) != 0 ||
	    need_preds(waits, node->send, unit) != 0)
		return -1;
	/* Sort by row: the latest first.  Most units have one or two. */
	needs = waits->needs.items;
	for (uint32_t i = 1; i < waits->needs.count; i++) {
		uint32_t k = i, moved = needs[i];

		for (; k > 0 && waits->row[needs[k - 1]] < waits->row[moved];
		     k--)
			needs[k] = needs[k - 1];
		needs[k] = moved;
	}
	return 0;
}

static void join_clock(const plait__waits *waits, uint32_t *to,
		       const uint32_t *from)
{
	for (uint32_t i = 0; i < waits->width; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* Add the waits of a unit that its clock does not imply. */
static int add_waits(plait__waits *waits, uint32_t unit, uint32_t first_lane,
		     plait__coll_step *step)
{
	const plait__placement *place = waits->place;
	uint32_t *clock = clock_of(waits, unit);
	uint32_t lane = place->lane[unit] - first_lane;

	if (waits->last[place->lane[unit]] != PLAIT__COLL_NONE)
		memcpy(clock,
		       clock_of(waits, waits->last[place->lane[unit]]),
		       waits->width * sizeof(*clock));
	if (collect_needs(waits, unit) != 0)
		return -1;
	step->first_wait = waits->waits.count;
	for (uint32_t i = 0; i < waits->needs.count; i++) {
		uint32_t other = *(uint32_t *)plait__vector_at(&waits->needs,
							       i);
		plait__coll_wait wait = { place->lane[other],
					  place->step[other] };

		if (clock[wait.lane - first_lane] > wait.step)
			continue;
		if (PLAIT__VECTOR_ADD(&waits->waits, &wait) == NULL)
			return -1;
		join_clock(waits, clock, clock_of(waits, other));
	}
	step->wait_count = waits->waits.count - step->first_wait;
	clock[lane] = place->step[unit] + 1;
	waits->last[place->lane[unit]] = unit;
	return 0;
}

/* ---- steps ---- */

static void fill_step(const plait__placement *place, uint32_t unit,
		      plait__coll_step *step)
{
	const plait__dag_node *node = plait__dag_at(place->dag, unit);

	step->kind = node->kind;
	step->count = node->count;
	step->source_buffer = node->source_buffer;
	step->source = node->source;
	step->target_buffer = node->target_buffer;
	step->target = node->target;
	if (node->kind == PLAIT__STEP_SEND ||
	    node->kind == PLAIT__STEP_RECV_REDUCE_SEND) {
		step->target_buffer = node->source_buffer;
		step->target = node->source;
	}
}

static plait__coll_step *step_of(const plait__waits *waits, uint32_t unit)
{
	const plait__placement *place = waits->place;

	return &waits->schedule->steps[
		waits->schedule->lanes[place->lane[unit]].first_step +
		place->step[unit]];
}

/* Write the steps of a rank with their waits.  Clocks are of one rank: waits
 * never leave it. */
static int emit_rank(plait__waits *waits, uint32_t rank)
{
	const plait_allocator *allocator = waits->place->dag->allocator;
	uint32_t first = waits->first_unit[rank];
	uint32_t end = waits->first_unit[rank + 1];
	uint32_t lane = waits->place->first_lane[rank];
	int result = 0;

	waits->width = waits->place->first_lane[rank + 1] - lane;
	waits->clock_count = (uint64_t)(end - first) * waits->width;
	waits->clocks = plait__alloc_array(allocator, waits->clock_count,
					   sizeof(*waits->clocks));
	if (waits->clocks == NULL && waits->clock_count > 0)
		return -1;
	for (uint32_t i = first; i < end; i++)
		waits->row[waits->units[i]] = i - first;
	for (uint32_t i = first; result == 0 && i < end; i++) {
		plait__coll_step *step = step_of(waits, waits->units[i]);

		fill_step(waits->place, waits->units[i], step);
		result = add_waits(waits, waits->units[i], lane, step);
	}
	plait__free(allocator, waits->clocks,
		    waits->clock_count * sizeof(*waits->clocks));
	return result;
}

/* ---- tables of the schedule ---- */

static void fill_lanes(const plait__waits *waits)
{
	const plait__placement *place = waits->place;
	plait__schedule *schedule = waits->schedule;
	uint64_t steps = 0;

	for (uint32_t i = 0; i < place->lanes.count; i++) {
		const plait__placement_lane *from = plait__placement_lane_at(place, i);
		plait__coll_lane *to = &schedule->lanes[i];

		to->rank = from->rank;
		to->channel = from->channel;
		to->send_peer = from->send == PLAIT__COLL_NONE ? -1 :
			(int32_t)plait__placement_connection_at(place, from->send)
				->target;
		to->recv_peer = from->recv == PLAIT__COLL_NONE ? -1 :
			(int32_t)plait__placement_connection_at(place, from->recv)
				->source;
		to->first_step = steps;
		to->step_count = from->step_count;
		steps += from->step_count;
		if (from->channel >= schedule->channel_count)
			schedule->channel_count = from->channel + 1;
	}
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		schedule->ranks[i].first_lane = place->first_lane[i];
		schedule->ranks[i].lane_count =
			place->first_lane[i + 1] - place->first_lane[i];
	}
}

static int make_tables(plait__waits *waits)
{
	const plait__placement *place = waits->place;
	plait__schedule *schedule = waits->schedule;
	const plait_allocator *allocator = schedule->allocator;

	schedule->lanes = plait__alloc_array(allocator, place->lanes.count,
					     sizeof(*schedule->lanes));
	if (schedule->lanes == NULL && place->lanes.count > 0)
		return -1;
	schedule->lane_count = place->lanes.count;
	schedule->steps = plait__alloc_array(allocator, place->unit_count,
					     sizeof(*schedule->steps));
	if (schedule->steps == NULL && place->unit_count > 0)
		return -1;
	schedule->step_count = place->unit_count;
	fill_lanes(waits);
	return 0;
}

static int take_waits(plait__waits *waits)
{
	plait__schedule *schedule = waits->schedule;
	uint64_t bytes = waits->waits.count * sizeof(*schedule->waits);

	if (bytes == 0)
		return 0;
	schedule->waits = plait__alloc(schedule->allocator, bytes);
	if (schedule->waits == NULL)
		return -1;
	memcpy(schedule->waits, waits->waits.items, bytes);
	schedule->wait_count = waits->waits.count;
	return 0;
}

/* ---- set-up ---- */

/* Sort the sequence of execution by rank. */
static void sort_units(plait__waits *waits)
{
	const plait__placement *place = waits->place;
	uint32_t ranks = waits->schedule->rank_count;
	uint32_t *first = waits->first_unit;

	for (uint32_t i = 0; i < place->unit_count; i++)
		first[plait__dag_at(place->dag, place->sequence[i])->rank +
		      1]++;
	for (uint32_t i = 0; i < ranks; i++)
		first[i + 1] += first[i];
	for (uint32_t i = place->unit_count; i-- > 0;) {
		uint32_t unit = place->sequence[i];

		waits->units[--first[plait__dag_at(place->dag, unit)->rank +
				     1]] = unit;
	}
	for (uint32_t i = 0; i < ranks; i++)
		first[i] = first[i + 1];
	first[ranks] = place->unit_count;
}

static int make_arrays(plait__waits *waits)
{
	const plait__placement *place = waits->place;
	const plait_allocator *allocator = place->dag->allocator;
	uint32_t nodes = place->dag->nodes.count;

	waits->first_unit = plait__alloc_array(
		allocator, (uint64_t)waits->schedule->rank_count + 1,
		sizeof(uint32_t));
	waits->units = plait__alloc_array(allocator, nodes, sizeof(uint32_t));
	waits->row = plait__alloc_array(allocator, nodes, sizeof(uint32_t));
	waits->last = plait__alloc_array(allocator, place->lanes.count,
					 sizeof(uint32_t));
	if (waits->first_unit == NULL ||
	    (nodes > 0 && (waits->units == NULL || waits->row == NULL ||
			   waits->last == NULL)))
		return -1;
	for (uint32_t i = 0; i < place->lanes.count; i++)
		waits->last[i] = PLAIT__COLL_NONE;
	return 0;
}

static void fini(plait__waits *waits)
{
	const plait__placement *place = waits->place;
	const plait_allocator *allocator = place->dag->allocator;
	uint64_t bytes = place->dag->nodes.count * sizeof(uint32_t);

	plait__vector_fini(&waits->waits);
	plait__vector_fini(&waits->needs);
	plait__free(allocator, waits->first_unit,
		    ((uint64_t)waits->schedule->rank_count + 1) *
			    sizeof(uint32_t));
	plait__free(allocator, waits->units, bytes);
	plait__free(allocator, waits->row, bytes);
	plait__free(allocator, waits->last,
		    place->lanes.count * sizeof(uint32_t));
}

plait_status plait__waits_emit(plait__placement *place, plait_error *error)
{
	plait__waits waits = { .place = place,
			       .schedule = place->dag->schedule };
	int result;

	plait__vector_init(&waits.waits, place->dag->allocator,
			   sizeof(plait__coll_wait));
	plait__vector_init(&waits.needs, place->dag->allocator,
			   sizeof(uint32_t));
	result = make_arrays(&waits);
	if (result == 0)
		result = make_tables(&waits);
	if (result == 0)
		sort_units(&waits);
	for (uint32_t i = 0; result == 0 && i < waits.schedule->rank_count; i++)
		result = emit_rank(&waits, i);
	if (result == 0)
		result = take_waits(&waits);
	fini(&waits);
	return result == 0 ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for the waits");
}
