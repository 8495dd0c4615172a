/* SPDX-License-Identifier: MIT */
/*
 * Large and awkward shapes: counted steps grow with nodes and edges, memory
 * stays below 300 bytes a node, and depth needs no stack.  (bench/plan measures
 * the time.)
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

enum { BYTES_PER_NODE = 300 };

static bool is_sanitized(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	return sanitizer != NULL && strcmp(sanitizer, "no") != 0;
}

/* A million; less where every access is checked. */
static uint32_t many(void)
{
	return is_sanitized() ? 100000 : 1000000;
}

static uint64_t steps_of(const plait__planner_counts *counts)
{
	return counts->steps + counts->reduce_steps + counts->recycle_steps +
	       counts->clock_steps + counts->heap_steps;
}

/* Steps per node, times 100. */
static uint64_t run(struct shape *shape, uint32_t policy, uint32_t lanes,
		    const char *name, uint32_t want_lanes)
{
	plait__input_options options = { 0 };
	plait__planner_counts counts = { 0 };
	plait_error error = { 0 };
	plait__plan *plan = NULL;
	uint32_t n = shape->input.node_count;

	options.policy = policy;
	options.lanes = lanes;
	if (!OK_THAT(plait__planner_run(&shape->input, &options, NULL, &counts,
					&plan, &error) == PLAIT_OK,
		     "%s, policy %u: planned", name, policy))
		return 0;
	OK_THAT(plait__check_plan(plan, &shape->input, 0, NULL, NULL,
				  &error) == PLAIT_OK, "%s: right%s", name,
		error.text);
	OK_THAT(n < 1000 || counts.peak_bytes +
		sizeof(plait__input_edge) * shape->input.edge_count <=
		(uint64_t)BYTES_PER_NODE * n,
		"%s: %llu bytes a node, edges included", name,
		(unsigned long long)(counts.peak_bytes / n));
	OK_THAT(counts.unproven_edges == 0, "%s: every edge is settled", name);
	if (want_lanes > 0)
		IS_UINT(plan->lanes_count, want_lanes);
	plait__plan_release(plan);
	return 100 * steps_of(&counts) / n;
}

static void both(struct shape *shape, const char *name, uint32_t width,
		 uint64_t per_node[2])
{
	per_node[0] = run(shape, PLAIT__POLICY_WIDEST, 0, name, width);
	per_node[1] = run(shape, PLAIT__POLICY_BOUNDED, 8, name,
			  width < 8 ? width : 8);
	shape_fini(shape);
}

/* Ten times the nodes: the same steps per node, give or take a tenth. */
static void is_linear(const uint64_t small[2], const uint64_t large[2],
		      const char *name)
{
	int i;

	for (i = 0; i < 2; i++)
		OK_THAT(large[i] <= small[i] + small[i] / 10 + 100,
			"%s: %llu.%02llu steps a node, %llu.%02llu for ten times as many",
			name, (unsigned long long)small[i] / 100,
			(unsigned long long)small[i] % 100,
			(unsigned long long)large[i] / 100,
			(unsigned long long)large[i] % 100);
}

static void chain(void)
{
	uint64_t small[2], large[2];
	struct shape shape;

	shape_chain(&shape, many() / 10);
	both(&shape, "chain", 1, small);
	shape_chain(&shape, many());
	both(&shape, "long chain", 1, large);
	is_linear(small, large, "chain");
}

static void star(void)
{
	uint64_t small[2], large[2];
	struct shape shape;

	shape_star(&shape, many() / 10);
	both(&shape, "star", many() / 10 - 2, small);
	shape_star(&shape, many());
	both(&shape, "large star", many() - 2, large);
	is_linear(small, large, "star");
}

static void tree(void)
{
	uint64_t small[2], large[2];
	struct shape shape;

	shape_tree(&shape, 12);
	both(&shape, "tree", 1 << 12, small);
	shape_tree(&shape, 15);
	both(&shape, "large tree", 1 << 15, large);
	is_linear(small, large, "tree");
}

