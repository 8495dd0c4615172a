/* SPDX-License-Identifier: MIT */
/*
 * Plans with regions that are frozen for 2, 8 and 64 lanes: time of a run by two
 * processors, and its ratio to the plan for 2 lanes.  The plans of a row take
 * turns.  An iteration has 64 nodes; a run has 100.
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/regions [ms [part of row names]]
 *
 * `ms` is the time of a row, 400 by default.  The part is of a name as "grid 1000
 * parallel".
 *
 *	wide	a loop over independent nodes
 *	grid	a loop over 8 layers of 8, each after its neighbours in the last
 *	case	a loop over a case of two branches: `wide` and `grid`, in turn
 *	nested	a loop of 10 of a loop of 10 over `grid`
 *	plain	no loop: the nodes of `grid`, 100 iterations in 800 layers
 *
 *	alone	no worker
 *	timed	one worker; the library chooses serial or parallel lanes
 *	parallel	one worker, always parallel
 */
#include "plait/plait.h"

#include "grain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 8, LAYERS = 8, ITERATIONS = 100, INNER = 10 };
enum { LANES = 3, WAYS = 3, LEAST_ROUNDS = 5, MOST_ROUNDS = 401 };
enum shape { WIDE, GRID, CASE, NESTED, PLAIN, SHAPES };

static const char *const shape_names_here[] = { "wide", "grid", "case",
						"nested", "plain" };
static const char *const way_names[] = { "alone", "timed", "parallel" };
static const uint32_t lane_counts[LANES] = { 2, 8, 64 };
static const uint32_t grains_ns[] = { 0, 200, 1000, 10000 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *device;
static struct node work;
static uint32_t grain_ns;
static uint32_t left[2];	/* iterations: outer, inner */

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "regions: %s\n", error.text);
	exit(1);
}

/* --- predicates */

static int32_t goes_on(void *user_data)
{
	(void)user_data;
	return left[0] > 0 ? (int32_t)left[0]-- : 0;
}

/* Renews itself for the next iteration of the outer loop. */
static int32_t goes_on_inside(void *user_data)
{
	(void)user_data;
	if (left[1] > 0)
		return (int32_t)left[1]--;
	left[1] = INNER;
	return 0;
}

static int32_t branch(void *user_data)
{
	(void)user_data;
	return (int32_t)(left[0] % 2);
}

/* --- graphs */

static plait_node add_node(plait_graph *graph, const plait_node *before,
			   uint32_t count)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .device = device,
		.cost = grain_ns > 0 ? grain_ns : 1,
		.function = grain_ns > 0 ? grain_work : grain_empty,
		.user_data = &work,
	};
	plait_node node;

	must(plait_graph_add(graph, &desc, before, count, &node, &error));
	return node;
}

static void add_wide(plait_graph *graph)
{
	for (int i = 0; i < WIDTH * LAYERS; i++)
		(void)add_node(graph, NULL, 0);
}

static void add_grid(plait_graph *graph, int layers)
{
	plait_node last[WIDTH], next[WIDTH];

	for (int layer = 0; layer < layers; layer++) {
		for (int i = 0; i < WIDTH; i++) {
			int from = i > 0 ? i - 1 : 0;
			int to = i < WIDTH - 1 ? i + 1 : i;

			next[i] = add_node(graph, &last[from], layer == 0 ? 0 :
					   (uint32_t)(to - from + 1));
		}
		memcpy(last, next, sizeof(last));
	}
}

static plait_node add_region(plait_graph *graph, uint32_t kind,
			     int32_t (*predicate)(void *), uint32_t number)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = kind,
		.flags = PLAIT_CALL_ANY_THREAD, .device = device,
		.function = predicate, .branch_count = number,
	};
	plait_node node;

	must(plait_graph_add(graph, &desc, NULL, 0, &node, &error));
	return node;
}

static plait_graph *body_of(plait_graph *graph, plait_node node, uint32_t index)
{
	plait_graph *body;

	must(plait_graph_body(graph, node, index, &body, &error));
	return body;
}

static void add_case(plait_graph *graph)
{
	plait_node node = add_region(graph, PLAIT_NODE_CASE, branch, 2);
	plait_graph *body = body_of(graph, node, 0);

	add_wide(body);
	plait_graph_release(body);
	body = body_of(graph, node, 1);
	add_grid(body, LAYERS);
	plait_graph_release(body);
}

