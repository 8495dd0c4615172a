/* SPDX-License-Identifier: MIT */
/* Arguments of one launch on a queue: checked, copied, held and mapped; see
 * held_argument.h. */
#include "object/queue/held_argument.h"

#include "object/memory/buffer_check.h"
#include "object/memory/image.h"
#include "object/kernel/device_code.h"
#include "object/context/backend_result.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "kernel/argument.h"

#include <string.h>

/* The argument being checked, for error texts. */
struct place {
	const plait__queue *queue;
	const plait__signature *signature;
	const plait__parameter *parameter;
	uint32_t index;
	bool is_built; /* device code: no address is needed */
};

static plait_status fail_argument(const char *what, plait_error *error)
{
	return plait__fail(error, PLAIT_E_INVALID, "%s", what);
}

static plait_status take_value(plait__held_argument *slot,
			       const struct place *place,
			       const plait_argument *given, plait_error *error)
{
	char room[PLAIT__ARGUMENT_FAULT_ROOM];
	const char *fault = plait__argument_check_value(
		place->parameter, given->value, given->bytes, room);

	if (fault != NULL)
		return fail_argument(fault, error);
	memcpy(slot->place, given->value, given->bytes);
	return PLAIT_OK;
}

static plait_status take_local(plait__held_argument *slot,
			       const struct place *place,
			       const plait_argument *given, plait_error *error)
{
	char room[PLAIT__ARGUMENT_FAULT_ROOM];
	const char *fault = plait__argument_check_local(
		place->parameter, given->bytes, room);

	if (fault != NULL)
		return fail_argument(fault, error);
	slot->value.word = given->bytes;
	return PLAIT_OK;
}

/* A kernel may write a part of the buffer, and the rest keeps its values. */
static uint32_t map_flags(const plait__parameter *parameter)
{
	return parameter->mode == PLAIT__MODE_IN ?
		       PLAIT_MAP_READ : PLAIT_MAP_READ | PLAIT_MAP_WRITE;
}

/*
 * Host code needs an address, so the memory is mapped while it runs, and no
 * longer: a mapping may be a copy, which would miss earlier writes in the queue
 * and be missed by later reads. A range without bytes has no address.
 */
static plait_status map_slot(plait__held_argument *slot, uint32_t flags,
			     plait_error *error)
{
	plait__buffer *buffer = slot->buffer;
	plait__backend *backend = buffer->device->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (slot->offset == buffer->bytes)
		return PLAIT_OK;
	status = backend->table.memory_map(backend->self, buffer->root->raw,
					   buffer->offset + slot->offset,
					   buffer->bytes - slot->offset,
					   flags, &slot->mapped, &room);
	status = plait__backend_result_check_created(buffer->device->port,
						     status, "memory_map",
						     slot->mapped, &room,
						     error);
	if (status != PLAIT_OK)
		slot->mapped = NULL;
	slot->value.pointer = slot->mapped;
	return status;
}

static plait_status unmap_slot(plait__held_argument *slot, plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait__backend *backend;
	plait_status status;

	if (slot->mapped == NULL)
		return PLAIT_OK;
	backend = slot->buffer->device->port->backend;
	status = backend->table.memory_unmap(backend->self,
					     slot->buffer->root->raw,
					     slot->mapped, &room);
	slot->mapped = NULL;
	return plait__backend_result_check(slot->buffer->device->port, status,
					   "memory_unmap", &room, error);
}

/* Memory of a device is aligned for all elements, and so is its mapping, but for
 * the offset, also that of a view. Memory of the user may not be, and is known,
 * unless it is native: that shows when it is mapped. Nothing is mapped here, since a
 * mapping may be a copy of it all, beside commands that write there. */
static const char *address_fault(const struct place *place,
				 const plait__held_argument *slot)
{
	const plait__buffer *buffer = slot->buffer, *root = buffer->root;

	return root->wrapped == NULL && root->native != 0 ? NULL :
	       plait__argument_check_memory(
		       place->parameter, (uintptr_t)root->wrapped +
					 buffer->offset + slot->offset);
}

static plait_status take_memory(plait__held_argument *slot,
				const struct place *place,
				plait__buffer *buffer, uint64_t offset,
				plait_error *error)
{
	plait_status status;
	const char *fault;

	plait__object_hold(&buffer->object);
	slot->buffer = buffer;
	slot->offset = offset;
	if (place->is_built)
		return PLAIT_OK;
	status = plait__device_check_can(buffer->device, PLAIT_CAP_MAP,
					 "map memory, which a kernel on the "
					 "host needs", error);
	if (status == PLAIT_OK)
		status = plait__image_check_address(buffer, error);
	if (status != PLAIT_OK)
		return status;
	fault = address_fault(place, slot);
	return fault != NULL ? fail_argument(fault, error) : PLAIT_OK;
}

static plait_status check_buffer(const struct place *place,
				 const plait__buffer *buffer, uint64_t offset,
				 plait_error *error)
{
	const plait__queue *queue = place->queue;
	plait_status status;
	const char *fault;

	status = plait__context_check_same(&queue->object, &buffer->object,
					   error);
	if (status != PLAIT_OK)
		return status;
	if (buffer->device->port != queue->port)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the buffer is on device %s, which is of "
				   "another backend than the queue's, %s",
				   buffer->device->object.label,
				   queue->device->object.label);
	status = plait__buffer_check_range(buffer, offset, 0, "offset_bytes",
					   error);
	if (status == PLAIT_OK && place->parameter->mode != PLAIT__MODE_IN)
		status = plait__buffer_check_write(buffer, error);
	fault = plait__argument_check_memory(place->parameter, offset);
	if (fault == NULL)
		fault = plait__image_argument_fault(place->parameter, buffer,
						    offset);
	if (status == PLAIT_OK && fault != NULL)
		return fail_argument(fault, error);
	return status;
}

