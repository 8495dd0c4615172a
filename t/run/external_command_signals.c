/* SPDX-License-Identifier: MIT */
/* External commands as nodes: emissions, waits for signals and gates; how they
 * happen, fail, and are cancelled. */
#include "lib/runs.h"

#include <pthread.h>

static plait_node add_signal(plait_graph *graph, uint32_t kind,
			     plait_signal *signal, uint64_t sequence,
			     const plait_node *after)
{
	const plait_node_desc desc = {
		.kind = kind, .label = kind == PLAIT_NODE_WAIT ? "wait" : "emit",
		.signal = signal, .sequence = sequence,
	};

	return add_node(graph, desc, after, after != NULL);
}

/* signal, then a count: of the commands behind it. */
struct line {
	plait_graph *graph;
	plait_plan *plan;
	uint64_t *count;
};

static struct line make_line(uint32_t kind, plait_signal *signal,
			     uint64_t sequence, uint64_t *count)
{
	struct line line = { .graph = new_graph(), .count = count };
	plait_node node;

	*count = 0;
	(void)add_call(line.graph, "beside", bump, count + 1, NULL, 0);
	node = add_signal(line.graph, kind, signal, sequence, NULL);
	(void)add_call(line.graph, "behind", bump, count, &node, 1);
	line.plan = freeze(line.graph, 2, 2);
	return line;
}

static void free_line(const struct line *line)
{
	plait_plan_release(line->plan);
	plait_graph_release(line->graph);
}

static plait_run *start(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;

	OK_THAT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return run;
}

static plait_status end(plait_run *run)
{
	plait_status status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);

	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return status;
}

/* With each number of workers, in each way, with new signals. */
static void afresh(void (*check)(uint32_t flags))
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			if (!open_host(worker_counts[w]))
				continue;
			check(run_flags[f]);
			close_rig(&rig);
		}
	}
}

static uint64_t reached(plait_signal *signal)
{
	uint64_t sequence = 0;
	uint64_t submitted = 0;

	IS_INT(plait_signal_query(signal, &sequence, &submitted, NULL),
	       PLAIT_OK);
	IS_UINT(sequence, submitted);
	return sequence;
}

static void check_emissions(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	struct line line = make_line(PLAIT_NODE_EMIT, rig.signal, 0, counts);

	for (uint64_t i = 1; i <= 6; i++) {
		IS_INT((i % 2 ? run_with : call_with)(line.plan, flags),
		       PLAIT_OK);
		IS_UINT(reached(rig.signal), i);
		IS_UINT(counts[0], i);
	}
	free_line(&line);
}

static void emissions(void)
{
	afresh(check_emissions);
}

/* The numbers of a signal come in order, so the plan's comes behind that of a
 * queue which makes no progress. */
static void check_order(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	struct line line = make_line(PLAIT_NODE_EMIT, rig.signal, 0, counts);
	const plait_command commands[2] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_WAIT,
		  .signal = rig.gate, .sequence = 1 },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = rig.signal },
	};
	plait_queue *other = NULL;
	plait_run *run;

	OK(plait_queue_create(rig.device, NULL, &other, NULL) == PLAIT_OK);
	OK(plait_queue_submit(other, commands, 2, NULL, NULL) == PLAIT_OK);
	run = start(line.plan, flags);
	IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
	IS_UINT(counts[0], 0);
	OK(plait_signal_raise(rig.gate, 1, NULL) == PLAIT_OK);
	IS_INT(end(run), PLAIT_OK);
	IS_UINT(counts[0], 1);
	IS_UINT(reached(rig.signal), 2);
	plait_queue_release(other);
	free_line(&line);
}

static void order(void)
{
	afresh(check_order);
}

static int32_t count_down(void *user_data)
{
	uint64_t *left = user_data;

	return *left > 0 ? (int32_t)(*left)-- : 0;
}

