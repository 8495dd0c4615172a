/* SPDX-License-Identifier: MIT */
/* Capture of a flow; see flow_capture.h. */
#include "flow/flow_capture.h"

#include "plait/repeat.h"

#include "flow/capture_place.h"
#include "flow/flow.h"
#include "flow/flow_data.h"
#include "flow/held_run.h"
#include "flow/reduction.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/build/graph.h"

/* ---- begin and end ---- */

static plait__flow_capture *make(plait__flow *flow)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__flow_capture *capture = plait__alloc(allocator,
						    sizeof(*capture));

	if (capture == NULL)
		return NULL;
	plait__task_node_init(&capture->nodes, allocator);
	plait__record_init(&capture->record, allocator, 0);
	plait__vector_init(&capture->ends, allocator, sizeof(plait_node));
	plait__vector_init(&capture->data, allocator,
			   sizeof(plait__captured_data));
	capture->flow = flow;
	capture->memories = flow->devices == NULL ?
				    1 : flow->devices->system.memories;
	plait__capture_place_init(capture, allocator);
	return capture;
}

static void drop_data(const plait__captured_data *at)
{
	if (at->whole != NULL && at->memory == PLAIT__MEMORY_HOST)
		plait__object_drop(&at->whole->object);
}

/* Free an empty capture. */
static void discard(plait__flow_capture *capture)
{
	plait__vector_fini(&capture->data);
	plait__vector_fini(&capture->ends);
	plait__task_node_fini(&capture->nodes);
	const plait_allocator *allocator = capture->record.allocator;
	plait__record_fini(&capture->record);
	plait__capture_place_fini(capture);
	plait__free(allocator, capture, sizeof(*capture));
}

void plait__flow_capture_free(plait__flow_capture *capture)
{
	if (capture == NULL)
		return;
	if (capture->memories > 1) {
		plait__flow_lock(capture->flow);
		plait__capture_state_unpin(capture);
		plait__flow_unlock(capture->flow);
	}
	plait__capture_state_release(capture);
	for (uint32_t i = 0; i < capture->data.count; i++)
		drop_data(plait__capture_state_at(capture, i));
	plait_graph_release(capture->nodes.graph);
	discard(capture);
}

plait_status plait__flow_capture_begin(plait__flow *flow, plait_graph *graph,
				       uint64_t key, plait_error *error)
{
	plait__held_run_interrupt(flow);
	if (flow->capture != NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow is captured already");
	if (flow->ranks != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "a flow over a world has no captures and "
				   "repetitions: submit the tasks each time");
	if (flow->host == NULL)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "the context has no device of the host, "
				   "where the nodes would run");
	flow->capture = make(flow);
	if (flow->capture == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a capture");
	if (flow->devices != NULL &&
	    !plait__capture_place_begin(flow->capture)) {
		discard(flow->capture);
		flow->capture = NULL;
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a capture");
	}
	flow->capture->nodes.graph = graph;
	flow->capture->key = key;
	return PLAIT_OK;
}

plait_status plait__flow_capture_end(plait__flow *flow,
				     plait__flow_capture **out,
				     plait_error *error)
{
	plait__flow_capture *capture = flow->capture;
	plait_status status = PLAIT_OK;

	*out = capture;
	if (capture == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow is not captured");
	if (flow->devices != NULL && plait__capture_state_is_own(capture) &&
	    !capture->lacks_memory)
		status = plait__capture_place_leave(capture, error);
	flow->capture = NULL;
	plait__capture_state_close(capture);
	return status;
}

plait_status plait__flow_capture_check(const plait__flow_capture *capture,
				       plait_error *error)
{
	if (!capture->lacks_memory)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for a node or an edge of a captured "
			   "task");
}

/* ---- tasks ---- */

/* Record what was added as nodes. */
static plait_status record_task(plait__flow_capture *capture,
				const plait__flow_task *task,
				const plait_task_desc *desc, plait_error *error)
{
	const plait__flow *flow = task->flow;
	const plait__record_task ours = {
		.kind = desc->kind, .cost = 1, .is_barrier = task->is_barrier,
		.piece = task->chunk.index, .piece_count = task->chunk.count,
	};

	for (uint32_t i = 0; i < task->access_count; i++)
		plait__record_add_access(
			&capture->record,
			plait__capture_state_index(flow->accesses[i].whole,
					      task->memory),
			flow->accesses[i].mode, &flow->accesses[i].box);
	if (flow->devices != NULL)
		plait__capture_place_order(task);
	plait__capture_state_task(capture, &ours);
	if (desc->kind == PLAIT_TASK_PLAN)
		plait__capture_state_order_plan(capture, desc->plan);
	if (flow->devices != NULL)
		plait__capture_place_commit(task);
	return plait__flow_capture_check(capture, error);
}

/* Add a task, or a piece: it is refused before it has an effect, or lacks
 * memory. */
static plait_status add_piece(plait__flow_capture *capture,
			      const plait__flow_task *task,
			      const plait_task_desc *desc, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < task->access_count; i++)
		status = plait__capture_state_find(
			capture, task->flow->accesses[i].whole, task->memory,
			error);
	if (status == PLAIT_OK && task->flow->devices != NULL)
		status = plait__capture_place_fetch(task, error);
	if (status == PLAIT_OK)
		status = plait__task_node_add(&capture->nodes, task, desc,
					      error);
	if (status == PLAIT_OK)
		status = record_task(capture, task, desc, error);
	return status;
}

