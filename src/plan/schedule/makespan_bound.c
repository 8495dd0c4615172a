/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds of the makespan: the critical path, and the total work divided
 * by the lanes.  The second is sharpened by work that cannot run early or late:
 * the work that starts at time a or later, with b or more after it, must fit in
 * between.
 */
#include "plan/schedule/phases.h"

enum { CUTS = 8 };

/* Above this, sums of a bound might overflow. */
#define LONGEST (UINT64_C(1) << 58)

/* Returns max(critical path, work / lanes); sets *lanes to 0 if there is no
 * limit.  Sums do not overflow (critical_path.c). */
static uint64_t simple_bound(const plait__planner_state *planner,
			     const plait__planner_scope *scope, uint64_t *lanes)
{
	uint64_t bound = 0, sum = 0, all = 0;
	uint32_t t, d;

	*lanes = 0;
	for (t = scope->t_first; t < scope->t_first + scope->t_count; t++) {
		sum += planner->cost[t];
		if (planner->rank[t] > bound)
			bound = planner->rank[t];
	}
	for (d = 0; d < planner->input->device_count; d++) {
		if (planner->limits[d] == 0)
			return bound;
		all += planner->limits[d];
	}
	*lanes = all;
	sum = sum / all + (sum % all != 0);
	return sum > bound ? sum : bound;
}

/* Histogram of costs by earliest start and by remaining path, both in steps. */
struct profile {
	uint64_t step;
	uint64_t cost[CUTS + 1][CUTS + 1];
};

static uint32_t cut_of(const struct profile *p, uint64_t time)
{
	return time >= CUTS * p->step ? CUTS : (uint32_t)(time / p->step);
}

static void fill_profile(const plait__planner_state *planner,
			 const plait__planner_scope *scope, uint64_t *start,
			 struct profile *p)
{
	uint32_t t, i, end = scope->t_first + scope->t_count;

	for (t = scope->t_first; t < end; t++) {
		uint64_t behind = planner->rank[t] - planner->cost[t];
		uint64_t first = 0;

		for (i = planner->pred_first[t]; i < planner->pred_first[t + 1];
		     i++) {
			uint32_t u = planner->preds[i];

			if (start[u] + planner->cost[u] > first)
				first = start[u] + planner->cost[u];
		}
		start[t] = first;
		p->cost[cut_of(p, first)][cut_of(p, behind)] +=
			planner->cost[t];
	}
}

/* Returns the sum of p->cost from (i, j) on, in both directions. */
static uint64_t sum_up(struct profile *p, uint32_t i, uint32_t j)
{
	uint64_t sum = p->cost[i][j];

	if (i < CUTS)
		sum += p->cost[i + 1][j];
	if (j < CUTS)
		sum += p->cost[i][j + 1];
	if (i < CUTS && j < CUTS)
		sum -= p->cost[i + 1][j + 1];
	p->cost[i][j] = sum;
	return sum;
}

bool plait__makespan_is_minimal(plait__planner_state *planner,
				const plait__planner_scope *scope,
				uint64_t makespan, uint64_t *start)
{
	struct profile p = { 0 };
	uint64_t lanes, sum, bound = simple_bound(planner, scope, &lanes);
	uint32_t i, j;

	if (makespan <= bound)
		return true;
	if (lanes == 0 || makespan > LONGEST)
		return false;
	/* The two cuts together must gain the difference. */
	p.step = (makespan - bound + 3) / 4;
	fill_profile(planner, scope, start, &p);
	planner->counts->steps += scope->t_count;
	for (i = CUTS + 1; i-- > 0;)
		for (j = CUTS + 1; j-- > 0;) {
			sum = sum_up(&p, i, j);
			if (sum > 0 && (i + j) * p.step + sum / lanes +
			    (sum % lanes != 0) >= makespan)
				return true;
		}
	return false;
}