/* Each iteration has an emission of its own, and a wait for the newest one at
 * the start waits once. */
static void check_loops(uint32_t flags)
{
	uint64_t left = 0, count = 0;
	plait_graph *graph = new_graph();
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .flags = PLAIT_CALL_ANY_THREAD,
		.function = count_down, .user_data = &left,
	};
	plait_node node = add_node(graph, loop, NULL, 0);
	plait_graph *body = body_of(graph, node, 0);
	plait_node emit = add_signal(body, PLAIT_NODE_EMIT, rig.signal, 0,
				     NULL);
	plait_node wait = add_signal(body, PLAIT_NODE_WAIT, rig.signal, 0,
				     &emit);
	plait_plan *plan;

	(void)add_call(body, "count", bump, &count, &wait, 1);
	(void)add_signal(body, PLAIT_NODE_WAIT, rig.gate, 0, NULL);
	plan = freeze(graph, 2, 1);
	for (uint64_t i = 1; i <= 4; i++) {
		left = 5;
		IS_INT((i % 2 ? run_with : call_with)(plan, flags), PLAIT_OK);
		IS_UINT(count, 5 * i);
		IS_UINT(reached(rig.signal), 5 * i);
	}
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
}

static void loops(void)
{
	afresh(check_loops);
}

static void *raise_it(void *arg)
{
	(void)arg;
	OK(plait_signal_raise(rig.gate, 3, NULL) == PLAIT_OK);
	return NULL;
}

/* Waits for a gate: raised while the run waits for it, before, and by a
 * thread. */
static void check_gates(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	struct line first = make_line(PLAIT_NODE_WAIT, rig.gate, 2, counts);
	struct line second = make_line(PLAIT_NODE_WAIT, rig.gate, 3, counts);
	plait_run *runs[2] = { start(first.plan, flags),
			       start(first.plan, flags) };
	pthread_t thread;

	OK(plait_signal_raise(rig.gate, 1, NULL) == PLAIT_OK);
	IS_INT(plait_run_poll(runs[0], NULL), PLAIT_PENDING);
	IS_INT(plait_run_wait(runs[0], 1000, NULL), PLAIT_E_TIMEOUT);
	IS_UINT(counts[0], 0);
	OK(plait_signal_raise(rig.gate, 2, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(runs[0], PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_run_release(runs[0]);
	IS_INT(end(runs[1]), PLAIT_OK);
	IS_UINT(counts[0], 2);
	IS_INT(call_with(first.plan, flags), PLAIT_OK);
	IS_UINT(counts[0], 3);
	OK(pthread_create(&thread, NULL, raise_it, NULL) == 0);
	/* A simulated system knows of no other thread. */
	if (strcmp(rig.backend, "chaos") == 0)
		OK(pthread_join(thread, NULL) == 0);
	IS_INT(call_with(second.plan, flags), PLAIT_OK);
	if (strcmp(rig.backend, "chaos") != 0)
		OK(pthread_join(thread, NULL) == 0);
	IS_UINT(counts[0], 4);
	free_line(&first);
	free_line(&second);
}

static void gates(void)
{
	afresh(check_gates);
}

/* The newest one when the run starts, not one that comes later. */
static void check_newest(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	struct line line = make_line(PLAIT_NODE_WAIT, rig.signal, 0, counts);
	plait_command commands[2] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_WAIT,
		  .signal = rig.gate, .sequence = 1 },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = rig.signal },
	};
	plait_queue *other = NULL;
	plait_run *run;

	/* None yet, so nothing is waited for. */
	IS_INT(call_with(line.plan, flags), PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &other, NULL) == PLAIT_OK);
	OK(plait_queue_submit(other, commands, 2, NULL, NULL) == PLAIT_OK);
	run = start(line.plan, flags);
	commands[0].sequence = 2;
	OK(plait_queue_submit(other, commands, 2, NULL, NULL) == PLAIT_OK);
	IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
	OK(plait_signal_raise(rig.gate, 1, NULL) == PLAIT_OK);
	IS_INT(end(run), PLAIT_OK);
	IS_UINT(counts[0], 2);
	OK(plait_signal_raise(rig.gate, 2, NULL) == PLAIT_OK);
	plait_queue_release(other);
	free_line(&line);
}

