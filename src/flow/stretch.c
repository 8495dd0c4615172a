/* SPDX-License-Identifier: MIT */
/* Stretches; see stretch.h. */
#include "flow/stretch.h"

#include "flow/flow_capture.h"
#include "flow/repetition_plan.h"
#include "flow/repetition_prefix.h"
#include "flow/room_supply.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/build/graph.h"

#include <stdio.h>
#include <string.h>

enum { GEOMETRY_CELLS = (sizeof(plait_launch) + 7) / 8 };

/* The call of a node, with cells of its own. */
struct plait__stretch_call {
	const plait__repetition *again;
	uint32_t index; /* of the task */
	uint32_t kind;	/* PLAIT__OP_... */
	plait__op_work work;
	uint64_t *cells;
	uint64_t cell_count;
	plait__kernel *kernel; /* held, or null */
};

/* ---- tasks ---- */

plait__stretch *plait__stretch_make(const plait_allocator *allocator)
{
	plait__stretch *made = plait__alloc(allocator, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->allocator = allocator;
	plait__vector_init(&made->tasks, allocator,
			   sizeof(plait__repeated_task *));
	plait__vector_init(&made->words, allocator, sizeof(uint64_t));
	made->compared = &made->words;
	return made;
}

plait__stretch *plait__stretch_make_longer(const plait__stretch *stretch,
					   uint32_t times)
{
	plait__stretch *made = plait__stretch_make(stretch->allocator);
	const plait__vector *tasks = &stretch->tasks;
	bool done = made != NULL;

	for (uint32_t i = 0; done && i < times; i++)
		done = plait__vector_push(&made->tasks, tasks->items,
					  tasks->count) != NULL;
	if (made != NULL) {
		made->borrows = true;
		made->compared = stretch->compared;
	}
	if (done || made == NULL)
		return made;
	plait__stretch_free(made);
	return NULL;
}

bool plait__stretch_add(plait__stretch *stretch, const plait_task_desc *desc)
{
	plait__repeated_task *task =
		plait__repeated_task_make(stretch->allocator, desc);

	if (task == NULL)
		return false;
	if (plait__repeated_words_add(&stretch->words, &task->desc) &&
	    PLAIT__VECTOR_ADD(&stretch->tasks, &task) != NULL)
		return true;
	plait__repeated_task_free(stretch->allocator, task);
	return false;
}

static void free_calls(plait__stretch *stretch)
{
	uint32_t count = stretch->tasks.count;

	for (uint32_t i = 0; stretch->calls != NULL && i < count; i++) {
		const plait__stretch_call *call = &stretch->calls[i];

		if (call->kernel != NULL)
			plait__object_drop(&call->kernel->object);
		plait__free(stretch->allocator, call->cells,
			    call->cell_count * sizeof(*call->cells));
	}
	plait__free(stretch->allocator, stretch->calls,
		    count * sizeof(*stretch->calls));
	stretch->calls = NULL;
}

void plait__stretch_clear(plait__stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->tasks.count && !stretch->borrows; i++)
		plait__repeated_task_free(
			stretch->allocator,
			*(plait__repeated_task **)plait__vector_at(
				&stretch->tasks, i));
	plait__vector_truncate(&stretch->tasks, 0);
	plait__vector_truncate(&stretch->words, 0);
}

void plait__stretch_free(plait__stretch *stretch)
{
	if (stretch->longer != NULL)
		plait__stretch_free(stretch->longer);
	free_calls(stretch);
	plait__stretch_clear(stretch);
	plait__vector_fini(&stretch->tasks);
	plait__vector_fini(&stretch->words);
	plait__free(stretch->allocator, stretch, sizeof(*stretch));
}

/* ---- names ---- */

static bool is_live_data(const plait_data *handle)
{
	return handle == NULL ||
	       plait__handle_peek(handle, PLAIT_OBJECT_DATA) != NULL;
}

static bool has_live_arguments(const plait_task_desc *desc)
{
	bool live = true;

	for (uint64_t i = 0; live && i < desc->argument_count; i++) {
		const plait_argument *at = &desc->arguments[i];

		if (at->kind == PLAIT_ARGUMENT_DATA)
			live = is_live_data(at->value);
		else if (at->kind == PLAIT_ARGUMENT_ACCESS)
			live = is_live_data(
				((const plait_access *)at->value)->data);
	}
	return live;
}

static bool is_live_task(const plait_task_desc *desc)
{
	bool live = is_live_data(desc->target) && is_live_data(desc->source) &&
		    has_live_arguments(desc);

	for (uint64_t i = 0; live && i < desc->access_count; i++)
		live = is_live_data(desc->accesses[i].data);
	return live;
}