static void layers(void)
{
	uint64_t small[2], large[2];
	struct shape shape;

	shape_layers(&shape, 10000, 8, 2, 1);
	both(&shape, "layers", 8, small);
	shape_layers(&shape, 100000, 8, 2, 1);
	both(&shape, "many layers", 8, large);
	is_linear(small, large, "layers");
	shape_layers(&shape, 10000, 100, 3, 1);
	both(&shape, "wide layers", 0, small);
	shape_layers(&shape, 100000, 100, 3, 1);
	both(&shape, "many wide layers", 0, large);
	is_linear(small, large, "wide layers");
}

static void diamonds(void)
{
	uint64_t per_node[2];
	struct shape shape;

	shape_diamonds(&shape, 24);
	both(&shape, "24 diamonds", 2, per_node);
	shape_diamonds(&shape, 100000);
	both(&shape, "100,000 diamonds", 2, per_node);
	OK(per_node[0] < 5000 && per_node[1] < 10000);
}

/* A chain, and from its first node an edge to each other one: all implied. */
static void long_skips(void)
{
	uint64_t per_node[2];
	struct shape shape;
	uint32_t i, n = many() / 10;

	shape_chain(&shape, n);
	for (i = 2; i < n; i++)
		shape_edge(&shape, i % 3 ? 0 : i / 2, i);
	both(&shape, "long skips", 1, per_node);
}

/* Eight lanes, a long chain, eight lanes again: the old ones are found. */
static void far_lanes(void)
{
	struct shape shape;
	uint32_t first, last, i, k;

	shape_init(&shape, 1);
	last = shape_node(&shape, 0, NULL);
	for (k = 0; k < 2; k++) {
		uint32_t top = last;

		first = shape.input.node_count;
		for (i = 0; i < 8; i++)
			shape_edge(&shape, top, shape_node(&shape, 0, NULL));
		last = shape_node(&shape, 0, NULL);
		for (i = 0; i < 8; i++)
			shape_edge(&shape, first + i, last);
		for (i = 0; i < 10000; i++) {
			shape_edge(&shape, last, shape_node(&shape, 0, NULL));
			last = shape.input.node_count - 1;
		}
	}
	run(&shape, PLAIT__POLICY_WIDEST, 0, "far lanes", 8);
	shape_fini(&shape);
}

/* Loops in loops, thousands deep. */
static void deep_regions(void)
{
	uint32_t n = 5000, i;
	plait__input_scope *scopes = calloc(n, sizeof(*scopes));
	plait__input_region *regions = calloc(n, sizeof(*regions));
	plait__input_options options = { 0 };
	plait__plan *plan = NULL;
	plait_error error = { 0 };
	struct shape shape;

	shape_init(&shape, 1);
	for (i = 0; i < n && scopes != NULL && regions != NULL; i++) {
		shape_node(&shape, 0, NULL);
		shape_node(&shape, 0, NULL);
		shape_edge(&shape, 2 * i, 2 * i + 1);
		scopes[i].node_first = 2 * i;
		scopes[i].node_count = 2;
		scopes[i].region = i == 0 ? PLAIT__NONE : i - 1;
		if (i + 1 == n)
			break;
		shape.nodes[2 * i + 1].kind = PLAIT__CMD_REGION;
		shape.nodes[2 * i + 1].link = i;
		regions[i].kind = PLAIT__REGION_DO;
		regions[i].node = 2 * i + 1;
		regions[i].scope_first = i + 1;
		regions[i].scope_count = 1;
		regions[i].predicate = PLAIT__NONE;
	}
	shape.input.scopes = scopes;
	shape.input.scope_count = n;
	shape.input.regions = regions;
	shape.input.region_count = n - 1;
	options.lanes = 2;
	OK(plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
			      &error) == PLAIT_OK);
	if (plan != NULL)
		OK(plait__check_plan(plan, &shape.input, 0, NULL, NULL,
				     &error) == PLAIT_OK);
	NOTE("%s", error.text);
	plait__plan_release(plan);
	shape_fini(&shape);
	free(scopes);
	free(regions);
}

static const struct tap_scenario all[] = {
	{ "chain", chain },
	{ "star", star },
	{ "tree", tree },
	{ "layers", layers },
	{ "diamonds", diamonds },
	{ "long skips", long_skips },
	{ "far lanes", far_lanes },
	{ "deep regions", deep_regions },
};

TAP_MAIN(all)