static void newest(void)
{
	afresh(check_newest);
}

/* An emission that is not submitted yet may come; the wait ends when the run is
 * cancelled. */
static void check_later(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	struct line line = make_line(PLAIT_NODE_WAIT, rig.signal, 2, counts);
	const plait_command emit = { .size = sizeof(emit),
				     .kind = PLAIT_COMMAND_EMIT,
				     .signal = rig.signal };
	plait_queue *other = NULL;
	plait_run *run;

	OK(plait_queue_create(rig.device, NULL, &other, NULL) == PLAIT_OK);
	run = start(line.plan, flags);
	IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	IS_INT(end(run), PLAIT_E_CANCELLED);
	run = start(line.plan, flags);
	OK(plait_queue_submit(other, &emit, 1, NULL, NULL) == PLAIT_OK);
	IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
	OK(plait_queue_submit(other, &emit, 1, NULL, NULL) == PLAIT_OK);
	IS_INT(end(run), PLAIT_OK);
	IS_UINT(counts[0], 1);
	plait_queue_release(other);
	free_line(&line);
}

static void later(void)
{
	afresh(check_later);
}

static plait_signal *new_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE,
					 .label = "door" };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, NULL) == PLAIT_OK);
	return gate;
}

/* A failure of the gate fails the node: before, meanwhile, and when its last
 * handle is released. */
static void check_failures(uint32_t flags)
{
	for (int how = 0; how < 3; how++) {
		uint64_t counts[2] = { 0, 0 };
		plait_signal *gate = new_gate();
		struct line line = make_line(PLAIT_NODE_WAIT, gate, 1, counts);
		plait_run *run = NULL;

		if (how > 0)
			run = start(line.plan, flags);
		if (how < 2)
			OK(plait_signal_fail(gate, 7, "no more", NULL) ==
			   PLAIT_OK);
		plait_signal_release(gate);
		IS_INT(run != NULL ? end(run) : call_with(line.plan, flags),
		       how < 2 ? PLAIT_E_FAILED : PLAIT_E_CANCELLED);
		HAS_STR(rig.error.text, "\"wait\" failed: ");
		HAS_STR(rig.error.text, how < 2 ? "no more" : "\"door\"");
		if (how < 2)
			IS_INT(rig.error.origin, 7);
		IS_UINT(counts[0], 0);
		free_line(&line);
	}
}

static void failures(void)
{
	afresh(check_failures);
}

/* A cancelled wait for an emission that never comes allows a new start; its
 * remains end by themselves. */
static void check_cancels(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	plait_signal *gate = new_gate();
	struct line line = make_line(PLAIT_NODE_WAIT, gate, 1, counts);

	for (int i = 0; i < 5; i++) {
		plait_run *run = start(line.plan, flags);

		IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
		IS_INT(end(run), PLAIT_E_CANCELLED);
	}
	IS_UINT(counts[0], 0);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(call_with(line.plan, flags), PLAIT_OK);
	IS_UINT(counts[0], 1);
	plait_signal_release(gate);
	free_line(&line);
}

static void cancels(void)
{
	afresh(check_cancels);
}

static plait_node add_costly(plait_graph *graph, plait_node_desc desc)
{
	desc.cost = 1000000;
	return add_node(graph, desc, NULL, 0);
}

static uint32_t lane_of(plait_plan *plan, uint64_t command)
{
	plait_command_info info = { .size = sizeof(info) };

	OK(plait_plan_query_command(plan, command, &info, NULL) == PLAIT_OK);
	return info.lane;
}

