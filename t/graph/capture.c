/* SPDX-License-Identifier: MIT */
/*
 * Captures: what is refused; how each command arrives; signals; lives; threads
 * that submit while captures come and go.  Random programs are in
 * capture_programs.c.
 */
#include "captures.h"

#include <pthread.h>

static void refused(plait_status status, plait_status expected,
		    const char *text)
{
	if (!IS_INT(status, expected) || !OK(strstr(error.text, text) != NULL))
		NOTE("%s", error.text);
}

static void sizes(plait_graph *graph, uint64_t want_nodes, uint64_t want_edges)
{
	uint64_t nodes = 0, edges = 0;

	well(plait_graph_size(graph, &nodes, &edges, &error));
	IS_INT(nodes, want_nodes);
	IS_INT(edges, want_edges);
}

/* ---- what is refused ---- */

static void refuses(void)
{
	plait_queue *twice[2];
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_run *run = NULL;
	unsigned char byte = 0;

	if (!open_with("host"))
		return;
	twice[0] = twice[1] = queues[0];
	refused(plait_queue_capture(NULL, 1, 0, &error), PLAIT_E_INVALID,
		"queues is null");
	refused(plait_queue_capture(queues, 0, 0, &error), PLAIT_E_INVALID,
		"no queue");
	refused(plait_queue_capture(queues, 1, 4, &error),
		PLAIT_E_UNSUPPORTED, "flags 0x4");
	refused(plait_queue_capture(twice, 2, 0, &error), PLAIT_E_STATE,
		"queues[1]");
	refused(plait_queue_end_capture(queues[0], &graph, &error),
		PLAIT_E_STATE, "is not captured");
	refused(plait_queue_end_capture(queues[0], NULL, &error),
		PLAIT_E_INVALID, "out is null");
	well(plait_graph_create(context, &graph, &error));
	well(plait_graph_freeze(graph, NULL, &plan, &error));
	plait_graph_release(graph);
	well(plait_queue_capture(queues, 2, 0, &error));
	refused(plait_queue_capture(&queues[1], 1, 0, &error), PLAIT_E_STATE,
		"captured already");
	refused(plait_queue_finish(queues[1], 0, &error), PLAIT_E_STATE,
		"end the capture");
	refused(plait_queue_read(queues[0], buffers[0], 0, &byte, 1, &error),
		PLAIT_E_STATE, "submit a READ");
	refused(plait_queue_write(queues[0], buffers[0], 0, &byte, 1, &error),
		PLAIT_E_STATE, "submit a READ or WRITE");
	refused(plait_plan_run(plan, queues[0], NULL, &run, &error),
		PLAIT_E_STATE, "add the graph");
	refused(plait_plan_call(plan, queues[0], NULL, &error), PLAIT_E_STATE,
		"add the graph");
	well(plait_queue_end_capture(queues[1], &graph, &error));
	sizes(graph, 0, 0);
	plait_graph_release(graph);
	well(plait_queue_capture(queues, 1, PLAIT_CAPTURE_NO_CALLS, &error));
	refused(plait_queue_call(queues[0], count_call, NULL, &error),
		PLAIT_E_UNSUPPORTED, "called once");
	well(plait_queue_end_capture(queues[0], &graph, &error));
	sizes(graph, 0, 0);
	plait_graph_release(graph);
	refused(plait_queue_end_capture(queues[0], &graph, &error),
		PLAIT_E_STATE, "is not captured");
	well(plait_queue_finish(queues[0], PLAIT_FOREVER, &error));
	plait_plan_release(plan);
	close_all();
}

/* The queues of a capture are of one context. */
static void two_contexts(void)
{
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = BYTES };
	plait_context *other = NULL;
	plait_device *there = NULL;
	plait_graph *graph = NULL;
	plait_signal *signal = NULL;
	plait_buffer *buffer = NULL;
	plait_queue *mixed[2];

	if (!open_with("host"))
		return;
	well(plait_context_open(NULL, &other, &error));
	well(plait_context_device(other, 0, &there, &error));
	mixed[0] = queues[0];
	well(plait_queue_create(there, NULL, &mixed[1], &error));
	refused(plait_queue_capture(mixed, 2, 0, &error), PLAIT_E_HANDLE,
		"queues[1]: queue 0x");
	refused(plait_queue_capture(mixed, 2, 0, &error), PLAIT_E_HANDLE,
		"of context 0x");
	well(plait_signal_create(there, NULL, &signal, &error));
	well(plait_buffer_create(there, &bytes, &buffer, &error));
	well(plait_queue_emit(mixed[1], signal, NULL, &error));
	well(plait_queue_capture(mixed, 1, 0, &error));
	refused(plait_queue_wait(mixed[0], signal, 1, &error), PLAIT_E_HANDLE,
		"of context 0x");
	refused(plait_queue_emit(mixed[0], signal, NULL, &error),
		PLAIT_E_HANDLE, "of context 0x");
	refused(plait_queue_fill(mixed[0], buffer, 0, BYTES, 0, 1, &error),
		PLAIT_E_HANDLE, "of context 0x");
	well(plait_queue_end_capture(mixed[0], &graph, &error));
	plait_graph_release(graph);
	plait_buffer_release(buffer);
	plait_signal_release(signal);
	plait_queue_release(mixed[1]);
	plait_context_release(other);
	close_all();
}

