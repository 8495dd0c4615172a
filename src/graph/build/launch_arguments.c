/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a launch: each is checked against its parameter and becomes an
 * argument of the plan plus, for memory, an access.
 */
#include "graph/build/launch_arguments.h"

#include "graph/build/add_node_fast.h"
#include "graph/build/argument_array.h"
#include "graph/build/graph.h"
#include "graph/build/image_arguments.h"
#include "graph/build/object_refs.h"
#include "graph/build/rotation_refs.h"
#include "graph/build/scopes.h"
#include "graph/build/series.h"
#include "graph/store/unique_values.h"
#include "base/error.h"
#include "kernel/argument.h"
#include "object/memory/buffer.h"
#include "plan/access.h"

#include <stdio.h>
#include <string.h>

enum { BLOB_ALIGNMENT = 8 };

/* Writer of one argument. */
struct writer {
	plait__node_draft *draft;
	const plait_argument *given;
	const plait__signature *signature;
	const plait__parameter *parameter;
	plait__plan_arg arg;
};

static plait_status fail(const struct writer *writer, const char *what)
{
	const plait__parameter *parameter = writer->parameter;
	char room[PLAIT__REFS_TEXT_BYTES], type[PLAIT__ARGUMENT_TYPE_ROOM];

	return plait__fail(writer->draft->error, PLAIT_E_INVALID,
			   "%s: %.60s: argument %u \"%.40s\" (%s): %s",
			   plait__refs_node_text(writer->draft, room),
			   writer->signature->name,
			   (uint32_t)(parameter -
				      writer->signature->parameters),
			   parameter->name,
			   plait__argument_type(parameter, type), what);
}

static plait_status no_memory(const plait__node_draft *draft)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_NOMEM, "no memory for %s",
			   plait__refs_node_text(draft, room));
}

static bool is_pointer(const struct writer *writer)
{
	return writer->parameter->type == PLAIT__TYPE_POINTER;
}

/* Append bytes (null: zeros) at a multiple of 8; writer->arg gets the place. */
static plait_status push_blob(struct writer *writer, const void *bytes,
			      uint32_t count)
{
	plait__vector *blob = &writer->draft->graph->store->blob;
	uint32_t padding = -blob->count % BLOB_ALIGNMENT;
	char *place = plait__vector_extend(blob, padding + count);

	if (place == NULL)
		return no_memory(writer->draft);
	memset(place, 0, padding + count);
	if (bytes != NULL)
		memcpy(place + padding, bytes, count);
	writer->arg.blob = blob->count - count;
	writer->arg.bytes = count;
	return PLAIT_OK;
}

static uint32_t access_of(const plait__parameter *parameter)
{
	switch (parameter->mode) {
	case PLAIT__MODE_IN: return PLAIT__ACCESS_READ;
	case PLAIT__MODE_OUT: return PLAIT__ACCESS_WRITE;
	case PLAIT__MODE_ATOMIC: return PLAIT__ACCESS_ATOMIC;
	default: return PLAIT__ACCESS_READ_WRITE;
	}
}

static plait_status push_access(plait__node_draft *draft, uint32_t object,
				uint32_t mode, uint32_t box)
{
	plait__plan_access access = { object, 0, mode, box };
	plait__vector *accesses = &draft->graph->store->accesses;

	if (PLAIT__VECTOR_ADD(accesses, &access) == NULL)
		return no_memory(draft);
	draft->node.access_count++;
	return PLAIT_OK;
}

/* Push the access of a range of an object, which is the slot or rotates with it; a
 * whole slot needs no box. */
static plait_status push_box_access(plait__node_draft *draft,
				    const plait__range *range, uint64_t bytes,
				    uint32_t object, uint32_t mode)
{
	plait__store *store = draft->graph->store;
	const plait__plan_slot *slot = plait__vector_at(&store->slots,
							range->slot);
	plait__plan_box box = {
		{ range->offset, 0, 0 }, { range->offset + bytes, 1, 1 }
	};
	uint32_t number = PLAIT__NONE;

	if (range->offset != 0 || bytes != slot->bytes) {
		number = store->boxes.count;
		if (plait__vector_push(&store->boxes, &box, 1) == NULL)
			return no_memory(draft);
	}
	return push_access(draft, object, mode, number);
}

