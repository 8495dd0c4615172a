/* SPDX-License-Identifier: MIT */
/*
 * Nodes of captured tasks; see task_node.h.  A launch gets its values from the
 * cells of the prepared task, a copy its ranges from the prepared move.
 */
#include "flow/task_node.h"

#include "flow/array_arguments.h"
#include "flow/flow_data.h"
#include "flow/flow_devices.h"
#include "flow/reduction.h"
#include "flow/task_launch.h"

#include "base/error.h"

#include <stdio.h>

void plait__task_node_init(plait__task_nodes *nodes,
			   const plait_allocator *allocator)
{
	plait__vector_init(&nodes->arguments, allocator,
			   sizeof(plait_argument));
	plait__vector_init(&nodes->rows, allocator, sizeof(plait_node));
	plait__vector_init(&nodes->hosts, allocator, sizeof(plait__task_host));
	plait__nested_plans_init(&nodes->plans, allocator);
}

void plait__task_node_fini(plait__task_nodes *nodes)
{
	plait__vector_fini(&nodes->arguments);
	plait__vector_fini(&nodes->rows);
	plait__vector_fini(&nodes->hosts);
	plait__nested_plans_fini(&nodes->plans);
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a node");
}

/* Add one node, which is all of the task. */
static plait_status add_node(plait__task_nodes *nodes,
			     const plait_node_desc *desc, plait_error *error)
{
	plait_status status = plait_graph_add(nodes->graph, desc, NULL, 0,
					      &nodes->first, error);

	nodes->last = nodes->first;
	return status;
}

/* ---- memory ---- */

static plait_buffer *buffer_of(const plait__data *whole)
{
	return plait__object_handle(&whole->buffer->object);
}

static plait_buffer *buffer_in(const plait__data *whole, uint32_t memory)
{
	const plait__data_copy *copy = plait__data_copies_at(whole->copies,
							     memory);

	return copy->captured != NULL ? copy->captured :
	       plait__object_handle(&copy->block.buffer->object);
}

static uint64_t offset_of(const plait__data *whole, const void *address)
{
	return whole->buffer_offset +
	       (uint64_t)((const char *)address - whole->memory);
}

static void set_target(plait_node_desc *desc, const plait__data *whole,
		       const char *address)
{
	desc->target = buffer_of(whole);
	desc->target_offset = offset_of(whole, address);
}

static void set_source(plait_node_desc *desc, const plait__data *whole,
		       const char *address)
{
	desc->source = buffer_of(whole);
	desc->source_offset = offset_of(whole, address);
}

/* Slices of one row each are rows. */
static const plait_rows *set_rows(const plait__box_move *move, plait_rows *rows)
{
	bool flat = move->rows == 1;

	*rows = (plait_rows){
		.size = sizeof(*rows),
		.rows = flat ? move->slices : move->rows,
		.slices = flat ? 1 : move->slices,
		.target_row = flat ? move->target_slice : move->target_row,
		.source_row = flat ? move->source_slice : move->source_row,
	};
	if (rows->slices > 1) {
		rows->target_slice = move->target_slice;
		rows->source_slice = move->source_slice;
	}
	return rows->rows > 1 ? rows : NULL;
}

/* The number of the parameter; PLAIT__VECTOR_MAX without memory. */
static uint32_t find_host(plait__task_nodes *nodes, void *address,
			  uint64_t bytes)
{
	plait__task_host host = { address, bytes };
	plait__task_host *at;

	for (uint32_t i = 0; i < nodes->hosts.count; i++) {
		at = plait__vector_at(&nodes->hosts, i);
		if (at->address != address)
			continue;
		if (at->bytes < bytes)
			at->bytes = bytes;
		return i;
	}
	return PLAIT__VECTOR_ADD(&nodes->hosts, &host) == NULL ?
		       PLAIT__VECTOR_MAX : nodes->hosts.count - 1;
}

/* ---- launches ---- */

/* The whole of an argument that is data: the preparation has found it. */
static const plait__data *whole_of(const plait_argument *given)
{
	const plait_data *handle = given->value;
	const plait__data *data;

	if (given->kind == PLAIT_ARGUMENT_ACCESS)
		handle = ((const plait_access *)given->value)->data;
	data = plait__handle_peek(handle, PLAIT_OBJECT_DATA);
	return data->whole;
}

/* The whole that has the address of an argument: of a reduction in pieces the
 * partial results. */
static const plait__data *memory_of(const plait__flow_task *task, uint32_t i,
				    const plait_argument *given)
{
	const plait__reduction *reduction = plait__reduction_find(task, i);

	return reduction != NULL && reduction->partials != NULL ?
		       reduction->partials->data : whole_of(given);
}

