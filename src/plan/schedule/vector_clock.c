/* SPDX-License-Identifier: MIT */
/* Vector clocks and minimal waits: the second half of the step in
 * place_command.h. */
#include "plan/schedule/place_command.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Layout of a row: `width` entries "position + 1, or 0 for unknown"; if tagged,
 * then the `width` lanes that the entries are about.
 */
static uint64_t *row_known(const plait__placement *place, uint32_t row)
{
	return (uint64_t *)(void *)(place->rows +
				    (uint64_t)row * place->row_bytes);
}

static uint32_t *row_lanes(const plait__placement *place, uint32_t row)
{
	return (uint32_t *)(void *)(row_known(place, row) + place->width);
}

static uint64_t look_up(const plait__placement *place, uint32_t row,
			uint32_t lane)
{
	uint32_t slot = lane & (place->width - 1);

	if (row == PLAIT__NONE)
		return 0;
	if (place->tagged && row_lanes(place, row)[slot] != lane)
		return 0;
	return row_known(place, row)[slot];
}

/* Get a row: a copy of `old`, or all unknown; PLAIT__NONE if the row limit is
 * reached and vector clocks must be forgotten. */
static plait_status new_row(plait__placement *place, uint32_t old,
			    uint32_t *out)
{
	uint32_t row = place->row_free;

	*out = PLAIT__NONE;
	if (row != PLAIT__NONE) {
		place->row_free = place->references[row];
	} else {
		if (place->width == 0 || place->row_count >= place->row_limit)
			return PLAIT_OK;
		row = place->row_count;
		if (plait__workspace_reserve(place->work, (void **)&place->rows,
					     &place->row_capacity, row + 1ull,
					     place->row_bytes) != PLAIT_OK ||
		    plait__workspace_reserve(place->work,
					     (void **)&place->references,
					 &place->reference_capacity, row + 1ull,
					     sizeof(uint32_t)) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		place->row_count++;
	}
	place->references[row] = 1;
	if (old != PLAIT__NONE)
		memcpy(row_known(place, row), row_known(place, old),
		       place->row_bytes);
	else
		memset(row_known(place, row), 0, place->row_bytes);
	*out = row;
	return PLAIT_OK;
}

static void drop_row(plait__placement *place, uint32_t row)
{
	if (row == PLAIT__NONE || --place->references[row] > 0)
		return;
	place->references[row] = place->row_free;
	place->row_free = row;
}

/* No other command shares the row. */
static void learn(plait__placement *place, uint32_t row, uint32_t lane,
		  uint64_t known)
{
	uint32_t slot = lane & (place->width - 1);
	uint64_t *entry = &row_known(place, row)[slot];

	if (place->tagged && row_lanes(place, row)[slot] != lane) {
		/* Two lanes share the entry: the newer one is kept. */
		if (*entry > known)
			return;
		row_lanes(place, row)[slot] = lane;
		*entry = known;
	} else if (*entry < known) {
		*entry = known;
	}
}

/* No other command shares the row `into`. */
static void join(plait__placement *place, uint32_t into, uint32_t from)
{
	uint64_t *a = row_known(place, into);
	const uint64_t *b;
	const uint32_t *lanes;
	uint32_t i;

	if (from == PLAIT__NONE)
		return;
	b = row_known(place, from);
	place->clock_steps += place->width;
	if (!place->tagged) {
		for (i = 0; i < place->width; i++)
			a[i] = a[i] > b[i] ? a[i] : b[i];
		return;
	}
	lanes = row_lanes(place, from);
	for (i = 0; i < place->width; i++)
		if (b[i] > 0)
			learn(place, into, lanes[i], b[i]);
}

/* ---- waits ---- */

/* Keep the newest pred of each other lane: it implies the older ones. */
static plait_status gather(plait__placement *place, uint32_t lane,
			   const plait__place_point *preds, uint32_t count,
			   uint32_t *out_count)
{
	uint32_t i, kept = 0;

	if (count > place->candidate_capacity &&
	    plait__workspace_reserve(place->work, (void **)&place->candidates,
				     &place->candidate_capacity, count,
				     sizeof(*preds)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	place->step++;
	for (i = 0; i < count; i++) {
		plait__place_lane *l = &place->lanes[preds[i].lane];

		if (preds[i].lane == lane)
			continue;
		if (l->best_step != place->step) {
			l->best_step = place->step;
			l->best_position = kept;
			place->candidates[kept++] = preds[i];
		} else if (preds[i].position >
			   place->candidates[l->best_position].position) {
			place->candidates[l->best_position] = preds[i];
		}
	}
	*out_count = kept;
	return PLAIT_OK;
}

static void sink(plait__place_point *points, uint32_t i, uint32_t count)
{
	plait__place_point point = points[i];
	uint32_t child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count && points[child + 1].sequence <
		    points[child].sequence)
			child++;
		if (points[child].sequence >= point.sequence)
			break;
		points[i] = points[child];
		i = child;
	}
	points[i] = point;
}

/* Sort by placing order, latest first: a later command may imply an earlier
 * one.  Heap sort, for joins of up to a million. */
static void sort_candidates(plait__placement *place, uint32_t count)
{
	plait__place_point *points = place->candidates, swap;
	uint32_t i;

	for (i = 1; i < count; i++)
		if (points[i].sequence > points[i - 1].sequence)
			break;
	if (i >= count)
		return;
	for (i = count / 2; i-- > 0;)
		sink(points, i, count);
	while (count-- > 1) {
		swap = points[0];
		points[0] = points[count];
		points[count] = swap;
		sink(points, 0, count);
	}
}

/* Make the lane's vector clock writable: copy it if it is shared. */
static plait_status own_row(plait__placement *place, uint32_t lane)
{
	uint32_t old = place->lanes[lane].row, row;

	if (old != PLAIT__NONE && place->references[old] == 1)
		return PLAIT_OK;
	if (new_row(place, old, &row) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	if (row == PLAIT__NONE)
		return PLAIT_OK;
	drop_row(place, old);
	place->lanes[lane].row = row;
	return PLAIT_OK;
}

/*
 * Drop the candidates that the lane's vector clock or an earlier candidate
 * implies. If there is no free row the lane keeps its old clock, which is
 * shared and stays true.  Candidates come latest first.
 */
static plait_status elide(plait__placement *place, uint32_t lane,
			  uint32_t count, uint32_t *out_kept)
{
	plait__place_lane *l = &place->lanes[lane];
	plait__place_point *c = place->candidates;
	uint32_t i, kept = 0;
	bool own = false;

	for (i = 0; i < count; i++) {
		if (look_up(place, l->row, c[i].lane) > c[i].position)
			continue;
		if (!own && own_row(place, lane) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		own = true;
		if (l->row != PLAIT__NONE &&
		    place->references[l->row] == 1) {
			join(place, l->row, c[i].row);
			learn(place, l->row, c[i].lane, c[i].position + 1);
		}
		c[kept++] = c[i];
	}
	*out_kept = kept;
	return PLAIT_OK;
}

plait_status plait__vector_clock_commit(plait__placement *place, uint32_t lane,
					const plait__place_point *preds,
					uint32_t pred_count,
					plait__place_point *out_point,
					const plait__place_point **out_waits,
					uint32_t *out_wait_count)
{
	plait__place_lane *l = &place->lanes[lane];
	uint32_t count;

	if (gather(place, lane, preds, pred_count, &count) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	if (place->width > 0) {
		sort_candidates(place, count);
		if (elide(place, lane, count, &count) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	out_point->position = l->issued++;
	out_point->sequence = place->sequence++;
	out_point->finish = 0;
	out_point->lane = lane;
	out_point->row = l->row;
	if (l->row != PLAIT__NONE)
		place->references[l->row]++;
	*out_waits = place->candidates;
	*out_wait_count = count;
	return PLAIT_OK;
}

void plait__vector_clock_forget(plait__placement *place,
				const plait__place_point *point)
{
	drop_row(place, point->row);
}

static bool is_recyclable(const plait__placement *place,
			  const plait__place_command *command, uint32_t lane,
			  uint64_t known)
{
	return known > 0 && lane < place->lane_count &&
	       place->lanes[lane].device == command->device &&
	       place->lanes[lane].count == known;
}

uint32_t plait__vector_clock_find_recyclable(
	const plait__placement *place, const plait__place_command *command)
{
	uint32_t i, slot, lane, found = PLAIT__NONE;

	for (i = 0; i < command->pred_count && place->width > 0; i++) {
		uint32_t row = command->preds[i].row;

		for (slot = 0; row != PLAIT__NONE && slot < place->width;
		     slot++) {
			lane = place->tagged ? row_lanes(place, row)[slot]
					     : slot;
			if (!is_recyclable(place, command, lane,
					   row_known(place, row)[slot]))
				continue;
			if (command->affinity != 0 &&
			    place->lanes[lane].affinity == command->affinity)
				return lane;
			if (found == PLAIT__NONE)
				found = lane;
		}
	}
	return found;
}