static plait_status push_range_access(plait__node_draft *draft,
				      const plait__range *range,
				      uint64_t bytes, uint32_t mode)
{
	if (mode != PLAIT__ACCESS_READ &&
	    plait__rotation_refs_check_slot(draft, range->slot) != PLAIT_OK)
		return PLAIT_E_INVALID;
	return push_box_access(draft, range, bytes, range->slot, mode);
}

/* Append an argument; after a failure the caller cuts the tables back. */
static plait_status push_arg(plait__node_draft *draft,
			     const plait__plan_arg *arg)
{
	if (PLAIT__VECTOR_ADD(&draft->graph->store->args, arg) == NULL)
		return no_memory(draft);
	draft->payload.arg_count++;
	return PLAIT_OK;
}

plait_status plait__arguments_push_range(plait__node_draft *draft,
					 const plait__range *range,
					 uint64_t bytes, uint32_t access)
{
	plait__plan_arg arg = { .kind = PLAIT__ARG_MEMORY,
				.index = range->slot,
				.offset = range->offset };
	plait_status status = push_range_access(draft, range, bytes, access);

	return status == PLAIT_OK ? push_arg(draft, &arg) : status;
}

plait_status plait__arguments_push_access(plait__node_draft *draft,
					  const plait__range *range,
					  uint64_t bytes, uint32_t access)
{
	return push_range_access(draft, range, bytes, access);
}

plait_status plait__arguments_push_turn(plait__node_draft *draft,
					const plait__rotation_ref *ref,
					uint64_t ahead,
					const plait__range *range,
					uint64_t bytes, uint32_t access)
{
	plait__plan_arg arg = { .kind = PLAIT__ARG_ROTATION,
				.index = ref->number,
				.offset = plait__payload_rotation(
					ahead, range->offset) };
	plait_status status = PLAIT_OK;

	if (access != PLAIT__ACCESS_READ)
		status = plait__rotation_refs_check_write(draft, ref);
	if (status == PLAIT_OK)
		status = push_box_access(draft, range, bytes, ref->object,
					 access);
	return status == PLAIT_OK ? push_arg(draft, &arg) : status;
}

plait_status plait__arguments_push_value(plait__node_draft *draft,
					 const void *bytes, uint32_t count)
{
	struct writer writer = { .draft = draft,
				   .arg = { .kind = PLAIT__ARG_VALUE } };
	plait_status status = push_blob(&writer, bytes, count);

	return status == PLAIT_OK ? push_arg(draft, &writer.arg) : status;
}

/* ---- one function per kind ---- */

static plait_status push_value(struct writer *writer)
{
	uint32_t bytes = writer->parameter->bytes;
	char room[PLAIT__ARGUMENT_FAULT_ROOM];
	const char *fault = plait__argument_check_value(
		writer->parameter, writer->given->value,
		writer->given->bytes, room);

	if (fault != NULL)
		return fail(writer, fault);
	writer->arg.kind = PLAIT__ARG_VALUE;
	return push_blob(writer, writer->given->value, bytes);
}

/* The value in the plan is the number of bytes. */
static plait_status push_local(struct writer *writer)
{
	const uint64_t bytes = writer->given->bytes;
	char room[PLAIT__ARGUMENT_FAULT_ROOM];
	const char *fault = plait__argument_check_local(writer->parameter,
							bytes, room);

	if (fault != NULL)
		return fail(writer, fault);
	writer->arg.kind = PLAIT__ARG_VALUE;
	return push_blob(writer, &bytes, sizeof(bytes));
}

/* Name the argument for errors about a part of it. */
static const char *name_part(const struct writer *writer, char what[160])
{
	(void)snprintf(what, 160, "%.60s: argument %u \"%.40s\"",
		       writer->signature->name,
		       (uint32_t)(writer->parameter -
				  writer->signature->parameters),
		       writer->parameter->name);
	return what;
}

/* Name the argument in an error about its range. */
static plait_status name_argument(const struct writer *writer,
				  plait_status status)
{
	char what[160];

	(void)plait__refs_prefix_error(writer->draft,
				       name_part(writer, what));
	return status;
}

