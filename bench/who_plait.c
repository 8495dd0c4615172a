/* SPDX-License-Identifier: MIT */
/*
 * plait: a plan that is frozen once and run repeatedly, with as many lanes as
 * threads, including the calling thread.
 *
 *	plait_strict    plait_plan_call, mode STRICT; the library chooses
 *	                serial or parallel lanes
 *	plait_parallel  the same, always parallel
 *	plait_helped    plait_plan_call, mode HELPED, parallel
 *	plait_tuned     the plan that plait_plan_tune makes from one without
 *			costs, by some recorded runs; it also chooses the mode
 *	plait_run       plait_plan_run on a queue and plait_run_wait
 *
 * The costs are those that a user can know in advance: the duration of a node, or
 * one constant if durations are drawn for each run; and the hop latency.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"

#include "hop.h"
#include "who.h"

enum { RECORDED_RUNS = 8 };

static double hop_ns;
static bool knows_costs = true;
static plait_error error;
static plait_context *context;
static plait_device *device;
static plait_queue *queue;
static plait_plan *plan;
static plait_run_desc run_desc;

static int refuse(void)
{
	who_refuse(error.text);
	return -1;
}

/* The calling thread works too, on the last processor; workers have the others. */
static int open_context(unsigned threads)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host" };

	error.size = sizeof(error);
	if (threads == 1)
		setenv("PLAIT_WORKERS", "0", 1);
	desc.workers = threads - 1;
	desc.options = threads > 1 && who_pins() ? "host:pin=1" : NULL;
	if (plait_context_open(&desc, &context, &error) != PLAIT_OK ||
	    plait_context_device(context, 0, &device, &error) != PLAIT_OK ||
	    plait_queue_create(device, NULL, &queue, &error) != PLAIT_OK)
		return refuse();
	unsetenv("PLAIT_WORKERS");
	who_pin(threads - 1);
	return 0;
}

static int add_nodes(plait_graph *into, const struct graph *graph,
		     plait_node *nodes)
{
	plait_node_desc desc = { .size = sizeof(desc) };
	plait_node before[SHAPE_BEFORE_MOST];
	uint32_t i, k, at, count;

	desc.kind = PLAIT_NODE_CALL;
	desc.flags = PLAIT_CALL_ANY_THREAD;
	desc.device = device;
	desc.cost = graph->grain_ns > 0 && knows_costs ? graph->grain_ns : 1;
	desc.function = graph->body;
	for (i = 0; i < graph->count; i++) {
		at = graph->before_at[i];
		count = graph->before_at[i + 1] - at;
		for (k = 0; k < count; k++)
			before[k] = nodes[graph->before[at + k]];
		desc.user_data = &graph->nodes[i];
		if (plait_graph_add(into, &desc, before, count, &nodes[i],
				    &error) != PLAIT_OK)
			return refuse();
	}
	return 0;
}

static int freeze(const struct graph *graph, unsigned threads, uint32_t mode)
{
	plait_freeze_desc desc = { .size = sizeof(desc) };
	plait_node *nodes = malloc(graph->count * sizeof(*nodes));
	plait_graph *into = NULL;
	int result = -1;

	desc.mode = mode;
	desc.lanes = threads;
	desc.instances = 1;
	if (hop_ns == 0 && threads > 1)
		hop_ns = hop_measure();
	desc.hop_cost = knows_costs ? (uint64_t)hop_ns : 0;
	if (nodes == NULL) {
		who_refuse("no memory");
	} else if (plait_graph_create(context, &into, &error) != PLAIT_OK) {
		result = refuse();
	} else if (add_nodes(into, graph, nodes) == 0) {
		result = 0;
		if (plait_graph_freeze(into, &desc, &plan, &error) != PLAIT_OK ||
		    plait_plan_prepare(plan, &error) != PLAIT_OK)
			result = refuse();
	}
	plait_graph_release(into);
	free(nodes);
	return result;
}

static void finish(void)
{
	plait_plan_release(plan);
	plait_queue_release(queue);
	plait_context_release(context);
	plan = NULL;
	queue = NULL;
	context = NULL;
}

static int prepare(const struct graph *graph, unsigned threads, uint32_t mode,
		   uint32_t flags)
{
	memset(&run_desc, 0, sizeof(run_desc));
	run_desc.size = sizeof(run_desc);
	run_desc.flags = flags;
	if (open_context(threads) == 0 && freeze(graph, threads, mode) == 0)
		return 0;
	finish();
	return -1;
}

static int prepare_strict(const struct graph *graph, unsigned threads)
{
	return prepare(graph, threads, PLAIT_MODE_STRICT, 0);
}

static int prepare_parallel(const struct graph *graph, unsigned threads)
{
	return prepare(graph, threads, PLAIT_MODE_STRICT,
		       threads > 1 ? PLAIT_RUN_PARALLEL : 0);
}

static int prepare_helped(const struct graph *graph, unsigned threads)
{
	return prepare(graph, threads, PLAIT_MODE_HELPED,
		       threads > 1 ? PLAIT_RUN_PARALLEL : 0);
}

static void must(plait_status status)
{
	if (status != PLAIT_OK)
		abort();
}

/* Record some runs, and replace the plan by the tuned one. */
static int tune(unsigned threads)
{
	const plait_tune_desc desc = { .size = sizeof(desc), .lanes = threads,
				       .mode = PLAIT_MODE_AUTO,
				       .hop_ns = (uint64_t)hop_ns };
	plait_run_desc recorded = run_desc;
	plait_plan *tuned;

	recorded.flags |= PLAIT_RUN_RECORD;
	if (plait_plan_record(plan, 0, &error) != PLAIT_OK)
		return refuse();
	for (unsigned i = RECORDED_RUNS; i-- > 0;) {
		who_draw(i);
		must(plait_plan_call(plan, NULL, &recorded, &error));
	}
	if (plait_plan_tune(plan, &desc, &tuned, NULL, &error) != PLAIT_OK)
		return refuse();
	plait_plan_release(plan);
	plan = tuned;
	return plait_plan_prepare(plan, &error) == PLAIT_OK ? 0 : refuse();
}

static int prepare_tuned(const struct graph *graph, unsigned threads)
{
	int result;

	knows_costs = false;
	result = prepare_parallel(graph, threads);
	knows_costs = true;
	if (result == 0 && tune(threads) != 0) {
		finish();
		result = -1;
	}
	return result;
}

static void call(void)
{
	must(plait_plan_call(plan, NULL, &run_desc, &error));
}

static void run(void)
{
	plait_run *one = NULL;

	must(plait_plan_run(plan, queue, &run_desc, &one, &error));
	must(plait_run_wait(one, PLAIT_FOREVER, &error));
	plait_run_release(one);
}

const struct who whos[] = {
	{ "plait_strict", prepare_strict, call, finish, NULL, NULL, NULL },
	{ "plait_parallel", prepare_parallel, call, finish, NULL, NULL, NULL },
	{ "plait_helped", prepare_helped, call, finish, NULL, NULL, NULL },
	{ "plait_tuned", prepare_tuned, call, finish, NULL, NULL, NULL },
	{ "plait_run", prepare_strict, run, finish, NULL, NULL, NULL },
	{ 0 },
};
