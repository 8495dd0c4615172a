/* SPDX-License-Identifier: MIT */
/* Lane choice: the first half of the step in place_command.h.  vector_clock.c
 * is the second half: clocks and waits. */
#include "plan/schedule/place_command.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

plait_status plait__place_init(plait__placement *place, plait__workspace *work,
			       const uint32_t *limits, uint32_t device_count,
			       uint32_t width, uint32_t lane_bound,
			       uint32_t row_limit, uint64_t hop_cost)
{
	uint32_t d;

	memset(place, 0, sizeof(*place));
	place->work = work;
	place->device_count = device_count;
	place->width = width;
	place->tagged = lane_bound == 0 || lane_bound > width;
	place->row_bytes = width * (place->tagged ? 12 : 8);
	place->row_limit = row_limit;
	place->row_free = PLAIT__NONE;
	place->hop_cost = hop_cost;
	place->devices = plait__workspace_alloc_zero(work, device_count,
						     sizeof(*place->devices));
	if (place->devices == NULL)
		return PLAIT_E_NOMEM;
	for (d = 0; d < device_count; d++)
		place->devices[d].limit = limits[d];
	return PLAIT_OK;
}

void plait__place_fini(plait__placement *place)
{
	uint32_t d;

	for (d = 0; place->devices != NULL && d < place->device_count; d++)
		plait__workspace_free(place->work, place->devices[d].heap);
	plait__workspace_free(place->work, place->devices);
	plait__workspace_free(place->work, place->lanes);
	plait__workspace_free(place->work, place->rows);
	plait__workspace_free(place->work, place->references);
	plait__workspace_free(place->work, place->candidates);
	memset(place, 0, sizeof(*place));
}

/* Order of lanes in a device's heap: free first; then fewer commands, to spread
 * work. */
static inline bool is_before(const plait__placement *place, uint32_t a,
			     uint32_t b)
{
	const plait__place_lane *x = &place->lanes[a], *y = &place->lanes[b];

	if (x->free_at != y->free_at)
		return x->free_at < y->free_at;
	if (x->count != y->count)
		return x->count < y->count;
	return a < b;
}

static void put(plait__placement *place, plait__place_device *device,
		uint32_t i, uint32_t lane)
{
	device->heap[i] = lane;
	place->lanes[lane].heap = i;
}

static void sift_down(plait__placement *place, plait__place_device *device,
		      uint32_t i)
{
	uint32_t lane = device->heap[i], child;

	while ((child = 2 * i + 1) < device->count) {
		if (child + 1 < device->count &&
		    is_before(place, device->heap[child + 1],
			      device->heap[child]))
			child++;
		place->steps++;
		if (!is_before(place, device->heap[child], lane))
			break;
		put(place, device, i, device->heap[child]);
		i = child;
	}
	put(place, device, i, lane);
}

