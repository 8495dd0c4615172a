/* SPDX-License-Identifier: MIT */
/*
 * List scheduling of a scope, policy `bounded`.
 *
 * Time advances from event to event.  Whenever a lane of a device is free, the
 * node of highest priority and rank among those with completed preds goes to the
 * lane that can start it first (place_command.h).  The variant by number places nodes in
 * plain topological order.  schedule_search.c chooses what to run and what to
 * keep.
 */
#include "plan/schedule/list_schedule.h"

#include <string.h>

/* Lanes examined for an extra item of a node. */
enum { LANES_TRIED = 64 };

/* u is placed with all its items. */
static plait_status add_point(struct plait__list_schedule *l, uint32_t *count,
			      uint32_t u, uint32_t item)
{
	plait__place_point *point;

	if (*count == l->point_capacity &&
	    plait__workspace_reserve(&l->planner->work, (void **)&l->points,
				     &l->point_capacity, *count + 1ull,
				     sizeof(*point)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	point = &l->points[(*count)++];
	point->lane = l->planner->lane[item];
	point->position = l->position[item];
	point->finish = l->finish[u];
	point->row = PLAIT__NONE;
	point->sequence = 0;
	return PLAIT_OK;
}

/* Every node is one command.  Preds are placed. */
static plait_status gather_plain(struct plait__list_schedule *l, uint32_t t,
				 uint32_t *count)
{
	const plait__planner_state *planner = l->planner;
	uint32_t i = planner->pred_first[t], end = planner->pred_first[t + 1];
	plait__place_point *point;

	*count = end - i;
	if (*count > l->point_capacity &&
	    plait__workspace_reserve(&l->planner->work, (void **)&l->points,
				     &l->point_capacity, *count,
				     sizeof(*point)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	for (point = l->points; i < end; i++, point++) {
		uint32_t u = planner->preds[i];

		point->lane = planner->lane[u];
		point->position = l->position[u];
		point->finish = l->finish[u];
		point->row = PLAIT__NONE;
		point->sequence = 0;
	}
	return PLAIT_OK;
}

/* Collect the completion points of all preds, one per item. */
static plait_status gather_points(struct plait__list_schedule *l, uint32_t t,
				  uint32_t *count)
{
	plait__planner_state *planner = l->planner;
	uint32_t i, k, more;

	if (planner->extras == NULL)
		return gather_plain(l, t, count);
	*count = 0;
	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++) {
		uint32_t u = planner->preds[i];

		if (add_point(l, count, u, u) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		more = plait__planner_extra_items(planner, u).count;
		for (k = 1; k <= more; k++)
			if (add_point(l, count, u,
				      plait__planner_item(planner, u, k)) !=
			    PLAIT_OK)
				return PLAIT_E_NOMEM;
	}
	return PLAIT_OK;
}

/* Comes before plait__place_occupy, which raises the count of the lane. */
static void set_lane(struct plait__list_schedule *l, uint32_t item,
		     uint32_t lane)
{
	l->planner->lane[item] = lane;
	l->position[item] = (uint32_t)l->place.lanes[lane].count;
}

/* Lanes of the current node carry the number of its step. */
static bool is_used(const struct plait__list_schedule *l, uint32_t lane)
{
	return l->place.lanes[lane].best_step == l->place.step;
}

/* Returns the lane free first that the node does not use yet, among the top of
 * the heap; the whole heap is searched only if no lane may be added. */
static uint32_t find_idle(const struct plait__list_schedule *l,
			  const plait__place_device *device, bool may_add)
{
	const plait__place_lane *lanes = l->place.lanes;
	uint32_t i, best = PLAIT__NONE;

	for (i = 0; i < device->count; i++) {
		uint32_t lane = device->heap[i];

		if (i >= LANES_TRIED && (may_add || best != PLAIT__NONE))
			break;
		if (!is_used(l, lane) &&
		    (best == PLAIT__NONE ||
		     lanes[lane].free_at < lanes[best].free_at))
			best = lane;
	}
	return best;
}

/*
 * Choose a lane for an extra item that the node does not use yet: one that ends
 * with a pred, else the one free first, unless a new one is free sooner.  There
 * is one: a node has no more items on a device than the device may have lanes.
 */
static plait_status choose_extra_lane(struct plait__list_schedule *l,
				      uint32_t point_count,
				      uint32_t device_index, uint64_t start,
				      uint32_t *out)
{
	plait__placement *place = &l->place;
	plait__place_device *device = &place->devices[device_index];
	bool may_add = device->limit == 0 || device->count < device->limit;
	uint32_t i;

	for (i = 0; i < point_count && i < LANES_TRIED; i++) {
		const plait__place_lane *lane =
			&place->lanes[l->points[i].lane];

		*out = l->points[i].lane;
		if (lane->device == device_index && !is_used(l, *out) &&
		    lane->count == l->points[i].position + 1)
			return PLAIT_OK;
	}
	*out = find_idle(l, device, may_add);
	if (may_add && (*out == PLAIT__NONE ||
			place->lanes[*out].free_at > start))
		return plait__place_add_lane(place, device_index, out);
	return PLAIT_OK;
}

/* Choose all lanes of a node with several items; the node starts when all are
 * free. */
static plait_status choose_extra_lanes(struct plait__list_schedule *l,
				       uint32_t t, uint32_t point_count,
				       uint64_t *start)
{
	plait__planner_state *planner = l->planner;
	uint32_t count = plait__planner_extra_items(planner, t).count, k, lane;

	if (plait__workspace_reserve(&planner->work, (void **)&l->extra_lanes,
				     &l->extra_lane_capacity, count + 1ull,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	l->place.step++;
	l->place.lanes[planner->lane[t]].best_step = l->place.step;
	for (k = 1; k <= count; k++) {
		uint32_t device = plait__planner_item_device(planner, t, k);

		if (choose_extra_lane(l, point_count, device, *start, &lane) !=
		    PLAIT_OK)
			return PLAIT_E_NOMEM;
		l->extra_lanes[k] = lane;
		l->place.lanes[lane].best_step = l->place.step;
		set_lane(l, plait__planner_item(planner, t, k), lane);
		if (l->place.lanes[lane].free_at > *start)
			*start = l->place.lanes[lane].free_at;
	}
	return PLAIT_OK;
}

/* Preds are placed. */
static plait_status place_node(struct plait__list_schedule *l, uint32_t t)
{
	plait__planner_state *planner = l->planner;
	uint32_t more = plait__planner_extra_items(planner, t).count, k;
	plait__place_command command;
	uint64_t start;
	uint32_t count, lane;

	if (gather_points(l, t, &count) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	command.preds = l->points;
	command.pred_count = count;
	command.device = plait__planner_device(planner, t);
	command.affinity = !planner->has_affinity ? 0 :
		plait__planner_node(planner, t)->affinity;
	command.policy = PLAIT__POLICY_BOUNDED;
	command.cost = planner->cost[t];
	command.not_before = 0;
	if (plait__place_choose(&l->place, &command, &lane, &start) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	set_lane(l, t, lane);
	if (more > 0 && choose_extra_lanes(l, t, count, &start) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	l->finish[t] = start + planner->cost[t];
	if (l->finish[t] > l->makespan)
		l->makespan = l->finish[t];
	plait__place_occupy(&l->place, lane, l->finish[t], command.affinity);
	for (k = 1; k <= more; k++)
		plait__place_occupy(&l->place, l->extra_lanes[k], l->finish[t],
				    0);
	planner->seq[l->placed++] = t;
	return PLAIT_OK;
}

/* ---- list scheduling by rank, event by event ---- */

static plait_status push_pending(struct plait__list_schedule *l, uint32_t t,
				 uint64_t time)
{
	return plait__priority_queue_push(&l->planner->work,
					  &l->ready[plait__planner_device(l->planner, t)]
					  .pending, l->waiting, time, t,
					  &l->planner->counts->heap_steps);
}

/* Returns the device on which a node can start first, and that time. */
static uint32_t next_device(const struct plait__list_schedule *l,
			    uint64_t *out_time)
{
	uint32_t d, best = PLAIT__NONE;

	*out_time = 0;
	for (d = 0; d < l->place.device_count; d++) {
		const struct plait__list_ready *ready = &l->ready[d];
		const plait__place_device *device = &l->place.devices[d];
		uint64_t time = 0;

		if (ready->ready.count == 0 && ready->pending.count == 0)
			continue;
		if (device->limit > 0 && device->count >= device->limit)
			time = l->place.lanes[device->heap[0]].free_at;
		if (ready->ready.count == 0 &&
		    ready->pending.entries[0].key > time)
			time = ready->pending.entries[0].key;
		if (best == PLAIT__NONE || time < *out_time) {
			best = d;
			*out_time = time;
		}
	}
	return best;
}

/* Preds are placed. */
static uint64_t ready_time(const struct plait__list_schedule *l, uint32_t t)
{
	const plait__planner_state *planner = l->planner;
	uint64_t time = 0;
	uint32_t i;

	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++)
		if (l->finish[planner->preds[i]] > time)
			time = l->finish[planner->preds[i]];
	return time;
}

static bool has_equal_affinity(const plait__planner_state *planner, uint32_t t,
			       uint32_t u)
{
	return planner->has_affinity && plait__planner_node(planner,
							    t)->affinity ==
				      plait__planner_node(planner, u)->affinity;
}

/*
 * Release the successors that waited only for t; those of equal affinity first,
 * so that they precede others of equal rank and may take its lane.  A queued
 * node links to another t through `waiting`, never to 0, so 0 still means:
 * ready, not yet queued.
 */
static plait_status release_succs(struct plait__list_schedule *l, uint32_t t)
{
	plait__planner_state *planner = l->planner;
	uint32_t i, first = planner->succ_first[t];
	uint32_t end = planner->succ_first[t + 1];

	for (i = first; i < end; i++) {
		uint32_t v = planner->succs[i];

		if (--l->waiting[v] == 0 && has_equal_affinity(planner, t, v) &&
		    push_pending(l, v, ready_time(l, v)) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	for (i = first; i < end; i++) {
		uint32_t v = planner->succs[i];

		if (l->waiting[v] == 0 &&
		    push_pending(l, v, ready_time(l, v)) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	return PLAIT_OK;
}

/* Returns the next node for a device on which one can start at `time`.  The
 * time is that of next_device. */
static plait_status next_node(struct plait__list_schedule *l,
			      struct plait__list_ready *ready, uint64_t time,
			      uint32_t *out)
{
	plait__planner_state *planner = l->planner;
	uint64_t *steps = &planner->counts->heap_steps;
	uint32_t t;

	/* A single node needs no second queue. */
	if (ready->ready.count == 0 && ready->pending.count == 1 &&
	    l->waiting[ready->pending.entries[0].first] == PLAIT__NONE) {
		*out = plait__priority_queue_pop(&ready->pending, l->waiting,
						 steps);
		return PLAIT_OK;
	}
	while (ready->pending.count > 0 &&
	       ready->pending.entries[0].key <= time) {
		t = plait__priority_queue_pop(&ready->pending, l->waiting,
					      steps);
		if (plait__priority_queue_push(&planner->work, &ready->ready,
					       l->waiting, ~l->rank[t], t,
					       steps) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	*out = plait__priority_queue_pop(&ready->ready, l->waiting, steps);
	return PLAIT_OK;
}

/* Returns true if the makespan cannot be less than `bound`: the path after t
 * takes as long as its rank.  t is placed. */
static bool exceeds_bound(struct plait__list_schedule *l, uint32_t t,
			  uint64_t bound)
{
	const plait__planner_state *planner = l->planner;

	if (l->finish[t] - planner->cost[t] + planner->rank[t] < bound)
		return false;
	l->makespan = UINT64_MAX;
	return true;
}

/* Empty the queues of an abandoned attempt. */
static void clear_ready(struct plait__list_schedule *l)
{
	for (uint32_t d = 0; d < l->place.device_count; d++)
		l->ready[d].ready.count = l->ready[d].pending.count = 0;
}

plait_status plait__list_by_rank(struct plait__list_schedule *l,
				 const plait__planner_scope *scope,
				 uint64_t bound)
{
	plait__planner_state *planner = l->planner;
	uint32_t t, end = scope->t_first + scope->t_count, d;
	uint64_t time;

	for (t = scope->t_first; t < end; t++) {
		l->waiting[t] = planner->pred_first[t + 1] -
				planner->pred_first[t];
		if (l->waiting[t] == 0 && push_pending(l, t, 0) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	while ((d = next_device(l, &time)) != PLAIT__NONE) {
		if (next_node(l, &l->ready[d], time, &t) != PLAIT_OK ||
		    place_node(l, t) != PLAIT_OK ||
		    release_succs(l, t) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		if (exceeds_bound(l, t, bound)) {
			clear_ready(l);
			break;
		}
	}
	return PLAIT_OK;
}

plait_status plait__list_by_number(struct plait__list_schedule *l,
				   const plait__planner_scope *scope,
				   uint64_t bound)
{
	uint32_t t, end = scope->t_first + scope->t_count;

	for (t = scope->t_first; t < end; t++) {
		if (place_node(l, t) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		if (exceeds_bound(l, t, bound))
			break;
	}
	return PLAIT_OK;
}
