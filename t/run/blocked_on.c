/* SPDX-License-Identifier: MIT */
/*
 * Timeouts of waits for a run: the text says for what the run waits: a signal,
 * the owner of an inbox, its queue, a lane of a device; on lanes of the host
 * and on queues.
 */
#define RUN_ON_CHAOS
#include "lib/runs.h"

#include <sched.h>

static uint32_t entered;
static uint32_t released;

static int32_t pass(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int32_t stay(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&released, __ATOMIC_SEQ_CST) == 0)
		continue;
	return 0;
}

static plait_plan *freeze_with(plait_graph *graph, uint32_t flags)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .flags = flags, .lanes = 1,
	};
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
		PLAIT_OK, "freeze: %s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

/* Started; a wait for it ends with this text. */
static plait_run *start_run(plait_plan *plan)
{
	plait_run *run = NULL;

	OK_THAT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return run;
}

static void end_run(plait_plan *plan, plait_run *run, plait_status status)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), status);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_run_release(run);
	plait_plan_release(plan);
}

static void wait_until_timeout(plait_run *run)
{
	IS_INT(plait_run_wait(run, 1000000, &rig.error), PLAIT_E_TIMEOUT);
	HAS_STR(rig.error.text, "1 ms have passed: run ");
	HAS_STR(rig.error.text, " is not over: ");
	HAS_STR(rig.error.text, "; wait longer, or plait_run_cancel");
	OK_THAT(strstr(rig.error.text, "P-S10") == NULL, "%s",
		rig.error.text);
}

/* Until it has come there, which may take it a while. */
static void wait_until_timeout_at(plait_run *run, const char *what)
{
	for (int i = 0; i < 10000; i++) {
		(void)plait_run_wait(run, 1000000, &rig.error);
		if (strstr(rig.error.text, what) != NULL)
			break;
	}
	wait_until_timeout(run);
}

static void wait_for_gate(uint32_t flags)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE,
					 .label = "door" };
	plait_graph *graph = new_graph();
	plait_node node = add_call(graph, "before", pass, NULL, NULL, 0);
	plait_signal *gate = NULL;
	plait_plan *plan;
	plait_run *run;

	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK && plait_signal_raise(gate, 2, NULL) == PLAIT_OK);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WAIT, .signal = gate, .sequence = 5,
		.label = "enters" }, &node, 1);
	plan = freeze_with(graph, flags);
	run = start_run(plan);
	wait_until_timeout_at(run, "waits for signal");
	HAS_STR(rig.error.text, "node 1 \"enters\" waits for signal \"door\" to "
		"come to 5, which is at 2");
	IS_INT(plait_signal_raise(gate, 5, &rig.error), PLAIT_OK);
	end_run(plan, run, PLAIT_OK);
	plait_signal_release(gate);
}

struct owner {
	plait_inbox *inbox;
	pthread_barrier_t ready;
	pthread_barrier_t waited;
};

static void *own(void *arg)
{
	struct owner *owner = arg;

	OK(plait_inbox_create(rig.context, &owner->inbox, NULL) == PLAIT_OK);
	(void)pthread_barrier_wait(&owner->ready);
	(void)pthread_barrier_wait(&owner->waited);
	while (__atomic_load_n(&entered, __ATOMIC_SEQ_CST) == 0) {
		(void)plait_inbox_pump(owner->inbox, 0, NULL, NULL);
		(void)sched_yield();
	}
	return NULL;
}

static void wait_for_owner(uint32_t flags)
{
	plait_graph *graph = new_graph();
	struct owner owner = { .inbox = NULL };
	plait_plan *plan;
	plait_run *run;
	pthread_t thread;

	__atomic_store_n(&entered, 0, __ATOMIC_SEQ_CST);
	(void)pthread_barrier_init(&owner.ready, NULL, 2);
	(void)pthread_barrier_init(&owner.waited, NULL, 2);
	OK(pthread_create(&thread, NULL, own, &owner) == 0);
	(void)pthread_barrier_wait(&owner.ready);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .function = pass, .label = "asked",
		.inbox = owner.inbox }, NULL, 0);
	plan = freeze_with(graph, flags);
	run = start_run(plan);
	wait_until_timeout_at(run, " waits for inbox ");
	HAS_STR(rig.error.text, "node 0 \"asked\" waits for inbox ");
	HAS_STR(rig.error.text, ", which its owner, thread ");
	(void)pthread_barrier_wait(&owner.waited);
	/* Simulated time does not wait for other threads. */
	OK(pthread_join(thread, NULL) == 0);
	end_run(plan, run, PLAIT_OK);
	(void)pthread_barrier_destroy(&owner.ready);
	(void)pthread_barrier_destroy(&owner.waited);
	plait_inbox_release(owner.inbox);
}

/* A function that runs: the host knows its node, a queue its lane. */
static void wait_for_lane(uint32_t flags)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;
	plait_run *run;

	__atomic_store_n(&entered, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&released, 0, __ATOMIC_SEQ_CST);
	(void)add_call(graph, "long", stay, NULL, NULL, 0);
	plan = freeze_with(graph, flags);
	run = start_run(plan);
	while (__atomic_load_n(&entered, __ATOMIC_SEQ_CST) == 0)
		(void)sched_yield();
	wait_until_timeout(run);
	HAS_STR(rig.error.text, flags == 0 ? "is not over: it is at node 0 \"long\"" :
		"lane 0 is at 0 of 1 points, and has up to node 0 \"long\"");
	__atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
	end_run(plan, run, PLAIT_OK);
}

/* The queue has a command in front of the run; the host has nothing to
 * tell. */
static void wait_for_queue(uint32_t flags)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE,
					 .label = "door" };
	plait_graph *graph = new_graph();
	plait_signal *gate = NULL;
	plait_plan *plan;
	plait_run *run;

	(void)add_call(graph, "behind", pass, NULL, NULL, 0);
	plan = freeze_with(graph, flags);
	/* The text must not count lanes of an earlier run. */
	run = start_run(plan);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	plait_run_release(run);
	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_wait(rig.queue, gate, 1, &rig.error) == PLAIT_OK);
	run = start_run(plan);
	wait_until_timeout(run);
	HAS_STR(rig.error.text, " has commands in front of it; it has a wait "
		"for signal \"door\", which is at 0");
	IS_INT(plait_signal_raise(gate, 1, &rig.error), PLAIT_OK);
	end_run(plan, run, PLAIT_OK);
	plait_signal_release(gate);
}

static void each(void (*check)(uint32_t flags), bool works)
{
	for (uint32_t i = 0; i < WORKERS; i++) {
		/* The waiting thread would do it itself. */
		if (works && (worker_counts[i] == 0 ||
			      worker_counts[i] == ON_CHAOS))
			continue;
		if (!open_host(worker_counts[i]))
			continue;
		check(0);
		check(PLAIT_FREEZE_QUEUES);
		close_rig(&rig);
	}
}

static void signals(void)
{
	each(wait_for_gate, false);
}

static void owners(void)
{
	each(wait_for_owner, false);
}

static void queues(void)
{
	each(wait_for_queue, false);
}

static void lanes(void)
{
	each(wait_for_lane, true);
}

static const struct tap_scenario all[] = {
	{ "signals", signals },
	{ "owners", owners },
	{ "queues", queues },
	{ "lanes", lanes },
};
TAP_MAIN(all)
