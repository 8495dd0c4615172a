/* SPDX-License-Identifier: MIT */
/* Failures that a coroutine waits for, of statuses that waits themselves have. */
#include "lib/runs.h"

/* A run in a queue of its own, for a coroutine that finishes the queue. */
struct scene {
	plait_queue *queue;
	plait_signal *signal;	/* that the run waits for: never emitted */
	plait_plan *inner, *outer;
	plait_status first, second;
	plait_error error;
};

static int32_t finish_queue(void *user_data)
{
	struct scene *scene = user_data;

	scene->error.size = sizeof(scene->error);
	scene->first = plait_queue_finish(scene->queue, PLAIT_FOREVER,
					  &scene->error);
	scene->second = plait_queue_finish(scene->queue, PLAIT_FOREVER,
					   NULL);
	return 0;
}

static plait_plan *plan_of(plait_node_desc desc)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_node(graph, desc, NULL, 0);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

/* The run fails with PLAIT_E_DEADLOCK, as no queue emits the signal. */
static void open_scene(struct scene *scene)
{
	*scene = (struct scene){ .first = -99, .second = -99 };
	OK(plait_queue_create(rig.device, NULL, &scene->queue, NULL) ==
	   PLAIT_OK);
	OK(plait_signal_create(rig.device, NULL, &scene->signal, NULL) ==
	   PLAIT_OK);
	scene->inner = plan_of((plait_node_desc){
		.kind = PLAIT_NODE_WAIT, .label = "never",
		.signal = scene->signal, .sequence = 1 });
	plait_signal_release(scene->signal);
	scene->outer = plan_of((plait_node_desc){
		.kind = PLAIT_NODE_CALL, .label = "finish",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = finish_queue, .user_data = scene });
}

static void close_scene(struct scene *scene)
{
	plait_plan_release(scene->outer);
	plait_plan_release(scene->inner);
	plait_queue_release(scene->queue);
}

/* The failure of the queue is told once, as on a thread of the program. */
static void check_queue(uint32_t flags)
{
	struct scene scene;
	plait_run *run = NULL;

	open_scene(&scene);
	OK(plait_plan_run(scene.inner, scene.queue, NULL, &run, NULL) ==
	   PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_E_DEADLOCK);
	plait_run_release(run);
	IS_INT(run_with(scene.outer, flags), PLAIT_OK);
	IS_INT(scene.first, PLAIT_E_DEADLOCK);
	HAS_STR(scene.error.text, "never");
	IS_INT(scene.second, PLAIT_OK);
	close_scene(&scene);
}

static void queues(void)
{
	on_the_host(check_queue);
}

static const struct tap_scenario all[] = {
	{ "queues", queues },
};
TAP_MAIN(all)
