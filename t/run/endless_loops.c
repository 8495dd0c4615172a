/* SPDX-License-Identifier: MIT */
/* Waits with a limit return from a run that never ends, also if the waiting
 * thread is the one that executes it. */
#include "lib/runs.h"

enum { LIMIT_NS = 20000000 };

static int32_t always(void *user_data)
{
	(void)user_data;
	return 1;
}

static int32_t count_up(void *user_data)
{
	__atomic_add_fetch((uint64_t *)user_data, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* With an inbox its owner evaluates the predicate. */
static plait_node add_endless(plait_graph *graph, plait_inbox *inbox)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WHILE, .label = "endless",
		.flags = inbox == NULL ? PLAIT_CALL_ANY_THREAD : 0,
		.function = always, .inbox = inbox,
	};

	return add_node(graph, desc, NULL, 0);
}

/* A loop without a node, one of calls, one in another, and one whose predicate
 * the waiting thread evaluates as the owner of an inbox. */
enum shape { EMPTY, CALLS, NESTED, OWNER, SHAPES };

static plait_plan *make_plan(enum shape shape, plait_inbox *inbox,
			     uint64_t *rounds)
{
	plait_inbox *owned = shape == OWNER ? inbox : NULL;
	plait_graph *graph = new_graph();
	plait_graph *body = body_of(graph, add_endless(graph, owned), 0);
	plait_graph *deep = NULL;
	plait_plan *plan;

	if (shape == NESTED)
		deep = body_of(body, add_endless(body, NULL), 0);
	if (shape != EMPTY)
		(void)add_call(deep != NULL ? deep : body, "x", count_up,
			       rounds, NULL, 0);
	plan = freeze(graph, 2, 1);
	plait_graph_release(deep);
	plait_graph_release(body);
	plait_graph_release(graph);
	return plan;
}

/* The host engine tells the loop in the text of a time-out. */
static void check_text(enum shape shape)
{
	const char *loop = shape == EMPTY ? "it is at node 0 \"endless\"" :
			   shape == CALLS ? "node 0 \"endless\"" : "\"endless\"";

	if (RUN_FREEZE == 0 && strcmp(rig.backend, "host") == 0 &&
	    shape != OWNER)
		HAS_STR(rig.error.text, loop);
}

/* Each way to wait with a limit, and without one after the cancellation. */
static void wait_in_all_ways(plait_run *run, plait_inbox *inbox,
			     enum shape shape)
{
	const bool is_owner = shape == OWNER;
	uint64_t count;

	IS_INT(plait_run_wait(run, LIMIT_NS, &rig.error), PLAIT_E_TIMEOUT);
	check_text(shape);
	IS_INT(plait_run_wait(run, 0, &rig.error), PLAIT_E_TIMEOUT);
	IS_INT(plait_run_poll(run, &rig.error), PLAIT_PENDING);
	IS_INT(plait_queue_finish(rig.queue, LIMIT_NS, &rig.error),
	       PLAIT_E_TIMEOUT);
	IS_INT(plait_inbox_wait(inbox, is_owner ? PLAIT_FOREVER : LIMIT_NS,
				&rig.error),
	       is_owner ? PLAIT_OK : PLAIT_E_TIMEOUT);
	for (int i = 0; i < 3; i++)
		IS_INT(plait_inbox_pump(inbox, 16, &count, &rig.error),
		       PLAIT_OK);
}

static void check_shape(enum shape shape, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	uint64_t rounds = 0, before = 0;
	plait_inbox *inbox = NULL;
	plait_run *run = NULL;
	plait_plan *plan;

	IS_INT(plait_inbox_create(rig.context, &inbox, &rig.error),
	       PLAIT_OK);
	plan = make_plan(shape, inbox, &rounds);
	IS_INT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error),
	       PLAIT_OK);
	wait_in_all_ways(run, inbox, shape);
	before = __atomic_load_n(&rounds, __ATOMIC_SEQ_CST);
	/* A caller that polls makes progress. */
	for (time_t end = time(NULL) + 60; shape != EMPTY &&
	     __atomic_load_n(&rounds, __ATOMIC_SEQ_CST) < before + 100 &&
	     time(NULL) < end;)
		(void)plait_run_wait(run, 0, NULL);
	OK(shape == EMPTY ||
	   __atomic_load_n(&rounds, __ATOMIC_SEQ_CST) >= before + 100);
	IS_INT(plait_run_cancel(run, NULL), PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_CANCELLED);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_plan_release(plan);
	plait_inbox_release(inbox);
}

static void check(uint32_t flags)
{
	/* On simulated clocks a wait takes a second of real time. */
	const bool is_slow = strcmp(rig.backend, "chaos") == 0;

	for (enum shape shape = EMPTY; shape < SHAPES; shape++)
		if (!is_slow || (shape >= NESTED && flags == 0))
			check_shape(shape, flags);
}

static void endless(void)
{
	everywhere(check);
}

static const struct tap_scenario all[] = {
	{ "waits with a limit", endless },
};
TAP_MAIN(all)
