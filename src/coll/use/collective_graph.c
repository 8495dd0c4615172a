/* SPDX-License-Identifier: MIT */
/* Graphs of schedules: the operations of a merge as nodes. */
#include "plait/collective.h"

#include "coll/prove/prove.h"
#include "coll/use/collective_memory.h"
#include "coll/use/collective_pieces.h"
#include "coll/use/reduce_kernels.h"
#include "coll/use/schedule_object.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"

#include <stdio.h>

/* Bytes that cost a unit. */
enum { COST_BYTES = 64 };

typedef struct graph_maker {
	plait__collective_memory memory;
	plait__merge merge;
	plait_graph *graph;
	plait_kernel *kernels[2]; /* together, apart; made when needed */
	plait_node *nodes;	/* by operation */
	plait_node *before;	/* scratch: predecessors of a node */
	uint32_t op_count;
	plait_error *error;
} graph_maker;

/* ---- nodes ---- */

static uint64_t bytes_of(const graph_maker *maker, uint64_t elements)
{
	return elements * maker->memory.element_bytes;
}

/* Add a node behind its predecessors; takes the rest from `desc`. */
static plait_status add_node(graph_maker *maker, uint32_t number,
			     plait_node_desc *desc)
{
	const plait__merge_op *op = plait__vector_at(&maker->merge.ops, number);
	const uint32_t *before = op->before_count == 0 ? NULL :
		plait__vector_at(&maker->merge.befores, op->first_before);
	char label[32];

	(void)snprintf(label, sizeof(label), op->step == UINT32_MAX ?
		       "r%u" : "r%u.%u", op->rank, op->step);
	desc->size = sizeof(*desc);
	desc->label = label;
	desc->cost = 1 + bytes_of(maker, op->elements) / COST_BYTES;
	desc->device = maker->memory.devices[op->rank];
	for (uint32_t i = 0; i < op->before_count; i++)
		maker->before[i] = maker->nodes[before[i]];
	return plait_graph_add(maker->graph, desc, maker->before,
			       op->before_count, &maker->nodes[number],
			       maker->error);
}

static plait_status add_copy(graph_maker *maker, uint32_t number,
			     const plait__merge_op *op)
{
	plait__collective_memory *memory = &maker->memory;
	char target[16], source[16];
	plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY,
		.target_offset = bytes_of(maker, op->target.offset),
		.source_offset = bytes_of(maker, op->source.offset),
		.bytes = bytes_of(maker, op->elements),
	};
	plait_status status = plait__collective_memory_find(
		memory, &op->target, &desc.target);

	if (status == PLAIT_OK)
		status = plait__collective_memory_find(memory, &op->source,
						       &desc.source);
	if (status != PLAIT_OK)
		return status;
	plait__collective_memory_name(memory, &op->target, target);
	plait__collective_memory_name(memory, &op->source, source);
	desc.target_parameter = desc.target == NULL ? target : NULL;
	desc.source_parameter = desc.source == NULL ? source : NULL;
	return add_node(maker, number, &desc);
}

/* Make the range of a place an argument; the caller releases the view. */
static plait_status view_place(graph_maker *maker,
			       const plait__merge_place *place,
			       uint64_t elements, plait_argument *out)
{
	plait_buffer *buffer;
	plait_status status = plait__collective_memory_find(&maker->memory,
							    place, &buffer);

	*out = (plait_argument){ .size = sizeof(*out),
				 .kind = PLAIT_ARGUMENT_BUFFER };
	return status != PLAIT_OK ? status :
		plait_buffer_view(buffer, bytes_of(maker, place->offset),
				  bytes_of(maker, elements), &out->buffer,
				  maker->error);
}

static plait_status find_kernel(graph_maker *maker, bool apart,
				plait_kernel **out)
{
	plait_status status = PLAIT_OK;

	if (maker->kernels[apart] == NULL)
		status = plait__reduce_kernel_create(
			maker->memory.context, maker->memory.desc, apart,
			&maker->kernels[apart], maker->error);
	*out = maker->kernels[apart];
	return status;
}

static plait_status add_reduction(graph_maker *maker, uint32_t number,
				  const plait__merge_op *op)
{
	bool apart = op->kind == PLAIT__MERGE_REDUCE_TO;
	const plait__merge_place *places[] = { &op->target, &op->other,
					       &op->source };
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { op->elements } };
	plait_argument arguments[4];
	uint32_t count = 0;
	plait_node_desc desc = { .kind = PLAIT_NODE_LAUNCH, .launch = &launch,
				 .arguments = arguments };
	plait_status status = find_kernel(maker, apart, &desc.kernel);

	for (uint32_t i = 0; i < 3 && status == PLAIT_OK; i++)
		if (i != 1 || apart)
			status = view_place(maker, places[i], op->elements,
					    &arguments[count++]);
	if (status == PLAIT_OK) {
		arguments[count] = (plait_argument)PLAIT_VALUE(op->elements);
		desc.argument_count = count + 1;
		status = add_node(maker, number, &desc);
	}
	while (count > 0)
		plait_buffer_release(arguments[--count].buffer);
	return status;
}