static void sift_up(plait__placement *place, plait__place_device *device,
		    uint32_t i)
{
	uint32_t lane = device->heap[i];

	while (i > 0 && is_before(place, lane, device->heap[(i - 1) / 2])) {
		put(place, device, i, device->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
		place->steps++;
	}
	put(place, device, i, lane);
}

plait_status plait__place_add_lane(plait__placement *place,
				   uint32_t device_index, uint32_t *out_lane)
{
	plait__place_device *device = &place->devices[device_index];
	plait__place_lane *lane;
	uint32_t index = place->lane_count;

	if (plait__workspace_reserve(place->work, (void **)&place->lanes,
				     &place->lane_capacity, index + 1ull,
				     sizeof(*lane)) != PLAIT_OK ||
	    plait__workspace_reserve(place->work, (void **)&device->heap,
				     &device->capacity, device->count + 1ull,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	lane = &place->lanes[index];
	memset(lane, 0, sizeof(*lane));
	lane->device = device_index;
	lane->row = PLAIT__NONE;
	place->lane_count++;
	put(place, device, device->count++, index);
	sift_up(place, device, lane->heap);
	*out_lane = index;
	return PLAIT_OK;
}

void plait__place_occupy(plait__placement *place, uint32_t lane,
			 uint64_t finish, uint32_t affinity)
{
	plait__place_lane *l = &place->lanes[lane];
	plait__place_device *device = &place->devices[l->device];

	if (finish > l->free_at)
		l->free_at = finish;
	if (affinity != 0)
		l->affinity = affinity;
	l->count++;
	sift_down(place, device, l->heap);
}

/* Finish times of the preds; a pred on another lane is visible one hop
 * later. */
struct ready {
	uint64_t first;			/* the latest pred */
	uint64_t second;		/* the latest on any other lane */
	uint32_t first_lane;
};

static void find_ready(const plait__place_command *command, struct ready *ready)
{
	uint32_t i;

	ready->first = 0;
	ready->second = 0;
	ready->first_lane = PLAIT__NONE;
	for (i = 0; i < command->pred_count; i++) {
		const plait__place_point *pred = &command->preds[i];

		if (pred->lane == ready->first_lane) {
			if (pred->finish > ready->first)
				ready->first = pred->finish;
		} else if (pred->finish > ready->first ||
			   ready->first_lane == PLAIT__NONE) {
			ready->second = ready->first;
			ready->first = pred->finish;
			ready->first_lane = pred->lane;
		} else if (pred->finish > ready->second) {
			ready->second = pred->finish;
		}
	}
}

/* PLAIT__NONE stands for a new lane. */
static inline uint64_t start_on(const plait__placement *place,
				const plait__place_command *command,
				const struct ready *ready, uint32_t lane)
{
	uint64_t start = command->not_before, seen;

	if (ready->first_lane == PLAIT__NONE)
		seen = 0;
	else if (lane != ready->first_lane)
		seen = ready->first + place->hop_cost;
	else if (ready->second > 0 &&
		 ready->second + place->hop_cost > ready->first)
		seen = ready->second + place->hop_cost;
	else
		seen = ready->first;
	if (seen > start)
		start = seen;
	if (lane != PLAIT__NONE && place->lanes[lane].free_at > start)
		start = place->lanes[lane].free_at;
	return start;
}

struct choice {
	uint64_t start;
	uint32_t lane;
	uint32_t preference;			/* 4: its last command is a
						 * pred; 2: some command is;
						 * + 1: it ran the same
						 * affinity */
};

/* Preds are examined from the last: the tail of a lane is the best choice. */
enum { TRIED_PREDS = 8 };

/* Earliest start; then affinity; then the smaller gap; then the first.  `a` has
 * a lane. */
static inline bool is_better(const plait__placement *place,
			     const struct choice *a, const struct choice *b)
{
	uint64_t free_a, free_b;

	if (b->lane == PLAIT__NONE || a->start != b->start)
		return b->lane == PLAIT__NONE || a->start < b->start;
	if (a->preference != b->preference)
		return a->preference > b->preference;
	free_a = place->lanes[a->lane].free_at;
	free_b = place->lanes[b->lane].free_at;
	return free_a != free_b ? free_a > free_b : a->lane < b->lane;
}

static inline void try_lane(const plait__placement *place,
			    const plait__place_command *command,
			    const struct ready *ready, uint32_t lane,
			    uint32_t preference, struct choice *best)
{
	struct choice choice;

	if (place->lanes[lane].device != command->device)
		return;
	choice.start = start_on(place, command, ready, lane);
	choice.lane = lane;
	choice.preference = preference +
			    (command->affinity != 0 &&
			     place->lanes[lane].affinity == command->affinity);
	if (is_better(place, &choice, best))
		*best = choice;
}

static void try_preds(const plait__placement *place,
		      const plait__place_command *command,
		      const struct ready *ready,
		      struct choice *best)
{
	uint32_t i = command->pred_count, tried = 0;

	if (ready->first_lane != PLAIT__NONE && i > TRIED_PREDS)
		try_lane(place, command, ready, ready->first_lane, 2, best);
	while (i-- > 0 && tried++ < TRIED_PREDS) {
		const plait__place_point *pred = &command->preds[i];
		bool tail = place->lanes[pred->lane].count ==
			    pred->position + 1;

		try_lane(place, command, ready, pred->lane, tail ? 4 : 2, best);
	}
}

/* Try the few lanes that are free first: one may have run the same affinity. */
static void try_idle(const plait__placement *place,
		     const plait__place_command *command,
		     const struct ready *ready,
		     struct choice *best)
{
	const plait__place_device *device = &place->devices[command->device];
	uint32_t i, few = command->affinity != 0 ? 7 : 1;

	for (i = 0; i < device->count && i < few; i++)
		try_lane(place, command, ready, device->heap[i], 0, best);
}

static plait_status choose_new(plait__placement *place,
			       const plait__place_command *command,
			       const struct ready *ready, struct choice *best)
{
	best->start = start_on(place, command, ready, PLAIT__NONE);
	return plait__place_add_lane(place, command->device, &best->lane);
}

/* No lane limit applies: continue a pred, reuse the lane of an ancestor, or add
 * a lane. */
static plait_status choose_widest(plait__placement *place,
				  const plait__place_command *command,
				  const struct ready *ready,
				  struct choice *best)
{
	uint32_t lane;

	try_preds(place, command, ready, best);
	if (best->lane != PLAIT__NONE && best->preference >= 4)
		return PLAIT_OK;
	best->lane = PLAIT__NONE;
	lane = plait__vector_clock_find_recyclable(place, command);
	if (lane != PLAIT__NONE) {
		try_lane(place, command, ready, lane, 0, best);
		return PLAIT_OK;
	}
	return choose_new(place, command, ready, best);
}

static plait_status choose_bounded(plait__placement *place,
				   const plait__place_command *command,
				   const struct ready *ready, bool may_add,
				   struct choice *best)
{
	try_preds(place, command, ready, best);
	try_idle(place, command, ready, best);
	if (may_add && (best->lane == PLAIT__NONE ||
			start_on(place, command, ready, PLAIT__NONE) <
			best->start))
		return choose_new(place, command, ready, best);
	return PLAIT_OK;
}

/* Returns true for a command that follows its only pred on the pred's lane: no
 * other lane is earlier or preferred.  The command has one pred at least. */
static bool continues(const plait__placement *place,
		      const plait__place_command *command)
{
	const plait__place_point *pred = &command->preds[0];
	const plait__place_lane *lane = &place->lanes[pred->lane];

	return lane->count == pred->position + 1 &&
	       lane->device == command->device &&
	       lane->free_at <= pred->finish &&
	       command->not_before <= pred->finish;
}

plait_status plait__place_choose(plait__placement *place,
				 const plait__place_command *command,
				 uint32_t *out_lane, uint64_t *out_start)
{
	const plait__place_device *device = &place->devices[command->device];
	bool may_add = device->limit == 0 || device->count < device->limit;
	struct choice best = { 0, PLAIT__NONE, 0 };
	struct ready ready;
	plait_status status;

	if (command->pred_count == 1 && continues(place, command)) {
		*out_lane = command->preds[0].lane;
		*out_start = command->preds[0].finish;
		return PLAIT_OK;
	}
	find_ready(command, &ready);
	if (command->policy == PLAIT__POLICY_WIDEST && may_add)
		status = choose_widest(place, command, &ready, &best);
	else
		status = choose_bounded(place, command, &ready, may_add, &best);
	*out_lane = best.lane;
	*out_start = best.start;
	return status;
}