/* `given` is null for an argument that the flow adds. */
static void set_argument(const plait__flow_task *task, uint32_t i,
			 const plait_argument *given, plait_argument *out)
{
	const plait__parameter *parameter =
		&task->kernel->kernel->signature->parameters[i];
	const void *cell = task->filled.arguments[i];

	*out = (plait_argument){ .size = sizeof(*out),
				 .kind = PLAIT_ARGUMENT_VALUE, .value = cell,
				 .bytes = parameter->bytes };
	if (given == NULL)
		return;
	if (given->kind == PLAIT_ARGUMENT_DATA ||
	    given->kind == PLAIT_ARGUMENT_ACCESS) {
		const plait__data *whole = memory_of(task, i, given);
		const char *address = *(char *const *)cell;

		if (task->memory == PLAIT__MEMORY_HOST)
			*out = (plait_argument)PLAIT_BUFFER_AT(
				buffer_of(whole), offset_of(whole, address));
		else
			*out = (plait_argument)PLAIT_BUFFER_AT(
				buffer_in(whole, task->memory),
				(uint64_t)(address - whole->memory));
	}
}

static plait_status add_launch(plait__task_nodes *nodes,
			       const plait__flow_task *task,
			       const plait_task_desc *desc,
			       plait_node_desc *node, plait_error *error)
{
	const plait__signature *signature = task->kernel->kernel->signature;
	uint32_t count = signature->count;
	plait_status status = PLAIT_OK;
	plait_argument *arguments;
	uint64_t next = 0;

	plait__vector_truncate(&nodes->arguments, 0);
	arguments = plait__vector_push(&nodes->arguments, NULL, count + 1);
	if (arguments == NULL)
		return fail_memory(error);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		const plait_argument *given = NULL;
		plait_argument room;

		if (plait__array_arguments_is_given(
			    signature, &signature->parameters[i],
			    desc->argument_count))
			status = plait__task_launch_argument(
				desc->arguments, next++, &given, &room, error);
		if (status == PLAIT_OK)
			set_argument(task, i, given, &arguments[i]);
	}
	node->kind = PLAIT_NODE_LAUNCH;
	node->kernel = desc->kernel;
	node->launch = task->filled.launch;
	node->arguments = count > 0 ? arguments : NULL;
	node->argument_count = count;
	return status == PLAIT_OK ? add_node(nodes, node, error) : status;
}

/* ---- copies and fills ---- */

static plait_status add_copy(plait__task_nodes *nodes,
			     const plait__flow_task *task,
			     plait_node_desc *node, plait_error *error)
{
	const plait__flow_access *accesses = task->flow->accesses;
	const plait__box_move *move = task->filled.user_data;
	plait_rows rows;

	node->kind = PLAIT_NODE_COPY;
	node->bytes = move->bytes;
	node->rows = set_rows(move, &rows);
	set_source(node, accesses[0].whole, move->source);
	set_target(node, accesses[1].whole, move->target);
	return add_node(nodes, node, error);
}

static plait_status add_transfer(plait__task_nodes *nodes,
				 const plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_node_desc *node, plait_error *error)
{
	const plait__data *whole = task->flow->accesses[0].whole;
	const plait__box_move *move = task->filled.user_data;
	char name[PLAIT__TASK_HOST_NAME];
	plait_rows rows;
	uint32_t host = find_host(nodes, desc->host,
				  move->bytes * move->rows * move->slices);

	if (host == PLAIT__VECTOR_MAX)
		return fail_memory(error);
	plait__task_node_name_host(host, name);
	node->host_parameter = name;
	node->bytes = move->bytes;
	node->rows = set_rows(move, &rows);
	if (desc->kind == PLAIT_TASK_WRITE) {
		node->kind = PLAIT_NODE_WRITE;
		set_target(node, whole, move->target);
	} else {
		node->kind = PLAIT_NODE_READ;
		set_source(node, whole, move->source);
	}
	return add_node(nodes, node, error);
}

/* ---- copies between memories ---- */

/* Bytes from the first one to behind the last one. */
static uint64_t span_of(const plait__box_move *move)
{
	return (move->slices - 1) * move->source_slice +
	       (move->rows - 1) * move->source_row + move->bytes;
}

static void set_sides(const plait__task_copy *copy, plait_node_desc *node)
{
	const plait__data *whole = copy->whole;
	uint64_t offset = (uint64_t)(copy->move.source - whole->memory);

	if (copy->to != PLAIT__MEMORY_HOST) {
		node->target = buffer_in(whole, copy->to);
		node->target_offset = offset;
	} else if (copy->has_buffers) {
		set_target(node, whole, copy->move.target);
	}
	if (copy->from != PLAIT__MEMORY_HOST) {
		node->source = buffer_in(whole, copy->from);
		node->source_offset = offset;
	} else if (copy->has_buffers) {
		set_source(node, whole, copy->move.source);
	}
}