/* A mistake takes back all that its submission added. */
static void all_or_none(void)
{
	plait_command commands[4] = {
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_FILL,
		  .bytes = 8, .pattern_bytes = 4, .label = "first" },
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_EMIT },
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_WRITE,
		  .bytes = 8, .host = hosts[0] },
		{ .size = sizeof(*commands), .kind = PLAIT_COMMAND_COPY,
		  .bytes = BYTES + 1, .label = "wide" },
	};
	uint64_t sequence = 9;
	plait_graph *graph = NULL;

	if (!open_with("host"))
		return;
	commands[0].target = commands[2].target = commands[3].target =
		buffers[0];
	commands[3].source = buffers[1];
	commands[1].signal = signals[0];
	well(plait_queue_capture(queues, 1, 0, &error));
	well(plait_queue_fill(queues[0], buffers[2], 0, 4, 1, 4, &error));
	refused(plait_queue_submit(queues[0], commands, 4, &sequence, &error),
		PLAIT_E_INVALID, "captured command 3: node \"wide\"");
	IS_INT(sequence, 0);
	refused(plait_queue_wait(queues[0], signals[0], 1, &error),
		PLAIT_E_INVALID, "");
	commands[1].kind = 99;
	refused(plait_queue_submit(queues[0], commands, 2, NULL, &error),
		PLAIT_E_INVALID, "unknown kind 99");
	refused(plait_queue_submit(queues[0], NULL, 2, NULL, &error),
		PLAIT_E_INVALID, "commands is null");
	commands[1].kind = PLAIT_COMMAND_EMIT;
	well(plait_queue_submit(queues[0], commands, 3, &sequence, &error));
	IS_INT(sequence, 1);
	refused(plait_queue_wait(queues[0], signals[0], 2, &error),
		PLAIT_E_INVALID, "the newest is 1");
	well(plait_queue_end_capture(queues[0], &graph, &error));
	sizes(graph, 4, 3);
	plait_graph_release(graph);
	close_all();
}

/* ---- signals ---- */

/* Emissions count on; a run emits them, unless they are local. */
static void signal_numbers(void)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	uint64_t sequence = 0;

	if (!open_with("host"))
		return;
	well(plait_queue_emit(queues[0], signals[0], &sequence, &error));
	IS_INT(sequence, 1);
	for (uint32_t local = 0; local < 2; local++) {
		well(plait_queue_capture(queues, 2, local *
					 PLAIT_CAPTURE_LOCAL_SIGNALS, &error));
		well(plait_queue_call(queues[0], count_call, NULL, &error));
		well(plait_queue_emit(queues[0], signals[0], &sequence,
				      &error));
		IS_INT(sequence, local ? 3 : 2);
		/* Before the capture: a node.  In it: an edge. */
		well(plait_queue_wait(queues[1], signals[0], 1, &error));
		well(plait_queue_wait(queues[1], signals[0], sequence,
				      &error));
		well(plait_queue_call(queues[1], count_call, NULL, &error));
		if (local)
			refused(plait_queue_emit(queues[0], NULL, NULL,
						 &error), PLAIT_E_HANDLE, "");
		well(plait_queue_end_capture(queues[1], &graph, &error));
		sizes(graph, local ? 3 : 4, local ? 2 : 3);
		well(plait_graph_freeze(graph, NULL, &plan, &error));
		plait_graph_release(graph);
		well(plait_plan_call(plan, NULL, NULL, &error));
		plait_plan_release(plan);
		/* The next emission is the second one after the run. */
		well(plait_signal_wait(signals[0], 2, PLAIT_FOREVER, &error));
	}
	IS_INT(calls, 4);
	well(plait_queue_emit(queues[0], signals[0], &sequence, &error));
	IS_INT(sequence, 3);
	well(plait_queue_finish(queues[0], PLAIT_FOREVER, &error));
	close_all();
}

