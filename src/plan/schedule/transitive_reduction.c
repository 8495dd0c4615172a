/* SPDX-License-Identifier: MIT */
/*
 * Transitive reduction: drops each pred that another pred implies.  Later
 * phases and the plan see only the reduced graph.
 *
 * Preds of one level (longest path from a source) never imply each other, so
 * most nodes need no search.  For the others a backward search starts at the
 * higher preds and never descends below the lowest level in question.  Nodes
 * are partitioned into paths (each node continues one of its preds): to reach a
 * node of a path is to reach all earlier ones, which settles long skip edges at
 * once.
 *
 * The search spends steps from a budget that grows by a fixed number per node
 * and pred, and by more for each pred that it drops: where edges are seldom
 * implied, as in random graphs, searches are short.  When the budget is spent the
 * remaining preds are kept: never wrong, at worst a redundant wait;
 * counts.unproven_edges counts them.
 */
#include "plan/schedule/phases.h"

enum {
	BUDGET_NODE = 8,
	BUDGET_PRED = 2,
	/* For a pred that a search dropped. */
	BUDGET_DROP = 64
};

struct reduce {
	uint32_t *level;
	uint32_t *path;		/* by t; bit 31: another node continues it */
	uint32_t *candidate;	/* by path: its latest undecided pred */
	uint32_t *candidate_of;	/* by path: the t that `candidate` belongs to */
	uint32_t *visited;	/* by t: the last search that visited it */
	uint32_t *stack;
	uint32_t stack_capacity;
	uint32_t stack_count;
	uint32_t low;		/* lowest level of a candidate */
	uint32_t open;		/* candidates not yet implied */
	uint32_t cut;		/* 1: this node's search ran out of budget */
	uint64_t budget;
};

enum { CONTINUED = 1u << 31 };

/* The path of t is that of its highest pred that no other node continues. */
static void extend_path(plait__planner_state *planner, struct reduce *r,
			uint32_t t, uint32_t *path_count)
{
	uint32_t i = planner->pred_first[t + 1];

	while (i-- > planner->pred_first[t]) {
		uint32_t pred = planner->preds[i];

		if (r->path[pred] & CONTINUED)
			continue;
		r->path[t] = r->path[pred];
		r->path[pred] |= CONTINUED;
		return;
	}
	r->path[t] = (*path_count)++;
}

/* Enter preds[from..to) as candidates, one per path; a pred that a later one of
 * its path implies becomes PLAIT__NONE. */
static void add_candidates(plait__planner_state *planner, struct reduce *r,
			   uint32_t t, uint32_t from, uint32_t to)
{
	uint32_t i = to;

	while (i-- > from) {
		uint32_t pred = planner->preds[i];
		uint32_t path = r->path[pred] & ~(uint32_t)CONTINUED;

		if (r->candidate_of[path] == t) {
			planner->preds[i] = PLAIT__NONE;
			continue;
		}
		r->candidate_of[path] = t;
		r->candidate[path] = pred;
		if (r->level[pred] < r->low)
			r->low = r->level[pred];
		r->open++;
	}
}

/* The search has reached x: drop the candidate of its path if x implies it. */
static void mark_reached(struct reduce *r, uint32_t x, uint32_t t)
{
	uint32_t path = r->path[x] & ~(uint32_t)CONTINUED;

	if (r->candidate_of[path] != t || r->candidate[path] == PLAIT__NONE ||
	    r->candidate[path] > x)
		return;
	r->candidate[path] = PLAIT__NONE;
	r->open--;
	r->budget += BUDGET_DROP;
}

