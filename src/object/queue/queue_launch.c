/* SPDX-License-Identifier: MIT */
/*
 * Launch of a kernel on a queue, outside any graph. Its arguments are copied
 * into a record, which the in-flight ring holds, and which drops what it holds
 * when the launch is done or skipped. A device with code for the kernel
 * executes the launch; otherwise it is a call on the host.
 */
#include "object/memory/buffer.h"
#include "object/memory/buffer_check.h"
#include "object/kernel/device_code.h"
#include "object/kernel/kernel.h"
#include "object/kernel/local_limit.h"
#include "object/context/backend_result.h"
#include "object/queue/queue_finish.h"
#include "object/queue/queue_races.h"
#include "object/queue/submission.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "kernel/argument.h"
#include "kernel/launch.h"

#include <string.h>

/* An argument: its value; or the buffer, which is held, and an offset. The
 * buffer is mapped while the kernel runs. */
struct held_argument {
	union {
		uint64_t word;
		void *pointer;
	} value;
	void *place; /* of the value: `value`, or for larger ones behind the
		      * arguments */
	plait__buffer *buffer;
	uint64_t offset;
	void *mapped;
};

struct record {
	plait__object object;
	plait__kernel *kernel; /* held */
	/* The launch as the device's backend bound it; null: a call on the
	 * host. */
	const plait__device *device;
	plait_backend_launch *raw;
	plait_launch launch;
	uint32_t count;
	uint64_t block_bytes;
	struct held_argument *slots;
	void **arguments;
};

/* ---- end ---- */

static void destroy_record(plait__object *object)
{
	struct record *self = (struct record *)object;

	plait__device_code_unbind(self->device, self->raw);
	for (uint32_t i = 0; i < self->count; i++)
		if (self->slots[i].buffer != NULL)
			plait__object_drop(&self->slots[i].buffer->object);
	plait__object_drop(&self->kernel->object);
	plait__free(plait__context_allocator(object->context), self,
		    self->block_bytes);
}

static const plait__class record_class = {
	.type = PLAIT_OBJECT_ANY, .destroy = destroy_record
};

/* ---- arguments ---- */

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