static void gates(void)
{
	plait_signal *gate = NULL;
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_graph *graph = NULL;

	if (!open_with("host"))
		return;
	well(plait_signal_create(device, &desc, &gate, &error));
	for (uint32_t local = 0; local < 2; local++) {
		well(plait_queue_capture(queues, 1, local, &error));
		refused(plait_queue_emit(queues[0], gate, NULL, &error),
			PLAIT_E_INVALID, "gate");
		well(plait_queue_wait(queues[0], gate, 5, &error));
		well(plait_queue_end_capture(queues[0], &graph, &error));
		sizes(graph, 1, 0);
		plait_graph_release(graph);
	}
	plait_signal_release(gate);
	close_all();
}

/* Many waits before one command. */
static void many_waits(void)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_plan_info info = { .size = sizeof(info) };
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 4,
					 .flags = PLAIT_FREEZE_CHECK };

	if (!open_with("host"))
		return;
	well(plait_queue_capture(queues, 2, PLAIT_CAPTURE_LOCAL_SIGNALS,
				 &error));
	for (uint32_t i = 0; i < BYTES; i++) {
		well(plait_queue_fill(queues[0], buffers[0], i, 1, i, 1,
				      &error));
		well(plait_queue_emit(queues[0], signals[0], NULL, &error));
		well(plait_queue_wait(queues[1], signals[0], 0, &error));
	}
	well(plait_queue_copy(queues[1], buffers[1], 0, buffers[0], 0, BYTES,
			      &error));
	well(plait_queue_end_capture(queues[0], &graph, &error));
	well(plait_graph_freeze(graph, &desc, &plan, &error));
	well(plait_plan_query(plan, &info, &error));
	OK(info.nodes >= BYTES + 1);
	plait_plan_release(plan);
	plait_graph_release(graph);
	close_all();
}

/* ---- lives ---- */

static void lives(void)
{
	plait_graph *graph = NULL;

	if (!open_with("host"))
		return;
	/* A queue that is released leaves its commands to the others. */
	well(plait_queue_capture(queues, 2, 0, &error));
	well(plait_queue_call(queues[0], count_call, NULL, &error));
	plait_queue_release(queues[0]);
	well(plait_queue_end_capture(queues[1], &graph, &error));
	sizes(graph, 1, 0);
	plait_graph_release(graph);
	/* All of them: the capture goes without a graph. */
	well(plait_queue_capture(&queues[1], 2, 0, &error));
	well(plait_queue_call(queues[2], count_call, NULL, &error));
	plait_queue_release(queues[1]);
	plait_queue_release(queues[2]);
	is_gone(PLAIT_OBJECT_GRAPH);
	is_gone(PLAIT_OBJECT_QUEUE);
	for (int i = 0; i < QUEUES; i++)
		queues[i] = NULL;
	close_all();
	IS_INT(calls, 0);
}

/* ---- threads ---- */

enum { SUBMITTERS = 2, SUBMISSIONS = 2000 };

static _Atomic int submitting;

static void *submit_calls(void *arg)
{
	plait_queue *queue = arg;
	plait_error own = { .size = sizeof(own) };
	int failed = 0;

	for (int i = 0; i < SUBMISSIONS; i++)
		failed += plait_queue_call(queue, count_call, NULL, &own) !=
			  PLAIT_OK;
	atomic_fetch_sub(&submitting, 1);
	return failed == 0 ? NULL : arg;
}

/* Each command is captured or runs, while captures come and go. */
static void threads(void)
{
	pthread_t ids[SUBMITTERS];
	uint64_t captured = 0, nodes = 0;
	void *failed = NULL;

	if (!open_with("host"))
		return;
	atomic_store(&submitting, SUBMITTERS);
	for (int i = 0; i < SUBMITTERS; i++)
		OK(pthread_create(&ids[i], NULL, submit_calls, queues[i]) ==
		   0);
	while (atomic_load(&submitting) > 0) {
		plait_graph *graph = NULL;

		well(plait_queue_capture(queues, SUBMITTERS, 0, &error));
		well(plait_queue_end_capture(queues[1], &graph, &error));
		well(plait_graph_size(graph, &nodes, NULL, &error));
		captured += nodes;
		plait_graph_release(graph);
	}
	for (int i = 0; i < SUBMITTERS; i++) {
		OK(pthread_join(ids[i], &failed) == 0 && failed == NULL);
		well(plait_queue_finish(queues[i], PLAIT_FOREVER, &error));
	}
	IS_INT(captured + (uint64_t)calls, SUBMITTERS * SUBMISSIONS);
	close_all();
}

static const struct tap_scenario scenarios[] = {
	{ "refuses", refuses },
	{ "two contexts", two_contexts },
	{ "all or none", all_or_none },
	{ "signal numbers", signal_numbers },
	{ "gates", gates },
	{ "many waits", many_waits },
	{ "lives", lives },
	{ "threads", threads },
};
TAP_MAIN(scenarios)
