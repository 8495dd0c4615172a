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
#include "lib/shapes.h"
#include "lib/tap.h"

enum { MOST = 400, BOXES = 4096, OBJECTS = 4 };

static struct shape shape;
static plait__plan_box boxes[BOXES];
static bool reaches[MOST][MOST];
static uint32_t scope_of[MOST];

static const struct shape_draw plain = { 30, 60, 1, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw dense = { 24, 300, 2, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw nested = {
	24, 80, 2, 0, 0, 250, 3, 0, 0, 3
};

/* ---- the slow check ---- */

static void close_edges(void)
{
	uint32_t n = shape.input.node_count, i, j, k;

	memset(reaches, 0, sizeof(reaches));
	for (i = 0; i < shape.input.edge_count; i++)
		reaches[shape.edges[i].before][shape.edges[i].after] = true;
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			for (j = 0; reaches[i][k] && j < n; j++)
				reaches[i][j] |= reaches[k][j];
	for (k = 0; k < shape.input.scope_count; k++)
		for (i = 0; i < shape.scopes[k].node_count; i++)
			scope_of[shape.scopes[k].node_first + i] = k;
}

static uint32_t holder(uint32_t node)
{
	return shape.regions[shape.scopes[scope_of[node]].region].node;
}

static uint32_t depth(uint32_t node)
{
	uint32_t count = 0;

	for (; scope_of[node] != 0; node = holder(node))
		count++;
	return count;
}

static void meet(uint32_t *a, uint32_t *b)
{
	while (scope_of[*a] != scope_of[*b]) {
		uint32_t one = depth(*a), two = depth(*b);

		if (one >= two)
			*a = holder(*a);
		if (two >= one)
			*b = holder(*b);
	}
}

static bool is_empty(const plait__plan_access *a)
{
	for (uint32_t i = 0; a->box != PLAIT__NONE && i < 3; i++)
		if (boxes[a->box].low[i] >= boxes[a->box].high[i])
			return true;
	return false;
}

static bool accesses_conflict(const plait__plan_access *a,
			      const plait__plan_access *b)
{
	if ((a->mode == PLAIT__ACCESS_READ && b->mode == PLAIT__ACCESS_READ) ||
	    is_empty(a) || is_empty(b) || a->alias != b->alias)
		return false;
	if (a->object != b->object)
		return a->alias != 0;
	for (uint32_t i = 0; a->box != PLAIT__NONE && b->box != PLAIT__NONE &&
	     i < 3; i++)
		if (boxes[a->box].high[i] <= boxes[b->box].low[i] ||
		    boxes[b->box].high[i] <= boxes[a->box].low[i])
			return false;
	return true;
}

static bool nodes_conflict(uint32_t m, uint32_t n)
{
	const plait__input_node *a = &shape.nodes[m], *b = &shape.nodes[n];

	for (uint32_t i = 0; i < a->access_count; i++)
		for (uint32_t k = 0; k < b->access_count; k++)
			if (accesses_conflict(
				    &shape.accesses[a->access_first + i],
				    &shape.accesses[b->access_first + k]))
				return true;
	return false;
}

static bool is_unordered(uint32_t a, uint32_t b)
{
	if (!nodes_conflict(a, b))
		return false;
	meet(&a, &b);
	return a != b && !reaches[a][b] && !reaches[b][a];
}

/* ---- graphs ---- */

static void add_access(struct shape_random *random, uint32_t node, bool deep)
{
	uint32_t form = shape_below(random, 10), index, i;
	plait__plan_box box = { { 0, 0, 0 }, { 0, 1, 1 } };
	plait__plan_access *access;

	shape_access(&shape, node, shape_below(random, OBJECTS),
		     shape_below(random, 3));
	index = shape.input.tables.accesses_count - 1;
	access = &shape.accesses[index];
	if (deep && form == 9)
		access->alias = 1;
	if (form < 3)
		return;
	box.low[0] = shape_below(random, 12);
	box.high[0] = box.low[0] + shape_below(random, 5);
	for (i = 1; deep && form == 8 && i < 3; i++) {
		box.low[i] = shape_below(random, 3);
		box.high[i] = box.low[i] + shape_below(random, 3);
	}
	access->box = shape.input.tables.boxes_count;
	boxes[shape.input.tables.boxes_count++] = box;
}

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

/* Returns true if the text names two nodes that the slow check finds. */
static bool names_a_pair(const char *text)
{
	uint32_t a, b;
	const char *second = strstr(text, " before node ");

	return sscanf(text, "nothing orders node %u", &a) == 1 &&
	       second != NULL && sscanf(second, " before node %u", &b) == 1 &&
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
	IS_STR(error.text, "nothing orders node 0 'producer' (line 12) before "
	       "node 1 'consumer of a label that ...': both use the same "
	       "memory");
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
	{ "names", names },
};

TAP_MAIN(all)