/* A node on another lane fails: the pending wait does not hold the run. */
static void check_beside(uint32_t flags)
{
	const plait_node_desc wait = { .kind = PLAIT_NODE_WAIT,
				       .signal = rig.gate, .sequence = 1 };
	const plait_node_desc bad = { .kind = PLAIT_NODE_CALL, .label = "bad",
				      .flags = PLAIT_CALL_ANY_THREAD,
				      .function = return_it,
				      .user_data = (void *)(intptr_t)9 };
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_costly(graph, wait);
	(void)add_costly(graph, bad);
	plan = freeze(graph, 2, 1);
	OK(lane_of(plan, 0) != lane_of(plan, 1));
	/* On one lane the wait comes first. */
	for (int i = 0; i < 3 && flags != PLAIT_RUN_SERIAL; i++) {
		IS_INT((i % 2 ? run_with : call_with)(plan, flags),
		       PLAIT_E_FAILED);
		IS_INT(rig.error.origin, 9);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void beside(void)
{
	afresh(check_beside);
}

/* Only the plan has the signal, and does not emit it. */
static void check_deadlock(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	plait_signal *signal = NULL;
	struct line line;

	OK(plait_signal_create(rig.device, NULL, &signal, NULL) == PLAIT_OK);
	line = make_line(PLAIT_NODE_WAIT, signal, 1, counts);
	plait_signal_release(signal);
	plait_graph_release(line.graph);
	IS_INT(call_with(line.plan, flags), PLAIT_E_DEADLOCK);
	HAS_STR(rig.error.text, "can never be emitted");
	IS_UINT(counts[0], 0);
	plait_plan_release(line.plan);
}

static void deadlock(void)
{
	afresh(check_deadlock);
}

struct inner {
	plait_plan *plan;
	plait_status status;
};

static int32_t call_inner(void *user_data)
{
	struct inner *inner = user_data;

	inner->status = plait_plan_call(inner->plan, NULL, NULL, NULL);
	return 0;
}

/* A host function must not wait for a gate, so that fails; nor for an emission,
 * which another thread may have to do, nor for queues. */
static void check_inside(uint32_t flags)
{
	uint64_t counts[2] = { 0, 0 };
	struct line line = make_line(PLAIT_NODE_WAIT, rig.gate, 1, counts);
	struct inner inner = { .plan = line.plan };
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_call(graph, "outer", call_inner, &inner, NULL, 0);
	plan = freeze(graph, 1, 1);
	IS_INT(call_with(plan, flags), PLAIT_OK);
	IS_INT(inner.status, PLAIT_E_DEADLOCK);
	IS_UINT(counts[0], 0);
	OK(plait_signal_raise(rig.gate, 1, NULL) == PLAIT_OK);
	IS_INT(call_with(plan, flags), PLAIT_OK);
	IS_INT(inner.status, RUN_FREEZE != 0 ? PLAIT_E_DEADLOCK : PLAIT_OK);
	IS_UINT(counts[0], RUN_FREEZE == 0);
	free_line(&line);
	line = make_line(PLAIT_NODE_EMIT, rig.signal, 0, counts);
	inner.plan = line.plan;
	IS_INT(call_with(plan, flags), PLAIT_OK);
	IS_INT(inner.status, PLAIT_E_DEADLOCK);
	IS_UINT(reached(rig.signal), 0);
	plait_plan_release(plan);
	plait_graph_release(graph);
	free_line(&line);
}

static void inside(void)
{
	afresh(check_inside);
}

static const struct tap_scenario all[] = {
	{ "emissions", emissions },
	{ "order", order },
	{ "loops", loops },
	{ "gates", gates },
	{ "newest", newest },
	{ "later", later },
	{ "failures", failures },
	{ "cancels", cancels },
	{ "beside", beside },
	{ "deadlock", deadlock },
	{ "inside", inside },
};
TAP_MAIN(all)