/* All steps are right: a later one is not refused. */
static plait_status check_steps(const plait__task_steps *steps,
				plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__flow_task step;

	for (uint32_t i = 0; status == PLAIT_OK && i < steps->count; i++)
		status = plait__task_steps_prepare(steps, i, &step, error);
	return status;
}

static plait_status add_steps(plait__flow_task *task,
			      const plait_task_desc *desc,
			      plait__task_split_prepare prepare,
			      plait_error *error)
{
	plait__flow_capture *capture = task->flow->capture;
	uint32_t first = capture->ends.count;
	plait__task_steps steps;
	plait__flow_task step;
	plait_status status;

	plait__task_steps_init(&steps, task, desc, prepare);
	status = check_steps(&steps, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < steps.count; i++) {
		status = plait__task_steps_prepare(&steps, i, &step, error);
		if (status == PLAIT_OK && task->flow->devices != NULL)
			plait__capture_place_step(&step, task);
		if (status == PLAIT_OK)
			status = add_piece(capture, &step,
					   plait__task_steps_desc(&steps, i),
					   error);
	}
	if (status == PLAIT_OK)
		status = plait_graph_join(
			capture->nodes.graph,
			plait__vector_at(&capture->ends, first), steps.count,
			&task->number, error);
	/* Part of the launch stays in the graph: the end of the capture tells. */
	capture->lacks_memory |= status < 0 && capture->ends.count > first;
	if (steps.count > steps.pieces)
		plait__reduction_advance(task->flow);
	return status;
}

plait_status plait__flow_capture_add(plait__flow_task *task,
				     const plait_task_desc *desc,
				     plait__task_split_prepare prepare,
				     plait_error *error)
{
	plait__flow_capture *capture = task->flow->capture;
	plait_status status = plait__flow_capture_check(capture, error);

	if (status == PLAIT_OK && task->flow->devices != NULL)
		status = plait__capture_place_task(task, error);
	if (status == PLAIT_OK && plait__task_steps_are_several(task))
		return add_steps(task, desc, prepare, error);
	if (status == PLAIT_OK)
		status = add_piece(capture, task, desc, error);
	task->number = capture->nodes.last;
	return status;
}

/* ---- the entry point ---- */

/* A reference for the capture. */
static plait_status retain_graph(const plait__flow *flow, plait_graph *graph,
				 plait_error *error)
{
	plait__graph *entered;
	plait_status status = plait__graph_enter(graph, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__context_check_same(&flow->object, &entered->object,
					   error);
	if (status == PLAIT_OK)
		plait_graph_retain(graph);
	plait__graph_leave(entered);
	return status;
}

static plait_status begin(plait__flow *flow, plait_graph *graph,
			  plait_error *error)
{
	plait_status status = retain_graph(flow, graph, error);

	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(flow);
	status = plait__flow_capture_begin(flow, graph, 0, error);
	plait__flow_unlock(flow);
	if (status != PLAIT_OK)
		plait_graph_release(graph);
	return status;
}

static plait_status end(plait__flow *flow, plait_error *error)
{
	plait__flow_capture *capture;
	plait_status status;

	plait__flow_lock(flow);
	status = plait__flow_capture_end(flow, &capture, error);
	plait__flow_unlock(flow);
	if (status == PLAIT_OK)
		status = plait__flow_capture_check(capture, error);
	plait__flow_capture_free(capture);
	return status;
}

PLAIT_API plait_status plait_flow_capture(plait_flow *flow, plait_graph *graph,
					  plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = graph != NULL ? begin(self, graph, error) : end(self, error);
	plait__object_leave(&self->object);
	return status;
}
