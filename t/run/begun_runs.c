/* SPDX-License-Identifier: MIT */
/*
 * Functions of plans that the program runs itself, between plait_inbox_begin and
 * plait_inbox_end: what would wait for the run around them is refused, and a stop
 * of that run is seen, also by the plans that they call.
 */
#include "lib/runs.h"

#include <pthread.h>

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

/* ---- runs that are deferred ---- */

enum { CALLS = 40 };

/* A plan that writes memory, and then asks the thread `asked`. */
struct turn {
	plait_inbox *mine, *asked;
	plait_plan *outer, *writer;
	uint64_t ran;		/* atomic: functions of `writer` */
	uint32_t stops, ends;	/* atomic: of the two threads */
	uint32_t failed;
};

static int32_t call_writer(void *user_data)
{
	struct turn *turn = user_data;

	turn->failed += plait_plan_call(turn->writer, NULL, NULL, NULL) !=
			PLAIT_OK;
	return 0;
}

static int32_t count_run(void *user_data)
{
	__atomic_add_fetch((uint64_t *)user_data, 1, __ATOMIC_RELAXED);
	return 0;
}

static void *answer(void *user_data)
{
	struct turn *turn = user_data;

	if (plait_inbox_adopt(turn->asked, NULL) != PLAIT_OK)
		abort();
	while (!__atomic_load_n(&turn->ends, __ATOMIC_ACQUIRE)) {
		(void)plait_inbox_wait(turn->asked, 1000000, NULL);
		(void)plait_inbox_pump(turn->asked, CALLS, NULL, NULL);
	}
	return NULL;
}

/* The other thread that calls the plan, outside of functions. */
static void *call_too(void *user_data)
{
	struct turn *turn = user_data;

	while (!__atomic_load_n(&turn->stops, __ATOMIC_ACQUIRE))
		(void)plait_plan_call(turn->writer, NULL, NULL, NULL);
	return NULL;
}

static plait_buffer *make_turn(struct turn *turn)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_graph *graph = new_graph();
	plait_buffer *buffer = NULL;
	plait_node fill;

	*turn = (struct turn){ .ran = 0 };
	OK(plait_inbox_create(rig.context, &turn->mine, NULL) == PLAIT_OK);
	OK(plait_inbox_create(rig.context, &turn->asked, NULL) == PLAIT_OK);
	OK(plait_buffer_create(rig.device, &desc, &buffer, NULL) == PLAIT_OK);
	fill = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_FILL, .target = buffer, .bytes = 64,
		.pattern_bytes = 4 }, NULL, 0);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .inbox = turn->asked,
		.function = count_run, .user_data = &turn->ran }, &fill, 1);
	turn->writer = freeze(graph, 1, 2);
	plait_graph_release(graph);
	graph = new_graph();
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .inbox = turn->mine,
		.function = call_writer, .user_data = turn }, NULL, 0);
	turn->outer = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return buffer;
}

/* A call in a function is deferred behind that of the other thread, and a worker
 * runs it: ThreadSanitizer sees what the worker reads of the run around it. */
static void deferred(void)
{
	plait_buffer *buffer;
	pthread_t owner, other;
	struct turn turn;

	if (!open_host(2))
		return;
	buffer = make_turn(&turn);
	IS_INT(pthread_create(&owner, NULL, answer, &turn), 0);
	IS_INT(pthread_create(&other, NULL, call_too, &turn), 0);
	for (int i = 0; i < CALLS; i++)
		IS_INT(call_with(turn.outer, 0), PLAIT_OK);
	__atomic_store_n(&turn.stops, 1, __ATOMIC_RELEASE);
	IS_INT(pthread_join(other, NULL), 0);
	__atomic_store_n(&turn.ends, 1, __ATOMIC_RELEASE);
	IS_INT(pthread_join(owner, NULL), 0);
	IS_UINT(turn.failed, 0);
	OK(turn.ran >= CALLS);
	plait_plan_release(turn.outer);
	plait_plan_release(turn.writer);
	plait_buffer_release(buffer);
	plait_inbox_release(turn.mine);
	plait_inbox_release(turn.asked);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "waits", waits },
	{ "stops", stops },
	{ "deferred", deferred },
};
TAP_MAIN(all)
