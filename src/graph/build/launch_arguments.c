/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a launch: each one is checked against its parameter, and
 * becomes an argument of the plan plus, for memory, an access.
 */
#include "graph/build/graph.h"
#include "graph/build/scopes.h"
#include "graph/store/unique_values.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "kernel/argument.h"
#include "object/memory/buffer.h"
#include "plan/access.h"

#include <stdio.h>
#include <string.h>

enum {
	BLOB_ALIGNMENT = 8,
	MAX_AHEAD = 15,
};

/* One argument while it is pushed. */
struct pushing {
	plait__adding *adding;
	const plait_argument *given;
	const plait__signature *signature;
	const plait__parameter *parameter;
	plait__plan_arg arg;
};

static plait_status wrong(const struct pushing *pushing, const char *what)
{
	const plait__parameter *parameter = pushing->parameter;
	char room[PLAIT__GRAPH_PLACE_ROOM], type[PLAIT__ARGUMENT_TYPE_ROOM];

	return plait__fail(pushing->adding->error, PLAIT_E_INVALID,
			   "%s: %.60s: argument %u \"%.40s\" (%s): %s",
			   plait__graph_place(pushing->adding, room),
			   pushing->signature->name,
			   (uint32_t)(parameter -
				      pushing->signature->parameters),
			   parameter->name,
			   plait__argument_type(parameter, type), what);
}

static plait_status no_memory(const plait__adding *adding)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(adding->error, PLAIT_E_NOMEM, "no memory for %s",
			   plait__graph_place(adding, room));
}

static bool is_pointer(const struct pushing *pushing)
{
	return pushing->parameter->type == PLAIT__TYPE_POINTER;
}

/* Space in the blob, aligned for any value. */
static plait_status push_blob(struct pushing *pushing, const void *bytes,
			      uint32_t count)
{
	plait__vector *blob = &pushing->adding->graph->store->blob;
	uint32_t padding = -blob->count % BLOB_ALIGNMENT;
	char *place = plait__vector_extend(blob, padding + count);

	if (place == NULL)
		return no_memory(pushing->adding);
	memset(place, 0, padding + count);
	if (bytes != NULL)
		memcpy(place + padding, bytes, count);
	pushing->arg.blob = blob->count - count;
	pushing->arg.bytes = count;
	return PLAIT_OK;
}

static uint32_t access_of(const plait__parameter *parameter)
{
	switch (parameter->mode) {
	case PLAIT__MODE_IN: return PLAIT__ACCESS_READ;
	case PLAIT__MODE_OUT: return PLAIT__ACCESS_WRITE;
	default: return PLAIT__ACCESS_READ_WRITE;
	}
}

static plait_status push_access(plait__adding *adding, uint32_t object,
				uint32_t mode, uint32_t box)
{
	plait__plan_access access = { object, 0, mode, box };
	plait__vector *accesses = &adding->graph->store->accesses;

	if (PLAIT__VECTOR_ADD(accesses, &access) == NULL)
		return no_memory(adding);
	adding->node.access_count++;
	return PLAIT_OK;
}

/* Slot i stands for buffer i. */
static plait_status check_write(const plait__adding *adding, uint32_t slot)
{
	plait__vector *buffers =
		&adding->graph->store->objects[PLAIT__STORE_BUFFERS];
	const plait__buffer *buffer = *(plait__buffer **)
		plait__vector_at(buffers, slot);
	char room[PLAIT__GRAPH_PLACE_ROOM];

	if (plait__buffer_check_write(buffer, adding->error) == PLAIT_OK)
		return PLAIT_OK;
	plait__error_prefix(adding->error, "%s: ",
			    plait__graph_place(adding, room));
	return PLAIT_E_INVALID;
}

/* All of a slot needs no box. */
static plait_status push_range_access(plait__adding *adding,
				      const plait__range *range,
				      uint64_t bytes, uint32_t mode)
{
	plait__store *store = adding->graph->store;
	const plait__plan_slot *slot = plait__vector_at(&store->slots,
							range->slot);
	plait__plan_box box = {
		{ range->offset, 0, 0 }, { range->offset + bytes, 1, 1 }
	};
	uint32_t number = PLAIT__NONE;

	if (mode != PLAIT__ACCESS_READ &&
	    check_write(adding, range->slot) != PLAIT_OK)
		return PLAIT_E_INVALID;
	if (range->offset != 0 || bytes != slot->bytes) {
		number = store->boxes.count;
		if (plait__vector_push(&store->boxes, &box, 1) == NULL)
			return no_memory(adding);
	}
	return push_access(adding, range->slot, mode, number);
}

