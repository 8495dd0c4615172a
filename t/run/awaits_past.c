/* SPDX-License-Identifier: MIT */
/* Awaits of what has happened, again and again: of emissions, runs and tasks.
 * What was learned of an object does not outlive it, its failure, the run of
 * the coroutine or the process. */
#include "lib/runs.h"

#include "plait/flow.h"

#include <sys/wait.h>
#include <unistd.h>

enum { EMISSIONS = 5, TIMES = 3 };

static plait_queue *other;	/* than that of the coroutine's run */

static plait_plan *plan_of(plait_host_function body, void *user_data)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "past",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = body, .user_data = user_data,
	};
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_node(graph, desc, NULL, 0);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

/* Run `body` as a coroutine, directly in it. */
static plait_status in_coroutine(plait_host_function body, void *user_data,
				 uint32_t flags)
{
	plait_plan *plan = plan_of(body, user_data);
	const plait_status status = run_with(plan, flags);

	plait_plan_release(plan);
	return status;
}

static plait_signal *new_signal(uint32_t flags)
{
	const plait_signal_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_signal *signal = NULL;

	OK(plait_signal_create(rig.device, &desc, &signal, &rig.error) ==
	   PLAIT_OK);
	return signal;
}

static plait_status poll(plait_signal *signal, uint64_t sequence)
{
	return plait_await_signal(signal, sequence, 0, NULL);
}

/* ---- signals ---- */

static int32_t await_emissions(void *signal)
{
	plait_point points[EMISSIONS];
	uint64_t index = 9;

	for (int time = 0; time < TIMES; time++)
		for (uint64_t i = 0; i <= EMISSIONS; i++)
			IS_INT(poll(signal, i), PLAIT_OK);
	IS_INT(poll(signal, EMISSIONS + 1), PLAIT_E_TIMEOUT);
	IS_INT(poll(signal, UINT64_MAX), PLAIT_E_TIMEOUT);
	for (uint64_t i = 0; i < EMISSIONS; i++)
		points[i] = (plait_point){ signal, i + 1 };
	IS_INT(plait_await_points(points, EMISSIONS, PLAIT_WAIT_ALL, 0,
				  &index, NULL), PLAIT_OK);
	IS_UINT(index, 0);
	points[0].sequence = EMISSIONS + 1;
	IS_INT(plait_await_points(points, EMISSIONS, PLAIT_WAIT_ALL, 0,
				  NULL, NULL), PLAIT_E_TIMEOUT);
	IS_INT(plait_await_points(points, EMISSIONS, PLAIT_WAIT_ANY, 0,
				  &index, NULL), PLAIT_OK);
	IS_UINT(index, 1);
	return 0;
}

/* A later gate in the slot of an earlier one, which had come further. */
static int32_t await_fresh(void *unused)
{
	plait_signal *gate;

	(void)unused;
	for (int i = 0; i < 100; i++) {
		gate = new_signal(PLAIT_SIGNAL_GATE);
		IS_INT(poll(gate, 1), PLAIT_E_TIMEOUT);
		IS_INT(plait_signal_raise(gate, 7, NULL), PLAIT_OK);
		IS_INT(poll(gate, 7), PLAIT_OK);
		IS_INT(poll(gate, 1), PLAIT_OK);
		plait_signal_release(gate);
		IS_INT(poll(gate, 1), PLAIT_E_HANDLE);
	}
	return 0;
}

/* The failure begins behind the emissions that have happened. */
static int32_t await_failed(void *gate)
{
	IS_INT(poll(gate, 3), PLAIT_OK);
	IS_INT(poll(gate, 4), PLAIT_E_FAILED);
	IS_INT(poll(gate, 1), PLAIT_OK);
	IS_INT(poll(gate, 4), PLAIT_E_FAILED);
	return 0;
}

