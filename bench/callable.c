/* SPDX-License-Identifier: MIT */
/*
 * Overhead of a call through a function pointer (plait/callable.h), beside
 * plait_plan_call with the same parameters, for a plan of one nearly empty kernel.
 * Both alternate in one process; prints minimum and median of many batches.
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/callable
 */
#include "plait/plait.h"
#include "sys/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 201, CALLS = 2000 };

static plait_error error = { .size = sizeof(error) };
static plait_plan *plan;
static plait_buffer *buffer;
static uint32_t a_number, y_number;
static double cell;
static int32_t (*function)(double a, plait_buffer *y);

static int32_t work(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	(void)launch;
	(void)user_data;
	**(double **)arguments[1] = *(double *)arguments[0];
	return 0;
}

static void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "callable: %s\n", error.text);
	exit(1);
}

static void by_bindings(void)
{
	for (int i = 0; i < CALLS; i++) {
		const double a = i;
		const plait_binding bindings[] = {
			{ .size = sizeof(plait_binding),
			  .parameter = a_number, .value = &a,
			  .bytes = sizeof(a) },
			{ .size = sizeof(plait_binding),
			  .parameter = y_number, .buffer = buffer },
		};
		const plait_run_desc desc = { .size = sizeof(desc),
					      .bindings = bindings,
					      .binding_count = 2 };

		must(plait_plan_call(plan, NULL, &desc, &error));
	}
}

static void by_function(void)
{
	for (int i = 0; i < CALLS; i++)
		must(function(i, buffer));
}

/* --- measuring */

static const struct {
	const char *name;
	void (*run)(void);
} variants[] = {
	{ "plait_plan_call, 2 bindings", by_bindings },
	{ "the function pointer", by_function },
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static double times[VARIANTS][ROUNDS];

static int compare(const void *left, const void *right)
{
	double one = *(const double *)left, other = *(const double *)right;

	return (one > other) - (one < other);
}

static void measure(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int v = 0; v < VARIANTS; v++) {
			uint64_t start = plait__clock_now_ns();

			variants[v].run();
			times[v][round] = (double)(plait__clock_now_ns() -
						   start) / CALLS;
		}
	}
	for (int v = 0; v < VARIANTS; v++) {
		qsort(times[v], ROUNDS, sizeof(times[v][0]), compare);
		printf("%-30s min %8.1f ns  median %8.1f ns\n",
		       variants[v].name, times[v][0], times[v][ROUNDS / 2]);
	}
}

/* --- a plan of one kernel */

static void make_plan(plait_context *context, plait_kernel *kernel)
{
	static const plait_argument arguments[] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "a" },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "y" },
	};
	const plait_node_desc node = { .size = sizeof(node),
				       .kind = PLAIT_NODE_LAUNCH,
				       .kernel = kernel,
				       .arguments = arguments,
				       .argument_count = 2 };
	plait_graph *graph;
	plait_node added;

	must(plait_graph_create(context, &graph, &error));
	must(plait_graph_add(graph, &node, NULL, 0, &added, &error));
	must(plait_graph_freeze(graph, NULL, &plan, &error));
	must(plait_plan_find_parameter(plan, "a", &a_number, &error));
	must(plait_plan_find_parameter(plan, "y", &y_number, &error));
	plait_graph_release(graph);
}

static plait_callable *make_callable(void)
{
	const plait_callable_desc desc = {
		.size = sizeof(desc), .signature = "put(a: f64, y: pointer): i32"
	};
	plait_callable *callable;
	plait_any_function any;

	must(plait_callable_create(plan, &desc, &callable, &error));
	must(plait_callable_function(callable, &any, &error));
	function = (int32_t (*)(double, plait_buffer *))any;
	return callable;
}

int main(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host" };
	const plait_kernel_desc kernel_desc = {
		.size = sizeof(kernel_desc), .function = work,
		.signature = "put(a: f64, y: out pointer f64)"
	};
	const plait_wrap_desc wrap = { .size = sizeof(wrap), .pointer = &cell,
				       .bytes = sizeof(cell) };
	plait_context *context;
	plait_device *device;
	plait_kernel *kernel;
	plait_callable *callable;

	must(plait_context_open(&desc, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	must(plait_buffer_wrap(device, &wrap, &buffer, &error));
	must(plait_kernel_create(context, &kernel_desc, &kernel, &error));
	make_plan(context, kernel);
	callable = make_callable();
	measure();
	plait_callable_release(callable);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(buffer);
	plait_context_release(context);
	return 0;
}
