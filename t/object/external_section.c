/* SPDX-License-Identifier: MIT */
/*
 * Runs behind work of their queue that succeeds, fails or is an empty plan's:
 * however they are started, no slot is called inside a notification, which the
 * interposer `check` would report.  Runs of the host on queues of a backend in
 * virtual time: a wait for the queue knows that the pool executes them.
 */
#include "lib/runs.h"

static int lines;

static void count_broken(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	(void)level;
	if (strstr(line, "broke a rule") != NULL) {
		NOTE("%s", line);
		__atomic_add_fetch(&lines, 1, __ATOMIC_SEQ_CST);
	}
}

static bool open_checked(const char *backend, uint32_t workers)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = backend, .wrap = "check",
		.workers = workers,
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.log = count_broken, .log_level = PLAIT_LOG_DEBUG,
	};

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open %s with %u workers: %s", backend,
		       workers, rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static void call(plait_host_function function, void *user_data)
{
	IS_INT(plait_queue_call(rig.queue, function, user_data, &rig.error),
	       PLAIT_OK);
}

/* The gate holds the queue until all runs are behind it. */
static void run_behind(plait_plan *plan, int32_t result)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_status want = result != 0 ? PLAIT_E_FAILED : PLAIT_OK;
	plait_run *runs[3];
	plait_signal *gate;

	IS_INT(plait_signal_create(rig.device, &desc, &gate, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_wait(rig.queue, gate, 1, &rig.error), PLAIT_OK);
	call(return_it, (void *)(intptr_t)result);
	for (int i = 0; i < 3; i++)
		IS_INT(plait_plan_run(plan, rig.queue, NULL, &runs[i],
				      &rig.error), PLAIT_OK);
	IS_INT(plait_signal_raise(gate, 1, &rig.error), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_run_wait(runs[i], PLAIT_FOREVER, &rig.error),
		       want);
		plait_run_release(runs[i]);
	}
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error), want);
	plait_signal_release(gate);
}

static void try_plan(bool empty)
{
	plait_graph *graph = new_graph();
	int count = 0;
	plait_plan *plan;

	if (!empty)
		(void)add_call(graph, "one", add_one, &count, NULL, 0);
	plan = freeze(graph, 0, 3);
	run_behind(plan, 0);
	run_behind(plan, 7);
	run_behind(plan, 0);
	IS_INT(count, empty ? 0 : 6);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void no_slot_inside(void)
{
	static const struct {
		const char *backend;
		uint32_t workers;
	} places[] = { { "host", 0 }, { "host", 2 }, { "chaos", 0 } };

	for (size_t i = 0; i < TAP_COUNT(places); i++) {
		if (!open_checked(places[i].backend, places[i].workers))
			continue;
		try_plan(false);
		try_plan(true);
		plait_queue_release(rig.queue);
		plait_context_release(rig.context);
		OK(all_gone());
	}
	IS_INT(__atomic_load_n(&lines, __ATOMIC_SEQ_CST), 0);
}

/* ---- runs of the host on queues of a backend in virtual time ---- */

/* Long enough for the waiting thread to find nothing to do. */
static int32_t linger(void *user_data)
{
	for (int i = 0; i < 25; i++)
		pause_a_little();
	return add_one(user_data);
}

static plait_plan *plan_of(plait_host_function function, int *count,
			   plait_device *device)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.label = "linger", .function = function, .user_data = count,
		.device = device,
	};
	plait_graph *graph = new_graph();
	plait_plan *plan;

	if (function != NULL)
		(void)add_node(graph, desc, NULL, 0);
	plan = freeze(graph, 0, 3);
	plait_graph_release(graph);
	return plan;
}

static void start(plait_plan *plan)
{
	OK_THAT(plait_plan_run(plan, rig.queue, NULL, NULL, &rig.error) ==
		PLAIT_OK, "run: %s", rig.error.text);
}

static void finish(uint64_t timeout_ns)
{
	OK_THAT(plait_queue_finish(rig.queue, timeout_ns, &rig.error) ==
		PLAIT_OK, "finish: %s", rig.error.text);
}

