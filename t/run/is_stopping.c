/* SPDX-License-Identifier: MIT */
/* Functions that ask whether their run was stopped: by a cancellation, by the
 * failure of another command, with the run whose function calls their plan; and
 * which worker executes them. */
#include "lib/runs.h"

/* One run, known to its functions before they begin. */
struct scene {
	plait_run *run;
	plait_plan *inner;
	plait_status inner_status;
	int32_t before, after;
	uint64_t behind;
};

static int32_t cancel_own(void *user_data)
{
	struct scene *scene = user_data;

	scene->before = plait_run_is_stopping();
	(void)plait_run_cancel(scene->run, NULL);
	scene->after = plait_run_is_stopping();
	return 0;
}

static int32_t call_inner(void *user_data)
{
	struct scene *scene = user_data;

	scene->inner_status = plait_plan_call(scene->inner, NULL, NULL, NULL);
	return 0;
}

/* The gate opens when the functions can see the run. */
static plait_status run_scene(struct scene *scene, plait_plan *plan,
			      uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	const plait_signal_desc closed = { .size = sizeof(closed),
					   .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_status status;

	OK(plait_signal_create(rig.device, &closed, &gate, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_wait(rig.queue, gate, 1, &rig.error) == PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, &desc, &scene->run, &rig.error) ==
	   PLAIT_OK);
	OK(plait_signal_raise(gate, 1, &rig.error) == PLAIT_OK);
	status = plait_run_wait(scene->run, PLAIT_FOREVER, &rig.error);
	plait_run_release(scene->run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_signal_release(gate);
	return status;
}

static plait_plan *plan_of_two(struct scene *scene,
			       plait_host_function function, uint32_t flags)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .flags = flags,
					 .lanes = 1 };
	plait_graph *graph = new_graph();
	plait_node first = add_call(graph, "first", function, scene, NULL, 0);
	plait_plan *plan = NULL;

	(void)add_call(graph, "behind", bump, &scene->behind, &first, 1);
	OK(plait_graph_freeze(graph, &desc, &plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static void check_cancel(uint32_t flags)
{
	struct scene scene = { .before = -1, .after = -1 };
	plait_plan *plan = plan_of_two(&scene, cancel_own, RUN_FREEZE);

	for (int i = 0; i < 3; i++) {
		scene.before = scene.after = -1;
		IS_INT(run_scene(&scene, plan, flags), PLAIT_E_CANCELLED);
		IS_INT(scene.before, 0);
		IS_INT(scene.after, 1);
		IS_UINT(scene.behind, 0);
		IS_INT(plait_run_is_stopping(), 0);
	}
	plait_plan_release(plan);
}

/* A plan that a function calls stops with the run of the function. */
static void check_inner(uint32_t flags)
{
	struct scene scene = { .before = -1 };
	plait_plan *plan = plan_of_two(&scene, call_inner, RUN_FREEZE);

	scene.inner = plan_of_two(&scene, cancel_own, 0);
	for (int i = 0; i < 3; i++) {
		scene.before = scene.after = scene.inner_status = -1;
		IS_INT(run_scene(&scene, plan, flags), PLAIT_E_CANCELLED);
		IS_INT(scene.inner_status, PLAIT_E_CANCELLED);
		IS_INT(scene.before, 0);
		IS_INT(scene.after, 1);
		IS_UINT(scene.behind, 0);
	}
	plait_plan_release(scene.inner);
	plait_plan_release(plan);
}

/* A plan that is called after the stop does nothing. */
static int32_t call_late(void *user_data)
{
	struct scene *scene = user_data;

	(void)cancel_own(scene);
	return call_inner(scene);
}

static void check_late(uint32_t flags)
{
	struct scene scene = { .before = -1 };
	plait_plan *plan = plan_of_two(&scene, call_late, RUN_FREEZE);
	uint64_t ran = 0;
	plait_graph *graph = new_graph();

	(void)add_call(graph, "inner", bump, &ran, NULL, 0);
	OK(plait_graph_freeze(graph, NULL, &scene.inner, NULL) == PLAIT_OK);
	plait_graph_release(graph);
	IS_INT(run_scene(&scene, plan, flags), PLAIT_E_CANCELLED);
	IS_INT(scene.inner_status, PLAIT_E_CANCELLED);
	IS_UINT(ran, 0);
	/* The inner plan is not harmed. */
	IS_INT(plait_plan_call(scene.inner, NULL, NULL, NULL), PLAIT_OK);
	IS_UINT(ran, 1);
	plait_plan_release(scene.inner);
	plait_plan_release(plan);
}

/* ---- a stop while called plans end ---- */

enum { STOPS = 200 };

struct callers {
	plait_plan *inner;
	uint32_t calls; /* of all functions */
};

static int32_t call_until_stopped(void *user_data)
{
	struct callers *callers = user_data;
	plait_status status;

	do {
		status = plait_plan_call(callers->inner, NULL, NULL, NULL);
		__atomic_add_fetch(&callers->calls, 1, __ATOMIC_RELAXED);
	} while (status == PLAIT_OK);
	return status == PLAIT_E_CANCELLED ? 0 : 1;
}

static plait_plan *plan_of(plait_host_function function, void *user_data,
			   uint32_t flags)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	(void)add_call(graph, "only", function, user_data, NULL, 0);
	OK(plait_graph_freeze(graph, &desc, &plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Each call ends once, by itself or by the stop of the run around it. */
static void stops_of_calls(void)
{
	struct callers callers = { .inner = NULL };
	plait_plan *plan;

	if (!open_host(2))
		return;
	callers.inner = plan_of(nothing, NULL, 0);
	plan = plan_of(call_until_stopped, &callers, RUN_FREEZE);
	for (int i = 0; i < STOPS; i++) {
		plait_run *run = NULL;

		__atomic_store_n(&callers.calls, 0, __ATOMIC_RELAXED);
		OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
		   PLAIT_OK);
		while (__atomic_load_n(&callers.calls, __ATOMIC_RELAXED) < 3 &&
		       plait_run_poll(run, NULL) == PLAIT_PENDING)
			pause_a_little();
		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_CANCELLED);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	}
	plait_plan_release(plan);
	plait_plan_release(callers.inner);
	close_rig(&rig);
}

static void cancellations(void)
{
	everywhere(check_cancel);
	/* A plan that runs on queues cannot be called in a function. */
	on_the_host(check_inner);
	on_the_host(check_late);
}

/* ---- the failure of another command ---- */

static int32_t fail(void *user_data)
{
	(void)user_data;
	return 7;
}

static int32_t last_until_stopped(void *user_data)
{
	uint64_t looks = 0;

	while (!plait_run_is_stopping() && looks++ < 100000)
		pause_a_little();
	*(int32_t *)user_data = plait_run_is_stopping();
	return 0;
}

static void failures(void)
{
	for (uint32_t workers = 2; workers <= 4; workers += 2) {
		int32_t seen = 0;
		plait_graph *graph;
		plait_plan *plan;

		if (!open_host(workers))
			continue;
		graph = new_graph();
		(void)add_call(graph, "long", last_until_stopped, &seen, NULL,
			       0);
		(void)add_call(graph, "fails", fail, NULL, NULL, 0);
		plan = freeze(graph, 2, 1);
		for (int i = 0; i < 5; i++) {
			seen = 0;
			IS_INT(run_with(plan, PLAIT_RUN_PARALLEL),
			       PLAIT_E_FAILED);
			IS_INT(rig.error.origin, 7);
		}
		plait_plan_release(plan);
		plait_graph_release(graph);
		close_rig(&rig);
	}
}

/* ---- functions of an inbox ---- */

static void check_pumped(uint32_t flags)
{
	struct scene scene = { .before = -1, .after = -1 };
	plait_inbox *inbox = NULL;
	plait_graph *graph = new_graph();
	plait_node_desc desc = { .kind = PLAIT_NODE_CALL, .label = "owned",
				 .function = cancel_own, .user_data = &scene };
	plait_plan *plan;

	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	desc.inbox = inbox;
	(void)add_node(graph, desc, NULL, 0);
	plan = freeze(graph, 1, 1);
	IS_INT(run_scene(&scene, plan, flags), PLAIT_E_CANCELLED);
	IS_INT(scene.before, 0);
	IS_INT(scene.after, 1);
	IS_INT(plait_run_is_stopping(), 0);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_inbox_release(inbox);
}

static void check_pulled(uint32_t flags)
{
	const plait_run_desc how = { .size = sizeof(how), .flags = flags };
	plait_event event = { .size = sizeof(event) };
	plait_node_desc desc = { .kind = PLAIT_NODE_CALL, .label = "pulled" };
	plait_inbox *inbox = NULL;
	plait_run *run = NULL;
	plait_graph *graph = new_graph();
	plait_plan *plan;

	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	desc.inbox = inbox;
	(void)add_node(graph, desc, NULL, 0);
	plan = freeze(graph, 1, 1);
	OK(plait_plan_run(plan, rig.queue, &how, &run, NULL) == PLAIT_OK);
	IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_INT(plait_inbox_is_stopping(inbox, 1), 0);
	IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
	IS_INT(plait_inbox_is_stopping(inbox, event.id), 0);
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	IS_INT(plait_inbox_is_stopping(inbox, event.id), 1);
	IS_INT(plait_inbox_is_stopping(inbox, event.id + 1), 0);
	IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL), PLAIT_OK);
	IS_INT(plait_inbox_is_stopping(inbox, event.id), 0);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_E_CANCELLED);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_inbox_release(inbox);
	IS_INT(plait_inbox_is_stopping(inbox, event.id), 0);
	IS_INT(plait_inbox_is_stopping(NULL, event.id), 0);
}

