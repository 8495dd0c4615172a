/* SPDX-License-Identifier: MIT */
/*
 * Check of a graph: each conflict that conflicts.c finds becomes a question of
 * reachability between two nodes of one scope.  Iterations of a loop need no
 * question, since each iteration happens before the next one.
 */
#include "plan/check/graph_check.h"

#include "plan/check/conflicts.h"
#include "plan/check/graph_order.h"
#include "plan/check/missing_edge.h"
#include "plan/check/reach.h"

#include "base/alloc.h"

#include <string.h>

/* `base` is first, so that its callbacks find the rest. */
struct graph_check {
	plait__conflicts base;
	plait__graph_order order;
	plait__reach reach;
	const plait__plan *part;
	/* Null, or receives the nodes without an order, in place of a text. */
	plait__input_edge *missing;
	/* Pairs whose search exceeded its budget, and the items that they were
	 * made for. */
	plait__reach_pair *pairs;
	plait__reach_pair *items;
	uint64_t pair_bytes;	/* of each array */
	uint32_t pair_count;
};

static struct graph_check *graph_check_of(plait__conflicts *conflicts)
{
	return (struct graph_check *)conflicts;
}

static const struct graph_check *view(const plait__conflicts *conflicts)
{
	return (const struct graph_check *)conflicts;
}

/* ---- what conflicts.c asks ---- */

static uint32_t accesses(const plait__conflicts *conflicts, uint32_t item,
			 uint32_t *out_count)
{
	const struct graph_check *c = view(conflicts);
	uint32_t node = c->order.node_at[item];
	bool absent = c->part != NULL &&
		      c->part->nodes[node].command == PLAIT__NONE;

	*out_count = absent ? 0 : c->order.input->nodes[node].access_count;
	return c->order.input->nodes[node].access_first;
}

static bool is_inside(const plait__conflicts *conflicts, uint32_t item,
		      uint32_t region)
{
	return plait__graph_order_is_inside(&view(conflicts)->order, item,
					    region);
}

/* A write in a body removes older accesses outside of it too: the region is
 * ordered after them, and before all that must be ordered after the write. */
static uint32_t no_floor(const plait__conflicts *conflicts, uint32_t item)
{
	(void)conflicts;
	(void)item;
	return 0;
}

static plait_status fail(const struct graph_check *c, uint32_t before,
			 uint32_t after)
{
	if (c->missing == NULL)
		return plait__missing_edge_fail(&c->order, before, after,
						c->base.check->error);
	*c->missing = (plait__input_edge){ c->order.node_at[before],
					   c->order.node_at[after] };
	return PLAIT_E_INVALID;
}

/* Enlarge one of the two arrays; the caller stores `pair_bytes` after both. */
static bool grow(struct graph_check *c, plait__reach_pair **array,
		 uint64_t bytes)
{
	const plait_allocator *allocator = c->base.check->allocator;
	plait__reach_pair *moved = *array == NULL ?
		plait__alloc(allocator, bytes) :
		plait__realloc(allocator, *array, c->pair_bytes, bytes);

	if (moved != NULL)
		*array = moved;
	return moved != NULL;
}

static plait_status put_off(struct graph_check *c, plait__reach_pair pair,
			    plait__reach_pair items)
{
	uint64_t need = (c->pair_count + 1ull) * sizeof(pair);
	uint64_t bytes = 2 * need + 64 * sizeof(pair);

	if (need > c->pair_bytes) {
		if (!grow(c, &c->pairs, bytes))
			return plait__check_no_memory(c->base.check);
		if (!grow(c, &c->items, bytes)) {
			/* Both arrays have one size. */
			plait__free(c->base.check->allocator, c->pairs, bytes);
			c->pairs = NULL;
			plait__free(c->base.check->allocator, c->items,
				    c->pair_bytes);
			c->items = NULL;
			return plait__check_no_memory(c->base.check);
		}
		c->pair_bytes = bytes;
	}
	c->pairs[c->pair_count] = pair;
	c->items[c->pair_count++] = items;
	return PLAIT_OK;
}