plait_status plait__task_node_add_copy(plait__task_nodes *nodes,
				       const plait__task_copy *copy,
				       plait_error *error)
{
	const plait__box_move *move = &copy->move;
	plait_node_desc node = {
		.size = sizeof(node), .kind = PLAIT_NODE_COPY, .label = "copy",
		.device = plait__object_handle(&copy->device->object),
		.bytes = move->bytes,
	};
	char name[PLAIT__TASK_HOST_NAME];
	plait_rows rows;
	uint32_t host;

	node.rows = set_rows(move, &rows);
	set_sides(copy, &node);
	if (copy->has_buffers || (copy->from != PLAIT__MEMORY_HOST &&
				  copy->to != PLAIT__MEMORY_HOST))
		return add_node(nodes, &node, error);
	node.kind = copy->to == PLAIT__MEMORY_HOST ? PLAIT_NODE_READ :
						     PLAIT_NODE_WRITE;
	host = find_host(nodes, move->target, span_of(move));
	if (host == PLAIT__VECTOR_MAX)
		return fail_memory(error);
	plait__task_node_name_host(host, name);
	node.host_parameter = name;
	return add_node(nodes, &node, error);
}

/* Take back what a fill has added. */
static void remove_rows(plait__task_nodes *nodes, plait_node begin)
{
	(void)plait_graph_remove(nodes->graph, nodes->rows.items,
				 nodes->rows.count, NULL);
	if (begin != 0)
		(void)plait_graph_remove(nodes->graph, &begin, 1, NULL);
}

/* Fill row by row between two joins. */
static plait_status fill_rows(plait__task_nodes *nodes,
			      const plait__box_move *move,
			      plait_node_desc *node, plait_error *error)
{
	uint64_t count = move->rows * move->slices;
	uint64_t offset = node->target_offset;
	plait_node row, begin = 0;
	plait_status status = PLAIT_OK;

	plait__vector_truncate(&nodes->rows, 0);
	if (count > PLAIT__VECTOR_MAX ||
	    plait__vector_reserve(&nodes->rows, (uint32_t)count) != 0)
		return fail_memory(error);
	status = plait_graph_join(nodes->graph, NULL, 0, &begin, error);
	for (uint64_t i = 0; status == PLAIT_OK && i < count; i++) {
		node->target_offset = offset +
				      i / move->rows * move->target_slice +
				      i % move->rows * move->target_row;
		status = plait_graph_add(nodes->graph, node, &begin, 1, &row,
					 error);
		if (status == PLAIT_OK)
			(void)PLAIT__VECTOR_ADD(&nodes->rows, &row);
	}
	if (status == PLAIT_OK)
		status = plait_graph_join(nodes->graph, nodes->rows.items,
					  nodes->rows.count, &nodes->last,
					  error);
	if (status != PLAIT_OK)
		remove_rows(nodes, begin);
	nodes->first = begin;
	return status;
}

static plait_status add_fill(plait__task_nodes *nodes,
			     const plait__flow_task *task,
			     plait_node_desc *node, plait_error *error)
{
	const plait__box_move *move = task->filled.user_data;

	node->kind = PLAIT_NODE_FILL;
	node->bytes = move->bytes;
	node->pattern = move->pattern;
	node->pattern_bytes = (uint32_t)move->pattern_bytes;
	set_target(node, task->flow->accesses[0].whole, move->target);
	return move->rows * move->slices == 1 ?
		       add_node(nodes, node, error) :
		       fill_rows(nodes, move, node, error);
}

/* ---- combinations ---- */

/* Add a node behind the last one. */
static plait_status add_next(plait__task_nodes *nodes,
			     const plait_node_desc *node, plait_error *error)
{
	plait_node added;
	plait_status status = plait_graph_add(
		nodes->graph, node, nodes->rows.count == 0 ? NULL :
		&nodes->last, nodes->rows.count == 0 ? 0 : 1, &added, error);

	if (status != PLAIT_OK)
		return status;
	if (nodes->rows.count == 0)
		nodes->first = added;
	nodes->last = added;
	(void)PLAIT__VECTOR_ADD(&nodes->rows, &added);
	return PLAIT_OK;
}

