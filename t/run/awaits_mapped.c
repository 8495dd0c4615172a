/* SPDX-License-Identifier: MIT */
/* Coroutines that map data of a flow: a mapping is that of its coroutine, whatever
 * thread continues that. */
#include "lib/runs.h"

#include "plait/flow.h"

enum { ELEMENTS = 4, STEPS = 3 };

struct scene {
	plait_flow *flow;
	plait_data *data;
	plait_signal *steps[STEPS];	/* gates */
	uint32_t at;			/* atomic: mappings that are open */
	plait_status status, other;
	plait_error error;
	uint64_t written;		/* atomic */
};

static plait_status await_gate(struct scene *scene, uint32_t step)
{
	return plait_await_signal(scene->steps[step], 1, TAP_PATIENCE_NS, NULL);
}

static void raise_gate(struct scene *scene, uint32_t step)
{
	OK(plait_signal_raise(scene->steps[step], 1, NULL) == PLAIT_OK);
}

static void open_scene(struct scene *scene)
{
	const plait_flow_desc flow = { .size = sizeof(flow), .window = 16 };
	const plait_data_desc data = { .size = sizeof(data), .dimensions = 1,
				       .element_bytes = 8,
				       .extent = { ELEMENTS } };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	*scene = (struct scene){ .status = -99, .other = -99 };
	scene->error.size = sizeof(scene->error);
	OK(plait_flow_create(rig.context, &flow, &scene->flow, NULL) ==
	   PLAIT_OK);
	OK(plait_data_create(scene->flow, &data, &scene->data, NULL) ==
	   PLAIT_OK);
	for (int i = 0; i < STEPS; i++)
		OK(plait_signal_create(rig.device, &gate, &scene->steps[i],
				       NULL) == PLAIT_OK);
}

static void close_scene(struct scene *scene)
{
	OK(plait_flow_wait(scene->flow, 0, PLAIT_FOREVER, NULL) == PLAIT_OK);
	plait_data_release(scene->data);
	plait_flow_release(scene->flow);
	for (int i = 0; i < STEPS; i++)
		plait_signal_release(scene->steps[i]);
}

/* A plan of two coroutines, each on its lane. */
static plait_run *begin(struct scene *scene, plait_host_function one,
			plait_host_function other, plait_plan **out_plan)
{
	plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "one",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = one, .user_data = scene,
	};
	plait_graph *graph = new_graph();
	plait_run *run = NULL;

	(void)add_node(graph, desc, NULL, 0);
	desc.label = "other";
	desc.function = other;
	(void)add_node(graph, desc, NULL, 0);
	*out_plan = freeze(graph, 2, 1);
	plait_graph_release(graph);
	OK(plait_plan_run(*out_plan, rig.queue, NULL, &run, NULL) == PLAIT_OK);
	return run;
}

static void end(plait_run *run, plait_plan *plan)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	plait_run_release(run);
	plait_plan_release(plan);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
}

/* The thread of the program helps where there are no workers. */
static void await_mappings(struct scene *scene, plait_run *run, uint32_t count)
{
	while (__atomic_load_n(&scene->at, __ATOMIC_SEQ_CST) < count &&
	       plait_run_poll(run, NULL) == PLAIT_PENDING)
		(void)plait_run_wait(run, 100000, NULL);
}

/* Map the box while the gate is closed. */
static int32_t map_box(struct scene *scene, uint64_t high, uint32_t flags,
		       uint32_t step)
{
	const plait_box box = { { 0, 0, 0 }, { high, 1, 1 } };
	uint64_t values[ELEMENTS];
	void *pointer = NULL;

	if (plait_data_map(scene->data, &box, flags, &pointer, NULL) !=
	    PLAIT_OK)
		return 1;
	__atomic_add_fetch(&scene->at, 1, __ATOMIC_SEQ_CST);
	if (await_gate(scene, step) != PLAIT_OK)
		return 2;
	if ((flags & PLAIT_MAP_WRITE) != 0)
		scene->other = plait_data_read(scene->data, NULL, values, NULL);
	return plait_data_unmap(scene->data, pointer, NULL) != PLAIT_OK;
}

/* ---- a coroutine behind the mapping of another one, and behind its own ---- */

static int32_t map_all(void *user_data)
{
	return map_box(user_data, ELEMENTS, PLAIT_MAP_READ | PLAIT_MAP_WRITE,
		       1);
}

static int32_t read_behind(void *user_data)
{
	struct scene *scene = user_data;
	uint64_t values[ELEMENTS];

	if (await_gate(scene, 0) != PLAIT_OK)
		return 1;
	scene->status = plait_data_read(scene->data, NULL, values,
					&scene->error);
	return 0;
}

static void check_behind(uint32_t flags)
{
	struct scene scene;
	plait_plan *plan;
	plait_run *run;

	(void)flags;
	open_scene(&scene);
	run = begin(&scene, map_all, read_behind, &plan);
	await_mappings(&scene, run, 1);
	raise_gate(&scene, 0);
	(void)plait_run_wait(run, 1000000, NULL);
	raise_gate(&scene, 1);
	end(run, plan);
	OK_THAT(scene.status == PLAIT_OK, "read: %s", scene.error.text);
	IS_INT(scene.other, PLAIT_E_DEADLOCK);
	close_scene(&scene);
}

/* ---- two mappings at one address ---- */

static int32_t map_half(void *user_data)
{
	return map_box(user_data, ELEMENTS / 2, PLAIT_MAP_READ, 0);
}

static int32_t map_more(void *user_data)
{
	struct scene *scene = user_data;

	if (await_gate(scene, 2) != PLAIT_OK)
		return 3;
	return map_box(scene, ELEMENTS, PLAIT_MAP_READ, 1);
}

static int32_t note_write(void *user_data)
{
	__atomic_store_n((uint64_t *)user_data, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static plait_task write_end(struct scene *scene)
{
	const plait_box box = { { ELEMENTS / 2, 0, 0 }, { ELEMENTS, 1, 1 } };
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_WRITE,
				      .data = scene->data, .box = &box };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = "end",
		.function = note_write, .user_data = &scene->written,
		.accesses = &access, .access_count = 1,
	};
	plait_task task = 0;

	OK_THAT(plait_flow_submit(scene->flow, &desc, &task, &scene->error) ==
		PLAIT_OK, "%s", scene->error.text);
	return task;
}

/* The first one ends the first mapping, not the newer one. */
static void check_two(uint32_t flags)
{
	struct scene scene;
	plait_plan *plan;
	plait_task task;
	plait_run *run;

	(void)flags;
	open_scene(&scene);
	run = begin(&scene, map_half, map_more, &plan);
	await_mappings(&scene, run, 1);
	raise_gate(&scene, 2);
	await_mappings(&scene, run, 2);
	task = write_end(&scene);
	raise_gate(&scene, 0);
	(void)plait_run_wait(run, 1000000, NULL);
	IS_INT(plait_flow_wait(scene.flow, task, 1000000, NULL),
	       PLAIT_E_TIMEOUT);
	IS_UINT(__atomic_load_n(&scene.written, __ATOMIC_SEQ_CST), 0);
	raise_gate(&scene, 1);
	end(run, plan);
	IS_INT(plait_flow_wait(scene.flow, task, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	close_scene(&scene);
}

static void mappings(void)
{
	on_the_host(check_behind);
	on_the_host(check_two);
}

static const struct tap_scenario all[] = {
	{ "mappings", mappings },
};
TAP_MAIN(all)
