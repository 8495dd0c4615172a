/* SPDX-License-Identifier: MIT */
/* Awaits of several points and of tasks, and waits that suspend a coroutine:
 * for a run, a signal, a queue, a called plan, a flow without room; bad input,
 * failure, cancellation, deadline. */
#include "lib/runs.h"

#include "plait/flow.h"

#define SHORT_NS UINT64_C(1000000)

enum { GATES = 12, TASKS = 30 };

/* One scenario: `body` is the coroutine. */
struct scene {
	int32_t (*body)(struct scene *scene);
	plait_signal *gates[GATES];
	plait_queue *queue;	/* another one than the run's */
	plait_plan *inner;	/* waits for the first gate */
	plait_run *other;
	plait_flow *flow;
	plait_data *data;
	plait_plan *plan;
	plait_status status, second;
	uint64_t index, count;
	plait_error error;
	uint32_t at;		/* atomic: step of the body */
};

static plait_signal *new_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	return gate;
}

static int32_t run_body(void *user_data)
{
	struct scene *scene = user_data;

	scene->error.size = sizeof(scene->error);
	return scene->body(scene);
}

static void reach(struct scene *scene, uint32_t step)
{
	__atomic_store_n(&scene->at, step, __ATOMIC_SEQ_CST);
}

static void open_scene(struct scene *scene,
		       int32_t (*body)(struct scene *scene))
{
	const plait_node_desc coroutine = {
		.kind = PLAIT_NODE_CALL, .label = "scene",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = run_body, .user_data = scene,
	};
	plait_node_desc behind = { .kind = PLAIT_NODE_WAIT, .sequence = 1 };
	const plait_flow_desc flow = { .size = sizeof(flow), .window = 16 };
	const plait_data_desc data = { .size = sizeof(data), .dimensions = 1,
				       .element_bytes = 8, .extent = { 4 } };
	plait_graph *graph = new_graph();

	*scene = (struct scene){ .body = body, .status = -99, .second = -99 };
	for (int i = 0; i < GATES; i++)
		scene->gates[i] = new_gate();
	OK(plait_queue_create(rig.device, NULL, &scene->queue, NULL) ==
	   PLAIT_OK);
	OK(plait_flow_create(rig.context, &flow, &scene->flow, NULL) ==
	   PLAIT_OK);
	OK(plait_data_create(scene->flow, &data, &scene->data, NULL) ==
	   PLAIT_OK);
	(void)add_node(graph, coroutine, NULL, 0);
	scene->plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	graph = new_graph();
	behind.signal = scene->gates[0];
	(void)add_node(graph, behind, NULL, 0);
	scene->inner = freeze(graph, 1, 2);
	plait_graph_release(graph);
}

static void raise_gate(struct scene *scene, int gate)
{
	(void)plait_signal_raise(scene->gates[gate], 1, NULL);
}

static void close_scene(struct scene *scene)
{
	for (int i = 0; i < GATES; i++)
		raise_gate(scene, i);
	(void)plait_flow_wait(scene->flow, 0, PLAIT_FOREVER, NULL);
	(void)plait_queue_finish(scene->queue, PLAIT_FOREVER, NULL);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_run_release(scene->other);
	plait_plan_release(scene->plan);
	plait_plan_release(scene->inner);
	plait_data_release(scene->data);
	plait_flow_release(scene->flow);
	plait_queue_release(scene->queue);
	for (int i = 0; i < GATES; i++)
		plait_signal_release(scene->gates[i]);
}

static plait_run *begin_scene(struct scene *scene, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;

	scene->at = 0;
	OK(plait_plan_run(scene->plan, rig.queue, &desc, &run, &rig.error) ==
	   PLAIT_OK);
	return run;
}

/* The thread of the program helps where there are no workers. */
static void await_step(struct scene *scene, plait_run *run, uint32_t step)
{
	while (__atomic_load_n(&scene->at, __ATOMIC_SEQ_CST) < step &&
	       plait_run_poll(run, NULL) == PLAIT_PENDING)
		(void)plait_run_wait(run, 100000, NULL);
}

/* Wait until the run says what its coroutine waits for. */
static void await_text(plait_run *run, const char *text)
{
	uint64_t since = 0;

	do {
		rig.error.text[0] = '\0';
		if (plait_run_wait(run, SHORT_NS, &rig.error) !=
		    PLAIT_E_TIMEOUT)
			break;
	} while (strstr(rig.error.text, text) == NULL && !tap_late(&since));
	HAS_STR(rig.error.text, text);
}

static void end_scene(plait_run *run, plait_status want)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), want);
	plait_run_release(run);
}

/* ---- points ---- */

static void list_points(struct scene *scene, plait_point *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = (plait_point){ scene->gates[i], 1 };
}