static plait_status push_arg(plait__adding *adding, const plait__plan_arg *arg)
{
	if (PLAIT__VECTOR_ADD(&adding->graph->store->args, arg) == NULL)
		return no_memory(adding);
	adding->payload.arg_count++;
	return PLAIT_OK;
}

plait_status plait__graph_memory(plait__adding *adding,
				 const plait__range *range, uint64_t bytes,
				 uint32_t access)
{
	plait__plan_arg arg = { .kind = PLAIT__ARG_MEMORY,
				.index = range->slot,
				.offset = range->offset };
	plait_status status = push_range_access(adding, range, bytes, access);

	return status == PLAIT_OK ? push_arg(adding, &arg) : status;
}

plait_status plait__graph_value(plait__adding *adding, const void *bytes,
				uint32_t count)
{
	struct pushing pushing = { .adding = adding,
				   .arg = { .kind = PLAIT__ARG_VALUE } };
	plait_status status = push_blob(&pushing, bytes, count);

	return status == PLAIT_OK ? push_arg(adding, &pushing.arg) : status;
}

/* ---- one function a kind ---- */

static plait_status push_value(struct pushing *pushing)
{
	uint32_t bytes = plait__type_bytes(pushing->parameter->type);
	const char *fault = plait__argument_judge_value(
		pushing->parameter, pushing->given->value,
		pushing->given->bytes);

	if (fault != NULL)
		return wrong(pushing, fault);
	pushing->arg.kind = PLAIT__ARG_VALUE;
	return push_blob(pushing, pushing->given->value, bytes);
}

/* A range that does not hold was described without its argument. */
static plait_status name_argument(const struct pushing *pushing,
				  plait_status status)
{
	char what[160];

	(void)snprintf(what, sizeof(what), "%.60s: argument %u \"%.40s\"",
		       pushing->signature->name,
		       (uint32_t)(pushing->parameter -
				  pushing->signature->parameters),
		       pushing->parameter->name);
	(void)plait__graph_name(pushing->adding, what);
	return status;
}

static plait_status push_buffer(struct pushing *pushing)
{
	plait__range range;
	plait_status status;
	const char *fault;

	if (!is_pointer(pushing))
		return wrong(pushing, "a buffer needs a pointer");
	status = plait__graph_range(pushing->adding, pushing->given->buffer,
				    pushing->given->offset_bytes, &range);
	if (status != PLAIT_OK)
		return name_argument(pushing, status);
	fault = plait__argument_judge_memory(pushing->parameter,
					     pushing->given->offset_bytes);
	if (fault != NULL)
		return wrong(pushing, fault);
	pushing->arg.kind = PLAIT__ARG_MEMORY;
	pushing->arg.index = range.slot;
	pushing->arg.offset = range.offset;
	return push_range_access(pushing->adding, &range, range.bytes,
				 access_of(pushing->parameter));
}

static plait_status push_patch(struct pushing *pushing, uint32_t bytes)
{
	plait__store *store = pushing->adding->graph->store;
	plait__plan_patch patch = {
		pushing->arg.index, pushing->arg.blob, bytes,
		store->args.count
	};

	if (plait__vector_push(&store->patches, &patch, 1) == NULL)
		return no_memory(pushing->adding);
	return PLAIT_OK;
}

static plait_status push_parameter(struct pushing *pushing)
{
	plait__store *store = pushing->adding->graph->store;
	plait__plan_param param = {
		.kind = is_pointer(pushing) ? PLAIT__PARAM_MEMORY :
			PLAIT__PARAM_VALUE,
		.type = (uint32_t)pushing->parameter->type,
		.bytes = plait__type_bytes(pushing->parameter->type),
	};
	plait_status status;
	bool differs;

	if (pushing->given->name == NULL || pushing->given->name[0] == '\0')
		return wrong(pushing, "a parameter needs a name");
	param.name = plait__store_string(store, pushing->given->name);
	if (param.name == PLAIT__NONE)
		return no_memory(pushing->adding);
	pushing->arg.kind = PLAIT__ARG_PARAM;
	pushing->arg.index = plait__store_param(store, &param, &differs);
	if (differs)
		return wrong(pushing, "this parameter has another type "
			     "elsewhere");
	if (pushing->arg.index == PLAIT__NONE)
		return no_memory(pushing->adding);
	status = push_blob(pushing, NULL, param.bytes);
	if (status == PLAIT_OK)
		status = push_patch(pushing, param.bytes);
	if (status == PLAIT_OK && is_pointer(pushing))
		status = push_access(pushing->adding,
				     plait__access_param(pushing->arg.index),
				     access_of(pushing->parameter),
				     PLAIT__NONE);
	return status;
}

