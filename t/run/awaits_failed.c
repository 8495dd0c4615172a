/* SPDX-License-Identifier: MIT */
/* Coroutines that finish a queue or call a plan: failures of statuses that waits
 * themselves have, work that arrives meanwhile, another context, and a plan with a
 * device that it does not use. */
#include "lib/runs.h"

#include "plait/flow.h"

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

/* ---- work that arrives meanwhile ---- */

/* A scene without a run in its queue. */
struct busy {
	plait_queue *queue;
	plait_signal *gates[2];
	plait_plan *plan;
	plait_flow *flow;
	plait_data *data;
	plait_status status, read;
	plait_error error;
};

static int32_t finish_busy(void *user_data)
{
	struct busy *busy = user_data;

	busy->status = plait_queue_finish(busy->queue, TAP_PATIENCE_NS,
					  &busy->error);
	return 0;
}

static void open_busy(struct busy *busy, plait_device *device,
		      plait_host_function function)
{
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	*busy = (struct busy){ .status = -99,
			       .error = { .size = sizeof(busy->error) } };
	OK(plait_queue_create(device, NULL, &busy->queue, NULL) == PLAIT_OK);
	for (int i = 0; i < 2; i++)
		OK(plait_signal_create(device, &gate, &busy->gates[i], NULL) ==
		   PLAIT_OK);
	busy->plan = plan_of((plait_node_desc){
		.kind = PLAIT_NODE_CALL, .label = "finish",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = function, .user_data = busy });
}

static void close_busy(struct busy *busy)
{
	for (int i = 0; i < 2; i++)
		(void)plait_signal_raise(busy->gates[i], 1, NULL);
	(void)plait_queue_finish(busy->queue, PLAIT_FOREVER, NULL);
	plait_plan_release(busy->plan);
	for (int i = 0; i < 2; i++)
		plait_signal_release(busy->gates[i]);
	plait_queue_release(busy->queue);
}

static void wait_in_queue(struct busy *busy, int gate)
{
	OK(plait_queue_wait(busy->queue, busy->gates[gate], 1, NULL) ==
	   PLAIT_OK);
}

static plait_run *begin(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;

	OK(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
	   PLAIT_OK);
	return run;
}

static void await_suspension(plait_run *run)
{
	uint64_t since = 0;

	do {
		rig.error.text[0] = '\0';
		if (plait_run_wait(run, 1000000, &rig.error) !=
		    PLAIT_E_TIMEOUT)
			break;
	} while (strstr(rig.error.text, " waits for ") == NULL &&
		 !tap_late(&since));
	HAS_STR(rig.error.text, " waits for ");
}

static void end(plait_run *run)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	plait_run_release(run);
}

/* Work that is submitted after the call is not waited for; the error record of
 * a call that succeeds stays as it was. */
static void check_later_work(uint32_t flags)
{
	struct busy busy;
	plait_run *run;

	open_busy(&busy, rig.device, finish_busy);
	wait_in_queue(&busy, 0);
	run = begin(busy.plan, flags);
	await_suspension(run);
	wait_in_queue(&busy, 1);
	(void)plait_signal_raise(busy.gates[0], 1, NULL);
	end(run);
	IS_INT(busy.status, PLAIT_OK);
	IS_INT(busy.error.status, PLAIT_OK);
	IS_STR(busy.error.text, "");
	close_busy(&busy);
}

/* ---- another context ---- */

static plait_status submit_wait(struct busy *busy)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_WRITE,
				      .data = busy->data };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_WAIT,
		.signal = busy->gates[0], .sequence = 1,
		.accesses = &access, .access_count = 1,
	};

	return plait_flow_submit(busy->flow, &desc, NULL, &busy->error);
}

static int32_t wait_for_flow(void *user_data)
{
	struct busy *busy = user_data;
	uint64_t value;

	busy->read = plait_data_read(busy->data, NULL, &value, NULL);
	while ((busy->status = submit_wait(busy)) == PLAIT_OK)
		;
	return 0;
}