/* ---- the event of a stop ---- */

enum end { STOPPED, STOPPED_BEFORE, ANSWERED, CLOSED, ENDS };

/* The event that comes next: of the stop, or none. */
static void check_event(plait_inbox *inbox, uint64_t id, enum end end)
{
	plait_event event = { .size = sizeof(event) };

	if (end == ANSWERED) {
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_PENDING);
		return;
	}
	IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
	IS_INT(event.kind, PLAIT_EVENT_STOPPED);
	IS_UINT(event.id, id);
	OK(event.user_data == inbox);
	IS_INT(event.status, end == CLOSED ? PLAIT_E_CANCELLED : PLAIT_OK);
	IS_INT(plait_inbox_next(inbox, &event, NULL),
	       end == CLOSED ? PLAIT_E_STATE : PLAIT_PENDING);
}

static void end_pulled(plait_inbox *inbox, plait_run *run, uint64_t id,
		       enum end end)
{
	if (end == STOPPED_BEFORE)
		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	IS_INT(plait_inbox_notify_stop(inbox, id, NULL, inbox, NULL),
	       PLAIT_OK);
	if (end != STOPPED_BEFORE)
		IS_INT(plait_inbox_notify_stop(inbox, id, NULL, NULL, NULL),
		       PLAIT_E_INVALID);
	if (end == STOPPED)
		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	if (end == CLOSED)
		OK(plait_inbox_close(inbox, NULL) == PLAIT_OK);
	if (end == ANSWERED)
		OK(plait_inbox_answer(inbox, id, 0, NULL, NULL) == PLAIT_OK);
	check_event(inbox, id, end);
	if (end < ANSWERED)
		OK(plait_inbox_answer(inbox, id, 0, NULL, NULL) == PLAIT_OK);
}

