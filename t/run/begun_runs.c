/* SPDX-License-Identifier: MIT */
/*
 * Functions of plans that the program runs itself, between plait_inbox_begin and
 * plait_inbox_end: what would wait for the run around them is refused, and a stop
 * of that run is seen, also by the plans that they call.
 */
#include "lib/runs.h"

struct scene {
	plait_inbox *inbox;
	plait_plan *plan;  /* of one node, for the owner of the inbox */
	plait_plan *other; /* called by the function */
	uint64_t ran;	   /* nodes of `other` */
	plait_run *run;
	uint64_t id;	   /* of the call, which is begun */
};

static void begin(struct scene *scene, uint32_t flags, uint32_t freeze_flags)
{
	const plait_freeze_desc how = { .size = sizeof(how), .lanes = 1,
					.flags = freeze_flags };
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_event event = { .size = sizeof(event) };
	plait_graph *graph = new_graph();

	*scene = (struct scene){ .ran = 0 };
	OK(plait_inbox_create(rig.context, &scene->inbox, NULL) == PLAIT_OK);
	(void)add_node(graph, (plait_node_desc){ .kind = PLAIT_NODE_CALL,
						 .inbox = scene->inbox },
		       NULL, 0);
	IS_INT(plait_graph_freeze(graph, &how, &scene->plan, &rig.error),
	       PLAIT_OK);
	plait_graph_release(graph);
	graph = new_graph();
	(void)add_call(graph, "other", bump, &scene->ran, NULL, 0);
	scene->other = freeze(graph, 1, 1);
	plait_graph_release(graph);
	IS_INT(plait_plan_run(scene->plan, rig.queue, &desc, &scene->run,
			      &rig.error), PLAIT_OK);
	IS_INT(plait_inbox_wait(scene->inbox, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_inbox_next(scene->inbox, &event, &rig.error), PLAIT_OK);
	scene->id = event.id;
	IS_INT(plait_inbox_begin(scene->inbox, scene->id, &rig.error),
	       PLAIT_OK);
}

static void end(struct scene *scene, plait_status status)
{
	IS_INT(plait_inbox_end(scene->inbox, scene->id, &rig.error), PLAIT_OK);
	IS_INT(plait_inbox_answer(scene->inbox, scene->id, 0, NULL,
				  &rig.error), PLAIT_OK);
	IS_INT(plait_run_wait(scene->run, PLAIT_FOREVER, &rig.error), status);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), status);
	plait_run_release(scene->run);
	plait_plan_release(scene->other);
	plait_plan_release(scene->plan);
	plait_inbox_release(scene->inbox);
}

/* ---- waits ---- */

static void refused(plait_status status, const char *text)
{
	IS_INT(status, PLAIT_E_DEADLOCK);
	HAS_STR(rig.error.text, text);
}

static void try_waits(uint32_t flags, uint32_t freeze_flags)
{
	struct scene scene;

	begin(&scene, flags, freeze_flags);
	refused(plait_run_wait(scene.run, PLAIT_FOREVER, &rig.error),
		"has to end first");
	refused(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
		"queue \"q\"");
	refused(plait_plan_call(scene.other, rig.queue, NULL, &rig.error),
		"has to end first");
	IS_UINT(scene.ran, 0);
	IS_INT(plait_plan_call(scene.other, NULL, NULL, &rig.error), PLAIT_OK);
	IS_UINT(scene.ran, 1);
	IS_INT(plait_run_is_stopping(), 0);
	end(&scene, PLAIT_OK);
}

static void check_waits(uint32_t flags)
{
	try_waits(flags, 0);
	try_waits(flags, PLAIT_FREEZE_QUEUES);
}

static void waits(void)
{
	everywhere(check_waits);
}

/* ---- stops ---- */

static void try_stop(uint32_t flags, uint32_t freeze_flags)
{
	struct scene scene;

	begin(&scene, flags, freeze_flags);
	IS_INT(plait_run_cancel(scene.run, &rig.error), PLAIT_OK);
	IS_INT(plait_run_is_stopping(), 1);
	IS_INT(plait_plan_call(scene.other, NULL, NULL, &rig.error),
	       PLAIT_E_CANCELLED);
	IS_UINT(scene.ran, 0);
	end(&scene, PLAIT_E_CANCELLED);
	IS_INT(plait_run_is_stopping(), 0);
}

static void check_stops(uint32_t flags)
{
	try_stop(flags, 0);
	try_stop(flags, PLAIT_FREEZE_QUEUES);
}

static void stops(void)
{
	everywhere(check_stops);
}

static const struct tap_scenario all[] = {
	{ "waits", waits },
	{ "stops", stops },
};
TAP_MAIN(all)
