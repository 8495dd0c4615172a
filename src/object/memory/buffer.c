/* SPDX-License-Identifier: MIT */
/* Buffers: create, wrap, view, destroy; see buffer.h. */
#include "object/memory/buffer.h"

#include "object/memory/buffer_check.h"
#include "object/memory/buffer_races.h"
#include "object/memory/image.h"
#include "object/context/device.h"
#include "object/context/reclaim_thread.h"
#include "object/inbox/inbox.h"
#include "object/context/backend_result.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"

/* --- destroy */

static void free_buffer(plait__buffer *buffer)
{
	plait__free(plait__context_allocator(buffer->object.context), buffer,
		    sizeof(*buffer));
}

/* Exit guard: the user's function ends its thread. The task had a hold of the
 * context. */
static void release_on_exit(void *arg)
{
	plait__buffer *buffer = arg;
	plait__context *context = buffer->object.context;

	free_buffer(buffer);
	plait__object_drop(&context->object);
}

/* Task: call the user's function on a thread of the context.  Runs without a
 * lock; the buffer has no holds any more. */
static void call_released(plait__context_task *task)
{
	plait__buffer *buffer = (plait__buffer *)(void *)((char *)task -
		offsetof(plait__buffer, task));

	bool guarded = plait__thread_guard_push(&buffer->guard, release_on_exit,
						buffer) == 0;

	(void)buffer->released(buffer->user_data);
	if (guarded)
		plait__thread_guard_pop(&buffer->guard);
	free_buffer(buffer);
}

/* No hold is left, so no work in flight uses the memory. */
static void destroy_root(plait__buffer *buffer)
{
	plait__backend *backend = buffer->device->port->backend;

	plait__buffer_races_end(buffer);
	plait__buffer_unmap_all(buffer);
	if (buffer->raw != NULL)
		backend->table.memory_destroy(backend->self, buffer->raw);
	plait__device_unreserve_bytes(buffer->device, buffer->taken_bytes);
	if (buffer->released_event != NULL)
		plait__inbox_event_post(buffer->released_event, PLAIT_OK);
	if (buffer->ended != NULL)
		buffer->ended(buffer->ended_arg);
	if (buffer->released != NULL) {
		buffer->task.run = call_released;
		plait__reclaim_thread_submit(buffer->object.context,
					     &buffer->task);
		return;
	}
	free_buffer(buffer);
}

static void destroy_buffer(plait__object *object)
{
	plait__buffer *buffer = (plait__buffer *)(void *)object;

	if (buffer->root == buffer) {
		destroy_root(buffer);
		return;
	}
	plait__object_drop(&buffer->root->object);
	free_buffer(buffer);
}

void plait__buffer_on_end(plait_buffer *handle, void (*ended)(void *arg),
			  void *arg)
{
	plait__buffer *buffer;

	if (plait__buffer_enter_any(handle, &buffer, NULL) != PLAIT_OK)
		return;
	buffer->ended_arg = arg;
	buffer->ended = ended;
	plait__object_leave(&buffer->object);
}

static const plait__class buffer_class = {
	.type = PLAIT_OBJECT_BUFFER,
	.destroy = destroy_buffer
};

/* --- create */

static plait__buffer *alloc_buffer(plait__device *device, uint64_t bytes,
				   const char *label, plait_error *error)
{
	plait__context *context = device->object.context;
	plait__buffer *buffer = NULL;

	buffer = plait__alloc(plait__context_allocator(context),
			      sizeof(*buffer));
	if (buffer == NULL) {
		plait__fail(error, PLAIT_E_NOMEM,
			    "no memory for a buffer's record of %zu bytes",
			    sizeof(*buffer));
		return NULL;
	}
	buffer->object.context = context;
	buffer->device = device;
	buffer->root = buffer;
	buffer->bytes = bytes;
	plait__object_set_label(&buffer->object, label);
	return buffer;
}

static plait_status create_raw(plait__buffer *buffer,
			       const plait_memory_request *request,
			       plait_error *error)
{
	plait__backend *backend = buffer->device->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (request->bytes == 0)
		return PLAIT_OK;
	status = backend->table.memory_create(backend->self,
					      buffer->device->index, request,
					      &buffer->raw, &room);
	return plait__backend_result_check_created(buffer->device->port, status,
						   "memory_create", buffer->raw,
						   &room, error);
}

