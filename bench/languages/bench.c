/* SPDX-License-Identifier: MIT */
/*
 * Reference of the language benchmarks: the operations from C.  For each line of
 * standard input the program times one batch per operation and replies a line of
 * figures, in nanoseconds: call a plan without parameters; call one with a
 * parameter; run one on a queue and wait; pull and answer a callback, of a hundred
 * pending in the inbox; pull and answer including the work of its queue, from the
 * opening of the gate that held a hundred queues.  bench/languages.py interleaves
 * the programs.
 */
#include "plait/plait.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 1000, QUEUES = 100, A_MOMENT_NS = 500000 };

static plait_error error = { .size = sizeof(error) };
static plait_plan *plain, *told;
static plait_queue *queue, *queues[QUEUES];
static plait_signal *gate;
static uint64_t raised;
static plait_inbox *inbox;
static uint64_t ran;

static plait_status must(plait_status status)
{
	if (status >= PLAIT_OK)
		return status;
	fprintf(stderr, "languages: %s\n", error.text);
	exit(1);
}

static void call_plain(void)
{
	for (int i = 0; i < CALLS; i++)
		must(plait_plan_call(plain, NULL, NULL, &error));
}

static void call_told(void)
{
	for (int i = 0; i < CALLS; i++) {
		const double a = i;
		const plait_binding binding = {
			.size = sizeof(binding), .value = &a,
			.bytes = sizeof(a),
		};
		const plait_run_desc desc = { .size = sizeof(desc),
					      .bindings = &binding,
					      .binding_count = 1 };

		must(plait_plan_call(told, NULL, &desc, &error));
	}
}

static void run_and_wait(void)
{
	for (int i = 0; i < CALLS; i++) {
		plait_run *run;

		must(plait_plan_run(plain, queue, NULL, &run, &error));
		must(plait_run_wait(run, PLAIT_FOREVER, &error));
		plait_run_release(run);
	}
}

static int pull(void)
{
	plait_event event = { .size = sizeof(event) };
	int count = 0;

	while (must(plait_inbox_next(inbox, &event, &error)) == PLAIT_OK) {
		ran += (uintptr_t)event.user_data;
		must(plait_inbox_answer(inbox, event.id, 0, NULL, &error));
		count++;
	}
	return count;
}

static void submit_held(int calls)
{
	const plait_command command = { .size = sizeof(command),
					.kind = PLAIT_COMMAND_CALL,
					.user_data = (void *)1,
					.inbox = inbox };

	raised++;
	for (int i = 0; i < QUEUES; i++)
		must(plait_queue_wait(queues[i], gate, raised, &error));
	for (int i = 0; i < calls; i++)
		must(plait_queue_submit(queues[i % QUEUES], &command, 1, NULL,
					&error));
}

static void finish_all(void)
{
	for (int i = 0; i < QUEUES; i++)
		while (must(plait_queue_finish(queues[i], PLAIT_FOREVER,
					       &error)) == PLAIT_EVENT_READY)
			pull();
}

static void call_pulled(void)
{
	must(plait_signal_raise(gate, raised, &error));
	finish_all();
}

static void pull_waiting(void)
{
	for (int count = 0; count < QUEUES;)
		count += pull();
}

/* --- measuring */

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static double timed(void (*batch)(void), int calls)
{
	const double begin = now();

	batch();
	return (now() - begin) / calls;
}

/* Pull batches of a hundred, which arrive while this thread is awake; the minimum. */
static double time_pulls(void)
{
	double least = 1e9;
	double begin, one;

	for (int i = 0; i < CALLS / QUEUES; i++) {
		submit_held(QUEUES);
		must(plait_signal_raise(gate, raised, &error));
		for (begin = now(); now() - begin < A_MOMENT_NS;)
			;
		one = timed(pull_waiting, QUEUES);
		if (one < least)
			least = one;
		finish_all();
	}
	return least;
}

static plait_plan *plan_of(plait_context *context, const plait_node_desc *node)
{
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	must(plait_graph_add(graph, node, NULL, 0, NULL, &error));
	must(plait_graph_freeze(graph, NULL, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

static const char code[] = "KERNEL(put) { EACH(i, 1) y[i] = a; }";

static void open_all(plait_device *device, plait_context *context)
{
	const plait_source source = { .size = sizeof(source), .code = code,
				      .bytes = sizeof(code) - 1 };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "put(a: f64, y: out pointer f64)",
	};
	const plait_buffer_desc memory = { .size = sizeof(memory), .bytes = 8 };
	plait_argument arguments[] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "a" },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER },
	};
	const plait_signal_desc held = { .size = sizeof(held),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_node_desc node = { .size = sizeof(node) };

	must(plait_queue_create(device, NULL, &queue, &error));
	for (int i = 0; i < QUEUES; i++)
		must(plait_queue_create(device, NULL, &queues[i], &error));
	must(plait_signal_create(device, &held, &gate, &error));
	must(plait_buffer_create(device, &memory, &arguments[1].buffer,
				 &error));
	node.kind = PLAIT_NODE_JOIN;
	plain = plan_of(context, &node);
	node.kind = PLAIT_NODE_LAUNCH;
	node.arguments = arguments;
	node.argument_count = 2;
	must(plait_kernel_create(context, &desc, &node.kernel, &error));
	told = plan_of(context, &node);
}

int main(void)
{
	plait_context *context;
	plait_device *device;

	must(plait_context_open(NULL, &context, &error));
	must(plait_inbox_create(context, &inbox, &error));
	must(plait_context_device(context, 0, &device, &error));
	open_all(device, context);
	for (int c = getchar(); c != EOF; c = getchar()) {
		printf("%.1f ", timed(call_plain, CALLS));
		printf("%.1f ", timed(call_told, CALLS));
		printf("%.1f ", timed(run_and_wait, CALLS));
		printf("%.1f ", time_pulls());
		submit_held(CALLS);
		printf("%.1f\n", timed(call_pulled, CALLS));
		fflush(stdout);
	}
	return 0;
}