static plait_status wrong_name(const plait__adding *adding, const char *name,
			       const char *what)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(adding->error, PLAIT_E_INVALID,
			   "%s: parameter \"%.60s\" %s",
			   plait__graph_place(adding, room), name, what);
}

/* From where on, within what runs bring. */
static plait_status push_parameter_access(plait__adding *adding,
					  const char *name,
					  const plait__range *range,
					  uint64_t bytes, uint32_t mode)
{
	plait__store *store = adding->graph->store;
	plait__plan_box box = { { range->offset, 0, 0 }, { 0, 1, 1 } };

	if (__builtin_add_overflow(range->offset, bytes, &box.high[0]))
		return wrong_name(adding, name, "ends beyond all memory");
	if (plait__vector_push(&store->boxes, &box, 1) == NULL)
		return no_memory(adding);
	return push_access(adding, range->slot, mode, store->boxes.count - 1);
}

plait_status plait__graph_parameter(plait__adding *adding, const char *name,
				    plait__range *range, uint64_t bytes,
				    uint32_t access)
{
	plait__store *store = adding->graph->store;
	struct pushing pushing = { .adding = adding,
				   .arg = { .kind = PLAIT__ARG_PARAM } };
	plait__plan_param param = { .kind = PLAIT__PARAM_MEMORY,
				    .type = PLAIT__TYPE_POINTER,
				    .bytes = sizeof(uint64_t) };
	const uint64_t cell[] = { 0, range->offset };
	plait_status status;
	bool differs;

	param.name = plait__store_string(store, name);
	if (param.name == PLAIT__NONE)
		return no_memory(adding);
	pushing.arg.index = plait__store_param(store, &param, &differs);
	if (differs)
		return wrong_name(adding, name, "is no buffer elsewhere");
	if (pushing.arg.index == PLAIT__NONE)
		return no_memory(adding);
	range->slot = plait__access_param(pushing.arg.index);
	status = push_blob(&pushing, cell, sizeof(cell));
	if (status == PLAIT_OK)
		status = push_patch(&pushing, param.bytes);
	if (status == PLAIT_OK)
		status = push_parameter_access(adding, name, range, bytes,
					       access);
	return status == PLAIT_OK ? push_arg(adding, &pushing.arg) : status;
}

static uint32_t first_device(const plait__store *store,
			     const plait__plan_rotation *rotation)
{
	uint32_t slot = *(uint32_t *)plait__vector_at(
		&store->rotation_slots, rotation->slot_first);

	return ((plait__plan_slot *)plait__vector_at(&store->slots,
						     slot))->device;
}

/* Turns that this node writes; what is in the prologue's slot is not. */
static plait_status check_turns(const struct pushing *pushing,
				const plait__plan_rotation *rotation)
{
	plait__store *store = pushing->adding->graph->store;

	if (access_of(pushing->parameter) == PLAIT__ACCESS_READ)
		return PLAIT_OK;
	for (uint32_t i = rotation->prologue != 0 ? 1 : 0;
	     i < rotation->slot_count; i++) {
		uint32_t slot = *(uint32_t *)plait__vector_at(
			&store->rotation_slots, rotation->slot_first + i);

		if (check_write(pushing->adding, slot) != PLAIT_OK)
			return PLAIT_E_INVALID;
	}
	return PLAIT_OK;
}

/* Different turns of one rotation are different memory. */
static plait_status push_rotation(struct pushing *pushing)
{
	plait__store *store = pushing->adding->graph->store;
	plait__adding *adding = pushing->adding;
	uint32_t number = plait__scope_rotation(store,
						pushing->given->rotation);
	uint64_t ahead = pushing->given->ahead;
	const plait__plan_rotation *rotation;
	uint32_t object;

	if (!is_pointer(pushing))
		return wrong(pushing, "a rotation needs a pointer");
	if (number == PLAIT__NONE)
		return wrong(pushing, "no such rotation in this graph");
	if (ahead > MAX_AHEAD)
		return wrong(pushing, "ahead is more than 15");
	rotation = plait__vector_at(&store->rotations, number);
	if (!plait__scope_sees_loop(store, adding->graph->scope,
				    rotation->region))
		return wrong(pushing, "the rotation's loop is in a body that "
			     "this node is not part of");
	if (check_turns(pushing, rotation) != PLAIT_OK)
		return PLAIT_E_INVALID;
	if (adding->first_buffer_device == PLAIT__NONE)
		adding->first_buffer_device = first_device(store, rotation);
	object = plait__access_rotation(number, plait__access_turn(
		ahead, rotation->slot_count - rotation->prologue,
		rotation->prologue));
	pushing->arg.kind = PLAIT__ARG_ROTATION;
	pushing->arg.index = number;
	pushing->arg.offset = ahead;
	return push_access(pushing->adding, object,
			   access_of(pushing->parameter), PLAIT__NONE);
}

