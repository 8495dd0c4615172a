/* SPDX-License-Identifier: MIT */
/*
 * Costs and ranks.  The rank of a node is the cost of the dearest path from
 * its start to the end of its scope: the true critical path.  Integers only.
 * Everything that is ever added up while planning is below the sum computed
 * here, so an overflow is found once, and named.
 */
#include "plan/schedule/planner_state.h"

#include "base/error.h"

#include <stdio.h>

/* The dearest of the nodes of a scope, by t. */
static uint32_t dearest(const plait__build *build,
			const plait__build_scope *scope)
{
	uint32_t most = scope->t_first;

	for (uint32_t t = most; t < scope->t_first + scope->t_count; t++)
		if (build->cost[t] > build->cost[most])
			most = t;
	return most;
}

/* The body of a region that counts: the one expected, or the dearest. */
static const plait__build_scope *counted_body(
	const plait__build *build, const plait__input_region *region)
{
	const plait__build_scope *bodies = &build->scopes[region->scope_first];
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
 * The culprit is not the node at which the sum became too much, but the
 * dearest one, in the loops that run it most.  Costs are known up to t.
 */
static plait_status fail_cost(const plait__build *build, uint32_t t)
{
	char name[PLAIT__NODE_TEXT_BYTES], often[40] = "";
	uint64_t times = 1;

	for (;;) {
		const plait__input_node *node = plait__build_node(build, t);
		const plait__input_region *region;
		const plait__build_scope *body;

		if (node->kind != PLAIT__CMD_REGION)
			break;
		region = &build->input->regions[node->link];
		body = counted_body(build, region);
		/* What does not run costs its decision. */
		if (region->kind == PLAIT__REGION_WHILE && region->times == 0)
			break;
		if (region->kind != PLAIT__REGION_CASE && region->times > 0 &&
		    __builtin_mul_overflow(times, region->times, &times))
			times = UINT64_MAX;
		if (body->t_count == 0 || body->makespan < plait__build_own_cost(build, t))
			break;
		t = dearest(build, body);
	}
	if (times == UINT64_MAX)
		(void)snprintf(often, sizeof(often), ", more than 2^64 times");
	else if (times > 1)
		(void)snprintf(often, sizeof(often), ", %llu times",
			       (unsigned long long)times);
	return plait__build_fail_at(build, build->node_of[t],
				    "costs add up to more than 2^63 - 1; most "
				    "is %s, with %llu%s",
				    plait__input_node_text(build->input,
							   build->node_of[t],
							   name),
				    (unsigned long long)plait__build_own_cost(build, t),
				    often);
}

/* Too much up to and with node t. */
static plait_status fail_sum(const plait__build *build,
			     const plait__build_scope *scope, uint32_t t,
			     uint64_t each)
{
	plait__build_scope part = *scope;

	part.t_count = t + 1 - scope->t_first;
	t = dearest(build, &part);
	if (build->cost[t] >= each)
		return fail_cost(build, t);
	return plait__fail(build->error, PLAIT_E_INVALID,
			   "costs and hop_cost, %llu for each node, add up to "
			   "more than 2^63 - 1", (unsigned long long)each);
}

/* What the bodies of a region are expected to take. */
static bool region_cost(const plait__build *build, uint32_t region_index,
			uint64_t *cost)
{
	const plait__input_region *region =
		&build->input->regions[region_index];
	uint64_t most = 0, times = 1, decisions = *cost;
	uint32_t i;

	if (region->kind != PLAIT__REGION_CASE)
		times = plait__plan_iterations(region->kind, region->times);
	for (i = 0; i < region->scope_count; i++) {
		uint64_t makespan =
			build->scopes[region->scope_first + i].makespan;

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

static plait_status node_costs(plait__build *build,
			       const plait__build_scope *scope)
{
	uint64_t each = build->options->hop_cost, sum = 0;
	uint32_t t, end = scope->t_first + scope->t_count;

	for (t = scope->t_first; t < end; t++) {
		const plait__input_node *node = plait__build_node(build, t);
		uint64_t *cost = &build->cost[t];

		*cost = plait__build_own_cost(build, t);
		if (node->kind == PLAIT__CMD_REGION &&
		    !region_cost(build, node->link, cost))
			return fail_cost(build, t);
		if (__builtin_add_overflow(sum, *cost, &sum) ||
		    __builtin_add_overflow(sum, each, &sum) ||
		    sum > INT64_MAX)
			return fail_sum(build, scope, t, each);
	}
	return PLAIT_OK;
}

plait_status plait__build_rank(plait__build *build, uint32_t scope_index)
{
	const plait__build_scope *scope = &build->scopes[scope_index];
	plait_status status = node_costs(build, scope);
	uint32_t t = scope->t_first + scope->t_count, i;

	if (status != PLAIT_OK)
		return status;
	while (t-- > scope->t_first) {
		uint64_t rank = 0;

		for (i = build->succ_first[t]; i < build->succ_first[t + 1];
		     i++)
			if (build->rank[build->succs[i]] > rank)
				rank = build->rank[build->succs[i]];
		build->rank[t] = rank + build->cost[t];
	}
	build->counts->steps += scope->t_count;
	return PLAIT_OK;
}