static plait_status push_buffer(struct writer *writer)
{
	plait__range range;
	plait_status status;
	const char *fault;

	fault = plait__argument_check_memory(writer->parameter, 0);
	if (fault != NULL)
		return fail(writer, fault);
	status = plait__refs_range(writer->draft, writer->given->buffer,
				   writer->given->offset_bytes, &range);
	if (status != PLAIT_OK)
		return name_argument(writer, status);
	fault = plait__argument_check_memory(writer->parameter,
					     writer->given->offset_bytes);
	if (fault == NULL)
		fault = plait__image_arguments_fault(
			writer->draft, range.slot, range.offset,
			writer->parameter);
	if (fault != NULL)
		return fail(writer, fault);
	writer->arg.kind = PLAIT__ARG_MEMORY;
	writer->arg.index = range.slot;
	writer->arg.offset = range.offset;
	return push_range_access(writer->draft, &range, range.bytes,
				 access_of(writer->parameter));
}

static plait_status push_patch(struct writer *writer, uint32_t bytes)
{
	plait__store *store = writer->draft->graph->store;
	plait__plan_patch patch = {
		writer->arg.index, writer->arg.blob, bytes,
		store->args.count
	};

	if (plait__vector_push(&store->patches, &patch, 1) == NULL)
		return no_memory(writer->draft);
	return PLAIT_OK;
}

static plait_status push_parameter(struct writer *writer)
{
	plait__store *store = writer->draft->graph->store;
	plait__type type = plait__signature_is_image(writer->parameter) ?
		PLAIT__TYPE_IMAGE : writer->parameter->type;
	/* A run binds the number of bytes; until then it is one element. */
	bool is_local = type == PLAIT__TYPE_LOCAL;
	const uint64_t least = plait__type_bytes(writer->parameter->element);
	plait__plan_param param = {
		.kind = is_pointer(writer) ? PLAIT__PARAM_MEMORY :
			PLAIT__PARAM_VALUE,
		.type = (uint32_t)(is_local ? PLAIT__TYPE_U64 : type),
		.bytes = writer->parameter->bytes,
	};
	plait_status status;
	bool differs;

	if (writer->given->name == NULL || writer->given->name[0] == '\0')
		return fail(writer, "a parameter needs a name");
	param.name = plait__values_string(store, writer->given->name);
	if (param.name == PLAIT__NONE)
		return no_memory(writer->draft);
	writer->arg.kind = PLAIT__ARG_PARAM;
	writer->arg.index = plait__values_param(store, &param, &differs);
	if (differs)
		return fail(writer, "another node uses this parameter with "
			    "another type");
	if (writer->arg.index == PLAIT__NONE)
		return no_memory(writer->draft);
	status = push_blob(writer, is_local ? &least : NULL, param.bytes);
	if (status == PLAIT_OK)
		status = push_patch(writer, param.bytes);
	if (status == PLAIT_OK && is_pointer(writer))
		status = push_access(writer->draft,
				     plait__access_param(writer->arg.index),
				     access_of(writer->parameter),
				     PLAIT__NONE);
	return status;
}

static plait_status wrong_name(const plait__node_draft *draft, const char *name,
			       const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID,
			   "%s: parameter \"%.60s\" %s",
			   plait__refs_node_text(draft, room), name, what);
}

/* Push the access of a buffer that runs bind, from an offset on. */
static plait_status push_parameter_access(plait__node_draft *draft,
					  const char *name,
					  const plait__range *range,
					  uint64_t bytes, uint32_t mode)
{
	plait__store *store = draft->graph->store;
	plait__plan_box box = { { range->offset, 0, 0 }, { 0, 1, 1 } };

	if (__builtin_add_overflow(range->offset, bytes, &box.high[0]))
		return wrong_name(draft, name, "ends beyond all memory");
	if (plait__vector_push(&store->boxes, &box, 1) == NULL)
		return no_memory(draft);
	return push_access(draft, range->slot, mode, store->boxes.count - 1);
}

