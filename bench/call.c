/* SPDX-License-Identifier: MIT */
/*
 * Overhead of one nearly empty run: a plan of one empty node, called, and run on
 * a queue with a wait; interleaved with a futex wake without waiters and a walk
 * over an array of functions.  Then per iteration of a loop, and per node of a
 * plan of a thousand empty nodes.  No workers: one thread does all the work.
 * Minimum and median of many batches.
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/call [VARIANT [TIMES]]
 *
 * VARIANT runs that variant only, TIMES times: for counting instructions.
 */
#include "plait/plait.h"
#include "sys/clock.h"
#include "sys/eventcount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 401, CALLS = 200, NODES = 1000, ITERATIONS = 1000 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *device;
static plait_queue *queue;
static plait_plan *one, *chain, *helped, *loop;
static at_u32 word;
static uint32_t left;
static struct {
	plait_host_function function;
	void *user_data;
} array[NODES];

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "call: %s\n", error.text);
	exit(1);
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* --- measured operations */

static void wake(int times)
{
	while (times-- > 0)
		at_futex_wake_all(&word);
}

static void walk(int times)
{
	while (times-- > 0)
		for (int i = 0; i < NODES; i++)
			if (array[i].function(array[i].user_data) != 0)
				exit(1);
}

static void call_one(int times)
{
	while (times-- > 0)
		must(plait_plan_call(one, NULL, NULL, &error));
}

static void run_one(int times)
{
	plait_run *run;

	while (times-- > 0) {
		must(plait_plan_run(one, queue, NULL, &run, &error));
		must(plait_run_wait(run, PLAIT_FOREVER, &error));
		plait_run_release(run);
	}
}

static void call_on_queue(int times)
{
	while (times-- > 0)
		must(plait_plan_call(one, queue, NULL, &error));
}

static void run_and_finish(int times)
{
	while (times-- > 0) {
		must(plait_plan_run(one, queue, NULL, NULL, &error));
		must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
	}
}

static void call_chain(int times)
{
	while (times-- > 0)
		must(plait_plan_call(chain, NULL, NULL, &error));
}

static void call_helped(int times)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL };

	while (times-- > 0)
		must(plait_plan_call(helped, NULL, &desc, &error));
}

static void call_loop(int times)
{
	while (times-- > 0) {
		left = ITERATIONS;
		must(plait_plan_call(loop, NULL, NULL, &error));
	}
}

/* --- measuring */

static const struct {
	const char *word, *name;
	void (*run)(int times);
	int calls, each;	/* calls per batch; operations per call */
} variants[] = {
	{ "wake", "futex wake of nobody", wake, CALLS, 1 },
	{ "call", "one node, called", call_one, CALLS, 1 },
	{ "run", "one node, run and waited for", run_one, CALLS, 1 },
	{ "behind", "one node, called on a queue", call_on_queue, CALLS, 1 },
	{ "finish", "one node, run; queue finished", run_and_finish, CALLS,
	  1 },
	{ "walk", "array walk, each of 1000", walk, 4, NODES },
	{ "chain", "chain, each of 1000", call_chain, 4, NODES },
	{ "helped", "HELPED, two lanes, each of 1000", call_helped, 4, NODES },
	{ "loop", "loop of two nodes, an iteration", call_loop, 4,
	  ITERATIONS },
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static double times[VARIANTS][ROUNDS];

static int compare(const void *left_side, const void *right_side)
{
	double less = *(const double *)left_side;
	double more = *(const double *)right_side;

	return (less > more) - (less < more);
}

static void measure(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int v = 0; v < VARIANTS; v++) {
			uint64_t start = plait__clock_now_ns();

			variants[v].run(variants[v].calls);
			times[v][round] =
				(double)(plait__clock_now_ns() - start) /
				variants[v].calls / variants[v].each;
		}
	}
	for (int v = 0; v < VARIANTS; v++) {
		qsort(times[v], ROUNDS, sizeof(times[v][0]), compare);
		printf("%-7s %-32s min %8.1f ns  median %8.1f ns\n",
		       variants[v].word, variants[v].name, times[v][0],
		       times[v][ROUNDS / 2]);
	}
}

static void run_only(const char *which, int count)
{
	for (int v = 0; v < VARIANTS; v++)
		if (strcmp(variants[v].word, which) == 0)
			variants[v].run(count);
}

/* --- plans */

static int32_t goes_on(void *user_data)
{
	(void)user_data;
	return left-- > 0;
}

static plait_node add_call(plait_graph *graph, const plait_node *before)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .device = device,
		.cost = 1, .function = nothing,
	};
	plait_node node;

	must(plait_graph_add(graph, &desc, before, before != NULL, &node,
			     &error));
	return node;
}

static plait_graph *new_graph(void)
{
	plait_graph *graph;

	must(plait_graph_create(context, &graph, &error));
	return graph;
}

static plait_plan *freeze(plait_graph *graph, uint32_t mode, uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .mode = mode,
					 .lanes = lanes };
	plait_plan *plan;

	must(plait_graph_freeze(graph, &desc, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

static plait_plan *make_chain(int count)
{
	plait_graph *graph = new_graph();
	plait_node last = add_call(graph, NULL);

	while (--count > 0)
		last = add_call(graph, &last);
	return freeze(graph, PLAIT_MODE_STRICT, 1);
}

/* Two lanes: one lane would leave nothing to steal. */
static plait_plan *make_independent(int count)
{
	plait_graph *graph = new_graph();

	while (count-- > 0)
		(void)add_call(graph, NULL);
	return freeze(graph, PLAIT_MODE_HELPED, 2);
}

static plait_plan *make_loop(void)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_WHILE,
		.flags = PLAIT_CALL_ANY_THREAD, .device = device,
		.function = goes_on,
	};
	plait_graph *graph = new_graph(), *body;
	plait_node node;

	must(plait_graph_add(graph, &desc, NULL, 0, &node, &error));
	must(plait_graph_body(graph, node, 0, &body, &error));
	node = add_call(body, NULL);
	(void)add_call(body, &node);
	plait_graph_release(body);
	return freeze(graph, PLAIT_MODE_STRICT, 1);
}

static void make_all(void)
{
	for (int i = 0; i < NODES; i++)
		array[i].function = nothing;
	one = make_chain(1);
	chain = make_chain(NODES);
	helped = make_independent(NODES);
	loop = make_loop();
}

int main(int argc, char **argv)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host" };

	must(plait_context_open(&desc, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	must(plait_queue_create(device, NULL, &queue, &error));
	make_all();
	if (argc > 1)
		run_only(argv[1], argc > 2 ? atoi(argv[2]) : 1);
	else
		measure();
	plait_plan_release(one);
	plait_plan_release(chain);
	plait_plan_release(helped);
	plait_plan_release(loop);
	plait_queue_release(queue);
	plait_context_release(context);
	return 0;
}