static void check_stop(uint32_t flags)
{
	const plait_run_desc how = { .size = sizeof(how), .flags = flags };

	for (enum end end = STOPPED; end < ENDS; end++) {
		plait_event event = { .size = sizeof(event) };
		plait_node_desc desc = { .kind = PLAIT_NODE_CALL,
					 .label = "pulled" };
		plait_graph *graph = new_graph();
		plait_run *run = NULL;
		plait_plan *plan;

		OK(plait_inbox_create(rig.context, &desc.inbox, NULL) ==
		   PLAIT_OK);
		(void)add_node(graph, desc, NULL, 0);
		plan = freeze(graph, 1, 1);
		OK(plait_plan_run(plan, rig.queue, &how, &run, NULL) ==
		   PLAIT_OK);
		IS_INT(plait_inbox_notify_stop(desc.inbox, 1, NULL, NULL,
					       &rig.error), PLAIT_E_INVALID);
		IS_INT(plait_inbox_wait(desc.inbox, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_next(desc.inbox, &event, NULL), PLAIT_OK);
		end_pulled(desc.inbox, run, event.id, end);
		IS_INT(plait_inbox_notify_stop(desc.inbox, event.id, NULL,
					       NULL, NULL),
		       end == CLOSED ? PLAIT_E_STATE : PLAIT_E_INVALID);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL),
		       end == ANSWERED ? PLAIT_OK : PLAIT_E_CANCELLED);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
		plait_plan_release(plan);
		plait_graph_release(graph);
		plait_inbox_release(desc.inbox);
	}
	IS_INT(plait_inbox_notify_stop(NULL, 1, NULL, NULL, NULL),
	       PLAIT_E_HANDLE);
}

