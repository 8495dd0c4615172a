/* SPDX-License-Identifier: MIT */
/* Runs of plans, tried while something fails. */
#include "fault/calls.h"

static plait_status make_plan(struct place *place, plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2 };
	plait_graph *graph;
	plait_status status;

	status = calls_make_graph(place, "by", &graph, error);
	if (status != PLAIT_OK)
		return status;
	status = plait_graph_freeze(graph, &desc, &place->plan, error);
	plait_graph_release(graph);
	return status;
}

static plait_status find_parameter(plait_plan *plan, plait_binding *binding,
				   plait_error *error)
{
	plait_parameter_info info = { .size = sizeof(info) };
	plait_status status;
	uint32_t count;

	if ((status = plait_plan_parameter_count(plan, &count, error)) ||
	    (status = plait_plan_find_parameter(plan, "by", &binding->parameter,
					   error)))
		return status;
	if (count != 1)
		return calls_wrong(error, "more parameters than one");
	return plait_plan_query_parameter(plan, binding->parameter, &info,
					  error);
}

/* And so its plans are not recorded. */
static int is_queued(const struct place *place)
{
	return strcmp(place->backend, "host") != 0;
}

/* On the host nothing fails once a run has started. */
static plait_status call(struct place *place, plait_plan *plan,
			 const plait_run_desc *desc, plait_error *error)
{
	int count = place->count;
	plait_status status;

	place->turns = 0;
	status = plait_plan_call(plan, NULL, desc, error);
	count = place->count - count;
	if (status == PLAIT_OK ? count != 1 : count > is_queued(place))
		return calls_wrong(error, "ran in spite of the failure");
	return status;
}

static plait_status take_event(struct place *place, plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status = plait_inbox_wait(place->inbox, PLAIT_FOREVER,
					       error);

	return status != PLAIT_OK ? status :
				    plait_inbox_next(place->inbox, &event,
						     error);
}

static plait_status follow(struct place *place, plait_run *run,
			   plait_error *error)
{
	plait_run_info info = { .size = sizeof(info) };
	plait_status status;

	if ((status = plait_run_notify(run, place->inbox, NULL, NULL, error)))
		return status;
	/* The event may end the wait. */
	while ((status = plait_run_wait(run, PLAIT_FOREVER, error)) ==
	       PLAIT_EVENT_READY) {
		if ((status = take_event(place, error)))
			return status;
	}
	if (status != PLAIT_OK ||
	    (status = plait_run_poll(run, error)) ||
	    (status = plait_run_query(run, &info, error)))
		return status;
	return info.status == PLAIT_OK ? PLAIT_OK :
					 calls_wrong(error, "has failed");
}

static plait_status run_on_queue(struct place *place, plait_plan *plan,
				 const plait_run_desc *desc,
				 plait_error *error)
{
	plait_run *run = (void *)place;
	plait_status status;

	place->turns = 0;
	status = plait_plan_run(plan, place->queue, desc, &run, error);
	if (status != PLAIT_OK)
		return run == NULL ? status :
				     calls_wrong(error, "out is set");
	status = follow(place, run, error);
	plait_run_retain(run);
	plait_run_release(run);
	plait_run_release(run);
	return status;
}

/* Behind a gate, so that it cannot have ended before. */
static plait_status cancel(struct place *place, plait_plan *plan,
			   const plait_run_desc *desc, plait_error *error)
{
	const plait_signal_desc gated = { .size = sizeof(gated),
					  .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_run *run = NULL;
	plait_status status;

	status = plait_signal_create(place->device, &gated, &gate, error);
	if (status == PLAIT_OK)
		status = plait_queue_wait(place->queue, gate, 1, error);
	if (status == PLAIT_OK)
		status = plait_plan_run(plan, place->queue, desc, &run, error);
	if (status == PLAIT_OK)
		status = plait_run_cancel(run, error);
	/* Otherwise the release of the gate frees the waiters. */
	if (status == PLAIT_OK)
		status = plait_signal_raise(gate, 1, error);
	if (status == PLAIT_OK) {
		status = plait_run_wait(run, PLAIT_FOREVER, error);
		status = status == PLAIT_E_CANCELLED ? PLAIT_OK : status;
		(void)plait_queue_finish(place->queue, PLAIT_FOREVER, NULL);
	}
	plait_run_release(run);
	plait_signal_release(gate);
	return status;
}

typedef plait_status (*with_plan)(struct place *place, plait_plan *plan,
				  const plait_run_desc *desc,
				  plait_error *error);

static plait_status try_plan(struct place *place, with_plan use,
			     plait_error *error)
{
	const uint32_t by = 3;
	plait_binding binding = { .size = sizeof(binding), .value = &by,
				  .bytes = sizeof(by) };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };
	plait_status status = find_parameter(place->plan, &binding, error);

	if (status == PLAIT_OK)
		status = plait_plan_prepare(place->plan, error);
	return status == PLAIT_OK ? use(place, place->plan, &desc, error) :
				    status;
}

