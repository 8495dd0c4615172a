/* SPDX-License-Identifier: MIT */
/*
 * Chain cover of a scope, policy `widest`: few chains, in which each item has
 * the previous one among its ancestors.  By Dilworth's theorem the least number
 * of chains is the width of the graph.
 *
 * Each item in turn continues the tail of one of its preds (the pred with the
 * fewest unplaced successors), else a tail found by a backward search over its
 * ancestors, else takes the place of an item that can be given another tail (a
 * short augmenting path), else begins a lane.
 *
 * "u is not a tail" and "no ancestor of u is a tail" stay true once they are.
 * So the search skips exhausted nodes for good and compresses nodes with one
 * way on.  The search spends steps from a budget that grows by a fixed number
 * per node and pred: near-linear time in all.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"

#include <string.h>

enum {
	BUDGET_NODE = 24,
	BUDGET_PRED = 8,
	SEARCH_STEPS = 65536,	/* maximum of one search */
	SWAP_STEPS = 64,	/* maximum of one search for another tail */
	SWAP_NODES = 16,	/* candidates of one augmenting path */
	SWAP_PREDS = 8,
	AFFINITY_TRIED = 4		/* tails examined for a node with an
					 * affinity */
};

struct path_step {
	uint32_t t;
	uint32_t left;		/* preds not examined yet: first .. left - 1 */
};

struct plait__chain_cover {
	plait__planner_state *planner;
	uint32_t *next;		/* by item: the next of its chain, or none */
	uint32_t next_capacity;
	uint32_t *via;		/* by t: path compression: itself, its
				 * substitute, or none: exhausted */
	uint32_t *cursor;	/* by t: preds from here on are exhausted */
	uint32_t *stamp;	/* by t: number of the last search that visited
				 * it */
	uint32_t *unplaced_succs;	/* by t: successors not yet placed */
	uint32_t *affinities;	/* by t: bit set of affinities that its lane has
				 * run */
	struct path_step *path;
	uint32_t path_capacity;
	uint32_t search;
	uint64_t budget;
	bool no_memory;
};

static uint32_t affinity_bit(const plait__planner_state *planner, uint32_t t)
{
	uint32_t affinity = !planner->has_affinity ? 0 :
			    plait__planner_node(planner, t)->affinity;

	return affinity == 0 ? 0 : 1u << ((affinity * 2654435769u) >> 27);
}

/* Returns the item of u on `device` that is a tail, or none. */
static uint32_t find_tail(const struct plait__chain_cover *c, uint32_t u,
			  uint32_t device)
{
	const plait__planner_state *planner = c->planner;
	uint32_t count, k, item;

	if (c->next[u] == PLAIT__NONE &&
	    plait__planner_device(planner, u) == device)
		return u;
	count = plait__planner_extra_items(planner, u).count;
	for (k = 1; k <= count; k++) {
		item = plait__planner_item(planner, u, k);
		if (c->next[item] == PLAIT__NONE &&
		    plait__planner_item_device(planner, u, k) == device)
			return item;
	}
	return PLAIT__NONE;
}

static bool is_any_tail(const struct plait__chain_cover *c, uint32_t u)
{
	uint32_t count = plait__planner_extra_items(c->planner, u).count, k;

	for (k = 0; k <= count; k++)
		if (c->next[plait__planner_item(c->planner, u,
						k)] == PLAIT__NONE)
			return true;
	return false;
}

/* Find with path compression: returns u itself, or the only node that it leads
 * to. */
static uint32_t find(struct plait__chain_cover *c, uint32_t u)
{
	while (u != PLAIT__NONE && c->via[u] != u) {
		uint32_t v = c->via[u];

		if (v != PLAIT__NONE)
			c->via[u] = c->via[v];
		u = v;
	}
	return u;
}

/* Drop exhausted preds at the end of x's list; then compress x itself. */
static void compress(struct plait__chain_cover *c, uint32_t x)
{
	plait__planner_state *planner = c->planner;
	uint32_t first = planner->pred_first[x];

	while (c->cursor[x] > first &&
	       find(c, planner->preds[c->cursor[x] - 1]) == PLAIT__NONE)
		c->cursor[x]--;
	if (is_any_tail(c, x))
		return;
	if (c->cursor[x] == first)
		c->via[x] = PLAIT__NONE;
	else if (c->cursor[x] == first + 1)
		c->via[x] = find(c, planner->preds[first]);
}