static void owners(void)
{
	everywhere(check_stop);
	on_the_host(check_pumped);
	on_the_host(check_pulled);
}

/* ---- parts of a kernel ---- */

struct parts {
	struct scene scene;
	uint32_t cancelled, asked, blind;
};

/* Each part that begins after the cancellation sees it, on any thread. */
static int32_t ask_in_part(const plait_range *range, void *const *arguments,
			   const plait_launch *launch, void *user_data)
{
	struct parts *parts = user_data;

	(void)range;
	(void)arguments;
	(void)launch;
	if (__atomic_load_n(&parts->cancelled, __ATOMIC_ACQUIRE)) {
		__atomic_add_fetch(&parts->asked, 1, __ATOMIC_RELAXED);
		if (!plait_run_is_stopping())
			__atomic_add_fetch(&parts->blind, 1, __ATOMIC_RELAXED);
	} else {
		(void)plait_run_cancel(parts->scene.run, NULL);
		__atomic_store_n(&parts->cancelled, 1, __ATOMIC_RELEASE);
	}
	for (int i = 0; i < 20; i++)
		pause_a_little();
	return 0;
}

static void kernel_parts(void)
{
	struct parts parts = { .blind = 0 };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = "ask()",
					 .range = ask_in_part,
					 .user_data = &parts };
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { 256, 1, 1 } };
	plait_node_desc node = { .kind = PLAIT_NODE_LAUNCH, .label = "parts",
				 .launch = &launch };
	plait_graph *graph;
	plait_plan *plan;

	if (!open_host(4))
		return;
	OK(plait_kernel_create(rig.context, &desc, &node.kernel, NULL) ==
	   PLAIT_OK);
	graph = new_graph();
	(void)add_node(graph, node, NULL, 0);
	plan = freeze(graph, 1, 1);
	for (int i = 0; i < 3; i++) {
		parts.cancelled = parts.asked = 0;
		IS_INT(run_scene(&parts.scene, plan, 0), PLAIT_E_CANCELLED);
		OK(parts.asked > 0);
		IS_UINT(parts.blind, 0);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(node.kernel);
	close_rig(&rig);
}

/* ---- the worker that executes a function ---- */

struct seen {
	int32_t index[64];
	uint32_t count;
};

static int32_t note_index(void *user_data)
{
	struct seen *seen = user_data;
	uint32_t at = __atomic_fetch_add(&seen->count, 1, __ATOMIC_RELAXED);

	seen->index[at] = plait_worker_index();
	for (int i = 0; i < 10; i++)
		pause_a_little();
	return 0;
}

static void workers(void)
{
	struct seen seen;
	plait_graph *graph;
	plait_plan *plan;

	IS_INT(plait_worker_index(), -1);
	for (uint32_t w = 0; w <= 2; w++) {
		if (!open_host(w))
			continue;
		seen.count = 0;
		graph = new_graph();
		for (int i = 0; i < 64; i++)
			(void)add_call(graph, "look", note_index, &seen, NULL,
				       0);
		plan = freeze(graph, 4, 1);
		IS_INT(run_with(plan, PLAIT_RUN_PARALLEL), PLAIT_OK);
		IS_UINT(seen.count, 64);
		for (int i = 0; i < 64; i++)
			OK(seen.index[i] >= -1 && seen.index[i] < (int32_t)w);
		plait_plan_release(plan);
		plait_graph_release(graph);
		/* No thread waits here: a worker has to do it. */
		if (w > 0) {
			seen.count = 0;
			OK(plait_queue_call(rig.queue, note_index, &seen,
					    NULL) == PLAIT_OK);
			while (__atomic_load_n(&seen.count, __ATOMIC_ACQUIRE) ==
			       0)
				pause_a_little();
			(void)plait_queue_finish(rig.queue, PLAIT_FOREVER,
						 NULL);
			OK(seen.index[0] >= 0 && seen.index[0] < (int32_t)w);
		}
		close_rig(&rig);
	}
	IS_INT(plait_worker_index(), -1);
}

static const struct tap_scenario all[] = {
	{ "cancelled runs", cancellations },
	{ "stops of called plans", stops_of_calls },
	{ "failed runs", failures },
	{ "functions of an inbox", owners },
	{ "parts of a kernel", kernel_parts },
	{ "workers", workers },
};

TAP_MAIN(all)
