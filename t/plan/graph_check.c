/* SPDX-License-Identifier: MIT */
/*
 * The check of a graph against a slow one: all pairs of accesses, and the
 * transitive closure of the edges.  Random graphs with bodies, ranges, boxes and
 * aliases; half of them get the edges that they lack.  The check of the plan
 * must agree where the plan's order is that of the graph.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "plan/check/check.h"
#include "plan/check/graph_check.h"
#include "plan/check/reach.h"
#include "lib/slow_order.h"
#include "lib/tap.h"

static const struct shape_draw plain = { 30, 60, 1, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw dense = { 24, 300, 2, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw nested = {
	24, 80, 2, 0, 0, 250, 3, 0, 0, 3
};

/* ---- graphs ---- */

/* Add edges in the order of adding until nothing is unordered. */
static void mend(void)
{
	uint32_t n = shape.input.node_count;

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			uint32_t p = a, q = b;

			if (!is_unordered(a, b))
				continue;
			meet(&p, &q);
			shape_edge(&shape, p < q ? p : q, p < q ? q : p);
			close_edges();
		}
}

/* Turn all edges, so that the order of adding is not topological. */
static void turn(void)
{
	for (uint32_t i = 0; i < shape.input.edge_count; i++)
		shape.edges[i] = (plait__input_edge){ shape.edges[i].after,
						      shape.edges[i].before };
}

static void make(const struct shape_draw *draw, uint64_t seed)
{
	struct shape_random random;
	uint32_t n;

	shape_seed(&random, seed);
	shape_random(&shape, draw, &random);
	shape.input.tables.boxes = boxes;
	n = shape.input.node_count < MOST ? shape.input.node_count : MOST;
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t i = shape_below(&random, 3); i > 0; i--)
			add_access(&random, v, seed % 3 == 0);
	close_edges();
	if (seed % 2 == 0)
		mend();
	/* One edge of those that are needed, or not. */
	if (seed % 4 == 2 && shape.input.edge_count > 0) {
		uint32_t edge = shape_below(&random, shape.input.edge_count);

		shape.edges[edge] = shape.edges[shape.input.edge_count - 1];
		shape.input.edge_count--;
	}
	if (seed % 8 >= 4)
		turn();
	close_edges();
}

/* An access of a node in a chain: its own part, in some phases others too. */
static void add_fan_access(struct shape_random *random, uint32_t node,
			   uint32_t chain, bool loose)
{
	bool whole = loose && shape_below(random, 3) == 0;
	bool writes = shape_below(random, loose ? 8 : 2) == 0;

	if (whole)
		shape_access(&shape, node, 0, writes);
	else
		shape_range(&shape, node, 0, writes, chain, chain + 1);
}

/* Joins, and chains between them whose nodes have one predecessor and one
 * successor each; now and then an edge is missing. */
static void make_fans(uint64_t seed)
{
	struct shape_random random;
	uint32_t phase, chain, i, join, node, next, last;

	shape_seed(&random, seed);
	shape_init(&shape, 1);
	join = shape_node(&shape, 0, NULL);
	for (phase = 0; phase < 4; phase++) {
		bool loose = shape_below(&random, 3) == 0;

		next = shape_node(&shape, 0, NULL);
		for (chain = 0; chain < 4; chain++) {
			last = join;
			for (i = shape_below(&random, 3) + 1; i > 0; i--) {
				node = shape_node(&shape, 0, NULL);
				if (shape_below(&random, 60) > 0)
					shape_edge(&shape, last, node);
				add_fan_access(&random, node, chain, loose);
				last = node;
			}
			if (shape_below(&random, 60) > 0)
				shape_edge(&shape, last, next);
		}
		join = next;
	}
	close_edges();
}

/* Returns true if the text names two nodes that the slow check finds. */
static bool names_a_pair(const char *text)
{
	uint32_t a, b;
	const char *second = strstr(text, " and node ");

	return sscanf(text, "no edge orders node %u", &a) == 1 &&
	       second != NULL && sscanf(second, " and node %u", &b) == 1 &&
	       is_unordered(a, b);
}

static bool is_racy(void)
{
	for (uint32_t a = 0; a < shape.input.node_count; a++)
		for (uint32_t b = a + 1; b < shape.input.node_count; b++)
			if (is_unordered(a, b))
				return true;
	return false;
}