plait_status plait__arguments_push_parameter(plait__node_draft *draft,
					     const char *name, uint32_t kind,
					     plait__range *range,
					     uint64_t bytes, uint32_t access)
{
	plait__store *store = draft->graph->store;
	struct writer writer = { .draft = draft,
				   .arg = { .kind = PLAIT__ARG_PARAM } };
	plait__plan_param param = { .kind = kind,
				    .type = PLAIT__TYPE_POINTER,
				    .bytes = sizeof(uint64_t) };
	const uint64_t cell[] = { 0, range->offset };
	plait_status status;
	bool differs;

	param.name = plait__values_string(store, name);
	if (param.name == PLAIT__NONE)
		return no_memory(draft);
	writer.arg.index = plait__values_param(store, &param, &differs);
	if (differs)
		return wrong_name(draft, name, "is of another kind elsewhere");
	if (writer.arg.index == PLAIT__NONE)
		return no_memory(draft);
	range->slot = plait__access_param(writer.arg.index);
	status = push_blob(&writer, cell, sizeof(cell));
	if (status == PLAIT_OK)
		status = push_patch(&writer, param.bytes);
	if (status == PLAIT_OK && access != PLAIT__NONE)
		status = push_parameter_access(draft, name, range, bytes,
					       access);
	return status == PLAIT_OK ? push_arg(draft, &writer.arg) : status;
}

/* A parameter of this name may exist already, with any integer type. */
plait_status plait__arguments_push_count(plait__node_draft *draft,
					 const char *name)
{
	plait__store *store = draft->graph->store;
	struct writer writer = { .draft = draft,
				   .arg = { .kind = PLAIT__ARG_PARAM } };
	plait__plan_param param = { .kind = PLAIT__PARAM_VALUE,
				    .type = PLAIT__TYPE_U64,
				    .bytes = sizeof(uint64_t) };
	plait_status status;
	bool differs = false;

	if (name[0] == '\0')
		return wrong_name(draft, name, "needs a name");
	param.name = plait__values_string(store, name);
	if (param.name == PLAIT__NONE)
		return no_memory(draft);
	for (uint32_t i = 0; i < store->params.count; i++) {
		const plait__plan_param *known =
			plait__vector_at(&store->params, i);

		if (known->name == param.name &&
		    known->kind == PLAIT__PARAM_VALUE &&
		    plait__type_is_count(known->type))
			param = *known;
	}
	writer.arg.index = plait__values_param(store, &param, &differs);
	if (differs)
		return wrong_name(draft, name, "is no integer elsewhere, so "
				  "it cannot be a count");
	if (writer.arg.index == PLAIT__NONE)
		return no_memory(draft);
	status = push_blob(&writer, NULL, param.bytes);
	if (status == PLAIT_OK)
		status = push_patch(&writer, param.bytes);
	return status == PLAIT_OK ? push_arg(draft, &writer.arg) : status;
}

/* Different slots of one rotation are different memory. */
static plait_status push_rotation(struct writer *writer)
{
	plait__node_draft *draft = writer->draft;
	uint32_t mode = access_of(writer->parameter);
	plait__rotation_ref ref;
	const char *fault;

	if (!is_pointer(writer))
		return fail(writer, "a rotation needs a pointer parameter");
	fault = plait__rotation_refs_find(draft, writer->given->rotation,
					  writer->given->ahead, &ref);
	if (fault == NULL)
		fault = plait__image_arguments_fault(
			draft, ref.first_slot, 0, writer->parameter);
	if (fault != NULL)
		return fail(writer, fault);
	if (mode != PLAIT__ACCESS_READ &&
	    plait__rotation_refs_check_write(draft, &ref) != PLAIT_OK)
		return PLAIT_E_INVALID;
	writer->arg.kind = PLAIT__ARG_ROTATION;
	writer->arg.index = ref.number;
	writer->arg.offset =
		plait__payload_rotation(writer->given->ahead, 0);
	return push_access(draft, ref.object, mode, PLAIT__NONE);
}

static plait_status push_series(struct writer *writer)
{
	char what[160];

	writer->arg.kind = PLAIT__ARG_SERIES;
	return plait__series_push(writer->draft, writer->given->series,
				  name_part(writer, what),
				  &writer->arg.index);
}

static plait_status push_iteration(struct writer *writer)
{
	const plait__graph *graph = writer->draft->graph;
	uint32_t loop =
		plait__scopes_enclosing_loop(graph->store, graph->scope);
	plait__type type = writer->parameter->type;

	if (!plait__type_is_count(type))
		return fail(writer, "the iteration's number needs i32, i64, "
			    "u32 or u64");
	if (loop == PLAIT__NONE)
		return fail(writer, "the iteration's number exists only in "
			    "the body of a loop");
	writer->arg.kind = PLAIT__ARG_INDEX;
	writer->arg.index = loop;
	if (writer->given->series != NULL) {
		plait_status status = push_series(writer);

		if (status != PLAIT_OK)
			return status;
	}
	return push_blob(writer, NULL, plait__type_bytes(type));
}