static void wait_behind(plait_plan *plan)
{
	plait_point points[2] = { { .sequence = 1 }, { .sequence = 1 } };
	plait_queue *other = NULL;

	OK(plait_queue_create(rig.device, NULL, &other, &rig.error) ==
	   PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		plait_queue *queue = i == 0 ? rig.queue : other;

		OK(plait_signal_create(rig.device, NULL, &points[i].signal,
				       &rig.error) == PLAIT_OK);
		OK(plait_plan_run(plan, queue, NULL, NULL, &rig.error) ==
		   PLAIT_OK);
		OK(plait_queue_emit(queue, points[i].signal, NULL,
				    &rig.error) == PLAIT_OK);
	}
	OK_THAT(plait_signal_wait_points(points, 2, PLAIT_WAIT_ANY,
					 PLAIT_FOREVER, NULL, &rig.error) ==
		PLAIT_OK, "any: %s", rig.error.text);
	OK_THAT(plait_signal_wait_points(points, 2, PLAIT_WAIT_ALL,
					 PLAIT_FOREVER, NULL, &rig.error) ==
		PLAIT_OK, "all: %s", rig.error.text);
	for (int i = 0; i < 2; i++)
		plait_signal_release(points[i].signal);
	plait_queue_release(other);
}

static void wait_each_way(plait_plan *plan, int *count, int each)
{
	int before = *count, own = 0;

	start(plan);
	finish(PLAIT_FOREVER);
	for (int i = 0; i < 3; i++)
		start(plan);
	finish(PLAIT_FOREVER);
	/* Behind other work of the queue; with a deadline. */
	call(add_one, &own);
	start(plan);
	call(add_one, &own);
	finish(TAP_PATIENCE_NS);
	call(add_one, &own);
	OK_THAT(plait_plan_call(plan, rig.queue, NULL, &rig.error) == PLAIT_OK,
		"call: %s", rig.error.text);
	wait_behind(plan);
	finish(PLAIT_FOREVER);
	IS_INT(own, 3);
	IS_INT(*count - before, 8 * each);
}

/* Nothing raises the gate: the wait still ends, and the queue goes on. */
static void stay_behind_gate(plait_plan *plan)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_wait(rig.queue, gate, 1, &rig.error) == PLAIT_OK);
	start(plan);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_DEADLOCK);
	OK(plait_signal_raise(gate, 1, &rig.error) == PLAIT_OK);
	finish(PLAIT_FOREVER);
	plait_signal_release(gate);
}

static bool open_mixed(const char *backends, uint32_t workers)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = backends, .workers = workers,
		.options = "chaos:patience_ms=0",
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
	};
	const char *device = strstr(backends, "chaos");

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open %s: %s", backends, rig.error.text) &&
	       OK(plait_context_device(rig.context, device != backends,
				       &rig.device, &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static void check_mixed(const char *backends, uint32_t workers)
{
	bool has_host = strstr(backends, "host") != NULL;
	plait_device *host = NULL;
	plait_plan *plan, *empty;
	int count = 0;

	if (!open_mixed(backends, workers))
		return;
	NOTE("%s, %u workers", backends, workers);
	empty = plan_of(NULL, NULL, NULL);
	for (int i = 0; i < 20; i++)
		wait_each_way(empty, &count, 0);
	if (has_host) {
		OK(plait_context_device(rig.context, backends[0] != 'h', &host,
					&rig.error) == PLAIT_OK);
		plan = plan_of(linger, &count, host);
		wait_each_way(plan, &count, 1);
		plait_plan_release(plan);
	}
	stay_behind_gate(empty);
	plait_plan_release(empty);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

static void virtual_time(void)
{
	static const char *const backends[] = { "chaos", "host,chaos",
						"chaos,host" };

	for (size_t i = 0; i < TAP_COUNT(backends); i++)
		for (uint32_t workers = 0; workers < 3; workers++)
			check_mixed(backends[i], workers);
}

static const struct tap_scenario all[] = {
	{ "no slot inside", no_slot_inside },
	{ "virtual time", virtual_time },
};

TAP_MAIN(all)