static void add_inner(plait_graph *graph)
{
	plait_node node = add_region(graph, PLAIT_NODE_WHILE, goes_on_inside,
				     0);
	plait_graph *body = body_of(graph, node, 0);

	add_grid(body, LAYERS);
	plait_graph_release(body);
}

static void fill(plait_graph *graph, enum shape shape)
{
	plait_graph *body;

	if (shape == PLAIN) {
		add_grid(graph, LAYERS * ITERATIONS);
		return;
	}
	body = body_of(graph, add_region(graph, PLAIT_NODE_WHILE, goes_on, 0),
		       0);
	if (shape == WIDE)
		add_wide(body);
	else if (shape == GRID)
		add_grid(body, LAYERS);
	else if (shape == CASE)
		add_case(body);
	else
		add_inner(body);
	plait_graph_release(body);
}

static plait_plan *make_plan(enum shape shape, uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = lanes,
					 .hop_cost = 100, .instances = 1 };
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	fill(graph, shape);
	must(plait_graph_freeze(graph, &desc, &plan, &error));
	must(plait_plan_prepare(plan, &error));
	plait_graph_release(graph);
	return plan;
}

/* --- measuring */

static int ascending(const void *left_side, const void *right_side)
{
	double less = *(const double *)left_side;
	double more = *(const double *)right_side;

	return (less > more) - (less < more);
}

/* Returns the time of a run in us. */
static double time_run(plait_plan *plan, enum shape shape, bool parallel)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = parallel ? PLAIT_RUN_PARALLEL :
							  0 };
	uint64_t start = now_ns();

	left[0] = shape == NESTED ? ITERATIONS / INNER : ITERATIONS;
	left[1] = INNER;
	must(plait_plan_call(plan, NULL, &desc, &error));
	return (double)(now_ns() - start) / 1000;
}

/* The first runs choose a mode. */
static void measure(enum shape shape, const char *name, bool parallel,
		    double row_ms)
{
	static double times[LANES][MOST_ROUNDS];
	plait_plan *plans[LANES];
	uint64_t start;
	int rounds = 0;

	for (int i = 0; i < LANES; i++) {
		plans[i] = make_plan(shape, lane_counts[i]);
		for (int warm = 0; warm < 9; warm++)
			(void)time_run(plans[i], shape, parallel);
	}
	start = now_ns();
	for (; rounds < MOST_ROUNDS &&
	     (rounds < LEAST_ROUNDS ||
	      (double)(now_ns() - start) < row_ms * 1e6); rounds++)
		for (int i = 0; i < LANES; i++)
			times[i][rounds] = time_run(plans[i], shape, parallel);
	printf("%-22s", name);
	for (int i = 0; i < LANES; i++) {
		qsort(times[i], (size_t)rounds, sizeof(double), ascending);
		printf(" %9.1f %9.1f", times[i][0], times[i][rounds / 2]);
		plait_plan_release(plans[i]);
	}
	for (int i = 1; i < LANES; i++)
		printf("  %5.2f %5.2f", times[i][0] / times[0][0],
		       times[i][rounds / 2] / times[0][rounds / 2]);
	printf("\n");
	fflush(stdout);
}

/* --- rows */

static void open_context(int way)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .workers = way > 0,
		.flags = way == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
	};

	must(plait_context_open(&desc, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
}

static void measure_all(const char *part, int way, double row_ms,
			double turns_per_us)
{
	char name[64];

	for (int shape = 0; shape < SHAPES; shape++) {
		for (size_t g = 0; g < sizeof(grains_ns) / sizeof(*grains_ns);
		     g++) {
			(void)snprintf(name, sizeof(name), "%s %u %s",
				       shape_names_here[shape], grains_ns[g],
				       way_names[way]);
			if (part != NULL && strstr(name, part) == NULL)
				continue;
			grain_ns = grains_ns[g];
			work.turns = (uint32_t)(turns_per_us * grain_ns / 1000);
			measure((enum shape)shape, name, way == WAYS - 1,
				row_ms);
		}
	}
}

int main(int argc, char **argv)
{
	double row_ms = argc > 1 ? atof(argv[1]) : 400;
	double turns_per_us = grain_calibrate();

	printf("us, minimum and median %15s %19s %19s  ratios to 2 lanes\n",
	       "2 lanes", "8 lanes", "64 lanes");
	for (int way = 0; way < WAYS; way++) {
		open_context(way);
		measure_all(argc > 2 ? argv[2] : NULL, way, row_ms,
			    turns_per_us);
		plait_context_release(context);
	}
	return 0;
}