static plait_status push_preds(plait__planner_state *planner, struct reduce *r,
			       uint32_t x, uint32_t t)
{
	uint32_t i = planner->pred_first[x], end = planner->pred_first[x + 1];
	plait_status status;

	status = plait__workspace_reserve(&planner->work, (void **)&r->stack,
					  &r->stack_capacity,
					  (uint64_t)r->stack_count + (end - i),
					  sizeof(uint32_t));
	if (status != PLAIT_OK)
		return status;
	for (; i < end; i++) {
		uint32_t pred = planner->preds[i];

		if (r->level[pred] < r->low || r->visited[pred] == t)
			continue;
		r->visited[pred] = t;
		r->stack[r->stack_count++] = pred;
	}
	return PLAIT_OK;
}

/* Visit all ancestors of `start` above the lowest candidate. */
static plait_status search(plait__planner_state *planner, struct reduce *r,
			   uint32_t start, uint32_t t)
{
	plait_status status = push_preds(planner, r, start, t);

	while (status == PLAIT_OK && r->stack_count > 0 && r->open > 0 &&
	       r->budget > 0) {
		uint32_t x = r->stack[--r->stack_count];

		r->budget--;
		planner->counts->reduce_steps++;
		mark_reached(r, x, t);
		if (r->level[x] > r->low)
			status = push_preds(planner, r, x, t);
	}
	if (r->stack_count > 0 && r->open > 0)
		r->cut = 1;
	r->stack_count = 0;
	return status;
}

/* Decide on the pred at i; returns true if it is kept. */
static bool decide(plait__planner_state *planner, struct reduce *r, uint32_t i,
		   uint32_t t)
{
	uint32_t pred = planner->preds[i], path;

	if (pred == PLAIT__NONE)
		return false;
	path = r->path[pred] & ~(uint32_t)CONTINUED;
	if (r->candidate_of[path] != t)
		return true;
	if (r->candidate[path] != pred) {
		planner->preds[i] = PLAIT__NONE;
		return false;
	}
	r->candidate[path] = PLAIT__NONE;
	r->open--;
	planner->counts->unproven_edges += r->cut;
	return true;
}

/* From the highest pred down: a kept pred may imply those below it. */
static plait_status reduce_node(plait__planner_state *planner, struct reduce *r,
				uint32_t t, uint32_t from, uint32_t to)
{
	plait_status status = PLAIT_OK;
	uint32_t i = to;

	r->open = 0;
	r->cut = 0;
	r->low = UINT32_MAX;
	add_candidates(planner, r, t, from, to);
	while (i-- > from && status == PLAIT_OK) {
		uint32_t pred = planner->preds[i];

		if (!decide(planner, r, i, t) || r->open == 0)
			continue;
		mark_reached(r, pred, t);
		if (r->level[pred] > r->low && r->open > 0)
			status = search(planner, r, pred, t);
	}
	return status;
}

/* Drop equal neighbours; returns true if the preds lie on different levels. */
static bool compact_preds(plait__planner_state *planner, struct reduce *r,
			  uint32_t t, uint32_t from, uint32_t *to)
{
	uint32_t i = planner->pred_first[t], out = from;
	uint32_t low = UINT32_MAX, high = 0;

	planner->pred_first[t] = from;
	for (; i < planner->pred_first[t + 1]; i++) {
		uint32_t pred = planner->preds[i], level = r->level[pred];

		if (out > from && planner->preds[out - 1] == pred)
			continue;
		planner->preds[out++] = pred;
		low = level < low ? level : low;
		high = level > high ? level : high;
	}
	*to = out;
	r->level[t] = out > from ? high + 1 : 0;
	return out > from && low < high;
}

/* A single pred needs no reduction. */
static void propagate(plait__planner_state *planner, struct reduce *r,
		      uint32_t t, uint32_t out, uint32_t *path_count)
{
	uint32_t pred = planner->preds[planner->pred_first[t]];

	planner->preds[out] = pred;
	planner->pred_first[t] = out;
	r->level[t] = r->level[pred] + 1;
	if (r->path[pred] & CONTINUED) {
		r->path[t] = (*path_count)++;
	} else {
		r->path[t] = r->path[pred];
		r->path[pred] |= CONTINUED;
	}
}