static plait_status add_nodes(graph_maker *maker)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < maker->op_count && status == PLAIT_OK; i++) {
		const plait__merge_op *op =
			plait__vector_at(&maker->merge.ops, i);

		status = op->kind == PLAIT__MERGE_COPY ?
				 add_copy(maker, i, op) :
				 add_reduction(maker, i, op);
	}
	return status;
}

/* ---- all ---- */

/* Merge, and again if pieces are better. */
static plait_status merge(graph_maker *maker)
{
	plait__merge_request request = {
		.count = maker->memory.desc->count,
		.memories = maker->memory.memories,
		.detached = maker->memory.desc->outputs == NULL,
	};
	plait_status status = plait__merge_schedule(
		maker->memory.schedule, &request, &maker->merge, maker->error);

	if (status == PLAIT_OK)
		status = plait__collective_pieces_choose(
			&maker->memory, &maker->merge, &request);
	if (status != PLAIT_OK || request.pieces == 0)
		return status;
	plait__merge_free(&maker->merge);
	return plait__merge_schedule(maker->memory.schedule, &request,
				     &maker->merge, maker->error);
}

static plait_status lower(graph_maker *maker)
{
	plait_status status = merge(maker);

	if (status != PLAIT_OK)
		return status;
	maker->op_count = maker->merge.ops.count;
	maker->nodes = plait__alloc_array(maker->memory.allocator,
					  maker->op_count + 1ull,
					  2 * sizeof(*maker->nodes));
	if (maker->nodes == NULL)
		return plait__fail(maker->error, PLAIT_E_NOMEM,
				   "no memory for %u nodes", maker->op_count);
	maker->before = maker->nodes + maker->op_count + 1;
	return plait__collective_memory_allocate(&maker->memory,
						 &maker->merge);
}

static void close_maker(graph_maker *maker)
{
	plait_kernel_release(maker->kernels[0]);
	plait_kernel_release(maker->kernels[1]);
	plait__collective_memory_close(&maker->memory);
	plait__free(maker->memory.allocator, maker->nodes,
		    (maker->op_count + 1ull) * 2 * sizeof(*maker->nodes));
	plait__merge_free(&maker->merge);
}

static plait_status make_graph(plait__schedule_object *entered,
			       const plait_collective_desc *desc,
			       plait_graph **out, plait_error *error)
{
	plait__context *context = entered->object.context;
	graph_maker maker = {
		.memory = { .schedule = entered->schedule, .desc = desc,
			    .context = plait__object_handle(&context->object),
			    .allocator = entered->schedule->allocator,
			    .element_bytes = plait__reduce_element_bytes(
				    desc->element, desc->element_bits),
			    .error = error },
		.error = error,
	};
	plait_status status = plait__collective_memory_open(&maker.memory);

	if (status == PLAIT_OK)
		status = lower(&maker);
	if (status == PLAIT_OK)
		status = plait_graph_create(maker.memory.context, &maker.graph,
					    error);
	if (status == PLAIT_OK)
		status = add_nodes(&maker);
	close_maker(&maker);
	if (status == PLAIT_OK)
		*out = maker.graph;
	else
		plait_graph_release(maker.graph);
	return status;
}

static plait_status read_desc(const plait_collective_desc *given,
			      plait_collective_desc *desc, plait_error *error)
{
	plait_status status;

	if (given == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "desc is null");
	status = PLAIT__STRUCT_READ(plait_collective_desc, desc, given, error);
	if (status != PLAIT_OK)
		return status;
	if (desc->flags != 0 || desc->reserved0 != 0 ||
	    desc->reduction > PLAIT_REDUCE_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_collective_desc: flags %#x, reduction "
				   "%u", desc->flags, desc->reduction);
	if (plait__reduce_element_bytes(desc->element,
					desc->element_bits) == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "elements of kind %u and %u bits cannot be "
				   "reduced", desc->element,
				   desc->element_bits);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_schedule_graph(plait_schedule *schedule,
					    const plait_collective_desc *desc,
					    plait_graph **out,
					    plait_error *error)
{
	plait__schedule_object *entered;
	plait_collective_desc ours;
	plait__proof proof;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__schedule_object_enter(schedule, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = read_desc(desc, &ours, error);
	if (status == PLAIT_OK)
		status = plait__prove_schedule(entered->schedule, NULL, &proof,
					       error);
	if (status == PLAIT_OK)
		status = make_graph(entered, &ours, out, error);
	plait__object_leave(&entered->object);
	return status;
}