static plait_status read_records(plait_run *run, plait_error *error)
{
	static plait_record records[64];
	static char text[1 << 18];
	uint64_t count, dropped, bytes;
	plait_status status;

	records[0].size = sizeof(records[0]);
	if ((status = plait_run_records(run, records, 64, &count, &dropped,
					error)) ||
	    (status = plait_run_write(run, PLAIT_TRACE_JSON, text,
				      sizeof(text), &bytes, error)))
		return status;
	return plait_run_write(run, PLAIT_TRACE_SVG, text, sizeof(text),
			       &bytes, error);
}

static plait_status record(struct place *place, plait_plan *plan,
			   const plait_run_desc *desc, plait_error *error)
{
	plait_run_desc recorded = *desc;
	plait_run *run = NULL;
	plait_status status = plait_plan_record(plan, 16, error);

	recorded.flags |= PLAIT_RUN_RECORD;
	place->turns = 0;
	if (status == PLAIT_OK)
		status = plait_plan_run(plan, place->queue, &recorded, &run,
					error);
	if (status == PLAIT_OK)
		status = plait_run_wait(run, PLAIT_FOREVER, error);
	if (status == PLAIT_OK)
		status = read_records(run, error);
	plait_run_release(run);
	return status;
}

static plait_status try_record(struct place *place, plait_error *error)
{
	if (is_queued(place))
		return PLAIT_OK;
	return try_plan(place, record, error);
}

static plait_status make_recorded(struct place *place, plait_error *error)
{
	plait_status status = make_plan(place, error);

	return status != PLAIT_OK ? status : try_record(place, error);
}

static plait_status tune(struct place *place, plait_error *error)
{
	plait_tune_info info = { .size = sizeof(info) };
	plait_plan *tuned = (void *)place;
	plait_status status;

	if (is_queued(place))
		return PLAIT_OK;
	status = plait_plan_tune(place->plan, NULL, &tuned, &info, error);
	if (status != PLAIT_OK)
		return tuned == NULL ? status :
				       calls_wrong(error, "out is set");
	plait_plan_release(tuned);
	return info.runs != 0 ? PLAIT_OK :
				calls_wrong(error, "no run was recorded");
}

/* One launch of `kernel`, planned. */
static plait_status plan_launch(struct place *place, plait_kernel *kernel,
				plait_plan **out, plait_error *error)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { 64 } };
	const uint32_t by = 3;
	const plait_argument arguments[2] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = place->buffer },
		{ .size = sizeof(plait_argument), .value = &by,
		  .bytes = sizeof(by) },
	};
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_LAUNCH,
				       .kernel = kernel, .launch = &launch,
				       .arguments = arguments,
				       .argument_count = 2 };
	plait_graph *graph = NULL;
	plait_status status;

	if ((status = plait_graph_create(place->context, &graph, error)) ==
		    PLAIT_OK &&
	    (status = plait_graph_add(graph, &desc, NULL, 0, NULL, error)) ==
		    PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, out, error);
	plait_graph_release(graph);
	return status;
}

static plait_status make_launch(struct place *place, plait_error *error)
{
	plait_status status = calls_make_kernel(place, &place->kernels[0],
						error);

	if (status == PLAIT_OK)
		status = calls_make_kernel(place, &place->kernels[1], error);
	return status != PLAIT_OK ? status :
	       plan_launch(place, place->kernels[0], &place->plan, error);
}

/* The launched kernel, and the other one. */
static plait_status exchange(struct place *place, plait_error *error)
{
	plait_kernel *old = place->kernels[place->turns % 2];
	plait_kernel *other = place->kernels[(place->turns + 1) % 2];
	plait_status status;

	status = plait_plan_exchange(place->plan, old, other, error);
	if (status != PLAIT_OK)
		return status;
	place->turns++;
	return plait_plan_call(place->plan, NULL, NULL, error);
}

/* ---- coroutines ---- */

/* A deadline that does not come: the timer is armed, and disarmed. */
#define LONG_NS UINT64_C(3600000000000)

/* The first failure inside the function, which the node's failure hides. */
struct awaits {
	struct place *place;
	plait_status status;
	plait_error error;
};

