/* SPDX-License-Identifier: MIT */
/* Nodes of graphs that are collectives: plait_graph_collective. */
#include "coll/node/held_call.h"
#include "base/alloc.h"
#include "base/error.h"
#include "graph/build/collective_nodes.h"
#include "graph/build/graph.h"

/* The record of a node, which the graph and its plans hold, is a held call. */
static void destroy_record(plait__object *object)
{
	plait__held_call *record = (plait__held_call *)(void *)object;

	plait__held_call_drop(record);
	plait__free(plait__context_allocator(object->context), record,
		    sizeof(*record));
}

static const plait__class record_class = { .destroy = destroy_record };

/* The caller gets one hold. */
static plait_status make_record(plait__collective *collective,
				const plait_collective_run *run,
				plait__held_call **out, plait_error *error)
{
	plait__context *context = collective->object.context;
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__held_call *record = plait__alloc(allocator, sizeof(*record));
	plait_status status;

	if (record == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a collective of a graph");
	status = plait__held_call_make(record, collective, run, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, record, sizeof(*record));
		return status;
	}
	/* Without a handle it cannot fail. */
	(void)plait__object_init(&record->head.object, &record_class, context,
				 NULL);
	*out = record;
	return PLAIT_OK;
}

static plait_status add_node(plait__graph *graph, plait__held_call *record,
			     const char *label, plait_node after,
			     plait_node *out, plait_error *error)
{
	const plait_collective_run *run = &record->run;
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_COLLECTIVE,
		.label = label,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = plait__held_call_execute, .user_data = record,
		.source = run->input, .source_offset = run->input_offset,
		.bytes = record->bytes[0],
		.target = run->output, .target_offset = run->output_offset,
		.pattern = record->bytes[1],
	};
	plait_status status = plait__held_call_device(
		graph->object.context, &desc.device, error);

	return status == PLAIT_OK ?
		       plait__add_node(graph, &desc, &after, after != 0, out,
				       error) : status;
}

static plait_status add(plait__graph *graph, plait__collective *collective,
			const plait_collective_run *run, const char *label,
			plait_node after, plait_node *out, plait_error *error)
{
	plait__held_call *record = NULL;
	plait_status status = plait__context_check_same(
		&graph->object, &collective->object, error);

	if (status == PLAIT_OK)
		status = make_record(collective, run, &record, error);
	if (status != PLAIT_OK)
		return status;
	status = add_node(graph, record, label, after, out, error);
	plait__object_drop(&record->head.object);
	return status;
}

PLAIT_API plait_status plait_graph_collective(plait_graph *graph,
					      plait_collective *collective,
					      const plait_collective_run *run,
					      const char *label,
					      plait_node after,
					      plait_node *out,
					      plait_error *error)
{
	plait__collective *entered;
	plait__graph *inside;
	plait_node node = 0;
	plait_status status = plait__collective_enter(collective, &entered,
						      error);

	if (out != NULL)
		*out = 0;
	if (status != PLAIT_OK)
		return status;
	status = plait__graph_enter(graph, &inside, error);
	if (status == PLAIT_OK) {
		status = add(inside, entered, run, label, after, &node, error);
		plait__graph_leave(inside);
	}
	plait__object_leave(&entered->object);
	if (out != NULL)
		*out = node;
	return status;
}