static plait_status require_order(plait__conflicts *conflicts, uint32_t before,
				  uint32_t after, uint32_t target)
{
	struct graph_check *c = graph_check_of(conflicts);
	uint32_t a = c->order.node_at[before], b = c->order.node_at[target];
	plait__reach_pair pair;

	plait__graph_order_meet(&c->order, &a, &b);
	if (a == b)
		return PLAIT_OK;
	pair.before = c->order.position[a];
	pair.after = c->order.position[b];
	switch (plait__reach_query(&c->reach, pair.before, pair.after)) {
	case PLAIT__REACH_YES:
		return PLAIT_OK;
	case PLAIT__REACH_NO:
		return fail(c, before, after);
	default:
		return put_off(c, pair, (plait__reach_pair){ before, after });
	}
}

/* ---- the check ---- */

/* Tabulate the edges by position.  The position of each node is known
 * (plait__graph_order_by_edges). */
static plait_status list_edges(struct graph_check *c, uint32_t **out_first,
			       uint32_t **out_from)
{
	const plait__input *input = c->order.input;
	const uint32_t *position = c->order.position;
	plait__check *check = c->base.check;
	uint32_t *first = plait__check_alloc(check, input->node_count + 1ull,
					     sizeof(*first));
	uint32_t *from = plait__check_alloc(check, input->edge_count,
					    sizeof(*from));
	uint32_t sum = 0;

	if (first == NULL || from == NULL)
		return plait__check_no_memory(check);
	for (uint32_t i = 0; i < input->edge_count; i++)
		first[position[input->edges[i].after]]++;
	for (uint32_t v = 0; v <= input->node_count; v++) {
		sum += first[v];
		first[v] = sum;
	}
	for (uint32_t i = 0; i < input->edge_count; i++)
		from[--first[position[input->edges[i].after]]] =
			position[input->edges[i].before];
	*out_first = first;
	*out_from = from;
	return PLAIT_OK;
}

static plait_status prove_rest(struct graph_check *c)
{
	uint32_t bad;
	plait_status status = plait__reach_sweep(&c->reach, c->pairs,
						 c->pair_count, &bad);

	if (status != PLAIT_OK || bad == PLAIT__NONE)
		return status;
	return fail(c, c->items[bad].before, c->items[bad].after);
}

static plait_status run(struct graph_check *c, plait__check *check)
{
	uint32_t *first = NULL, *from = NULL;
	plait_status status = plait__graph_order_by_edges(&c->order, check);

	if (status == PLAIT_OK)
		status = list_edges(c, &first, &from);
	if (status == PLAIT_OK)
		status = plait__reach_init(&c->reach, check,
					   check->input->node_count, first,
					   from);
	if (status != PLAIT_OK)
		return status;
	c->base = (plait__conflicts){
		.check = check, .tables = &c->order.tables,
		.count = check->input->node_count, .root = c->reach.root,
		.anchor = c->reach.anchor, .accesses = accesses,
		.is_inside = is_inside, .floor = no_floor,
		.order = require_order
	};
	status = plait__conflicts_visit(&c->base);
	return status == PLAIT_OK ? prove_rest(c) : status;
}

static plait_status check_input(const plait__input *input,
				const plait__plan *part,
				plait__input_edge *missing,
				const plait_allocator *allocator,
				plait_error *error)
{
	plait__check check = {
		.input = input, .error = error,
		.allocator = allocator != NULL ? allocator :
			     plait__alloc_default()
	};
	struct graph_check c = { .base.check = &check, .part = part,
				 .missing = missing };
	plait_status status;

	if (input->tables.accesses_count == 0 || input->node_count == 0)
		return PLAIT_OK;
	status = run(&c, &check);
	plait__free(check.allocator, c.pairs, c.pair_bytes);
	plait__free(check.allocator, c.items, c.pair_bytes);
	plait__check_free_all(&check);
	return status;
}

plait_status plait__check_graph(const plait__input *input,
				const plait__plan *part,
				const plait_allocator *allocator,
				plait_error *error)
{
	return check_input(input, part, NULL, allocator, error);
}

plait_status plait__check_graph_find(const plait__input *input,
				     const plait_allocator *allocator,
				     plait__input_edge *out_missing,
				     plait_error *error)
{
	return check_input(input, NULL, out_missing, allocator, error);
}
