/* SPDX-License-Identifier: MIT */
/*
 * Proof of obligations by paths: each one is a question to reach.c about the
 * order graph of the plan.  The cost does not depend on the number of chains.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"
#include "plan/check/reach.h"

/* Order graph by index in `order`, which is topological in each body. */
struct edges {
	uint32_t *first;
	uint32_t *from;
};

static uint64_t count_edges(const plait__check *check)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < check->plan->command_count; c++) {
		plait__obligations_edges e =
			plait__obligations_in_edges(check, c);

		sum += e.last - e.first;
		sum += plait__obligations_has_lane_pred(check, c);
	}
	return sum;
}

/* `order` has passed deadlock.c, so edges lead from lower to higher indices. */
static plait_status list_edges(plait__check *check, struct edges *edges)
{
	const plait__plan *plan = check->plan;
	uint64_t sum = count_edges(check);
	uint32_t count = 0;

	if (sum >= UINT32_MAX)
		return plait__check_no_memory(check);
	edges->first = plait__check_alloc(check, plan->command_count + 1ull,
					  sizeof(*edges->first));
	edges->from = plait__check_alloc(check, sum, sizeof(*edges->from));
	if (edges->first == NULL || edges->from == NULL)
		return plait__check_no_memory(check);
	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint32_t c = plan->order[i];
		plait__obligations_edges e =
			plait__obligations_in_edges(check, c);

		if (plait__obligations_has_lane_pred(check, c))
			edges->from[count++] = check->sequence[c - 1];
		for (uint32_t k = e.first; k < e.last; k++)
			edges->from[count++] = check->sequence[e.targets[k]];
		edges->first[i + 1] = count;
	}
	return PLAIT_OK;
}

/* Keep the obligations that searches leave open at the front, those about
 * redundant waits behind them. */
static plait_status ask_all(plait__check *check, plait__reach *reach,
			    plait__reach_pair *pairs, uint32_t *out_open)
{
	plait__obligation *list = check->obligations;
	uint32_t kept = 0, open = 0;

	for (uint32_t i = 0; i < check->obligation_count; i++) {
		plait__obligation o = list[i];
		plait__reach_pair pair = { check->sequence[o.before],
					   check->sequence[o.after] };
		uint32_t answer = PLAIT__REACH_YES;

		if (o.why != PLAIT__OBLIGATION_REDUNDANT)
			answer = plait__reach_query(reach, pair.before,
						    pair.after);
		if (answer == PLAIT__REACH_NO)
			return plait__obligations_fail(check, o.before,
						       o.after, o.why);
		if (answer == PLAIT__REACH_YES &&
		    o.why != PLAIT__OBLIGATION_REDUNDANT)
			continue;
		list[kept++] = o;
		if (answer == PLAIT__REACH_YES)
			continue;
		list[kept - 1] = list[open];
		list[open] = o;
		pairs[open++] = pair;
	}
	check->obligation_count = kept;
	*out_open = open;
	return PLAIT_OK;
}

/* Prove the first `open` obligations, and remove them.  ask_all has moved the
 * open obligations to the front. */
static plait_status sweep(plait__check *check, plait__reach *reach,
			  const plait__reach_pair *pairs, uint32_t open)
{
	plait__obligation *list = check->obligations;
	uint32_t bad;
	plait_status status = plait__reach_sweep(reach, pairs, open, &bad);

	if (status != PLAIT_OK)
		return status;
	if (bad != PLAIT__NONE)
		return plait__obligations_fail(check, list[bad].before,
					       list[bad].after, list[bad].why);
	for (uint32_t i = open; i < check->obligation_count; i++)
		list[i - open] = list[i];
	check->obligation_count -= open;
	return PLAIT_OK;
}

plait_status plait__paths_prove(plait__check *check)
{
	struct edges edges = { 0 };
	plait__reach reach;
	plait__reach_pair *pairs = plait__check_alloc(
		check, check->obligation_count, sizeof(*pairs));
	uint32_t open = 0;
	plait_status status = pairs != NULL ? list_edges(check, &edges) :
			      plait__check_no_memory(check);

	if (status == PLAIT_OK)
		status = plait__reach_init(&reach, check,
					   check->plan->command_count,
					   edges.first, edges.from);
	if (status == PLAIT_OK)
		status = ask_all(check, &reach, pairs, &open);
	return status == PLAIT_OK ? sweep(check, &reach, pairs, open) : status;
}
