/* SPDX-License-Identifier: MIT */
/*
 * plait_flow_write.  The picture is that of a plan of the same tasks and edges:
 * made by the planner, for as many lanes.
 */
#include "flow/flow_write.h"

#include "plait/plan.h"
#include "plait/record.h"

#include "flow/flow.h"
#include "flow/flow_history.h"
#include "flow/show/explain.h"
#include "flow/show/record_forms.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- the picture ---- */

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Add task i; `nodes` has those of the tasks before. */
static plait_status add_node(plait_graph *graph, const plait__record *record,
			     uint32_t i, plait_node *nodes, plait_node *after,
			     plait_error *error)
{
	const plait__record_task *task = plait__record_task_at(record, i);
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = do_nothing,
		.label = plait__record_name(record, task->label),
		.cost = task->cost,
	};

	for (uint32_t e = 0; e < task->edge_count; e++)
		after[e] = nodes[plait__record_edge_at(
			record, task->first_edge + e)->before];
	return plait_graph_add(graph, &desc, after, task->edge_count, &nodes[i],
			       error);
}

static plait_status add_nodes(plait_graph *graph, const plait__record *record,
			      plait_error *error)
{
	uint64_t count = (uint64_t)record->tasks.count + record->edges.count;
	plait_node *nodes = plait__alloc_array(record->allocator, count + 1,
					       sizeof(*nodes));
	plait_status status = PLAIT_OK;

	if (nodes == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a picture of %u tasks",
				   record->tasks.count);
	for (uint32_t i = 0; status == PLAIT_OK && i < record->tasks.count; i++)
		status = add_node(graph, record, i, nodes,
				  nodes + record->tasks.count, error);
	plait__free(record->allocator, nodes, (count + 1) * sizeof(*nodes));
	return status;
}

static plait_status draw_plan(plait_plan *plan, plait__text *out,
			      plait_error *error)
{
	uint64_t bytes = 0;
	char *text;
	plait_status status = plait_plan_write(plan, PLAIT_FORMAT_SVG, NULL, 0,
					       &bytes, error);

	if (status != PLAIT_OK)
		return status;
	text = plait__alloc(out->allocator, bytes + 1);
	if (text == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a picture");
	status = plait_plan_write(plan, PLAIT_FORMAT_SVG, text, bytes, NULL,
				  error);
	if (status == PLAIT_OK)
		plait__text_add_bytes(out, text, bytes);
	plait__free(out->allocator, text, bytes + 1);
	return status;
}

/* Without the lock, under which no object is made. */
static plait_status draw(const plait__flow *flow, const plait__record *record,
			 plait__text *out, plait_error *error)
{
	const plait_freeze_desc freeze = { .size = sizeof(freeze),
					   .lanes = record->lanes };
	plait_plan *plan = NULL;
	plait_graph *graph;
	plait_status status = plait_graph_create(
		plait__object_handle(&flow->object.context->object), &graph,
		error);

	if (status != PLAIT_OK)
		return status;
	status = add_nodes(graph, record, error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, &freeze, &plan, error);
	if (status == PLAIT_OK)
		status = draw_plan(plan, out, error);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return status;
}

/* ---- any form ---- */

plait_status plait__flow_write_check(const plait__flow *flow,
				     plait_error *error)
{
	if (flow->record == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow has no record: create it with "
				   "PLAIT_FLOW_RECORD");
	if (flow->record->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "the record is not complete: there was no "
				   "memory");
	return PLAIT_OK;
}

/* Caller holds the lock. */
static plait_status check(const plait__flow *flow, plait_flow_format format,
			  plait_error *error)
{
	if (format < PLAIT_FLOW_TEXT || format > PLAIT_FLOW_SVG)
		return plait__fail(error, PLAIT_E_INVALID,
				   "format %d is not one of PLAIT_FLOW_TEXT, "
				   "_JSON, _DOT and _SVG", format);
	return plait__flow_write_check(flow, error);
}

/* Caller holds the lock.  Of a picture, only the tasks are copied. */
static void write_form(const plait__record *record, plait_flow_format format,
		       plait__text *out, plait__record *copy)
{
	if (format == PLAIT_FLOW_TEXT)
		plait__explain_text(record, out);
	else if (format == PLAIT_FLOW_JSON)
		plait__record_forms_json(record, out);
	else if (format == PLAIT_FLOW_DOT)
		plait__record_forms_dot(record, out);
	else
		plait__record_copy_tasks(record, copy);
}

static plait_status write_flow(plait__flow *flow, plait_flow_format format,
			       plait__text *out, plait_error *error)
{
	plait__record copy;
	plait_status status;

	plait__record_init(&copy, out->allocator, flow->lanes.count);
	plait__flow_lock(flow);
	status = check(flow, format, error);
	if (status == PLAIT_OK)
		write_form(flow->record, format, out, &copy);
	if (status == PLAIT_OK && format == PLAIT_FLOW_TEXT)
		plait__flow_history_explain(flow, out);
	plait__flow_unlock(flow);
	if (status == PLAIT_OK && format == PLAIT_FLOW_SVG && !copy.failed)
		status = draw(flow, &copy, out, error);
	if (status == PLAIT_OK && (out->failed || copy.failed))
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to write a flow");
	plait__record_fini(&copy);
	return status;
}

plait_status plait__flow_write_return(const plait__text *text, void *buffer,
				      uint64_t capacity_bytes,
				      uint64_t *out_bytes, plait_error *error)
{
	if (out_bytes != NULL)
		*out_bytes = text->length;
	if (buffer == NULL)
		return PLAIT_OK;
	if (capacity_bytes < text->length)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the flow needs %llu bytes, the buffer has "
				   "%llu", (unsigned long long)text->length,
				   (unsigned long long)capacity_bytes);
	if (text->length > 0)
		memcpy(buffer, text->bytes, text->length);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_flow_write(plait_flow *flow,
					plait_flow_format format, void *buffer,
					uint64_t capacity_bytes,
					uint64_t *out_bytes,
					plait_error *error)
{
	plait__flow *self;
	plait__text text;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = plait__flow_enter(flow, &self, error);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__flow_allocator(self));
	status = write_flow(self, format, &text, error);
	if (status == PLAIT_OK)
		status = plait__flow_write_return(&text, buffer, capacity_bytes,
						  out_bytes, error);
	plait__text_fini(&text);
	plait__object_leave(&self->object);
	return status;
}
