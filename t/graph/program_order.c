/* SPDX-License-Identifier: MIT */
/*
 * Inferred edges against all pairs of nodes: of two nodes that conflict, the one
 * that was added first comes first; each inferred edge has a reason; and no more
 * than two of them stand for one access of a whole object.
 */
#include <stdlib.h>

#include "graph/plan/program_order.h"
#include "base/alloc.h"
#include "lib/slow_order.h"
#include "lib/tap.h"

static bool barrier[MOST];

static const struct shape_draw plain = { 40, 0, 1, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw edged = { 30, 40, 2, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw nested = { 20, 10, 2, 0, 0, 250, 3, 0, 0, 3 };

/* Host functions are barriers, and so is what holds one. */
static void add_calls(struct shape_random *random)
{
	memset(barrier, 0, sizeof(barrier));
	for (uint32_t v = 0; v < shape.input.node_count; v++) {
		uint32_t at = v;

		if (shape.nodes[v].kind != PLAIT__CMD_LAUNCH ||
		    shape_below(random, 12) > 0)
			continue;
		shape.nodes[v].kind = PLAIT__CMD_HOST;
		for (barrier[at] = true; scope_of[at] != 0; barrier[at] = true)
			at = holder(at);
	}
}

static bool must_follow(uint32_t a, uint32_t b)
{
	return nodes_conflict(a, b) || nodes_conflict(b, a) ||
	       (scope_of[a] == scope_of[b] && (barrier[a] || barrier[b]));
}

/* Returns the number of conflicting pairs that are not ordered as added. */
static uint32_t count_unordered(void)
{
	uint32_t count = 0;

	for (uint32_t a = 0; a < shape.input.node_count; a++)
		for (uint32_t b = 0; b < shape.input.node_count; b++) {
			uint32_t p = a, q = b;

			if (a == b || !must_follow(a, b))
				continue;
			meet(&p, &q);
			count += p < q && !reaches[p][q];
		}
	return count;
}

/* Returns true if some nodes in or at p and q conflict. */
static bool has_reason(uint32_t p, uint32_t q)
{
	if (barrier[p] || barrier[q])
		return true;
	for (uint32_t a = 0; a < shape.input.node_count; a++)
		for (uint32_t b = 0; b < shape.input.node_count; b++) {
			uint32_t x = a, y = b;

			if (!nodes_conflict(a, b))
				continue;
			meet(&x, &y);
			if (x == p && y == q)
				return true;
		}
	return false;
}

static bool is_own(const plait__input_edge *edge, uint32_t own)
{
	for (uint32_t i = 0; i < own; i++)
		if (shape.edges[i].before == edge->before &&
		    shape.edges[i].after == edge->after)
			return true;
	return false;
}

/* Put the inferred edges in place of the graph's. */
static void take(plait__input_edge *edges, uint32_t count)
{
	while (shape.input.edge_count > 0)
		shape.input.edge_count--;
	for (uint32_t i = 0; i < count; i++)
		shape_edge(&shape, edges[i].before, edges[i].after);
	plait__free(plait__alloc_default(), edges, count * sizeof(*edges));
	close_edges();
}

static bool holds(uint64_t seed, bool whole)
{
	plait__input_edge *edges = NULL;
	uint32_t own = shape.input.edge_count, count = 0, added = 0;
	uint32_t reasonless = 0;

	if (!IS_INT(plait__program_order_infer(&shape.input,
					       plait__alloc_default(), &edges,
					       &count, NULL), PLAIT_OK))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!is_own(&edges[i], own)) {
			added++;
			reasonless += !has_reason(edges[i].before,
						  edges[i].after);
		}
	take(edges, count);
	if (reasonless > 0 || count_unordered() > 0)
		return OK_THAT(false, "seed=%llu: %u without reason, %u pairs "
			       "without order", (unsigned long long)seed,
			       reasonless, count_unordered());
	if (whole && added > 2 * shape.input.tables.accesses_count +
	    2 * shape.input.node_count)
		return OK_THAT(false, "seed=%llu: %u edges for %u accesses",
			       (unsigned long long)seed, added,
			       shape.input.tables.accesses_count);
	return true;
}

/* Drop the boxes: all accesses are of whole objects. */
static void widen(void)
{
	for (uint32_t i = 0; i < shape.input.tables.accesses_count; i++)
		shape.accesses[i].box = PLAIT__NONE;
}

static void compare(const struct shape_draw *draw)
{
	uint64_t seed = tap_seed();
	uint32_t count = tap_soak() ? 2000 : 100;

	for (uint32_t i = 0; i < count; i++) {
		struct shape_random random;
		bool held = true;

		shape_seed(&random, seed + i);
		shape_random(&shape, draw, &random);
		shape.input.tables.boxes = boxes;
		shape.input.tables.boxes_count = 0;
		close_edges();
		for (uint32_t v = 0; v < shape.input.node_count; v++)
			for (uint32_t k = shape_below(&random, 3); k > 0; k--)
				add_access(&random, v, i % 3 == 0);
		add_calls(&random);
		if (i % 2 == 0)
			widen();
		if (shape.input.node_count < MOST)
			held = holds(seed + i, i % 2 == 0 && i % 3 != 0);
		shape_fini(&shape);
		if (!held)
			return;
	}
	NOTE("seed %llu", (unsigned long long)seed);
	OK(count > 0);
}

static void plain_graphs(void) { compare(&plain); }
static void edged_graphs(void) { compare(&edged); }
static void nested_graphs(void) { compare(&nested); }

/* A write, readers, a write: the edge from write to write is implied. */
static void minimal(void)
{
	plait__input_edge *edges = NULL;
	uint32_t count = 0;

	shape_init(&shape, 1);
	for (uint32_t i = 0; i < 12; i++) {
		shape_node(&shape, 0, NULL);
		shape_access(&shape, i, 0, i == 0 || i == 11 ?
			     PLAIT__ACCESS_WRITE : PLAIT__ACCESS_READ);
	}
	IS_INT(plait__program_order_infer(&shape.input, plait__alloc_default(),
					  &edges, &count, NULL), PLAIT_OK);
	IS_UINT(count, 20);
	plait__free(plait__alloc_default(), edges, count * sizeof(*edges));
	shape_fini(&shape);
}

static const struct tap_scenario all[] = {
	{ "plain graphs", plain_graphs },
	{ "edged graphs", edged_graphs },
	{ "nested graphs", nested_graphs },
	{ "minimal", minimal },
};

TAP_MAIN(all)
