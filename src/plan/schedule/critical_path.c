/* SPDX-License-Identifier: MIT */
/*
 * Costs and upward ranks.  The rank of a node is the cost of the longest path
 * from its start to the end of its scope; the highest rank is the critical
 * path.  Integers only.  No sum during planning exceeds the one computed here,
 * so an overflow is detected once, with the node to blame.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"

#include <stdio.h>

/* Returns the node of the highest cost in a scope, by t. */
static uint32_t highest_cost(const plait__planner_state *planner,
			     const plait__planner_scope *scope)
{
	uint32_t most = scope->t_first;

	for (uint32_t t = most; t < scope->t_first + scope->t_count; t++)
		if (planner->cost[t] > planner->cost[most])
			most = t;
	return most;
}

/* Returns the body of a region that determines its cost: the expected one, or
 * the longest.  Inner scopes have their makespans. */
static const plait__planner_scope *counted_body(
	const plait__planner_state *planner, const plait__input_region *region)
{
	const plait__planner_scope *bodies =
		&planner->scopes[region->scope_first];
	uint32_t most = 0;

	if (region->kind == PLAIT__REGION_CASE &&
	    region->times < region->scope_count)
		return &bodies[region->times];
	for (uint32_t i = 1; i < region->scope_count; i++)
		if (bodies[i].makespan > bodies[most].makespan)
			most = i;
	return &bodies[most];
}

/*
 * Blame the node of the highest cost, inside the loops that run it most, rather
 * than the one at which the sum overflowed.  Costs are known up to t.
 */
static plait_status fail_cost(const plait__planner_state *planner, uint32_t t)
{
	char name[PLAIT__NODE_TEXT_BYTES], often[40] = "";
	uint64_t times = 1;

	for (;;) {
		const plait__input_node *node = plait__planner_node(planner, t);
		const plait__input_region *region;
		const plait__planner_scope *body;

		if (node->kind != PLAIT__CMD_REGION)
			break;
		region = &planner->input->regions[node->link];
		body = counted_body(planner, region);
		/* A body that never runs costs nothing; blame the decision. */
		if (region->kind != PLAIT__REGION_CASE &&
		    plait__plan_iterations(region->kind, region->times) == 0)
			break;
		if (region->kind != PLAIT__REGION_CASE && region->times > 0 &&
		    __builtin_mul_overflow(times, region->times, &times))
			times = UINT64_MAX;
		if (body->t_count == 0 ||
		    body->makespan < plait__planner_own_cost(planner, t))
			break;
		t = highest_cost(planner, body);
	}
	if (times == UINT64_MAX)
		(void)snprintf(often, sizeof(often), ", more than 2^64 times");
	else if (times > 1)
		(void)snprintf(often, sizeof(often), ", %llu times",
			       (unsigned long long)times);
	return plait__planner_fail_at(planner, planner->node_of[t],
				    "costs add up to more than 2^63 - 1; most "
				      "is %s, with %llu%s",
				      plait__input_node_text(planner->input,
							   planner->node_of[t],
							     name),
				    (unsigned long long)plait__planner_own_cost(planner, t),
				      often);
}

/* The sum overflows at node t. */
static plait_status fail_sum(const plait__planner_state *planner,
			     const plait__planner_scope *scope, uint32_t t,
			     uint64_t each)
{
	plait__planner_scope part = *scope;

	part.t_count = t + 1 - scope->t_first;
	t = highest_cost(planner, &part);
	if (planner->cost[t] >= each)
		return fail_cost(planner, t);
	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "costs and hop_cost, %llu for each node, add up to "
			   "more than 2^63 - 1", (unsigned long long)each);
}

/* Returns false on overflow; else adds the expected time of the bodies and
 * decisions of a region to *cost.  *cost is that of one decision so far; inner
 * scopes have their makespans. */
static bool region_cost(const plait__planner_state *planner,
			uint32_t region_index, uint64_t *cost)
{
	const plait__input_region *region =
		&planner->input->regions[region_index];
	uint64_t most = 0, times = 1, decisions = *cost;
	uint32_t i;

	if (region->kind != PLAIT__REGION_CASE)
		times = plait__plan_iterations(region->kind, region->times);
	for (i = 0; i < region->scope_count; i++) {
		uint64_t makespan =
			planner->scopes[region->scope_first + i].makespan;

		if (region->kind == PLAIT__REGION_CASE && region->times == i) {
			most = makespan;
			break;
		}
		most = makespan > most ? makespan : most;
	}
	return !__builtin_mul_overflow(most, times, &most) &&
	       !__builtin_mul_overflow(plait__plan_decisions(region->kind,
							     times),
				       decisions, &decisions) &&
	       !__builtin_add_overflow(most, decisions, cost);
}

/* Inner scopes have their makespans. */
static plait_status node_costs(plait__planner_state *planner,
			       const plait__planner_scope *scope)
{
	uint64_t each = planner->options->hop_cost, sum = 0;
	uint32_t t, end = scope->t_first + scope->t_count;

	for (t = scope->t_first; t < end; t++) {
		const plait__input_node *node = plait__planner_node(planner, t);
		uint64_t *cost = &planner->cost[t];

		*cost = plait__planner_own_cost(planner, t);
		if (node->kind == PLAIT__CMD_REGION &&
		    !region_cost(planner, node->link, cost))
			return fail_cost(planner, t);
		if (__builtin_add_overflow(sum, *cost, &sum) ||
		    __builtin_add_overflow(sum, each, &sum) ||
		    sum > INT64_MAX)
			return fail_sum(planner, scope, t, each);
	}
	return PLAIT_OK;
}

plait_status plait__critical_path_rank(plait__planner_state *planner,
				       uint32_t scope_index)
{
	const plait__planner_scope *scope = &planner->scopes[scope_index];
	plait_status status = node_costs(planner, scope);
	uint32_t t = scope->t_first + scope->t_count, i;

	if (status != PLAIT_OK)
		return status;
	while (t-- > scope->t_first) {
		uint64_t rank = 0;

		for (i = planner->succ_first[t]; i < planner->succ_first[t + 1];
		     i++)
			if (planner->rank[planner->succs[i]] > rank)
				rank = planner->rank[planner->succs[i]];
		planner->rank[t] = rank + planner->cost[t];
	}
	planner->counts->steps += scope->t_count;
	return PLAIT_OK;
}