static void destroy_raw(plait__buffer *buffer)
{
	plait__backend *backend = buffer->device->port->backend;

	if (buffer->raw != NULL)
		backend->table.memory_destroy(backend->self, buffer->raw);
}

static plait_status try_memory(plait__buffer *buffer,
			       const plait_memory_request *request,
			       plait_error *error)
{
	plait_status status = plait__device_reserve_bytes(buffer->device,
							  request->bytes,
							  error);

	if (status != PLAIT_OK)
		return status;
	status = create_raw(buffer, request, error);
	if (status == PLAIT_OK)
		buffer->taken_bytes = request->bytes;
	else
		plait__device_unreserve_bytes(buffer->device, request->bytes);
	return status;
}

/* Out of memory: reclaim buffers that finished work held, and try again. */
static plait_status create_memory(plait__buffer *buffer,
				  const plait_memory_request *request,
				  plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = try_memory(buffer, request, &why);

	if (status != PLAIT_E_NOMEM)
		return plait__error_copy(error, &why);
	plait__reclaim_now(buffer->object.context);
	return try_memory(buffer, request, error);
}

/* A temporary has no memory of its own. */
static plait_status create(plait__device *device,
			   const plait_buffer_desc *desc, bool is_internal,
			   plait__buffer **out, plait_error *error)
{
	plait_memory_request request = { .size = sizeof(request) };
	plait__buffer *buffer = alloc_buffer(device, desc->bytes, desc->label,
					     error);
	plait_status status;

	if (buffer == NULL)
		return PLAIT_E_NOMEM;
	request.bytes = desc->bytes;
	request.alignment_bytes = plait__device_facts(device)->alignment_bytes;
	if (request.alignment_bytes < desc->alignment_bytes)
		request.alignment_bytes = desc->alignment_bytes;
	if (desc->format != PLAIT_IMAGE_NONE)
		request.flags = PLAIT_MEMORY_IMAGE;
	request.format = buffer->format = desc->format;
	request.width = buffer->width = desc->width;
	request.height = buffer->height = desc->height;
	buffer->is_temporary = (desc->flags & PLAIT_BUFFER_TEMPORARY) != 0;
	buffer->object.is_internal = is_internal;
	status = buffer->is_temporary ? PLAIT_OK :
		 create_memory(buffer, &request, error);
	if (status != PLAIT_OK)
		goto free;
	status = plait__object_init(&buffer->object, &buffer_class,
				    device->object.context, error);
	if (status != PLAIT_OK)
		goto destroy_memory;
	*out = buffer;
	return PLAIT_OK;

destroy_memory:
	destroy_raw(buffer);
	plait__device_unreserve_bytes(device, buffer->taken_bytes);
free:
	free_buffer(buffer);
	return status;
}

static plait_status check_desc(const plait_buffer_desc *desc,
			       plait_error *error)
{
	uint64_t alignment = desc->alignment_bytes;

	if ((desc->flags & ~(uint32_t)PLAIT_BUFFER_TEMPORARY) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_buffer_desc: flags 0x%x are not "
				   "known", (unsigned)desc->flags);
	if ((alignment & (alignment - 1)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_buffer_desc: alignment %llu is not "
				   "a power of two",
				   (unsigned long long)alignment);
	if ((desc->flags & PLAIT_BUFFER_TEMPORARY) != 0 &&
	    alignment > PLAIT__TEMPORARY_ALIGNMENT)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_buffer_desc: alignment %llu is more "
				   "than that of temporaries, %u",
				   (unsigned long long)alignment,
				   PLAIT__TEMPORARY_ALIGNMENT);
	if (desc->format == PLAIT_IMAGE_NONE &&
	    (desc->width != 0 || desc->height != 0 || desc->reserved0 != 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_buffer_desc: width and height are "
				   "for images; set a format");
	if (desc->bytes > INT64_MAX)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "a buffer of %llu bytes is larger than any "
				   "memory", (unsigned long long)desc->bytes);
	return PLAIT_OK;
}

plait_status plait__buffer_make(plait__device *device, uint64_t bytes,
				const char *label, plait__buffer **out,
				plait_error *error)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
					 .label = label };

	return create(device, &desc, true, out, error);
}