static plait_status await_run(struct awaits *awaits)
{
	struct place *place = awaits->place;
	plait_run *run = NULL;
	plait_status status = plait_plan_run(place->plan, place->queue, NULL,
					     &run, &awaits->error);

	if (status != PLAIT_OK)
		return status;
	status = plait_await_run(run, PLAIT_FOREVER, &awaits->error);
	plait_run_release(run);
	return status;
}

static plait_status await_points(struct awaits *awaits)
{
	struct place *place = awaits->place;
	const plait_point points[] = { { place->gate, 1 }, { place->gate, 2 } };

	return plait_await_points(points, 2, PLAIT_WAIT_ANY, PLAIT_FOREVER,
				  NULL, &awaits->error);
}

static plait_status await_task(struct awaits *awaits)
{
	const plait_task_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_TASK_EMIT,
				       .signal = awaits->place->signal };
	plait_flow *flow = NULL;
	plait_task task = 0;
	plait_status status = plait_flow_create(awaits->place->context, NULL,
						&flow, &awaits->error);

	if (status == PLAIT_OK)
		status = plait_flow_submit(flow, &desc, &task, &awaits->error);
	if (status == PLAIT_OK)
		status = plait_await_task(flow, task, PLAIT_FOREVER,
					  &awaits->error);
	plait_flow_release(flow);
	return status;
}

static int32_t await_all(void *user_data)
{
	struct awaits *awaits = user_data;
	struct place *place = awaits->place;
	plait_error *error = &awaits->error;
	plait_status status;

	if ((status = plait_yield(error)) ||
	    (status = plait_await_signal(place->gate, 1, PLAIT_FOREVER, error)) ||
	    (status = plait_await_plan(place->plan, place->queue, NULL,
				       LONG_NS, error)) ||
	    (status = await_run(awaits)) ||
	    (status = await_points(awaits)) ||
	    (status = await_task(awaits)) ||
	    (status = plait_yield(error)))
		awaits->status = status;
	return status != PLAIT_OK;
}

static plait_status run_coroutine(struct place *place, plait_graph *graph,
				  plait_error *error)
{
	struct awaits awaits = { .place = place,
				 .error = { .size = sizeof(plait_error) } };
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = await_all, .user_data = &awaits,
	};
	plait_plan *plan = NULL;
	plait_status status;

	status = plait_graph_add(graph, &desc, NULL, 0, NULL, error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, &plan, error);
	if (status == PLAIT_OK)
		status = plait_plan_call(plan, NULL, NULL, error);
	if (status == PLAIT_E_FAILED && awaits.status != PLAIT_OK) {
		status = awaits.status;
		*error = awaits.error;
	}
	plait_plan_release(plan);
	(void)plait_queue_finish(place->queue, PLAIT_FOREVER, NULL);
	return status;
}

/* Plans of other backends have no coroutines. */
static plait_status try_coroutine(struct place *place, plait_error *error)
{
	plait_graph *graph;
	plait_status status;

	if (is_queued(place))
		return PLAIT_OK;
	status = plait_graph_create(place->context, &graph, error);
	if (status != PLAIT_OK)
		return status;
	status = run_coroutine(place, graph, error);
	plait_graph_release(graph);
	return status;
}

static plait_status make_awaited(struct place *place, plait_error *error)
{
	plait_graph *graph;
	plait_status status;

	status = plait_graph_create(place->context, &graph, error);
	if (status != PLAIT_OK)
		return status;
	status = plait_graph_join(graph, NULL, 0, NULL, error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, &place->plan, error);
	plait_graph_release(graph);
	return status;
}

static plait_status try_call(struct place *place, plait_error *error)
{
	return try_plan(place, call, error);
}

static plait_status try_run(struct place *place, plait_error *error)
{
	return try_plan(place, run_on_queue, error);
}

static plait_status try_cancel(struct place *place, plait_error *error)
{
	return try_plan(place, cancel, error);
}

const struct calls_entry calls_run[] = {
	{ "plait_plan_parameter_count plait_plan_find_parameter "
	  "plait_plan_query_parameter plait_plan_prepare plait_plan_call",
	  try_call, make_plan },
	{ "plait_plan_run plait_run_notify plait_run_wait plait_run_poll "
	  "plait_run_query plait_run_retain plait_run_release", try_run,
	  make_plan },
	{ "plait_run_cancel", try_cancel, make_plan },
	{ "plait_plan_record plait_run_records plait_run_write", try_record,
	  make_plan },
	{ "plait_plan_tune", tune, make_recorded },
	{ "plait_plan_exchange", exchange, make_launch },
	{ "plait_await_signal plait_await_points plait_await_run "
	  "plait_await_plan plait_await_task plait_yield",
	  try_coroutine, make_awaited },
	{ NULL, NULL, NULL }
};
