/* SPDX-License-Identifier: MIT */
/*
 * Coroutines: a switch there and back, begin and end beside an empty call, an
 * await of what has happened, a turn of others, plans that are awaited beside
 * the same nodes in one graph, and many coroutines that each await a run.
 * coroutine_peers.cc and coroutine_starpu.c measure other libraries.
 *
 *   bench/coroutine [rounds]
 */
#include "plait/plait.h"

#include "coroutine/coroutine_switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	NODES = 1000, SWITCHES = 1000, LEAVES = 100, LEAF_NS = 1000,
	AWAITERS = 1000, QUEUES = 8, SIGNALS = 1000
};

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_queue *queue, *queues[QUEUES];
static plait_signal *reached, *fresh[SIGNALS];
static plait__coroutine one;

static plait_status must(plait_status status)
{
	if (status >= PLAIT_OK)
		return status;
	fprintf(stderr, "coroutine: %s\n", error.text);
	exit(1);
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

/* ---- functions of nodes ---- */

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t spin(void *user_data)
{
	const double end = now() + LEAF_NS;

	(void)user_data;
	while (now() < end)
		;
	return 0;
}

static int32_t await_reached(void *user_data)
{
	(void)user_data;
	for (int i = 0; i < SWITCHES; i++)
		must(plait_await_signal(reached, 1, PLAIT_FOREVER, &error));
	return 0;
}

static int32_t await_over(void *run)
{
	for (int i = 0; i < SWITCHES; i++)
		must(plait_await_run(run, PLAIT_FOREVER, &error));
	return 0;
}

/* The first await of an emission, of a signal that was emitted once. */
static int32_t await_first(void *user_data)
{
	(void)user_data;
	for (int i = 0; i < SIGNALS; i++)
		must(plait_await_signal(fresh[i], 1, PLAIT_FOREVER, &error));
	return 0;
}

static int32_t await_done(void *flow)
{
	for (int i = 0; i < SWITCHES; i++)
		must(plait_await_task(flow, 1, PLAIT_FOREVER, &error));
	return 0;
}

static int32_t yield_often(void *user_data)
{
	(void)user_data;
	for (int i = 0; i < SWITCHES; i++)
		must(plait_yield(&error));
	return 0;
}

static int32_t await_plan(void *plan)
{
	must(plait_await_plan(plan, queue, NULL, PLAIT_FOREVER, &error));
	return 0;
}

/* The run of one node, on one of several queues, as a queue orders its runs. */
static int32_t await_one(void *plan)
{
	static uint32_t next;
	const uint32_t i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);

	must(plait_await_plan(plan, queues[i % QUEUES], NULL, PLAIT_FOREVER,
			      &error));
	return 0;
}