static void check_flow(uint32_t flags, plait_context *context,
		       plait_device *device)
{
	const plait_flow_desc flow = { .size = sizeof(flow), .window = 16 };
	const plait_data_desc data = { .size = sizeof(data), .dimensions = 1,
				       .element_bytes = 8, .extent = { 1 } };
	struct busy busy;

	open_busy(&busy, device, wait_for_flow);
	OK(plait_flow_create(context, &flow, &busy.flow, NULL) == PLAIT_OK);
	OK(plait_data_create(busy.flow, &data, &busy.data, NULL) == PLAIT_OK);
	IS_INT(submit_wait(&busy), PLAIT_OK);
	end(begin(busy.plan, flags));
	IS_INT(busy.read, PLAIT_E_HANDLE);
	IS_INT(busy.status, PLAIT_E_HANDLE);
	HAS_STR(busy.error.text, "of context");
	(void)plait_signal_raise(busy.gates[0], 1, NULL);
	IS_INT(plait_flow_wait(busy.flow, 0, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_data_release(busy.data);
	plait_flow_release(busy.flow);
	close_busy(&busy);
}

static void check_other_context(uint32_t flags)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host" };
	plait_context *context = NULL;
	plait_device *device = NULL;
	struct busy busy;

	OK(plait_context_open(&desc, &context, NULL) == PLAIT_OK);
	OK(plait_context_device(context, 0, &device, NULL) == PLAIT_OK);
	open_busy(&busy, device, finish_busy);
	wait_in_queue(&busy, 0);
	end(begin(busy.plan, flags));
	IS_INT(busy.status, PLAIT_E_HANDLE);
	HAS_STR(busy.error.text, "of context");
	close_busy(&busy);
	check_flow(flags, context, device);
	plait_context_release(context);
}

/* ---- a device that the plan does not use ---- */

static int32_t call_inner(void *user_data)
{
	struct scene *scene = user_data;

	scene->error.size = sizeof(scene->error);
	scene->first = plait_plan_call(scene->inner, NULL, NULL,
				       &scene->error);
	return 0;
}

/* Write a plan whose first device is not used: a graph begins with the first
 * device of its context, which cannot run the call. */
static uint64_t write_two_devices(char *bytes, uint64_t room)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "chaos,host",
					  .options = "chaos:host_calls=0" };
	plait_node_desc call = {
		.size = sizeof(call), .kind = PLAIT_NODE_CALL, .label = "call",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = call_inner,
	};
	plait_context *context = NULL;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	uint64_t count = 0;

	OK(plait_context_open(&desc, &context, NULL) == PLAIT_OK);
	OK(plait_graph_create(context, &graph, NULL) == PLAIT_OK);
	OK(plait_graph_add(graph, &call, NULL, 0, NULL, NULL) == PLAIT_OK);
	OK(plait_graph_freeze(graph, NULL, &plan, NULL) == PLAIT_OK);
	OK(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes, room, &count,
			    NULL) == PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_context_release(context);
	return count;
}

static void check_unused_device(uint32_t flags)
{
	static char bytes[1 << 16];
	struct scene scene;
	const plait_function_desc function = {
		.size = sizeof(function), .function = call_inner,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.user_data = &scene,
	};
	uint64_t count = write_two_devices(bytes, sizeof(bytes));
	plait_plan *plan = NULL;

	open_scene(&scene);
	if (OK_THAT(plait_plan_read(rig.context, bytes, count, &plan,
				    &rig.error) == PLAIT_OK, "%s",
		    rig.error.text)) {
		OK(plait_plan_bind_function(plan, "call", &function, NULL) ==
		   PLAIT_OK);
		end(begin(plan, flags));
		IS_INT(scene.first, PLAIT_E_DEADLOCK);
		HAS_STR(scene.error.text, "never");
		plait_plan_release(plan);
	}
	close_scene(&scene);
}

static void queues(void)
{
	on_the_host(check_queue);
	on_the_host(check_later_work);
	on_the_host(check_other_context);
}

static void plans(void)
{
	on_the_host(check_unused_device);
}

static const struct tap_scenario all[] = {
	{ "queues", queues },
	{ "plans", plans },
};
TAP_MAIN(all)