static plait_status take_buffer(plait__held_argument *slot,
				const struct place *place,
				const plait_argument *given,
				plait_error *error)
{
	const char *fault = plait__argument_check_memory(place->parameter, 0);
	plait__buffer *buffer;
	plait_status status;

	if (fault != NULL)
		return fail_argument(fault, error);
	status = plait__buffer_enter(given->buffer, &buffer, error);
	if (status != PLAIT_OK)
		return status;
	status = check_buffer(place, buffer, given->offset_bytes, error);
	if (status == PLAIT_OK)
		status = take_memory(slot, place, buffer, given->offset_bytes,
				     error);
	plait__object_leave(&buffer->object);
	return status;
}

static plait_status take_argument(plait__held_argument *slot,
				  const struct place *place,
				  const plait_argument *given,
				  plait_error *error)
{
	if (given->kind == PLAIT_ARGUMENT_VALUE)
		return take_value(slot, place, given, error);
	if (given->kind == PLAIT_ARGUMENT_BUFFER)
		return take_buffer(slot, place, given, error);
	if (given->kind == PLAIT_ARGUMENT_LOCAL)
		return take_local(slot, place, given, error);
	if (given->kind > PLAIT_ARGUMENT_LOCAL &&
	    given->kind != PLAIT_ARGUMENT_HOST)
		return fail_argument("kind is not one of PLAIT_ARGUMENT_...",
				     error);
	return fail_argument(
		"only values, buffers and local memory; the other kinds are "
		"for graphs",
		error);
}

/* The size field of the first argument applies to all. */
static plait_status read_argument(const plait_argument *arguments, uint32_t i,
				  plait_argument *out, plait_error *error)
{
	unsigned char copy[PLAIT__SIZED_STRUCT_MAX_BYTES];
	uint32_t size;

	memcpy(&size, arguments, sizeof(size));
	if (i == 0 || size < PLAIT__MIN_SIZE(plait_argument) ||
	    size > sizeof(copy))
		return PLAIT__STRUCT_READ(plait_argument, out, arguments,
					  error);
	memcpy(copy, (const char *)arguments + (uint64_t)i * size, size);
	memcpy(copy, &size, sizeof(size));
	return PLAIT__STRUCT_READ(plait_argument, out, copy, error);
}

/* Put the argument in front of the error text. */
static void name_place(const struct place *place, plait_error *error)
{
	char room[PLAIT__ARGUMENT_TYPE_ROOM];

	plait__error_prefix(error, "%.60s: argument %u \"%.40s\" (%s): ",
			    place->signature->name, place->index,
			    place->parameter->name,
			    plait__argument_type(place->parameter, room));
}

/* Refuse a launch that reads and writes one image. */
static plait_status check_apart(const plait__held_argument *slots,
				const plait__signature *signature,
				plait_error *error)
{
	bool twice = false;

	for (uint32_t i = 0; signature->image_count > 1 &&
	     i < signature->count; i++)
		for (uint32_t k = 0; k < signature->count; k++)
			twice |= k != i && slots[i].buffer != NULL &&
				 slots[i].buffer == slots[k].buffer &&
				 plait__image_is(slots[i].buffer) &&
				 signature->parameters[i].mode ==
					 PLAIT__MODE_OUT;
	return !twice ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_INVALID,
			   "%.60s: an image that it writes is an argument "
			   "twice", signature->name);
}

plait_status plait__held_argument_take(plait__held_argument *slots,
				       const plait__kernel *kernel,
				       const plait__queue *queue,
				       const plait_argument *arguments,
				       plait_error *error)
{
	struct place place = {
		.queue = queue, .signature = kernel->signature,
		.is_built = plait__device_code_find(kernel,
						    queue->device) != NULL,
	};
	plait_status status = PLAIT_OK;
	plait_argument given;

	for (uint32_t i = 0;
	     status == PLAIT_OK && i < kernel->signature->count; i++) {
		place.index = i;
		place.parameter = &place.signature->parameters[i];
		status = read_argument(arguments, i, &given, error);
		if (status == PLAIT_OK)
			status = take_argument(&slots[i], &place, &given,
					       error);
	}
	if (status != PLAIT_OK)
		name_place(&place, error);
	else
		status = check_apart(slots, kernel->signature, error);
	return status;
}

/* Native memory may be less aligned than its offset. */
static plait_status map_argument(plait__held_argument *slot,
				 const plait__parameter *parameter)
{
	plait_status status = map_slot(slot, map_flags(parameter), NULL);

	if (status == PLAIT_OK &&
	    plait__argument_check_memory(
		    parameter, (uintptr_t)slot->value.pointer) != NULL)
		status = PLAIT_E_INVALID;
	return status;
}

plait_status plait__held_argument_map(plait__held_argument *slots,
				      const plait__signature *signature)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < signature->count; i++)
		if (slots[i].buffer != NULL)
			status = map_argument(&slots[i],
					      &signature->parameters[i]);
	return status;
}

plait_status plait__held_argument_unmap(plait__held_argument *slots,
					uint32_t count)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < count; i++) {
		plait_status said = unmap_slot(&slots[i], NULL);

		if (status == PLAIT_OK)
			status = said;
	}
	return status;
}

void plait__held_argument_drop(const plait__held_argument *slots,
			       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (slots[i].buffer != NULL)
			plait__object_drop(&slots[i].buffer->object);
}
