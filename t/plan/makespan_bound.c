/* SPDX-License-Identifier: MIT */
/*
 * The lower bound of the makespan: on small graphs it is compared with the best
 * schedule that exists, found by trying all.
 */
#include "plan/schedule/phases.h"

#include "lib/shapes.h"
#include "lib/tap.h"

enum { MOST = 7, ROUNDS = 400 };

struct small {
	uint32_t count;
	uint32_t lanes;
	uint64_t cost[MOST];
	uint32_t before[MOST];		/* bits: preds */
	/* The input of the bound. */
	uint64_t rank[MOST];
	uint32_t pred_first[MOST + 1];
	uint32_t preds[MOST * MOST];
};

static void make(struct small *g, struct shape_random *random)
{
	uint32_t percent = 10 + shape_below(random, 60), used = 0;

	g->count = 2 + shape_below(random, MOST - 1);
	g->lanes = 1 + shape_below(random, 3);
	for (uint32_t t = 0; t < g->count; t++) {
		g->cost[t] = 1 + shape_below(random, 4);
		g->before[t] = 0;
		g->pred_first[t] = used;
		for (uint32_t u = 0; u < t; u++) {
			if (shape_below(random, 100) >= percent)
				continue;
			g->before[t] |= 1u << u;
			g->preds[used++] = u;
		}
	}
	g->pred_first[g->count] = used;
	for (uint32_t t = g->count; t-- > 0;) {
		g->rank[t] = 0;
		for (uint32_t v = t + 1; v < g->count; v++)
			if ((g->before[v] >> t & 1) &&
			    g->rank[v] > g->rank[t])
				g->rank[t] = g->rank[v];
		g->rank[t] += g->cost[t];
	}
}

/* A step of trying all orders; among them is one that is best when every node
 * in its turn takes the lane that is free first. */
static uint64_t best(const struct small *g, uint32_t done, uint64_t free_at[3],
		     uint64_t finish[MOST], uint64_t end)
{
	uint64_t least = UINT64_MAX;

	if (done == (1u << g->count) - 1)
		return end;
	for (uint32_t t = 0; t < g->count; t++) {
		uint64_t start, length;
		uint32_t lane = 0;

		if ((done >> t & 1) || (g->before[t] & ~done) != 0)
			continue;
		for (uint32_t i = 1; i < g->lanes; i++)
			if (free_at[i] < free_at[lane])
				lane = i;
		start = free_at[lane];
		for (uint32_t u = 0; u < t; u++)
			if ((g->before[t] >> u & 1) && finish[u] > start)
				start = finish[u];
		length = free_at[lane];
		finish[t] = free_at[lane] = start + g->cost[t];
		start = best(g, done | 1u << t, free_at, finish,
			     finish[t] > end ? finish[t] : end);
		free_at[lane] = length;
		least = start < least ? start : least;
	}
	return least;
}

static bool is_shortest(struct small *g, uint64_t makespan)
{
	uint64_t start[MOST];
	plait__planner_counts counts = { 0 };
	plait__input input = { .device_count = 1 };
	plait__planner_scope scope = { .t_count = g->count };
	plait__planner_state build = {
		.input = &input, .counts = &counts, .cost = g->cost,
		.rank = g->rank, .pred_first = g->pred_first,
		.preds = g->preds, .limits = &g->lanes,
	};

	return plait__makespan_is_minimal(&build, &scope, makespan, start);
}

static void against_all(void)
{
	struct shape_random random;
	uint32_t proved = 0;

	shape_seed(&random, 7);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t free_at[3] = { 0 }, finish[MOST], least;
		struct small g;

		make(&g, &random);
		least = best(&g, 0, free_at, finish, 0);
		/* The bound never exceeds the best makespan ... */
		for (uint64_t more = 1; more <= 3; more++)
			if (is_shortest(&g, least + more))
				OK_THAT(false, "round %d: %u nodes, %u lanes, "
					"least %u, not %u", round, g.count,
					g.lanes, (unsigned)least,
					(unsigned)(least + more));
		/* ...  and nearly always reaches it: path and work alone prove
		 * 393 of these. */
		proved += is_shortest(&g, least);
	}
	OK_THAT(proved >= 396, "%u of %d were proved", proved, ROUNDS);
	NOTE("%u of %d shortest schedules were proved", proved, ROUNDS);
}

/* A tree that opens and closes: neither its path nor its work is enough. */
static void a_tree(void)
{
	plait__input_options options = { .policy = PLAIT__POLICY_BOUNDED,
					 .lanes = 8 };
	plait__planner_counts counts;
	plait__plan *plan;
	struct shape shape;

	shape_tree(&shape, 9);
	IS_INT(plait__planner_run(&shape.input, &options, NULL, &counts, &plan,
				  NULL), PLAIT_OK);
	/* Three steps at either end cannot use 8 lanes. */
	IS_UINT(plan->makespan, 6 + (shape.input.node_count - 14 + 7) / 8);
	plait__plan_release(plan);
	shape_fini(&shape);
}

/* Costs near the limit: no sum of the bound may run over. */
static void huge(void)
{
	struct small g = { .count = 2, .lanes = 2,
			   .cost = { INT64_MAX / 2, 1 },
			   .rank = { INT64_MAX / 2, 1 } };

	OK(is_shortest(&g, INT64_MAX / 2));
	OK(!is_shortest(&g, INT64_MAX));
	OK(!is_shortest(&g, INT64_MAX / 2 + 2));
}

static const struct tap_scenario scenarios[] = {
	{ "against all schedules", against_all },
	{ "a tree", a_tree },
	{ "huge costs", huge },
};
TAP_MAIN(scenarios)
