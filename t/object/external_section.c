/* SPDX-License-Identifier: MIT */
/*
 * Runs behind work of their queue that succeeds, fails or is an empty plan's:
 * however they are started, no slot is called inside a notification, which the
 * interposer `check` would report.
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

static const struct tap_scenario all[] = {
	{ "no slot inside", no_slot_inside },
};

TAP_MAIN(all)