static plait_status push_iteration(struct pushing *pushing)
{
	const plait__graph *graph = pushing->adding->graph;
	uint32_t loop = plait__scope_loop(graph->store, graph->scope);
	plait__type type = pushing->parameter->type;

	if (type != PLAIT__TYPE_U32 && type != PLAIT__TYPE_U64 &&
	    type != PLAIT__TYPE_I32 && type != PLAIT__TYPE_I64)
		return wrong(pushing, "the iteration's number needs i32, i64, "
			     "u32 or u64");
	if (loop == PLAIT__NONE)
		return wrong(pushing, "the iteration's number exists only in "
			     "the body of a loop");
	pushing->arg.kind = PLAIT__ARG_INDEX;
	pushing->arg.index = loop;
	return push_blob(pushing, NULL, plait__type_bytes(type));
}

static plait_status push_scratch(struct pushing *pushing)
{
	if (!is_pointer(pushing))
		return wrong(pushing, "scratch needs a pointer");
	if (pushing->adding->desc->scratch_bytes == 0)
		return wrong(pushing, "the node's scratch_bytes is 0");
	pushing->arg.kind = PLAIT__ARG_SCRATCH;
	return PLAIT_OK;
}

static plait_status push_one(struct pushing *pushing)
{
	static plait_status (*const push[])(struct pushing *pushing) = {
		push_value, push_buffer, push_parameter, push_rotation,
		push_iteration, push_scratch,
	};
	uint32_t kind = pushing->given->kind;
	plait_status status;

	if (kind >= sizeof(push) / sizeof(push[0]))
		return wrong(pushing, "kind is not one of PLAIT_ARGUMENT_...");
	status = push[kind](pushing);
	return status == PLAIT_OK ? push_arg(pushing->adding, &pushing->arg) :
	       status;
}

/* One of another size than ours.  The first one's size is that of all; later
 * ones need not repeat it. */
static plait_status copy_argument(const plait__adding *adding, uint32_t i,
				  plait_argument *room)
{
	const char *first = (const char *)adding->desc->arguments;
	unsigned char copy[PLAIT__DESC_MAX_BYTES];
	uint32_t size;

	memcpy(&size, first, sizeof(size));
	if (i == 0)
		return PLAIT__READ(plait_argument, room, first, adding->error);
	/* The first one's size was found good. */
	memcpy(copy, first + (uint64_t)i * size, size);
	memcpy(copy, &size, sizeof(size));
	return PLAIT__READ(plait_argument, room, copy, adding->error);
}

/* Arguments of the size that we know are read where they are. */
static plait_status read_argument(const plait__adding *adding, uint32_t i,
				  plait_argument *room,
				  const plait_argument **out)
{
	if (adding->desc->arguments->size == sizeof(*room)) {
		*out = &adding->desc->arguments[i];
		return PLAIT_OK;
	}
	*out = room;
	return copy_argument(adding, i, room);
}

static plait_status check_count(const plait__adding *adding,
				const plait__signature *signature)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];
	uint64_t count = adding->desc->argument_count;

	if (count > 0 && adding->desc->arguments == NULL)
		return plait__fail(adding->error, PLAIT_E_INVALID,
				   "%s: arguments is null",
				   plait__graph_place(adding, room));
	if (count == signature->count)
		return PLAIT_OK;
	return plait__fail(adding->error, PLAIT_E_INVALID,
			   "%s: %llu arguments for %u parameters of %s",
			   plait__graph_place(adding, room),
			   (unsigned long long)count, signature->count,
			   signature->name);
}

plait_status plait__graph_arguments(plait__adding *adding,
				    const plait__signature *signature)
{
	plait_status status = check_count(adding, signature);
	plait_argument room;

	if (status == PLAIT_OK && plait__graph_quick(adding, signature))
		return PLAIT_OK;
	for (uint32_t i = 0; status == PLAIT_OK && i < signature->count; i++) {
		struct pushing pushing = {
			.adding = adding, .signature = signature,
			.parameter = &signature->parameters[i],
		};

		status = read_argument(adding, i, &room, &pushing.given);
		if (status == PLAIT_OK)
			status = push_one(&pushing);
	}
	return status;
}