/* Coroutines on a lane each, so that all are suspended at once. */
static plait_plan *plan_of_awaiters(plait_plan *one_leaf)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = await_one, .user_data = one_leaf,
	};
	const plait_freeze_desc freeze = { .size = sizeof(freeze),
					   .lanes = AWAITERS };
	plait_node node = 0;
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	for (int i = 0; i < AWAITERS; i++)
		must(plait_graph_add(graph, &desc, NULL, 0, &node, &error));
	must(plait_graph_freeze(graph, &freeze, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

static plait_plan *plan_with(plait_host_function function, void *user_data,
			     int count, bool suspends, uint32_t instances)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD |
			 (suspends ? PLAIT_CALL_COROUTINE : 0),
		.function = function, .user_data = user_data,
	};
	const plait_freeze_desc freeze = { .size = sizeof(freeze), .lanes = 1,
					   .instances = instances };
	plait_node node = 0;
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	for (int i = 0; i < count; i++)
		must(plait_graph_add(graph, &desc, &node, i > 0, &node,
				     &error));
	must(plait_graph_freeze(graph, &freeze, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

static plait_plan *plan_of(plait_host_function function, void *user_data,
			   int count, bool suspends)
{
	return plan_with(function, user_data, count, suspends, 0);
}

/* ---- rows ---- */

static void call(void *plan)
{
	must(plait_plan_call(plan, NULL, NULL, &error));
}

static int32_t suspend_often(void *user_data)
{
	(void)user_data;
	for (int i = 0; i < SWITCHES; i++)
		plait__coroutine_suspend(&one);
	return 0;
}

static void switch_often(void *pool)
{
	must(plait__coroutine_init(&one, pool, suspend_often, NULL, &error));
	while (!plait__coroutine_resume(&one))
		continue;
}

#ifdef __x86_64__
/* By hand, as short as the calling convention allows, without control words. */
void bench_switch(void **out_from, void *to);
__asm__(".text\n"
	"bench_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	popq %rdx\n"
	"	jmpq *%rdx\n");

static void *here, *there;

static void answer(void)
{
	for (;;)
		bench_switch(&there, here);
}

/* The stack begins with six registers and the address of the function. */
static void switch_by_hand(void *arg)
{
	static void *stack[8192];
	void (*const function)(void) = answer;

	(void)arg;
	memcpy(&stack[8190], &function, sizeof(function));
	there = &stack[8184];
	for (int i = 0; i < SWITCHES; i++)
		bench_switch(&here, there);
}
#endif

/* Signals that no await has looked at. */
static void renew(void *arg)
{
	plait_device *device = arg;

	for (int i = 0; i < SIGNALS; i++) {
		plait_signal_release(fresh[i]);
		must(plait_signal_create(device, NULL, &fresh[i], &error));
		must(plait_queue_emit(queue, fresh[i], NULL, &error));
	}
	must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
}

static plait_run *end_run(plait_plan *plan)
{
	plait_run *run;

	must(plait_plan_run(plan, queue, NULL, &run, &error));
	must(plait_run_wait(run, PLAIT_FOREVER, &error));
	return run;
}

/* A flow with one task, which is done. */
static plait_flow *end_task(void)
{
	const plait_task_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_TASK_CALL,
				       .function = nothing };
	plait_flow *flow;

	must(plait_flow_create(context, NULL, &flow, &error));
	must(plait_flow_submit(flow, &desc, NULL, &error));
	must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
	return flow;
}

struct row {
	const char *name;
	void (*run)(void *arg);
	void *arg;
	double per, min;
	void (*before)(void *arg);	/* not measured; or null */
	void *before_arg;
};

static void measure(struct row *rows, int count, int rounds)
{
	for (int i = 0; i < count; i++) {
		rows[i].min = 1e18;
		if (rows[i].before != NULL)
			rows[i].before(rows[i].before_arg);
		rows[i].run(rows[i].arg);
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < count; i++) {
			double begin, took;

			if (rows[i].before != NULL)
				rows[i].before(rows[i].before_arg);
			begin = now();
			rows[i].run(rows[i].arg);
			took = (now() - begin) / rows[i].per;
			if (took < rows[i].min)
				rows[i].min = took;
		}
	for (int i = 0; i < count; i++)
		printf("%-44s %9.1f ns\n", rows[i].name, rows[i].min);
}

int main(int argc, char **argv)
{
	plait__stack_pool pool = { 0 };
	plait_device *device;
	plait_plan *leaf;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	must(plait_queue_create(device, NULL, &queue, &error));
	must(plait_signal_create(device, NULL, &reached, &error));
	must(plait_queue_emit(queue, reached, NULL, &error));
	must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
	plait__stack_pool_init(&pool, 65536, 4, 0);
	for (int i = 0; i < QUEUES; i++)
		must(plait_queue_create(device, NULL, &queues[i], &error));
	leaf = plan_of(spin, NULL, LEAVES, false);
	struct row rows[] = {
#ifdef __x86_64__
		{ "switch there and back, by hand", switch_by_hand, NULL,
		  .per = SWITCHES },
#endif
		{ "switch there and back", switch_often, &pool, .per = SWITCHES },
		{ "empty call, a node", call,
		  plan_of(nothing, NULL, NODES, false), .per = NODES },
		{ "empty coroutine, a node", call,
		  plan_of(nothing, NULL, NODES, true), .per = NODES },
		{ "await of an emission that has happened", call,
		  plan_of(await_reached, NULL, 1, true), .per = SWITCHES },
		{ "the same, for the first time", call,
		  plan_of(await_first, NULL, 1, true), .per = SIGNALS,
		  .before = renew, .before_arg = device },
		{ "await of a run that is over", call,
		  plan_of(await_over, end_run(leaf), 1, true), .per = SWITCHES },
		{ "await of a task that is done", call,
		  plan_of(await_done, end_task(), 1, true), .per = SWITCHES },
		{ "turn of others", call,
		  plan_of(yield_often, NULL, 1, true), .per = SWITCHES },
		{ "100 nodes of 1 us", call, leaf, .per = 1 },
		{ "the same as a plan that a coroutine awaits", call,
		  plan_of(await_plan, leaf, 1, true), .per = 1 },
		{ "a coroutine that awaits a run of 1 us", call,
		  plan_of_awaiters(plan_with(spin, NULL, 1, false,
					     AWAITERS)), .per = AWAITERS },
	};
	measure(rows, (int)(sizeof(rows) / sizeof(rows[0])),
		argc > 1 ? atoi(argv[1]) : 50);
	plait__stack_pool_fini(&pool);
	return 0;
}