/* The slot has room for the bytes of the type, which the check compares. */
static plait_status take_value(struct held_argument *slot,
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

static plait_status take_local(struct held_argument *slot,
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

static uint32_t map_flags(const plait__parameter *parameter)
{
	switch (parameter->mode) {
	case PLAIT__MODE_IN: return PLAIT_MAP_READ;
	case PLAIT__MODE_OUT: return PLAIT_MAP_WRITE;
	default: return PLAIT_MAP_READ | PLAIT_MAP_WRITE;
	}
}

/*
 * Host code needs an address, so the memory is mapped while it runs, and no
 * longer: a mapping may be a copy, which would miss earlier writes in the queue
 * and be missed by later reads. A range without bytes has no address.
 * check_buffer has checked the offset.
 */
static plait_status map_slot(struct held_argument *slot, uint32_t flags,
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

static plait_status unmap_slot(struct held_argument *slot, plait_error *error)
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

/* Wrapped memory may be less aligned than its offset, so the address is
 * checked, in a mapping for reading, which writes nothing back. */
static plait_status take_memory(struct held_argument *slot,
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
		status = map_slot(slot, PLAIT_MAP_READ, error);
	if (status != PLAIT_OK)
		return status;
	fault = plait__argument_check_memory(
		place->parameter, (uintptr_t)slot->value.pointer);
	status = unmap_slot(slot, error);
	if (status != PLAIT_OK)
		return status;
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
	if (status == PLAIT_OK && fault != NULL)
		return fail_argument(fault, error);
	return status;
}

static plait_status take_buffer(struct held_argument *slot,
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

static plait_status take_argument(struct held_argument *slot,
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
	if (given->kind > PLAIT_ARGUMENT_LOCAL)
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

static plait_status take_arguments(struct record *self,
				   const plait__queue *queue,
				   const plait_argument *arguments,
				   plait_error *error)
{
	struct place place = {
		.queue = queue, .signature = self->kernel->signature,
		.is_built = plait__device_code_find(self->kernel,
						    queue->device) != NULL,
	};
	plait_status status = PLAIT_OK;
	plait_argument given;

	for (uint32_t i = 0; status == PLAIT_OK && i < self->count; i++) {
		place.index = i;
		place.parameter = &place.signature->parameters[i];
		self->arguments[i] = self->slots[i].place;
		status = read_argument(arguments, i, &given, error);
		if (status == PLAIT_OK)
			status = take_argument(&self->slots[i], &place,
					       &given, error);
	}
	if (status != PLAIT_OK)
		name_place(&place, error);
	return status;
}

/* ---- the launch ---- */

static plait_status map_all(struct record *self)
{
	const plait__parameter *parameters =
		self->kernel->signature->parameters;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < self->count; i++)
		if (self->slots[i].buffer != NULL)
			status = map_slot(&self->slots[i],
					  map_flags(&parameters[i]), NULL);
	return status;
}

/* Unmap all; the first failure counts. */
static plait_status unmap_all(struct record *self)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < self->count; i++) {
		plait_status said = unmap_slot(&self->slots[i], NULL);

		if (status == PLAIT_OK)
			status = said;
	}
	return status;
}

/* A failure of the backend's memory functions fails the launch like one of the
 * kernel. */
static int32_t run_record(void *user_data)
{
	struct record *self = user_data;
	plait_status status = map_all(self), unmapped;
	int32_t result = status;

	if (status == PLAIT_OK)
		result = self->kernel->function(self->arguments,
						&self->launch,
						self->kernel->user_data);
	unmapped = unmap_all(self);
	return result != 0 ? result : unmapped;
}

/* Words behind the arguments for a value that is larger than one. */
static uint64_t extra_words(const plait__parameter *parameter)
{
	return parameter->bytes <= sizeof(uint64_t) ? 0 :
	       (parameter->bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static uint64_t record_bytes(const plait__signature *signature)
{
	uint64_t bytes = sizeof(struct record) +
			 signature->count * (sizeof(struct held_argument) +
					     sizeof(void *));

	for (uint32_t i = 0; i < signature->count; i++)
		bytes += extra_words(&signature->parameters[i]) *
			 sizeof(uint64_t);
	return bytes;
}

/* new_record has allocated what record_bytes counts. */
static void place_values(struct record *self, const plait__signature *signature)
{
	uint64_t *extra = (uint64_t *)(void *)(self->arguments + self->count);

	for (uint32_t i = 0; i < self->count; i++) {
		uint64_t words = extra_words(&signature->parameters[i]);

		self->slots[i].place = words > 0 ? (void *)extra :
				       (void *)&self->slots[i].value;
		extra += words;
	}
}

static struct record *new_record(plait__kernel *kernel, plait__context *context)
{
	uint32_t count = kernel->signature->count;
	uint64_t bytes = record_bytes(kernel->signature);
	struct record *self = plait__alloc(plait__context_allocator(context),
					   bytes);

	if (self == NULL)
		return NULL;
	/* Cannot fail: the record has no handle. */
	(void)plait__object_init(&self->object, &record_class, context, NULL);
	plait__object_hold(&kernel->object);
	self->kernel = kernel;
	self->count = count;
	self->block_bytes = bytes;
	self->slots = (struct held_argument *)(self + 1);
	self->arguments = (void **)(self->slots + count);
	place_values(self, kernel->signature);
	return self;
}

/* Backends do not know memory without bytes. */
static void put_argument(const struct held_argument *slot,
			 plait_launch_argument *out)
{
	out->size = sizeof(*out);
	out->value = slot->place;
	if (slot->buffer == NULL || slot->buffer->root->raw == NULL)
		return;
	out->memory = slot->buffer->root->raw;
	out->offset = slot->buffer->offset + slot->offset;
}

static plait_status bind(struct record *self, const plait__device *device,
			 plait_error *error)
{
	const plait_allocator *allocator =
		plait__context_allocator(self->object.context);
	uint64_t count = (uint64_t)self->count + 1;
	plait_launch_argument *arguments =
		plait__alloc_array(allocator, count, sizeof(*arguments));
	plait_status status;

	if (arguments == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a launch");
	for (uint32_t i = 0; i < self->count; i++)
		put_argument(&self->slots[i], &arguments[i]);
	self->device = device;
	status = plait__device_code_bind(self->kernel, device, &self->launch,
					 arguments, &self->raw, error);
	plait__free(allocator, arguments, count * sizeof(*arguments));
	return status;
}

/* Tell the race check what the launch accesses.  The race check is on. */
static void note_accesses(const struct record *self, plait__queue *queue)
{
	for (uint32_t i = 0; i < self->count; i++)
		if (self->slots[i].buffer != NULL)
			plait__queue_races_argument(queue, self->kernel, i,
						    self->slots[i].buffer,
						    self->slots[i].offset);
}

static plait_status submit(struct record *self, plait__queue *queue,
			   plait_error *error)
{
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = run_record,
		.user_data = self, .label = self->kernel->object.label,
	};

	if (self->raw != NULL)
		command = (plait_command){
			.size = sizeof(command), .kind = PLAIT_COMMAND_NOP,
			.label = self->kernel->object.label };
	plait__races *races = plait__queue_races(queue);
	uint64_t mark = races != NULL ? plait__races_mark(races) : 0;
	plait_status status;

	if (races != NULL)
		note_accesses(self, queue);
	status = plait__submission_submit_holding(queue, &command, 1,
						  &self->object, self->raw,
						  error);
	if (status != PLAIT_OK)
		plait__queue_races_undo(queue, mark);
	return status;
}

static plait_status launch_on(plait__queue *queue, plait__kernel *kernel,
			      const plait_launch *launch,
			      const plait_argument *arguments,
			      plait_error *error)
{
	struct record *self = new_record(kernel, queue->object.context);
	plait_status status;

	if (self == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a launch");
	status = plait__launch_read(&self->launch, launch, error);
	if (status == PLAIT_OK)
		status = plait__select_source_set_groups(kernel, &self->launch,
							 error);
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%.60s: ",
				    kernel->signature->name);
	if (status == PLAIT_OK)
		status = take_arguments(self, queue, arguments, error);
	if (status == PLAIT_OK && kernel->signature->local_count > 0)
		status = plait__local_limit_check(kernel, queue->device,
						  self->arguments, error);
	if (status == PLAIT_OK &&
	    plait__device_code_find(kernel, queue->device) != NULL)
		status = bind(self, queue->device, error);
	if (status == PLAIT_OK)
		status = submit(self, queue, error);
	plait__object_drop(&self->object);
	return status;
}

static plait_status check(const plait__queue *queue,
			  const plait__kernel *kernel,
			  const plait_argument *arguments, uint64_t count,
			  plait_error *error)
{
	plait_status status = plait__context_check_same(
		&queue->object, &kernel->object, error);
	const char *lacks;

	if (status != PLAIT_OK)
		return status;
	if (count != kernel->signature->count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu arguments for %u parameters of %s",
				   (unsigned long long)count,
				   kernel->signature->count,
				   kernel->signature->name);
	if (count > 0 && arguments == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "arguments of %s is null",
				   kernel->signature->name);
	lacks = plait__kernel_lacks(kernel, queue->device);
	if (lacks != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "device %s %s", queue->device->object.label,
				   lacks);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_queue_launch(plait_queue *queue,
					  plait_kernel *kernel,
					  const plait_launch *launch,
					  const plait_argument *arguments,
					  uint64_t count, plait_error *error)
{
	plait__queue *self;
	plait__kernel *code;
	plait_status status = plait__queue_enter(queue, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__kernel_enter(kernel, &code, error);
	if (status == PLAIT_OK) {
		status = check(self, code, arguments, count, error);
		if (status == PLAIT_OK)
			status = launch_on(self, code, launch, arguments,
					   error);
		plait__object_leave(&code->object);
	}
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	if (status == PLAIT_OK && plait__queue_wants_finish(self))
		status = plait__queue_finish(self, PLAIT_FOREVER, error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}