static bool push_step(struct plait__chain_cover *c, uint32_t depth, uint32_t x)
{
	if (plait__workspace_reserve(&c->planner->work, (void **)&c->path,
				     &c->path_capacity, depth + 1ull,
				     sizeof(*c->path)) != PLAIT_OK) {
		c->no_memory = true;
		return false;
	}
	c->path[depth].t = x;
	c->path[depth].left = c->cursor[x];
	return true;
}

struct found {
	uint32_t item;
	uint32_t tried;
};

/* Record a tail at u; returns true if the search may stop. */
static bool consider(const struct plait__chain_cover *c, uint32_t u,
		     uint32_t device, uint32_t affinity, struct found *found)
{
	uint32_t item = find_tail(c, u, device);

	if (item == PLAIT__NONE)
		return false;
	if (found->item == PLAIT__NONE || (c->affinities[u] & affinity) != 0)
		found->item = item;
	return affinity == 0 || (c->affinities[u] & affinity) != 0 ||
	       ++found->tried == AFFINITY_TRIED;
}

/*
 * Returns a tail on `device` among the ancestors of v, or none if there is none
 * or the steps ran out.  Depth-first; the stack is the path back to v.
 */
static uint32_t search(struct plait__chain_cover *c, uint32_t v,
		       uint32_t device, uint32_t affinity, uint32_t steps)
{
	struct found found = { PLAIT__NONE, 0 };
	uint32_t depth = 0, u;

	c->search++;
	if (!push_step(c, depth++, v))
		return PLAIT__NONE;
	while (depth > 0 && steps > 0 && c->budget > 0) {
		struct path_step *top = &c->path[depth - 1];

		if (top->left == c->planner->pred_first[top->t]) {
			compress(c, top->t);
			depth--;
			continue;
		}
		steps--;
		c->budget--;
		c->planner->counts->recycle_steps++;
		u = find(c, c->planner->preds[--top->left]);
		if (u == PLAIT__NONE || c->stamp[u] == c->search)
			continue;
		c->stamp[u] = c->search;
		if (consider(c, u, device, affinity, &found))
			break;
		if (!push_step(c, depth++, u))
			return PLAIT__NONE;
	}
	return found.item;
}

/*
 * Returns true if u's chain is the better one to continue: fewest unplaced
 * successors, then highest level, then a lane that ran the same affinity, then
 * the first.
 */
static bool is_better(const struct plait__chain_cover *c, uint32_t u,
		      uint32_t best, uint32_t affinity)
{
	const plait__planner_state *planner = c->planner;

	if (c->unplaced_succs[u] != c->unplaced_succs[best])
		return c->unplaced_succs[u] < c->unplaced_succs[best];
	if (planner->level[u] != planner->level[best])
		return planner->level[u] > planner->level[best];
	return (c->affinities[u] & affinity) != 0 &&
	       (c->affinities[best] & affinity) == 0;
}

/* Returns the tail, on `device`, of the pred that v continues, or none. */
static uint32_t continue_pred(const struct plait__chain_cover *c, uint32_t v,
			      uint32_t device, uint32_t affinity)
{
	const plait__planner_state *planner = c->planner;
	uint32_t i, best = PLAIT__NONE, best_u = 0;

	for (i = planner->pred_first[v]; i < planner->pred_first[v + 1]; i++) {
		uint32_t u = planner->preds[i];
		uint32_t item = find_tail(c, u, device);

		if (item == PLAIT__NONE ||
		    (best != PLAIT__NONE && !is_better(c, u, best_u, affinity)))
			continue;
		best = item;
		best_u = u;
	}
	return best;
}

/* ---- augmenting paths ---- */

/* v could follow u if x, its present successor, found another tail. */
struct swap {
	uint32_t x;
	uint32_t u;
	uint32_t parent;	/* index of the swap that wants u, or none: v
				 * itself */
};