static int32_t await_all(struct scene *scene)
{
	plait_point points[GATES];

	list_points(scene, points, GATES);
	scene->status = plait_await_points(points, GATES, PLAIT_WAIT_ALL,
					   PLAIT_FOREVER, &scene->index,
					   &scene->error);
	return 0;
}

static int32_t await_any(struct scene *scene)
{
	plait_point points[GATES];

	list_points(scene, points, GATES);
	scene->status = plait_await_points(points, GATES, PLAIT_WAIT_ANY,
					   PLAIT_FOREVER, &scene->index, NULL);
	scene->second = plait_await_points(points, GATES, PLAIT_WAIT_ALL,
					   SHORT_NS, NULL, &scene->error);
	return 0;
}

static void check_all(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, await_all);
	run = begin_scene(&scene, flags);
	for (int i = GATES; i-- > 0;) {
		IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
		if (i % 5 == 0)
			await_text(run, " waits for signal");
		raise_gate(&scene, i);
	}
	end_scene(run, PLAIT_OK);
	IS_INT(scene.status, PLAIT_OK);
	/* Nothing to wait for. */
	end_scene(begin_scene(&scene, flags), PLAIT_OK);
	IS_INT(scene.status, PLAIT_OK);
	close_scene(&scene);
}

static void check_any(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, await_any);
	run = begin_scene(&scene, flags);
	await_text(run, " waits for signal");
	raise_gate(&scene, 7);
	end_scene(run, PLAIT_OK);
	IS_INT(scene.status, PLAIT_OK);
	IS_UINT(scene.index, 7);
	/* The others come later, and their notifications to no await. */
	IS_INT(scene.second, PLAIT_E_TIMEOUT);
	HAS_STR(scene.error.text, "is to come to 1, and is at 0");
	close_scene(&scene);
}

/* One of several fails: at once, though others are pending. */
static void check_failure(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, await_all);
	run = begin_scene(&scene, flags);
	await_text(run, " waits for signal");
	OK(plait_signal_fail(scene.gates[5], PLAIT_E_FAILED, "broken",
			     NULL) == PLAIT_OK);
	end_scene(run, PLAIT_OK);
	IS_INT(scene.status, PLAIT_E_FAILED);
	IS_UINT(scene.index, 5);
	close_scene(&scene);
}

static void check_cancel(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, await_any);
	run = begin_scene(&scene, flags);
	await_text(run, " waits for signal");
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	end_scene(run, PLAIT_E_CANCELLED);
	IS_INT(scene.status, PLAIT_E_CANCELLED);
	IS_INT(scene.second, PLAIT_E_CANCELLED);
	close_scene(&scene);
}

/* An emission that is submitted later, beside a gate. */
static int32_t await_emission(struct scene *scene)
{
	const plait_point points[] = { { scene->gates[0], 1 },
				       { rig.signal, scene->count } };

	scene->status = plait_await_points(points, 2, PLAIT_WAIT_ALL,
					   PLAIT_FOREVER, NULL, &scene->error);
	return 0;
}

static void check_emission(uint32_t flags)
{
	struct scene scene;
	uint64_t newest = 0;
	plait_run *run;

	open_scene(&scene, await_emission);
	(void)plait_signal_query(rig.signal, NULL, &newest, NULL);
	scene.count = newest + 1;
	run = begin_scene(&scene, flags);
	await_text(run, " waits for signal");
	raise_gate(&scene, 0);
	await_text(run, " waits for signal");
	OK(plait_queue_emit(scene.queue, rig.signal, NULL, NULL) == PLAIT_OK);
	end_scene(run, PLAIT_OK);
	IS_INT(scene.status, PLAIT_OK);
	close_scene(&scene);
}