static plait_status reduce_all(plait__planner_state *planner, struct reduce *r)
{
	uint32_t t, i, out = 0, from, to, path_count = 0;
	plait_status status = PLAIT_OK;

	for (t = 0; t < planner->node_count && status == PLAIT_OK; t++) {
		from = out;
		if (planner->pred_first[t + 1] - planner->pred_first[t] == 1) {
			propagate(planner, r, t, out++, &path_count);
			continue;
		}
		if (compact_preds(planner, r, t, from, &to)) {
			r->budget += BUDGET_NODE +
				     BUDGET_PRED * (uint64_t)(to - from);
			status = reduce_node(planner, r, t, from, to);
		}
		for (i = from; i < to; i++)
			if (planner->preds[i] != PLAIT__NONE)
				planner->preds[out++] = planner->preds[i];
		/* The next node still reads its own list, further right. */
		i = planner->pred_first[t + 1];
		planner->pred_first[t + 1] = out;
		extend_path(planner, r, t, &path_count);
		planner->pred_first[t + 1] = i;
	}
	planner->pred_first[t] = out;
	return status;
}

/* Successors by t; each list ascends, as it is filled by t. */
static plait_status fill_succs(plait__planner_state *planner)
{
	uint32_t n = planner->node_count, t, i, sum = 0;
	uint32_t edges = planner->pred_first[n];
	uint32_t *first;

	planner->succ_first = plait__workspace_cut_zero(&planner->work,
							PLAIT__WORKSPACE_LATE,
							n + 2ull,
							sizeof(uint32_t));
	planner->succs = plait__workspace_alloc(&planner->work, edges,
						sizeof(uint32_t));
	if (planner->succ_first == NULL || planner->succs == NULL)
		return plait__planner_no_memory(planner);
	/* Shifted by one: filling moves each start to its end. */
	first = planner->succ_first + 1;
	for (i = 0; i < edges; i++)
		first[planner->preds[i]]++;
	for (t = 0; t <= n; t++) {
		uint32_t count = first[t];

		first[t] = sum;
		sum += count;
	}
	for (t = 0; t < n; t++)
		for (i = planner->pred_first[t]; i < planner->pred_first[t + 1];
		     i++)
			planner->succs[first[planner->preds[i]]++] = t;
	return PLAIT_OK;
}

static plait_status alloc_arrays(plait__planner_state *planner,
				 struct reduce *r)
{
	plait__workspace *work = &planner->work;
	uint64_t n = planner->node_count;

	r->level = plait__workspace_cut(work,
					plait__planner_early_slab(planner), n,
					sizeof(uint32_t));
	r->path = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
				       sizeof(uint32_t));
	r->candidate = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
					    sizeof(uint32_t));
	r->candidate_of = plait__workspace_cut_none(work,
						    PLAIT__WORKSPACE_EARLY, n,
						    sizeof(uint32_t));
	r->visited = plait__workspace_cut_none(work, PLAIT__WORKSPACE_EARLY, n,
					       sizeof(uint32_t));
	r->stack = NULL;
	r->stack_capacity = 0;
	r->stack_count = 0;
	r->budget = 0;
	if (r->level == NULL || r->path == NULL || r->candidate == NULL ||
	    r->candidate_of == NULL || r->visited == NULL)
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}

plait_status plait__transitive_reduction(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	struct reduce r;
	plait_status status = alloc_arrays(planner, &r);

	if (status != PLAIT_OK)
		return status;
	if (reduce_all(planner, &r) != PLAIT_OK)
		return plait__planner_no_memory(planner);
	planner->level = r.level;
	plait__workspace_free(work, r.path);
	plait__workspace_free(work, r.candidate);
	plait__workspace_free(work, r.candidate_of);
	plait__workspace_free(work, r.visited);
	plait__workspace_free(work, r.stack);
	planner->counts->steps += planner->node_count +
				planner->pred_first[planner->node_count];
	return fill_succs(planner);
}