static bool is_swappable(const struct plait__chain_cover *c,
			 const struct swap *swaps, uint32_t count, uint32_t x)
{
	uint32_t i;

	if (x == PLAIT__NONE || x >= c->planner->node_count ||
	    plait__planner_extra_items(c->planner, x).count > 0)
		return false;
	for (i = 0; i < count; i++)
		if (swaps[i].x == x)
			return false;
	return true;
}

static uint32_t add_swaps(const struct plait__chain_cover *c,
			  struct swap *swaps, uint32_t count, uint32_t wants,
			  uint32_t parent, uint32_t device)
{
	const plait__planner_state *planner = c->planner;
	uint32_t i = planner->pred_first[wants + 1], tried = 0;

	while (i-- > planner->pred_first[wants] && tried++ < SWAP_PREDS &&
	       count < SWAP_NODES) {
		uint32_t u = planner->preds[i];

		if (plait__planner_device(planner, u) != device ||
		    plait__planner_extra_items(planner, u).count > 0 ||
		    !is_swappable(c, swaps, count, c->next[u]))
			continue;
		swaps[count].x = c->next[u];
		swaps[count].u = u;
		swaps[count].parent = parent;
		count++;
	}
	return count;
}

/* Give v a tail by moving other items along an augmenting path; returns false
 * if there is none.  v has a single item. */
static bool augment(struct plait__chain_cover *c, uint32_t v, uint32_t device)
{
	struct swap swaps[SWAP_NODES];
	uint32_t count = add_swaps(c, swaps, 0, v, PLAIT__NONE, device);
	uint32_t i, tail, u;

	for (i = 0; i < count; i++) {
		tail = continue_pred(c, swaps[i].x, device, 0);
		if (tail == PLAIT__NONE)
			tail = search(c, swaps[i].x, device, 0, SWAP_STEPS);
		if (tail != PLAIT__NONE)
			break;
		count = add_swaps(c, swaps, count, swaps[i].x, i, device);
	}
	if (i == count)
		return false;
	/* Each x takes the tail found for it and frees its own. */
	while (i != PLAIT__NONE) {
		c->next[tail] = swaps[i].x;
		u = swaps[i].u;
		tail = u;
		i = swaps[i].parent;
	}
	c->next[tail] = v;
	return true;
}

static void place_item(struct plait__chain_cover *c, uint32_t t, uint32_t k)
{
	plait__planner_state *planner = c->planner;
	uint32_t item = plait__planner_item(planner, t, k);
	uint32_t device = plait__planner_item_device(planner, t, k);
	uint32_t affinity = affinity_bit(planner, t);
	uint32_t tail = continue_pred(c, t, device, affinity);

	if (tail == PLAIT__NONE)
		tail = search(c, t, device, affinity, SEARCH_STEPS);
	if (tail != PLAIT__NONE) {
		c->next[tail] = item;
		if (tail < planner->node_count)
			c->affinities[t] |= c->affinities[tail];
		return;
	}
	if (k == 0 && plait__planner_extra_items(planner, t).count == 0)
		(void)augment(c, t, device);
}

/*
 * Place node after node.  While its items look for tails they are tails
 * themselves, but no placed node has them as ancestors, so they never find each
 * other.  `planner->seq` lists preds before their successors.
 */
static plait_status place_all(struct plait__chain_cover *c,
			      const plait__planner_scope *scope)
{
	plait__planner_state *planner = c->planner;
	uint32_t i, j, k, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end && !c->no_memory; i++) {
		uint32_t t = planner->seq[i];
		uint32_t count = plait__planner_extra_items(planner, t).count;

		c->budget += BUDGET_NODE + BUDGET_PRED *
			(uint64_t)(planner->pred_first[t + 1] -
				   planner->pred_first[t]);
		c->affinities[t] = affinity_bit(planner, t);
		for (j = planner->pred_first[t]; j < planner->pred_first[t + 1];
		     j++)
			c->unplaced_succs[planner->preds[j]]--;
		for (k = 0; k <= count; k++)
			place_item(c, t, k);
	}
	return c->no_memory ? PLAIT_E_NOMEM : PLAIT_OK;
}

/* Number the chains in the order of their first items.  All items are
 * placed. */
