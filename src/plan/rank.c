/* SPDX-License-Identifier: MIT */
/*
 * Costs and ranks.  The rank of a node is the cost of the dearest path from
 * its start to the end of its scope: the true critical path.  Integers only.
 * Everything that is ever added up while planning is below the sum computed
 * here, so an overflow is found once, and named.
 */
#include "plan/build.h"

#include "base/error.h"

static plait_status fail_cost(plait__build *build, uint32_t t)
{
	char text[PLAIT__NODE_TEXT_BYTES];

	return plait__fail(build->error, PLAIT_E_INVALID,
			   "%s: with its cost of %llu the costs add up to more than 2^63 - 1",
			   plait__input_node_text(build->input,
						  build->node_of[t], text),
			   (unsigned long long)build->cost[t]);
}

/* What the bodies of a region are expected to take. */
static bool region_cost(const plait__build *build, uint32_t region_index,
			uint64_t *cost)
{
	const plait__input_region *region =
		&build->input->regions[region_index];
	uint64_t most = 0, times = 1;
	uint32_t i;

	if (region->kind != PLAIT__REGION_CASE && region->times > 0)
		times = region->times;
	for (i = 0; i < region->scope_count; i++) {
		uint64_t makespan =
			build->scopes[region->scope_first + i].makespan;

		if (region->kind == PLAIT__REGION_CASE && region->times == i) {
			most = makespan;
			break;
		}
		most = makespan > most ? makespan : most;
	}
	/* A decision each time, and the one to leave. */
	return !__builtin_add_overflow(most, *cost, &most) &&
	       !__builtin_mul_overflow(most, times, &most) &&
	       !__builtin_add_overflow(most, *cost, cost);
}

static plait_status node_costs(plait__build *build,
			       const plait__build_scope *scope)
{
	uint64_t each, sum = 0;
	uint32_t t, end = scope->t_first + scope->t_count;

	if (__builtin_add_overflow(build->options->hop_cost,
				   build->options->submit_cost, &each))
		each = UINT64_MAX;
	for (t = scope->t_first; t < end; t++) {
		const plait__input_node *node = plait__build_node(build, t);
		uint64_t *cost = &build->cost[t];

		*cost = build->options->costs == NULL ? node->cost :
			build->options->costs[build->node_of[t]];
		if (node->kind == PLAIT__CMD_REGION &&
		    !region_cost(build, node->link, cost))
			return fail_cost(build, t);
		if (__builtin_add_overflow(sum, *cost, &sum) ||
		    __builtin_add_overflow(sum, each, &sum) ||
		    sum > INT64_MAX)
			return fail_cost(build, t);
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