static int32_t await_badly(struct scene *scene)
{
	const plait_point points[] = { { scene->gates[0], 1 }, { NULL, 1 } };
	uint64_t index = 5;

	IS_INT(plait_await_points(NULL, 0, PLAIT_WAIT_ALL, 0, &index, NULL),
	       PLAIT_OK);
	IS_UINT(index, 0);
	IS_INT(plait_await_points(NULL, 1, PLAIT_WAIT_ALL, 0, NULL, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_await_points(points, 1, 7, 0, NULL, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_await_points(points, 2, PLAIT_WAIT_ALL, 0, NULL, NULL),
	       PLAIT_E_HANDLE);
	IS_INT(plait_await_points(points, 1, PLAIT_WAIT_ALL, 0, NULL, NULL),
	       PLAIT_E_TIMEOUT);
	IS_INT(plait_await_task(NULL, 0, 0, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_await_task(scene->flow, 999, 0, NULL), PLAIT_E_INVALID);
	IS_INT(plait_await_task(scene->flow, 0, 0, NULL), PLAIT_OK);
	return 0;
}

static void check_bad_input(uint32_t flags)
{
	struct scene scene;

	open_scene(&scene, await_badly);
	IS_INT(plait_await_points(NULL, 0, PLAIT_WAIT_ALL, 0, NULL, NULL),
	       PLAIT_E_STATE);
	IS_INT(plait_await_task(scene.flow, 0, 0, NULL), PLAIT_E_STATE);
	end_scene(begin_scene(&scene, flags), PLAIT_OK);
	close_scene(&scene);
}

static void points(void)
{
	on_the_host(check_all);
	on_the_host(check_any);
	on_the_host(check_failure);
	on_the_host(check_cancel);
	on_the_host(check_emission);
	on_the_host(check_bad_input);
}

/* ---- tasks ---- */

static plait_status submit_wait(struct scene *scene, int gate, plait_task *out)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_WAIT,
		.signal = scene->gates[gate], .sequence = 1,
	};

	return plait_flow_submit(scene->flow, &desc, out, &scene->error);
}

static plait_status submit_bumps(struct scene *scene,
				 plait_host_function function, uint64_t count)
{
	plait_task_desc descs[TASKS];
	const plait_access access = { .size = sizeof(access), .data = scene->data,
				      .mode = PLAIT_ACCESS_READ_WRITE };

	for (uint64_t i = 0; i < count; i++)
		descs[i] = (plait_task_desc){ .size = sizeof(*descs),
			.kind = PLAIT_TASK_CALL, .label = "bump",
			.function = function, .user_data = &scene->count,
			.accesses = &access, .access_count = 1 };
	return plait_flow_submit_many(scene->flow, descs, count, NULL,
				      &scene->error);
}

static int32_t await_tasks(struct scene *scene)
{
	plait_task task = 0;

	if (submit_wait(scene, 1, &task) || submit_bumps(scene, bump, 1))
		return 1;
	scene->status = plait_await_task(scene->flow, task, PLAIT_FOREVER,
					 &scene->error);
	if (submit_wait(scene, 2, &task) != PLAIT_OK)
		return 2;
	reach(scene, 1);
	scene->second = scene->index == 0 ?
		plait_await_task(scene->flow, 0, PLAIT_FOREVER, &scene->error) :
		plait_flow_wait(scene->flow, 0, PLAIT_FOREVER, &scene->error);
	return 0;
}

static void check_tasks(uint32_t flags)
{
	for (uint64_t waits = 0; waits < 2; waits++) {
		struct scene scene;
		plait_run *run;

		open_scene(&scene, await_tasks);
		scene.index = waits;
		run = begin_scene(&scene, flags);
		await_text(run, " waits for task");
		raise_gate(&scene, 1);
		await_step(&scene, run, 1);
		IS_INT(scene.status, PLAIT_OK);
		await_text(run, " waits for task");
		raise_gate(&scene, 2);
		end_scene(run, PLAIT_OK);
		IS_INT(scene.second, PLAIT_OK);
		IS_UINT(scene.count, 1);
		close_scene(&scene);
	}
}

static int32_t refuse(void *user_data)
{
	(void)user_data;
	return 7;
}

static int32_t await_failed_task(struct scene *scene)
{
	if (submit_bumps(scene, refuse, 1) != PLAIT_OK)
		return 1;
	scene->status = plait_await_task(scene->flow, 0, PLAIT_FOREVER,
					 &scene->error);
	if (submit_wait(scene, 1, NULL) != PLAIT_OK)
		return 2;
	scene->second = plait_await_task(scene->flow, 0, SHORT_NS,
					 &scene->error);
	reach(scene, 1);
	(void)plait_await_task(scene->flow, 0, PLAIT_FOREVER, NULL);
	return 0;
}

/* A failure; a deadline; a stop while the task goes on. */
static void check_ends_of_tasks(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, await_failed_task);
	run = begin_scene(&scene, flags);
	await_step(&scene, run, 1);
	IS_INT(scene.status, PLAIT_E_FAILED);
	IS_INT(scene.second, PLAIT_E_TIMEOUT);
	HAS_STR(scene.error.text, "is not done");
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	end_scene(run, PLAIT_E_CANCELLED);
	close_scene(&scene);
}

static void tasks(void)
{
	on_the_host(check_tasks);
	on_the_host(check_ends_of_tasks);
}

/* ---- waits that suspend ---- */

static int32_t wait_for_run(struct scene *scene)
{
	scene->second = plait_run_wait(scene->other, SHORT_NS, NULL);
	reach(scene, 1);
	scene->status = plait_run_wait(scene->other, PLAIT_FOREVER,
				       &scene->error);
	return 0;
}

static int32_t wait_for_signal(struct scene *scene)
{
	const plait_point both[] = { { scene->gates[0], 1 },
				     { scene->gates[1], 1 } };

	scene->second = plait_signal_wait(scene->gates[0], 1, SHORT_NS, NULL);
	reach(scene, 1);
	scene->status = plait_signal_wait_points(both, 2, PLAIT_WAIT_ANY,
						 PLAIT_FOREVER, &scene->index,
						 &scene->error);
	return 0;
}