static plait_status number_lanes(struct plait__chain_cover *c,
				 plait__planner_scope *scope)
{
	plait__planner_state *planner = c->planner;
	uint32_t i, k, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end; i++) {
		uint32_t t = planner->seq[i];
		uint32_t count = plait__planner_extra_items(planner, t).count;

		for (k = 0; k <= count; k++) {
			uint32_t item = plait__planner_item(planner, t, k);
			uint32_t device =
				plait__planner_item_device(planner, t, k);

			if (planner->lane[item] == PLAIT__NONE &&
			    plait__planner_new_lane(planner, scope, device,
						   &planner->lane[item]) != PLAIT_OK)
				return PLAIT_E_NOMEM;
			if (c->next[item] != PLAIT__NONE)
				planner->lane[c->next[item]] =
					planner->lane[item];
		}
	}
	return PLAIT_OK;
}

plait_status plait__chain_cover_open(plait__planner_state *planner,
				     struct plait__chain_cover **out)
{
	plait__workspace *work = &planner->work;
	uint64_t n = planner->node_count;
	struct plait__chain_cover *c =
		plait__workspace_alloc_zero(work, 1, sizeof(*c));

	if (c == NULL)
		return plait__planner_no_memory(planner);
	c->planner = planner;
	c->via = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
				      sizeof(uint32_t));
	c->cursor = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
					 sizeof(uint32_t));
	c->stamp = plait__workspace_cut_zero(work, PLAIT__WORKSPACE_EARLY, n,
					     sizeof(uint32_t));
	c->unplaced_succs = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY,
						 n, sizeof(uint32_t));
	c->affinities = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
					     sizeof(uint32_t));
	*out = c;
	if (c->via == NULL || c->cursor == NULL || c->stamp == NULL ||
	    c->unplaced_succs == NULL || c->affinities == NULL)
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}

void plait__chain_cover_close(struct plait__chain_cover *c)
{
	plait__workspace *work = &c->planner->work;

	plait__workspace_free(work, c->next);
	plait__workspace_free(work, c->via);
	plait__workspace_free(work, c->cursor);
	plait__workspace_free(work, c->stamp);
	plait__workspace_free(work, c->unplaced_succs);
	plait__workspace_free(work, c->affinities);
	plait__workspace_free(work, c->path);
	plait__workspace_free(work, c);
}

/* Without lane limits each node starts when its preds are done. */
static uint64_t find_makespan(const plait__planner_state *planner,
			      const plait__planner_scope *scope)
{
	uint64_t makespan = 0;
	uint32_t t, end = scope->t_first + scope->t_count;

	for (t = scope->t_first; t < end; t++)
		if (planner->rank[t] > makespan)
			makespan = planner->rank[t];
	return makespan;
}

/* Regions add items while scopes are processed, inner ones first. */
static plait_status reserve_items(struct plait__chain_cover *c)
{
	plait__planner_state *planner = c->planner;
	uint32_t old = c->next_capacity;
	uint64_t items = (uint64_t)planner->node_count + planner->extra_count;

	if (plait__workspace_reserve(&planner->work, (void **)&c->next,
				     &c->next_capacity, items,
				     sizeof(uint32_t)) != PLAIT_OK)
		return plait__planner_no_memory(planner);
	if (c->next_capacity > old)
		memset(c->next + old, 0xff,
		       (c->next_capacity - old) * sizeof(uint32_t));
	return PLAIT_OK;
}

plait_status plait__chain_cover_run(struct plait__chain_cover *c,
				    uint32_t scope_index)
{
	plait__planner_state *planner = c->planner;
	plait__planner_scope *scope = &planner->scopes[scope_index];
	uint32_t t, end = scope->t_first + scope->t_count;

	if (reserve_items(c) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	for (t = scope->t_first; t < end; t++) {
		c->via[t] = t;
		c->cursor[t] = planner->pred_first[t + 1];
		c->unplaced_succs[t] = planner->succ_first[t + 1] -
				planner->succ_first[t];
	}
	scope->lane_first = planner->lane_device_count;
	scope->makespan = find_makespan(planner, scope);
	if (place_all(c, scope) != PLAIT_OK ||
	    number_lanes(c, scope) != PLAIT_OK)
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}
