/* SPDX-License-Identifier: MIT */
/*
 * Search over list schedules of a scope, policy `bounded`: by rank, then in
 * plain topological order; stops at a lower bound of the makespan.
 *
 * Where hops cost, a busy lane may be better than a free one, and few lanes
 * better than many.  All variants are tried, with the full number of lanes and
 * with fewer, so that more lanes, up to eight, never lengthen a schedule.
 */
#include "plan/schedule/phases.h"

#include "plan/schedule/list_schedule.h"

#include <string.h>

static plait_status begin_attempt(struct plait__list_schedule *l,
				  const plait__planner_scope *scope)
{
	plait__planner_state *planner = l->planner;

	l->placed = scope->t_first;
	l->makespan = 0;
	return plait__place_init(&l->place, &planner->work, l->limits,
				 planner->input->device_count, 0, 0, 0,
				 planner->options->hop_cost);
}

static void end_attempt(struct plait__list_schedule *l)
{
	l->planner->counts->heap_steps += l->place.steps;
	plait__place_fini(&l->place);
}

/* Regions add items while scopes are processed, inner ones first. */
static plait_status reserve_items(struct plait__list_schedule *l)
{
	plait__planner_state *planner = l->planner;
	uint64_t items = (uint64_t)planner->node_count + planner->extra_count;

	if (plait__workspace_reserve(&planner->work, (void **)&l->position,
				     &l->position_capacity, items,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	return plait__workspace_reserve(&planner->work, (void **)&l->best_lane,
					&l->best_lane_capacity, items,
					sizeof(uint32_t));
}

/* The lanes of the attempt become those of the scope. */
static plait_status keep_lanes(struct plait__list_schedule *l,
			       plait__planner_scope *scope)
{
	uint32_t i, lane;

	l->planner->lane_device_count = scope->lane_first;
	scope->lane_count = 0;
	scope->makespan = l->makespan;
	for (i = 0; i < l->place.lane_count; i++)
		if (plait__planner_new_lane(l->planner, scope,
					    l->place.lanes[i].device,
					    &lane) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* Copy the scope's part of an array by item.  Only the items of its nodes are
 * touched: those of a region lie apart. */
static void copy_lanes(const plait__planner_state *planner,
		       const plait__planner_scope *scope, uint32_t *to,
		       const uint32_t *from)
{
	uint32_t t, k, more;

	memcpy(to + scope->t_first, from + scope->t_first,
	       scope->t_count * sizeof(uint32_t));
	for (t = scope->t_first; planner->extras != NULL &&
	     t < scope->t_first + scope->t_count; t++) {
		more = plait__planner_extra_items(planner, t).count;
		for (k = 1; k <= more; k++) {
			uint32_t item = plait__planner_item(planner, t, k);

			to[item] = from[item];
		}
	}
}

/* The best attempt is saved before another one runs, and restored at the
 * end. */
static void save_best(struct plait__list_schedule *l,
		      const plait__planner_scope *scope)
{
	if (l->saved)
		return;
	copy_lanes(l->planner, scope, l->best_lane, l->planner->lane);
	memcpy(l->best_seq + scope->t_first, l->planner->seq + scope->t_first,
	       scope->t_count * sizeof(uint32_t));
	l->saved = true;
}

static void restore_best(struct plait__list_schedule *l,
			 const plait__planner_scope *scope)
{
	if (!l->saved)
		return;
	copy_lanes(l->planner, scope, l->planner->lane, l->best_lane);
	memcpy(l->planner->seq + scope->t_first, l->best_seq + scope->t_first,
	       scope->t_count * sizeof(uint32_t));
	l->saved = false;
}

static plait_status by_insertion(struct plait__list_schedule *l,
				 const plait__planner_scope *scope,
				 uint64_t bound)
{
	const plait__insertion_arrays room = {
		.rank = l->hop_rank,
		.finish = l->finish,
		.before = l->position,
		.spare = l->waiting
	};

	return plait__insertion_schedule(l->planner, scope, &l->place, &room,
					 bound, &l->makespan);
}

/* In order: a search begins at one and makes all behind it. */
enum attempt {
	BY_RANK,
	BY_NUMBER,
	BY_HOP_RANK,
	BY_INSERTION,
	ATTEMPTS
};

/*
 * Urgency: by priority, then rank.  Each step of priority outweighs all ranks of
 * the scope; above 2^64 priorities may become equal, which a hint allows.
 */
static void find_urgency(struct plait__list_schedule *l,
			 const plait__planner_scope *scope)
{
	const plait__planner_state *planner = l->planner;
	uint32_t t, end = scope->t_first + scope->t_count;
	uint64_t top = 1, steps;

	for (t = scope->t_first; t < end; t++)
		top = l->rank[t] >= top ? l->rank[t] + 1 : top;
	for (t = scope->t_first; t < end; t++) {
		steps = (uint64_t)(plait__planner_priority(planner, t) -
				   INT16_MIN);
		if (__builtin_mul_overflow(steps, top, &l->urgency[t]) ||
		    __builtin_add_overflow(l->urgency[t], l->rank[t],
					   &l->urgency[t]))
			l->urgency[t] = UINT64_MAX;
	}
	l->rank = l->urgency;
}

static plait_status run_attempt(struct plait__list_schedule *l,
				const plait__planner_scope *scope,
				enum attempt attempt, uint64_t bound)
{
	plait_status status = begin_attempt(l, scope);

	l->rank = attempt == BY_HOP_RANK ? l->hop_rank : l->planner->rank;
	if (status != PLAIT_OK)
		return status;
	if (l->urgency != NULL)
		find_urgency(l, scope);
	if (attempt == BY_INSERTION)
		return by_insertion(l, scope, bound);
	if (attempt == BY_NUMBER)
		return plait__list_by_number(l, scope, bound);
	return plait__list_by_rank(l, scope, bound);
}

/* Run an attempt and keep it if its makespan is shorter than the best.  One
 * attempt has been kept. */
static plait_status improve(struct plait__list_schedule *l,
			    plait__planner_scope *scope, enum attempt attempt)
{
	plait_status status;

	/* Neither order knows priorities. */
	if (l->urgency != NULL &&
	    (attempt == BY_NUMBER || attempt == BY_INSERTION))
		return PLAIT_OK;
	save_best(l, scope);
	status = run_attempt(l, scope, attempt, scope->makespan);
	if (status == PLAIT_OK && l->makespan < scope->makespan) {
		l->saved = false;
		status = keep_lanes(l, scope);
	}
	end_attempt(l);
	l->planner->counts->steps += scope->t_count;
	return status;
}

/* ---- attempts with hop costs ---- */

/* Above this number of nodes, fewer attempts. */
enum { MANY_NODES = 16384 };

/* Rank with a hop to each successor, scaled by the share of lanes that need
 * one.  Each device has a limit of one lane at least, so `lanes` is not 0. */
static void rank_with_hops(struct plait__list_schedule *l,
			   const plait__planner_scope *scope)
{
	const plait__planner_state *planner = l->planner;
	uint64_t hop = planner->options->hop_cost, lanes = 0, rank;
	uint32_t t = scope->t_first + scope->t_count, i, d;

	for (d = 0; d < planner->input->device_count; d++)
		lanes += l->limits[d];
	hop -= hop / lanes;
	while (t-- > scope->t_first) {
		rank = 0;
		for (i = planner->succ_first[t]; i < planner->succ_first[t + 1];
		     i++)
			if (l->hop_rank[planner->succs[i]] + hop > rank)
				rank = l->hop_rank[planner->succs[i]] + hop;
		l->hop_rank[t] = rank + planner->cost[t];
	}
}

/* Find the number of lanes of each device that a single node needs at once;
 * returns true if no node needs more than one lane in all. */
static bool find_lane_needs(const plait__planner_state *planner,
			    const plait__planner_scope *scope, uint32_t *needs,
			    uint32_t *counts)
{
	uint32_t devices = planner->input->device_count, t, k, d, more;
	bool plain = true;

	for (d = 0; d < devices; d++)
		needs[d] = 1;
	for (t = scope->t_first; t < scope->t_first + scope->t_count; t++) {
		more = plait__planner_extra_items(planner, t).count;
		if (more == 0)
			continue;
		plain = false;
		memset(counts, 0, devices * sizeof(uint32_t));
		for (k = 0; k <= more; k++) {
			d = plait__planner_item_device(planner, t, k);
			if (++counts[d] > needs[d])
				needs[d] = counts[d];
		}
	}
	return plain;
}

/* Find the lane limit of each device, or the lanes of the best attempt; returns
 * the largest. */
static uint32_t find_caps(const plait__planner_state *planner,
			  const plait__planner_scope *scope, uint32_t *caps)
{
	uint32_t devices = planner->input->device_count, d, i, most = 1;

	memset(caps, 0, devices * sizeof(uint32_t));
	for (i = 0; i < scope->lane_count; i++)
		caps[planner->lane_device[scope->lane_first + i]]++;
	for (d = 0; d < devices; d++) {
		if (planner->limits[d] > 0)
			caps[d] = planner->limits[d];
		if (caps[d] > most)
			most = caps[d];
	}
	return most;
}

/* Limit each device to `count` lanes, or to its need; returns the sum. */
static uint64_t set_limits(struct plait__list_schedule *l, const uint32_t *caps,
			   const uint32_t *needs, uint32_t count)
{
	uint64_t all = 0;
	uint32_t d;

	for (d = 0; d < l->planner->input->device_count; d++) {
		l->limits[d] = caps[d] < count ? caps[d] : count;
		if (l->limits[d] < needs[d])
			l->limits[d] = needs[d];
		all += l->limits[d];
	}
	return all;
}

static plait_status run_attempts(struct plait__list_schedule *l,
				 plait__planner_scope *scope, uint32_t from,
				 bool insert)
{
	plait_status status = PLAIT_OK;
	uint32_t attempt;

	rank_with_hops(l, scope);
	for (attempt = from; attempt < ATTEMPTS && status == PLAIT_OK; attempt++)
		if (attempt != BY_INSERTION || insert)
			status = improve(l, scope, (enum attempt)attempt);
	return status;
}

static uint32_t fewer(const plait__planner_scope *scope, uint32_t lanes)
{
	if (lanes > 8 || scope->t_count > MANY_NODES)
		return lanes / 2;
	return lanes - 1;
}

/* Attempts with hops: with all lanes those that plait__search_run has not made,
 * then all with fewer and fewer lanes. Needs a kept attempt; leaves l->limits
 * changed, and the caller restores the best. */
static plait_status search_with_hops(struct plait__list_schedule *l,
				     plait__planner_scope *scope)
{
	plait__planner_state *planner = l->planner;
	uint64_t devices = planner->input->device_count;
	uint32_t *caps = plait__workspace_alloc(&planner->work, devices * 3,
						sizeof(uint32_t));
	plait_status status = PLAIT_OK;
	uint32_t lanes, most;
	bool plain, few;

	if (caps == NULL)
		return PLAIT_E_NOMEM;
	plain = find_lane_needs(planner, scope, caps + devices,
				caps + 2 * devices);
	most = find_caps(planner, scope, caps);
	for (lanes = most; lanes > 0 && status == PLAIT_OK;
	     lanes = fewer(scope, lanes)) {
		few = set_limits(l, caps, caps + devices, lanes) <=
		      PLAIT__INSERTION_LANES;
		status = run_attempts(l, scope, lanes == most ? BY_HOP_RANK :
				      BY_RANK, plain && few);
	}
	plait__workspace_free(&planner->work, caps);
	return status;
}

/* The finish times of the best attempt are no longer needed. */
static bool is_optimal(struct plait__list_schedule *l,
		       const plait__planner_scope *scope)
{
	return plait__makespan_is_minimal(l->planner, scope, scope->makespan,
					  l->finish);
}

plait_status plait__search_run(struct plait__list_schedule *l,
			       uint32_t scope_index)
{
	plait__planner_state *planner = l->planner;
	plait__planner_scope *scope = &planner->scopes[scope_index];
	plait_status status = reserve_items(l);

	scope->lane_first = planner->lane_device_count;
	memcpy(l->limits, planner->limits,
	       planner->input->device_count * sizeof(uint32_t));
	if (status == PLAIT_OK)
		status = run_attempt(l, scope, BY_RANK, UINT64_MAX);
	if (status == PLAIT_OK)
		status = keep_lanes(l, scope);
	end_attempt(l);
	planner->counts->steps += scope->t_count;
	if (status == PLAIT_OK && !is_optimal(l, scope))
		status = improve(l, scope, BY_NUMBER);
	if (status == PLAIT_OK && l->hop_rank != NULL &&
	    !is_optimal(l, scope))
		status = search_with_hops(l, scope);
	restore_best(l, scope);
	return status == PLAIT_OK ? PLAIT_OK :
	       plait__planner_no_memory(planner);
}

plait_status plait__search_open(plait__planner_state *planner,
				struct plait__list_schedule **out)
{
	plait__workspace *work = &planner->work;
	struct plait__list_schedule *l =
		plait__workspace_alloc_zero(work, 1, sizeof(*l));
	uint64_t n = planner->node_count;

	if (l == NULL)
		return plait__planner_no_memory(planner);
	l->planner = planner;
	l->ready = plait__workspace_alloc_zero(work,
					       planner->input->device_count,
					       sizeof(*l->ready));
	l->finish = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
					 sizeof(uint64_t));
	l->waiting = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
					  sizeof(uint32_t));
	l->best_seq = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
					   sizeof(uint32_t));
	l->limits = plait__workspace_alloc(work, planner->input->device_count,
					   sizeof(uint32_t));
	if (planner->options->hop_cost > 0)
		l->hop_rank = plait__workspace_alloc(work, n, sizeof(uint64_t));
	if (planner->has_priority)
		l->urgency = plait__workspace_alloc(work, n, sizeof(uint64_t));
	*out = l;
	if (l->ready == NULL || l->finish == NULL || l->waiting == NULL ||
	    l->best_seq == NULL || l->limits == NULL ||
	    (planner->options->hop_cost > 0 && l->hop_rank == NULL) ||
	    (planner->has_priority && l->urgency == NULL))
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}

void plait__search_close(struct plait__list_schedule *l)
{
	plait__workspace *work = &l->planner->work;
	uint32_t d;

	for (d = 0; l->ready != NULL && d < l->planner->input->device_count;
	     d++) {
		plait__workspace_free(work, l->ready[d].ready.entries);
		plait__workspace_free(work, l->ready[d].pending.entries);
	}
	plait__workspace_free(work, l->ready);
	plait__workspace_free(work, l->finish);
	plait__workspace_free(work, l->waiting);
	plait__workspace_free(work, l->position);
	plait__workspace_free(work, l->best_seq);
	plait__workspace_free(work, l->best_lane);
	plait__workspace_free(work, l->limits);
	plait__workspace_free(work, l->hop_rank);
	plait__workspace_free(work, l->urgency);
	plait__workspace_free(work, l->points);
	plait__workspace_free(work, l->extra_lanes);
	plait__workspace_free(work, l);
}