static int32_t wait_for_queue(struct scene *scene)
{
	scene->second = plait_queue_finish(scene->queue, SHORT_NS, NULL);
	reach(scene, 1);
	scene->status = plait_queue_finish(scene->queue, PLAIT_FOREVER,
					   &scene->error);
	return 0;
}

/* A plan that waits for a gate, which a function must not call. */
static int32_t call_inner(struct scene *scene)
{
	plait_queue *queue = scene->index != 0 ? scene->queue : NULL;

	scene->second = PLAIT_E_TIMEOUT;
	reach(scene, 1);
	scene->status = plait_plan_call(scene->inner, queue, NULL,
					&scene->error);
	return 0;
}

/* Waits as a program has them, in a coroutine: none takes a thread. */
static void check_waits(uint32_t flags)
{
	int32_t (*const bodies[])(struct scene *scene) = {
		wait_for_run, wait_for_signal, wait_for_queue, call_inner,
		call_inner,
	};

	for (uint32_t i = 0; i < TAP_COUNT(bodies); i++) {
		struct scene scene;
		plait_run *run;

		open_scene(&scene, bodies[i]);
		scene.index = i == 4;
		if (i != 3)
			OK(plait_plan_run(scene.inner, scene.queue, NULL,
					  &scene.other, NULL) == PLAIT_OK);
		run = begin_scene(&scene, flags);
		await_step(&scene, run, 1);
		await_text(run, " waits for ");
		raise_gate(&scene, 0);
		end_scene(run, PLAIT_OK);
		IS_INT(scene.second, PLAIT_E_TIMEOUT);
		OK_THAT(scene.status == PLAIT_OK, "wait %u: %d %s", i,
			(int)scene.status, scene.error.text);
		close_scene(&scene);
	}
}

/* The failure of what is waited for, and a stop meanwhile. */
static void check_waits_that_fail(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, wait_for_queue);
	OK(plait_queue_wait(scene.queue, scene.gates[0], 1, NULL) == PLAIT_OK);
	OK(plait_queue_call(scene.queue, refuse, NULL, NULL) == PLAIT_OK);
	run = begin_scene(&scene, flags);
	await_step(&scene, run, 1);
	raise_gate(&scene, 0);
	end_scene(run, PLAIT_OK);
	IS_INT(scene.status, PLAIT_E_FAILED);
	close_scene(&scene);

	open_scene(&scene, call_inner);
	run = begin_scene(&scene, flags);
	await_step(&scene, run, 1);
	await_text(run, " waits for ");
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	end_scene(run, PLAIT_E_CANCELLED);
	IS_INT(scene.status, PLAIT_E_CANCELLED);
	close_scene(&scene);
}

/* The queue of the run itself. */
static int32_t wait_for_own(struct scene *scene)
{
	scene->status = plait_queue_finish(rig.queue, PLAIT_FOREVER,
					   &scene->error);
	return 0;
}

static void check_own(uint32_t flags)
{
	struct scene scene;

	open_scene(&scene, wait_for_own);
	end_scene(begin_scene(&scene, flags), PLAIT_OK);
	IS_INT(scene.status, PLAIT_E_DEADLOCK);
	HAS_STR(scene.error.text, "has to end first");
	close_scene(&scene);
}

static int32_t fill_window(struct scene *scene)
{
	uint64_t values[4] = { 1, 2, 3, 4 };

	if (submit_wait(scene, 1, NULL) != PLAIT_OK)
		return 1;
	reach(scene, 1);
	if (submit_bumps(scene, bump, TASKS) != PLAIT_OK)
		return 2;
	scene->status = plait_data_read(scene->data, NULL, values,
					&scene->error);
	scene->second = plait_data_write(scene->data, NULL, values,
					 &scene->error);
	return scene->count == TASKS && values[0] == 0 && values[3] == 0 ? 0 :
									   3;
}

static void check_room(uint32_t flags)
{
	struct scene scene;
	plait_run *run;

	open_scene(&scene, fill_window);
	run = begin_scene(&scene, flags);
	await_step(&scene, run, 1);
	await_text(run, " waits for task");
	raise_gate(&scene, 1);
	end_scene(run, PLAIT_OK);
	IS_INT(scene.status, PLAIT_OK);
	IS_INT(scene.second, PLAIT_OK);
	close_scene(&scene);
}

static void waits(void)
{
	on_the_host(check_waits);
	on_the_host(check_waits_that_fail);
	on_the_host(check_own);
	on_the_host(check_room);
}

static const struct tap_scenario all[] = {
	{ "points", points },
	{ "tasks", tasks },
	{ "waits", waits },
};
TAP_MAIN(all)