bool plait__stretch_is_live(const plait__stretch *stretch)
{
	bool live = true;

	for (uint32_t i = 0; live && i < stretch->tasks.count; i++)
		live = is_live_task(&plait__stretch_at(stretch, i)->desc);
	return live;
}

/* ---- calls ---- */

/* A plait_host_function. */
static int32_t run_call(void *user_data)
{
	const plait__stretch_call *call = user_data;
	const plait__op_work *work = &call->work;

	if (call->index >= call->again->limit)
		return 0;
	return call->kind == PLAIT__OP_LAUNCH ?
		       work->call.kernel(work->arguments, work->launch,
					 work->user_data) :
		       work->call.host(work->user_data);
}

/* Copy the cells of a launch: addresses of its values, the values, the geometry. */
static void take_launch(plait__stretch_call *call, const plait__flow_task *task)
{
	const char *from = (const char *)task->filled.arguments;
	uint32_t count = task->kernel->kernel->signature->count;
	char *to = (char *)call->cells;
	char *geometry = to + task->cells * sizeof(*call->cells);
	void **arguments = (void **)(void *)to;

	memcpy(to, from, task->cells * sizeof(*call->cells));
	for (uint32_t i = 0; i < count; i++)
		arguments[i] = to + ((char *)arguments[i] - from);
	call->work.arguments = arguments;
	call->work.launch = memcpy(geometry, task->filled.launch,
				   sizeof(plait_launch));
	call->kernel = task->kernel->kernel;
	plait__object_hold(&call->kernel->object);
}