/* Why a launch cannot take this value from memory of the program; or null. */
static const char *host_fault(const struct writer *writer)
{
	if (is_pointer(writer) || writer->parameter->type == PLAIT__TYPE_LOCAL)
		return "memory of the program holds values only";
	if (writer->given->name == NULL || writer->given->name[0] == '\0')
		return "memory of the program needs a name";
	return writer->given->offset_bytes %
	       plait__payload_value_alignment(writer->parameter->bytes) != 0 ?
	       "offset_bytes is not aligned for its type" : NULL;
}

/* The bytes in the blob are the address that a run binds, and the offset. */
static plait_status push_host(struct writer *writer)
{
	plait__range range = { .offset = writer->given->offset_bytes };
	const char *fault = host_fault(writer);

	return fault != NULL ? fail(writer, fault) :
	       plait__arguments_push_parameter(
		       writer->draft, writer->given->name, PLAIT__PARAM_HOST,
		       &range, writer->parameter->bytes, PLAIT__ACCESS_READ);
}

static plait_status push_scratch(struct writer *writer)
{
	if (!is_pointer(writer) || plait__signature_is_image(writer->parameter))
		return fail(writer, "scratch needs a pointer parameter");
	if (writer->draft->desc->scratch_bytes == 0)
		return fail(writer, "the node's scratch_bytes is 0");
	writer->arg.kind = PLAIT__ARG_SCRATCH;
	return PLAIT_OK;
}

static plait_status push_one(struct writer *writer)
{
	static plait_status (*const push[])(struct writer *writer) = {
		[PLAIT_ARGUMENT_VALUE] = push_value,
		[PLAIT_ARGUMENT_BUFFER] = push_buffer,
		[PLAIT_ARGUMENT_PARAMETER] = push_parameter,
		[PLAIT_ARGUMENT_ROTATION] = push_rotation,
		[PLAIT_ARGUMENT_ITERATION] = push_iteration,
		[PLAIT_ARGUMENT_SCRATCH] = push_scratch,
		[PLAIT_ARGUMENT_LOCAL] = push_local,
		[PLAIT_ARGUMENT_HOST] = push_host,
	};
	uint32_t kind = writer->given->kind;
	plait_status status;

	if (kind >= sizeof(push) / sizeof(push[0]) || push[kind] == NULL)
		return fail(writer, "kind is not one of PLAIT_ARGUMENT_... "
			    "that a graph has");
	status = push[kind](writer);
	return status == PLAIT_OK && kind != PLAIT_ARGUMENT_HOST ?
	       push_arg(writer->draft, &writer->arg) : status;
}

static plait_status check_count(const plait__node_draft *draft,
				const plait__signature *signature)
{
	char room[PLAIT__REFS_TEXT_BYTES];
	uint64_t count = draft->desc->argument_count;
	plait_status status;

	if (count > 0 && draft->desc->arguments == NULL)
		return plait__fail(draft->error, PLAIT_E_INVALID,
				   "%s: arguments is null",
				   plait__refs_node_text(draft, room));
	if (count == signature->count)
		return PLAIT_OK;
	status = plait__signature_fail_count(signature, count, draft->error);
	plait__error_prefix(draft->error, "%s: ",
			    plait__refs_node_text(draft, room));
	return status;
}

plait_status plait__launch_arguments_push(plait__node_draft *draft,
					  const plait__signature *signature)
{
	plait_status status = check_count(draft, signature);
	plait_argument room;

	if (status == PLAIT_OK &&
	    plait__add_node_fast_arguments(draft, signature))
		return PLAIT_OK;
	for (uint32_t i = 0; status == PLAIT_OK && i < signature->count; i++) {
		struct writer writer = {
			.draft = draft, .signature = signature,
			.parameter = &signature->parameters[i],
		};

		status = plait__argument_array_read(draft, i, &room,
						    &writer.given);
		if (status == PLAIT_OK)
			status = push_one(&writer);
	}
	return status;
}