static plait_status add_identity(plait__task_nodes *nodes,
				 const plait__combination *at,
				 const plait__data *target,
				 plait_node_desc node, plait_error *error)
{
	node.kind = PLAIT_NODE_FILL;
	node.bytes = at->elements * at->element_bytes;
	node.pattern = at->identity;
	node.pattern_bytes = at->element_bytes;
	set_target(&node, target, at->into);
	return add_next(nodes, &node, error);
}

static plait_status add_row(plait__task_nodes *nodes,
			    const plait__combination *at, const char *row,
			    const plait__flow_access *accesses,
			    plait_node_desc node, plait_error *error)
{
	const plait__data *from = accesses[0].whole, *to = accesses[1].whole;
	const plait_argument arguments[] = {
		PLAIT_BUFFER_AT(buffer_of(to), offset_of(to, at->into)),
		PLAIT_BUFFER_AT(buffer_of(from), offset_of(from, row)),
		PLAIT_VALUE(at->elements),
	};

	node.kind = PLAIT_NODE_LAUNCH;
	node.kernel = at->kernel;
	node.launch = &at->launch;
	node.arguments = arguments;
	node.argument_count = 3;
	return add_next(nodes, &node, error);
}

/* A node for the identity, and one for each row, one behind the other. */
static plait_status add_combination(plait__task_nodes *nodes,
				    const plait__flow_task *task,
				    const plait_node_desc *node,
				    plait_error *error)
{
	const plait__combination *at = task->filled.user_data;
	const plait__flow_access *accesses = task->flow->accesses;
	plait_status status = PLAIT_OK;

	plait__vector_truncate(&nodes->rows, 0);
	if (plait__vector_reserve(&nodes->rows, (uint32_t)at->rows + 1) != 0)
		return fail_memory(error);
	if (at->fills)
		status = add_identity(nodes, at, accesses[1].whole, *node,
				      error);
	for (uint64_t i = 0; status == PLAIT_OK && i < at->rows; i++)
		status = add_row(nodes, at, at->from + i * at->row_bytes,
				 accesses, *node, error);
	if (status != PLAIT_OK)
		remove_rows(nodes, 0);
	return status;
}

/* ---- any task ---- */

static plait_status add_call(plait__task_nodes *nodes,
			     const plait_task_desc *desc,
			     plait_node_desc *node, plait_error *error)
{
	node->kind = PLAIT_NODE_CALL;
	node->function = desc->function;
	node->user_data = desc->user_data;
	node->inbox = desc->inbox;
	node->flags = desc->inbox == NULL ? PLAIT_CALL_ANY_THREAD : 0;
	return add_node(nodes, node, error);
}

static plait_status add_signal(plait__task_nodes *nodes,
			       const plait_task_desc *desc,
			       plait_node_desc *node, plait_error *error)
{
	node->kind = desc->kind == PLAIT_TASK_EMIT ? PLAIT_NODE_EMIT :
						     PLAIT_NODE_WAIT;
	node->signal = desc->signal;
	node->sequence = desc->sequence;
	return add_node(nodes, node, error);
}

static plait_status add_plan(plait__task_nodes *nodes,
			     const plait__flow_task *task,
			     const plait_task_desc *desc,
			     plait_node_desc *node, plait_error *error)
{
	plait_argument argument;
	plait_status status = plait__nested_plans_set(
		&nodes->plans, task->flow, desc, &argument, node, error);

	return status == PLAIT_OK ? add_node(nodes, node, error) : status;
}

plait_status plait__task_node_add(plait__task_nodes *nodes,
				  const plait__flow_task *task,
				  const plait_task_desc *desc,
				  plait_error *error)
{
	plait_node_desc node = {
		.size = sizeof(node), .label = desc->label, .cost = desc->cost,
		.device = plait__object_handle(
			task->device != NULL ? &task->device->device->object :
					       &task->flow->host->object),
	};

	switch (desc->kind) {
	case PLAIT_TASK_LAUNCH:
		return add_launch(nodes, task, desc, &node, error);
	case PLAIT_TASK_CALL:
		return add_call(nodes, desc, &node, error);
	case PLAIT_TASK_COPY:
		return add_copy(nodes, task, &node, error);
	case PLAIT_TASK_FILL:
	case PLAIT__RECORD_IDENTITY:
		return add_fill(nodes, task, &node, error);
	case PLAIT__RECORD_COMBINE:
		return add_combination(nodes, task, &node, error);
	case PLAIT_TASK_READ:
	case PLAIT_TASK_WRITE:
		return add_transfer(nodes, task, desc, &node, error);
	case PLAIT_TASK_EMIT:
	case PLAIT_TASK_WAIT:
		return add_signal(nodes, desc, &node, error);
	default:
		return add_plan(nodes, task, desc, &node, error);
	}
}