/* Keep what the op of a prepared task would call.  PLAIT_E_NOMEM. */
static plait_status take_call(plait__stretch *stretch, uint32_t i,
			      const plait__flow_task *task, plait_error *error)
{
	plait__stretch_call *call = &stretch->calls[i];
	bool is_launch = task->kind == PLAIT__OP_LAUNCH;

	call->index = i;
	call->kind = task->kind;
	call->work = task->filled;
	call->cell_count = task->cells + (is_launch ? GEOMETRY_CELLS : 0);
	if (call->cell_count == 0)
		return PLAIT_OK;
	call->cells = plait__alloc_array(stretch->allocator, call->cell_count,
					 sizeof(*call->cells));
	if (call->cells == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for repeated tasks");
	if (is_launch)
		take_launch(call, task);
	else
		call->work.user_data = memcpy(call->cells,
					      task->filled.user_data,
					      task->cells *
						      sizeof(*call->cells));
	return PLAIT_OK;
}

/* ---- the capture ---- */

/* A descriptor of a node that calls what the op of the task would. */
static plait_status make_call(plait__stretch *stretch, uint32_t i,
			      const plait__flow_task *task,
			      plait_task_desc *out, plait_error *error)
{
	const plait_task_desc *desc = &plait__stretch_at(stretch, i)->desc;

	*out = (plait_task_desc){
		.size = sizeof(*out), .kind = PLAIT_TASK_CALL,
		.label = desc->label, .cost = desc->cost,
		.function = run_call, .user_data = &stretch->calls[i],
	};
	return take_call(stretch, i, task, error);
}

/* Prepare a task and add it to the capture, as a call; with devices as it is.
 * PLAIT_PENDING: data has no buffer there. */
static plait_status capture_task(plait__stretch *stretch, uint32_t i,
				 plait__flow *flow,
				 plait__task_split_prepare prepare,
				 plait__object **closing, plait_error *error)
{
	plait_task_desc desc = plait__stretch_at(stretch, i)->desc;
	plait__flow_task task;
	plait_status status;

	plait__flow_task_clear(&task, flow);
	status = prepare(&task, &desc, error);
	*closing = task.closing;
	if (status == PLAIT_PENDING || task.closing != NULL ||
	    task.is_late || task.reduction_count > 0)
		status = plait__fail(error, PLAIT_E_STATE,
				     "a task cannot be repeated now");
	if (status == PLAIT_OK && stretch->calls != NULL)
		status = make_call(stretch, i, &task, &desc, error);
	if (status == PLAIT_OK)
		status = plait__flow_capture_add(&task, &desc, prepare, error);
	if (status == PLAIT_PENDING && !task.lacks_buffers)
		status = plait__fail(error, PLAIT_E_BUSY,
				     "no room for a repeated task");
	return status;
}

/* The newest task of the record is the last one of a task of the stretch. */
static plait_status end_task(plait__flow_capture *capture, plait_error *error)
{
	return !capture->is_stretch ||
	       PLAIT__VECTOR_ADD(&capture->devices.ends,
				 &capture->record.tasks.count) != NULL ?
		       PLAIT_OK :
		       plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for repeated tasks");
}

/* Caller holds the lock. */
static plait_status capture_all(plait__stretch *stretch, plait__flow *flow,
				plait__task_split_prepare prepare,
				plait__object **closing, plait_error *error)
{
	plait_status status = PLAIT_OK;

	flow->capture->is_stretch = flow->devices != NULL;
	for (uint32_t i = 0; status == PLAIT_OK && i < stretch->tasks.count;
	     i++) {
		status = capture_task(stretch, i, flow, prepare, closing,
				      error);
		if (status == PLAIT_OK)
			status = end_task(flow->capture, error);
	}
	return status;
}

/* Without a capture: *out is null.  PLAIT_PENDING: a call of plait__room_supply_make for
 * the owner is due. */
static plait_status capture(plait__stretch *stretch, plait__flow *flow,
			    plait__task_split_prepare prepare,
			    const void *owner, plait__flow_capture **out,
			    plait_error *error)
{
	plait__object *closing = NULL;
	plait__graph *graph;
	plait_status status = plait__graph_make(flow->object.context, &graph,
						error);
	plait_status begun;

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(flow);
	flow->submitter = owner;
	begun = plait__flow_capture_begin(
		flow, plait__object_handle(&graph->object), 0, error);
	status = begun;
	if (begun == PLAIT_OK) {
		status = capture_all(stretch, flow, prepare, &closing, error);
		(void)plait__flow_capture_end(flow, out, NULL);
	}
	plait__flow_unlock(flow);
	plait__object_close_deferred(closing);
	if (begun != PLAIT_OK)
		plait_graph_release(plait__object_handle(&graph->object));
	return status;
}

static void keep(plait__stretch *stretch, plait__flow *flow,
		 plait__repetition *again)
{
	snprintf(again->label, sizeof(again->label), "%u repeated tasks",
		 stretch->tasks.count);
	for (uint32_t i = 0; stretch->calls != NULL && i < stretch->tasks.count;
	     i++)
		stretch->calls[i].again = again;
	plait__flow_lock(flow);
	stretch->again = again;
	plait__repetitions_add(flow, again);
	if (flow->devices != NULL && flow->devices->gives_way)
		plait__repetition_prefix_end(again);
	plait__flow_unlock(flow);
}

/* The same with devices: make the buffers that are missing, without waits for ops that
 * use memory. */
static plait_status capture_on_devices(plait__stretch *stretch,
				       plait__flow *flow,
				       plait__task_split_prepare prepare,
				       plait__flow_capture **out,
				       plait_error *error)
{
	plait__device_split owner = { .supplies = false };
	uint64_t behind = 0;
	plait_status status;

	do {
		plait__flow_capture_free(*out);
		status = capture(stretch, flow, prepare, &owner, out, error);
		if (status != PLAIT_PENDING)
			break;
		status = plait__room_supply_make(flow, &owner, &behind, error);
		if (status == PLAIT_OK && behind != 0)
			status = plait__fail(error, PLAIT_E_STATE,
					     "no room for repeated tasks");
	} while (status == PLAIT_OK);
	if (owner.supplies)
		plait__room_supply_leave(flow, &owner);
	return status;
}

static plait_status capture_calls(plait__stretch *stretch, plait__flow *flow,
				  plait__task_split_prepare prepare,
				  plait__flow_capture **out, plait_error *error)
{
	stretch->calls = plait__alloc_array(stretch->allocator,
					    stretch->tasks.count,
					    sizeof(*stretch->calls));
	if (stretch->calls == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for repeated tasks");
	return capture(stretch, flow, prepare, NULL, out, error);
}

plait_status plait__stretch_build(plait__stretch *stretch, plait__flow *flow,
				  plait__task_split_prepare prepare,
				  plait_error *error)
{
	plait__flow_capture *captured = NULL;
	plait__repetition *again;
	plait_status status;

	status = flow->devices != NULL ?
			 capture_on_devices(stretch, flow, prepare, &captured,
					    error) :
			 capture_calls(stretch, flow, prepare, &captured,
				       error);
	if (status == PLAIT_OK)
		status = plait__flow_capture_check(captured, error);
	if (status == PLAIT_OK)
		status = plait__repetition_plan_make(flow, captured, &again,
						     error);
	if (status == PLAIT_OK)
		keep(stretch, flow, again);
	plait__flow_capture_free(captured);
	if (status != PLAIT_OK)
		free_calls(stretch);
	return status;
}
