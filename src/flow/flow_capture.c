/* SPDX-License-Identifier: MIT */
/* Capture of a flow; see flow_capture.h. */
#include "flow/flow_capture.h"

#include "plait/repeat.h"

#include "flow/flow.h"
#include "flow/flow_devices.h"
#include "flow/flow_data.h"
#include "flow/reduction.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/build/graph.h"

/* ---- begin and end ---- */

static plait__flow_capture *make(const plait_allocator *allocator)
{
	plait__flow_capture *capture = plait__alloc(allocator,
						    sizeof(*capture));

	if (capture == NULL)
		return NULL;
	plait__task_node_init(&capture->nodes, allocator);
	plait__record_init(&capture->record, allocator, 0);
	plait__vector_init(&capture->ends, allocator, sizeof(plait_node));
	plait__vector_init(&capture->data, allocator, sizeof(plait__data *));
	return capture;
}

static plait__data *data_at(const plait__flow_capture *capture, uint32_t i)
{
	return *(plait__data **)plait__vector_at(&capture->data, i);
}

void plait__flow_capture_free(plait__flow_capture *capture)
{
	if (capture == NULL)
		return;
	for (uint32_t i = 0; i < capture->data.count; i++)
		plait__object_drop(&data_at(capture, i)->object);
	plait_graph_release(capture->nodes.graph);
	plait__vector_fini(&capture->data);
	plait__vector_fini(&capture->ends);
	plait__task_node_fini(&capture->nodes);
	const plait_allocator *allocator = capture->record.allocator;
	plait__record_fini(&capture->record);
	plait__free(allocator, capture, sizeof(*capture));
}

plait_status plait__flow_capture_begin(plait__flow *flow, plait_graph *graph,
				       uint64_t key, plait_error *error)
{
	if (flow->capture != NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow is captured already");
	if (flow->devices != NULL)
		return plait__flow_devices_refuse(flow, "captures and "
						  "repetitions: submit the "
						  "tasks each time", error);
	if (flow->ranks != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "a flow over a world has no captures and "
				   "repetitions: submit the tasks each time");
	if (flow->host == NULL)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "the context has no device of the host, "
				   "where the nodes would run");
	flow->capture = make(plait__flow_allocator(flow));
	if (flow->capture == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a capture");
	flow->capture->nodes.graph = graph;
	flow->capture->key = key;
	return PLAIT_OK;
}

plait_status plait__flow_capture_end(plait__flow *flow,
				     plait__flow_capture **out,
				     plait_error *error)
{
	plait__flow_capture *capture = flow->capture;

	*out = capture;
	if (capture == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow is not captured");
	flow->capture = NULL;
	for (uint32_t i = 0; i < capture->data.count; i++)
		data_at(capture, i)->captured = 0;
	return PLAIT_OK;
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

/* ---- order ---- */

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for a captured task");
}

/* Give the data an index, and share its memory. */
static plait_status find_data(plait__flow_capture *capture, plait__data *whole,
			      plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t index;

	if (whole->captured != 0)
		return PLAIT_OK;
	status = plait__data_share(whole, error);
	if (status != PLAIT_OK)
		return status;
	if (PLAIT__VECTOR_ADD(&capture->data, &whole) == NULL)
		return fail_memory(error);
	index = plait__record_add_data(&capture->record, "", whole->dimensions,
				       whole->element_bytes, &whole->box,
				       false);
	if (index == PLAIT__RECORD_NONE) {
		plait__vector_truncate(&capture->data, capture->data.count - 1);
		return fail_memory(error);
	}
	plait__object_hold(&whole->object);
	whole->captured = index + 1;
	return PLAIT_OK;
}

static void add_edge(plait__flow_capture *capture, uint32_t before)
{
	plait_node end = *(plait_node *)plait__vector_at(&capture->ends,
							 before);

	if (plait_graph_add_edge(capture->nodes.graph, end,
				 capture->nodes.first, NULL) != PLAIT_OK)
		capture->lacks_memory = true;
}

/* The order of the newest task. */
static void add_edges(plait__flow_capture *capture)
{
	const plait__record *record = &capture->record;
	const plait__record_task *task =
		plait__record_task_at(record, record->tasks.count - 1);

	for (uint32_t i = 0; i < task->edge_count; i++)
		add_edge(capture, plait__record_edge_at(
				   record, task->first_edge + i)->before);
}

/* Emissions and waits keep their order. */
static void order_signals(plait__flow_capture *capture, uint32_t kind)
{
	if (kind != PLAIT_TASK_EMIT && kind != PLAIT_TASK_WAIT)
		return;
	if (capture->signal != 0)
		add_edge(capture, capture->signal - 1);
	capture->signal = capture->record.tasks.count;
}

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
		plait__record_add_access(&capture->record,
					 flow->accesses[i].whole->captured - 1,
					 flow->accesses[i].mode,
					 &flow->accesses[i].box);
	plait__record_add_task(&capture->record, &ours, "");
	if (!capture->record.failed &&
	    PLAIT__VECTOR_ADD(&capture->ends, &capture->nodes.last) != NULL) {
		add_edges(capture);
		order_signals(capture, desc->kind);
	} else {
		capture->lacks_memory = true;
	}
	return capture->lacks_memory ? fail_memory(error) : PLAIT_OK;
}

/* ---- tasks ---- */

/* Add a task, or a piece: it is refused before it has an effect, or lacks
 * memory. */
static plait_status add_piece(plait__flow_capture *capture,
			      const plait__flow_task *task,
			      const plait_task_desc *desc, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < task->access_count; i++)
		status = find_data(capture, task->flow->accesses[i].whole,
				   error);
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