PLAIT_API plait_status plait_buffer_create(plait_device *device,
					   const plait_buffer_desc *desc,
					   plait_buffer **out,
					   plait_error *error)
{
	plait_buffer_desc known;
	plait__buffer *buffer = NULL;
	plait__device *where;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__device_enter(device, &where, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		status = PLAIT__STRUCT_READ(plait_buffer_desc, &known, desc,
					    error);
	if (status == PLAIT_OK)
		status = check_desc(&known, error);
	if (status == PLAIT_OK && known.format != PLAIT_IMAGE_NONE)
		status = plait__image_check_desc(where, &known, error);
	if (status == PLAIT_OK)
		status = create(where, &known, false, &buffer, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&buffer->object);
	plait__device_leave(where);
	return status;
}

/* --- wrap */

static plait_status check_pointer(const plait_wrap_desc *desc,
				  plait_error *error)
{
	uintptr_t end;

	if (desc->pointer == NULL && desc->bytes != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: pointer is null");
	if (__builtin_add_overflow((uintptr_t)desc->pointer, desc->bytes,
				   &end))
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: %llu bytes at 0x%llx go "
				   "past the end of memory",
				   (unsigned long long)desc->bytes,
				   (unsigned long long)(uintptr_t)
					   desc->pointer);
	return PLAIT_OK;
}

static plait_status check_native(const plait_wrap_desc *desc,
				 plait_error *error)
{
	if (desc->pointer != NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: pointer and native_kind "
				   "exclude each other");
	if (desc->bytes == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: native memory of no "
				   "bytes");
	if (desc->bytes > INT64_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: %llu bytes are more than "
				   "any memory has",
				   (unsigned long long)desc->bytes);
	return PLAIT_OK;
}

static plait_status check_wrap(const plait_wrap_desc *desc,
			       plait_error *error)
{
	const uint32_t known = PLAIT_CALL_ANY_THREAD | PLAIT_WRAP_READ_ONLY;

	if ((desc->flags & ~known) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: flags 0x%x are not known",
				   (unsigned)desc->flags);
	if (desc->inbox != NULL &&
	    (desc->flags & PLAIT_CALL_ANY_THREAD) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: an inbox and "
				   "PLAIT_CALL_ANY_THREAD contradict each "
				   "other");
	if (desc->inbox == NULL && desc->released != NULL &&
	    (desc->flags & PLAIT_CALL_ANY_THREAD) == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: released needs an inbox "
				   "or PLAIT_CALL_ANY_THREAD");
	if (desc->native_kind != 0)
		return check_native(desc, error);
	if (desc->native != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_wrap_desc: native is set, and "
				   "native_kind does not say what it is");
	return check_pointer(desc, error);
}

static plait_status check_can_wrap(const plait__device *device,
				   const plait_wrap_desc *desc,
				   plait_error *error)
{
	if (desc->native_kind != 0)
		return plait__device_check_can(device, PLAIT_CAP_NATIVE,
					       "wrap native memory", error);
	return plait__device_check_can(device, PLAIT_CAP_WRAP, "wrap memory",
				       error);
}

/* Promise the RELEASED event in the user's inbox.  check_wrap has accepted the
 * descriptor. */
static plait_status promise_event(plait__buffer *buffer,
				  const plait_wrap_desc *desc,
				  plait_error *error)
{
	plait_event event = { .kind = PLAIT_EVENT_RELEASED };
	plait__inbox *inbox;
	plait_status status;

	if (desc->inbox == NULL) {
		buffer->released = desc->released;
		buffer->user_data = desc->user_data;
		return PLAIT_OK;
	}
	status = plait__inbox_enter(desc->inbox, &inbox, error);
	if (status != PLAIT_OK)
		return status;
	event.function = desc->released;
	event.user_data = desc->user_data;
	status = plait__context_check_same(&inbox->object,
					   &buffer->device->object, error);
	if (status == PLAIT_OK)
		status = plait__inbox_event_create(inbox, &event,
						   &buffer->released_event,
						   error);
	plait__object_leave(&inbox->object);
	return status;
}

/* `released` is not called after a failure. */
static plait_status wrap(plait__device *device, const plait_wrap_desc *desc,
			 plait__buffer **out, plait_error *error)
{
	const plait_memory_request request = {
		.size = sizeof(request),
		.flags = desc->native_kind != 0 ? PLAIT_MEMORY_NATIVE
						: PLAIT_MEMORY_WRAP,
		.bytes = desc->bytes,
		.alignment_bytes = 1,
		.pointer = desc->pointer,
		.native_kind = desc->native_kind,
		.native = desc->native,
	};
	plait__buffer *buffer = alloc_buffer(device, desc->bytes, desc->label,
					     error);
	plait_status status;

	if (buffer == NULL)
		return PLAIT_E_NOMEM;
	buffer->wrapped = desc->pointer;
	if (desc->native_kind != 0)
		buffer->native = desc->native;
	buffer->read_only = (desc->flags & PLAIT_WRAP_READ_ONLY) != 0;
	status = create_raw(buffer, &request, error);
	if (status != PLAIT_OK)
		goto free;
	status = promise_event(buffer, desc, error);
	if (status != PLAIT_OK)
		goto destroy_memory;
	status = plait__object_init(&buffer->object, &buffer_class,
				    device->object.context, error);
	if (status != PLAIT_OK)
		goto cancel_event;
	*out = buffer;
	return PLAIT_OK;

cancel_event:
	if (buffer->released_event != NULL)
		plait__inbox_event_cancel(buffer->released_event);
destroy_memory:
	destroy_raw(buffer);
free:
	free_buffer(buffer);
	return status;
}

PLAIT_API plait_status plait_buffer_wrap(plait_device *device,
					 const plait_wrap_desc *desc,
					 plait_buffer **out,
					 plait_error *error)
{
	plait_wrap_desc known;
	plait__buffer *buffer = NULL;
	plait__device *where;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__device_enter(device, &where, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		status = PLAIT__STRUCT_READ(plait_wrap_desc, &known, desc,
					    error);
	if (status == PLAIT_OK)
		status = check_wrap(&known, error);
	if (status == PLAIT_OK)
		status = check_can_wrap(where, &known, error);
	if (status == PLAIT_OK)
		status = wrap(where, &known, &buffer, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&buffer->object);
	plait__device_leave(where);
	return status;
}

/* --- view */

/* A view holds its root, not the view that it was made of. */
static plait_status view(plait__buffer *buffer, uint64_t offset,
			 uint64_t bytes, plait__buffer **out,
			 plait_error *error)
{
	plait__buffer *part = NULL;
	plait_status status;

	status = plait__image_refuse(buffer, "have views", error);
	if (status == PLAIT_OK)
		status = plait__buffer_check_range(buffer, offset, bytes,
						   "view", error);
	if (status != PLAIT_OK)
		return status;
	part = alloc_buffer(buffer->device, bytes, buffer->object.label,
			    error);
	if (part == NULL)
		return PLAIT_E_NOMEM;
	part->root = buffer->root;
	part->offset = buffer->offset + offset;
	status = plait__object_init(&part->object, &buffer_class,
				    buffer->object.context, error);
	if (status != PLAIT_OK) {
		free_buffer(part);
		return status;
	}
	plait__object_hold(&part->root->object);
	*out = part;
	return PLAIT_OK;
}

PLAIT_API plait_status plait_buffer_view(plait_buffer *buffer,
					 uint64_t offset_bytes, uint64_t bytes,
					 plait_buffer **out,
					 plait_error *error)
{
	plait__buffer *self;
	plait__buffer *part = NULL;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__buffer_enter_any(buffer, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		status = view(self, offset_bytes, bytes, &part, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&part->object);
	plait__object_leave(&self->object);
	return status;
}

/* --- references and size */

PLAIT__OBJECT_REFERENCES(buffer, PLAIT_OBJECT_BUFFER);

PLAIT_API plait_status plait_buffer_bytes(plait_buffer *buffer,
					  uint64_t *out_bytes,
					  plait_error *error)
{
	plait__buffer *self;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = plait__buffer_enter_any(buffer, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (out_bytes != NULL)
		*out_bytes = self->bytes;
	else
		status = plait__fail(error, PLAIT_E_INVALID,
				     "out_bytes is null");
	plait__object_leave(&self->object);
	return status;
}