static void check_signals(uint32_t flags)
{
	plait_signal *signal = new_signal(0);
	plait_signal *gate = new_signal(PLAIT_SIGNAL_GATE);

	for (int i = 0; i < EMISSIONS; i++)
		OK(plait_queue_emit(rig.queue, signal, NULL, NULL) == PLAIT_OK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	IS_INT(in_coroutine(await_emissions, signal, flags), PLAIT_OK);
	IS_INT(in_coroutine(await_fresh, NULL, flags), PLAIT_OK);
	OK(plait_signal_raise(gate, 3, NULL) == PLAIT_OK);
	OK(plait_signal_fail(gate, 1, "broken", NULL) == PLAIT_OK);
	IS_INT(in_coroutine(await_failed, gate, flags), PLAIT_OK);
	/* Only a coroutine awaits. */
	IS_INT(poll(signal, 1), PLAIT_E_STATE);
	plait_signal_release(gate);
	plait_signal_release(signal);
}

/* A signal of another context, known in its own. */
static int32_t await_other(void *signal)
{
	IS_INT(poll(signal, 1), PLAIT_E_HANDLE);
	return 0;
}

static int32_t await_own(void *signal)
{
	IS_INT(poll(signal, 1), PLAIT_OK);
	return 0;
}

static void check_contexts(void)
{
	struct rig first;
	plait_signal *gate;

	OK(open_host(1));
	gate = new_signal(PLAIT_SIGNAL_GATE);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(in_coroutine(await_own, gate, 0), PLAIT_OK);
	first = rig;
	OK(open_host(1));
	IS_INT(in_coroutine(await_other, gate, 0), PLAIT_OK);
	/* close_rig looks for objects of all contexts. */
	plait_signal_release(rig.gate);
	plait_signal_release(rig.signal);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	rig = first;
	plait_signal_release(gate);
	close_rig(&rig);
}

/* ---- runs ---- */

static int32_t count_up(void *count)
{
	return ++*(int32_t *)count > TIMES;
}

static int32_t await_runs(void *plan)
{
	plait_run *run = NULL;

	for (int time = 0; time <= TIMES; time++) {
		const plait_status want = time < TIMES ? PLAIT_OK :
							 PLAIT_E_FAILED;

		OK(plait_plan_run(plan, other, NULL, &run, NULL) ==
		   PLAIT_OK);
		for (int i = 0; i < TIMES; i++)
			IS_INT(plait_await_run(run, PLAIT_FOREVER, NULL),
			       want);
		plait_run_release(run);
		IS_INT(plait_await_run(run, 0, NULL), PLAIT_E_HANDLE);
	}
	return 0;
}

/* The run of a plan that waits for a gate, which has the slot of a run that is
 * over. */
static int32_t await_gated(void *plan)
{
	plait_signal *gate = new_signal(PLAIT_SIGNAL_GATE);
	plait_run *run = NULL;

	OK(plait_queue_wait(other, gate, 1, NULL) == PLAIT_OK);
	OK(plait_plan_run(plan, other, NULL, &run, NULL) == PLAIT_OK);
	IS_INT(plait_await_run(run, 0, NULL), PLAIT_E_TIMEOUT);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(plait_await_run(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_run_release(run);
	plait_signal_release(gate);
	return 0;
}

static void check_runs(uint32_t flags)
{
	plait_graph *graph = new_graph();
	int32_t count = 0;
	plait_plan *plan;

	OK(plait_queue_create(rig.device, NULL, &other, NULL) == PLAIT_OK);
	add_call(graph, "count", count_up, &count, NULL, 0);
	plan = freeze(graph, 1, 1);
	IS_INT(in_coroutine(await_runs, plan, flags), PLAIT_OK);
	(void)plait_queue_finish(other, PLAIT_FOREVER, NULL);
	count = 0;
	IS_INT(in_coroutine(await_gated, plan, flags), PLAIT_OK);
	plait_queue_release(other);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

/* ---- tasks ---- */

static plait_task submit(plait_flow *flow, plait_task_desc desc)
{
	plait_task task = 0;

	desc.size = sizeof(desc);
	OK_THAT(plait_flow_submit(flow, &desc, &task, &rig.error) == PLAIT_OK,
		"submit: %s", rig.error.text);
	return task;
}

static plait_status await_task(plait_flow *flow, plait_task task)
{
	return plait_await_task(flow, task, PLAIT_FOREVER, NULL);
}

struct tasks {
	plait_flow *flow;
	plait_signal *gate;
	int32_t count;
};

static int32_t await_tasks(void *user_data)
{
	struct tasks *self = user_data;
	const plait_task_desc call = { .kind = PLAIT_TASK_CALL,
				       .function = count_up,
				       .user_data = &self->count };
	const plait_task_desc wait = { .kind = PLAIT_TASK_WAIT,
				       .signal = self->gate, .sequence = 1 };
	plait_task done, waits, fails;

	for (int i = 0; i < TIMES; i++) {
		done = submit(self->flow, call);
		for (int time = 0; time < TIMES; time++)
			IS_INT(await_task(self->flow, done), PLAIT_OK);
	}
	waits = submit(self->flow, wait);
	IS_INT(plait_await_task(self->flow, waits, 0, NULL), PLAIT_E_TIMEOUT);
	IS_INT(plait_await_task(self->flow, waits + 9, 0, NULL),
	       PLAIT_E_INVALID);
	IS_INT(await_task(self->flow, done), PLAIT_OK);
	OK(plait_signal_raise(self->gate, 1, NULL) == PLAIT_OK);
	IS_INT(await_task(self->flow, waits), PLAIT_OK);
	fails = submit(self->flow, call);
	for (int time = 0; time < TIMES; time++) {
		IS_INT(await_task(self->flow, fails), PLAIT_E_FAILED);
		IS_INT(await_task(self->flow, done), PLAIT_OK);
	}
	return 0;
}

static void check_tasks(uint32_t flags)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 16 };
	struct tasks self = { .gate = new_signal(PLAIT_SIGNAL_GATE) };

	OK(plait_flow_create(rig.context, &desc, &self.flow, NULL) ==
	   PLAIT_OK);
	IS_INT(in_coroutine(await_tasks, &self, flags), PLAIT_OK);
	(void)plait_flow_wait(self.flow, 0, PLAIT_FOREVER, NULL);
	plait_flow_release(self.flow);
	plait_signal_release(self.gate);
}

/* ---- the run of the coroutine, and its process ---- */

struct stopped {
	plait_signal *signal;
	uint32_t is_known;	/* atomic */
};

static int32_t await_stop(void *user_data)
{
	struct stopped *self = user_data;

	IS_INT(poll(self->signal, 1), PLAIT_OK);
	IS_INT(poll(self->signal, 1), PLAIT_OK);
	__atomic_store_n(&self->is_known, 1, __ATOMIC_SEQ_CST);
	while (plait_yield(NULL) == PLAIT_OK)
		continue;
	IS_INT(poll(self->signal, 1), PLAIT_E_CANCELLED);
	return 0;
}

static void check_stop(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct stopped self = { .signal = new_signal(PLAIT_SIGNAL_GATE) };
	plait_plan *plan = plan_of(await_stop, &self);
	plait_run *run = NULL;

	OK(plait_signal_raise(self.signal, 1, NULL) == PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) == PLAIT_OK);
	/* The thread of the program helps where there are no workers. */
	while (__atomic_load_n(&self.is_known, __ATOMIC_SEQ_CST) == 0)
		(void)plait_run_wait(run, 100000, NULL);
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_E_CANCELLED);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_signal_release(self.signal);
}

static int32_t fork_inside(void *signal)
{
	int status = -1;
	pid_t child;

	IS_INT(poll(signal, 1), PLAIT_OK);
	child = fork();
	if (child == 0)
		_exit(poll(signal, 1) != PLAIT_E_FORKED);
	OK(child > 0 && waitpid(child, &status, 0) == child);
	IS_INT(status, 0);
	IS_INT(poll(signal, 1), PLAIT_OK);
	return 0;
}

static void check_fork(uint32_t flags)
{
	plait_signal *gate = new_signal(PLAIT_SIGNAL_GATE);

	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(in_coroutine(fork_inside, gate, flags), PLAIT_OK);
	plait_signal_release(gate);
}

static void signals(void)
{
	on_the_host(check_signals);
	check_contexts();
}

static void runs(void)
{
	on_the_host(check_runs);
}

static void tasks(void)
{
	on_the_host(check_tasks);
}

static void ends(void)
{
	on_the_host(check_stop);
	on_the_host(check_fork);
}

static const struct tap_scenario all[] = {
	{ "signals", signals },
	{ "runs", runs },
	{ "tasks", tasks },
	{ "ends", ends },
};
TAP_MAIN(all)