/* The plan's own check in mode helped, whose order is that of the graph. */
static plait_status check_helped(plait_error *error)
{
	plait__input_options options = { .mode = PLAIT__MODE_HELPED };
	plait__plan *plan;
	plait_status status = plait__planner_run(&shape.input, &options, NULL,
						 NULL, &plan, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__check_plan(plan, &shape.input, 0, NULL, NULL, error);
	plait__plan_release(plan);
	return status;
}

static bool agrees(uint64_t seed, uint32_t *racy)
{
	plait_error error = { 0 }, other = { 0 };
	plait_status want = is_racy() ? PLAIT_E_INVALID : PLAIT_OK, got, plan;

	got = plait__check_graph(&shape.input, NULL, NULL, &error);
	plan = check_helped(&other);
	*racy += want != PLAIT_OK;
	if (got != want || (want != PLAIT_OK && !names_a_pair(error.text)))
		return OK_THAT(false, "seed=%llu: want %d, got %d: %s",
			       (unsigned long long)seed, (int)want, (int)got,
			       error.text);
	if (plan != want)
		return OK_THAT(false, "seed=%llu: want %d, plan %d: %s",
			       (unsigned long long)seed, (int)want, (int)plan,
			       other.text);
	return true;
}

static void compare(const struct shape_draw *draw)
{
	uint64_t seed = tap_seed();
	uint32_t count = tap_soak() ? 4000 : 300, racy = 0, skipped = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool held = true;

		make(draw, seed + i);
		if (shape.input.node_count > MOST ||
		    shape.input.tables.boxes_count > BOXES - 1000)
			skipped++;
		else
			held = agrees(seed + i, &racy);
		shape_fini(&shape);
		shape.input.tables.boxes_count = 0;
		if (!held)
			return;
	}
	NOTE("seed %llu: %u of %u graphs lack an order",
	     (unsigned long long)seed, racy, count);
	OK(racy > count / 10 && racy < count - count / 10);
	OK(skipped < count / 4);
}

static void plain_graphs(void) { compare(&plain); }
static void dense_graphs(void) { compare(&dense); }
static void nested_graphs(void) { compare(&nested); }

static void fans(void)
{
	uint64_t seed = tap_seed();
	uint32_t count = tap_soak() ? 20000 : 3000, racy = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool held;

		make_fans(seed + i);
		memcpy(boxes, shape.boxes, shape.input.tables.boxes_count *
		       sizeof(boxes[0]));
		held = agrees(seed + i, &racy);
		shape_fini(&shape);
		if (!held)
			return;
	}
	NOTE("seed %llu: %u of %u fans lack an order",
	     (unsigned long long)seed, racy, count);
	OK(racy > count / 10 && racy < count - count / 10);
}

/* ---- reachability alone ---- */

/* All pairs by query and by sweep; a budget of nothing leaves all to sweeps. */
static void reachability(void)
{
	static plait__reach_pair pairs[MOST * MOST];
	uint64_t seed = tap_seed();

	for (uint32_t turn_ = 0; turn_ < 20; turn_++) {
		plait__check check = {
			.allocator = plait__alloc_default()
		};
		struct shape_random random;
		uint32_t first[MOST + 1] = { 0 }, n = 60, count = 0, bad;
		static uint32_t from[MOST * MOST];
		plait__reach reach;
		bool right = true;

		shape_seed(&random, seed + turn_);
		shape_dag(&shape, n, 20 + 10 * turn_, 1, &random);
		close_edges();
		check.input = &shape.input;
		for (uint32_t v = 0; v < n; v++) {
			for (uint32_t i = 0; i < shape.input.edge_count; i++)
				if (shape.edges[i].after == v)
					from[count++] = shape.edges[i].before;
			first[v + 1] = count;
		}
		OK(plait__reach_init(&reach, &check, n, first, from) ==
		   PLAIT_OK);
		count = 0;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++) {
				right &= plait__reach_query(&reach, a, b) ==
					 (a == b || reaches[a][b]);
				if (a < b && reaches[a][b])
					pairs[count++] = (plait__reach_pair){
						a, b };
			}
		OK_THAT(right, "seed=%llu: queries",
			(unsigned long long)(seed + turn_));
		OK(plait__reach_sweep(&reach, pairs, count, &bad) == PLAIT_OK);
		OK(bad == PLAIT__NONE);
		for (uint32_t a = 0; a + 1 < n; a++)
			if (!reaches[a][a + 1]) {
				pairs[count] = (plait__reach_pair){ a, a + 1 };
				plait__reach_sweep(&reach, pairs, count + 1,
						   &bad);
				IS_UINT(bad, count);
				break;
			}
		plait__check_free_all(&check);
		shape_fini(&shape);
	}
}

/* ---- messages ---- */

static void names(void)
{
	plait_error error = { 0 };
	uint32_t a, b;

	shape_init(&shape, 1);
	a = shape_node(&shape, 0, "producer");
	b = shape_node(&shape, 0, "consumer of a label that is far too long");
	shape_access(&shape, a, 7, PLAIT__ACCESS_WRITE);
	shape_access(&shape, b, 7, PLAIT__ACCESS_READ);
	shape.nodes[a].line = 12;
	IS_INT(plait__check_graph(&shape.input, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	IS_STR(error.text, "no edge orders node 0 'producer' (line 12) and "
	       "node 1 'consumer of a label that ...'; both use the same "
	       "memory, and one writes: add an edge (after), or freeze in "
	       "program order");
	shape_edge(&shape, b, a);
	IS_INT(plait__check_graph(&shape.input, NULL, NULL, &error), PLAIT_OK);
	shape_edge(&shape, a, b);
	IS_INT(plait__check_graph(&shape.input, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "cycle");
	shape_fini(&shape);
}

static const struct tap_scenario all[] = {
	{ "reachability", reachability },
	{ "plain graphs", plain_graphs },
	{ "dense graphs", dense_graphs },
	{ "nested graphs", nested_graphs },
	{ "fans", fans },
	{ "names", names },
};

TAP_MAIN(all)
