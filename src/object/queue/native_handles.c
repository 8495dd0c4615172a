/* SPDX-License-Identifier: MIT */
/* Native handles of devices, queues and buffers. */
#include "plait/native.h"

#include "object/memory/buffer.h"
#include "object/context/device.h"
#include "object/context/backend_result.h"
#include "object/queue/queue.h"

#include "base/error.h"

/* Ask the backend. `request` names the object; the caller holds its device. */
static plait_status ask(const plait__device *device,
			plait_native_request *request, uint64_t *out,
			plait_error *error)
{
	plait__backend *backend = device->port->backend;
	plait_error room = { .size = sizeof(room) };
	uint64_t told = 0;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	status = plait__device_check_can(device, PLAIT_CAP_NATIVE,
					 "tell native handles", error);
	if (status != PLAIT_OK)
		return status;
	request->size = sizeof(*request);
	request->device = device->index;
	status = backend->table.native_query(backend->self, request, &told,
					     &room);
	status = plait__backend_result_check(device->port, status,
					     "native_query", &room, error);
	if (status == PLAIT_OK)
		*out = told;
	/* The program may order work in the driver. */
	if (plait__context_races(device->object.context) != NULL)
		plait__races_give_up(
			plait__context_races(device->object.context));
	return status;
}

PLAIT_API plait_status plait_device_native(plait_device *device, uint32_t kind,
					   uint64_t *out, plait_error *error)
{
	plait_native_request request = { .kind = kind };
	plait__device *where;
	plait_status status;

	if (out != NULL)
		*out = 0;
	status = plait__device_enter(device, &where, error);
	if (status != PLAIT_OK)
		return status;
	status = ask(where, &request, out, error);
	plait__device_leave(where);
	return status;
}

PLAIT_API plait_status plait_queue_native(plait_queue *queue, uint32_t kind,
					  uint64_t *out, plait_error *error)
{
	plait_native_request request = { .kind = kind };
	plait__queue *self;
	plait_status status;

	if (out != NULL)
		*out = 0;
	status = plait__queue_enter(queue, &self, error);
	if (status != PLAIT_OK)
		return status;
	request.queue = self->raw;
	status = ask(self->device, &request, out, error);
	plait__object_leave(&self->object);
	return status;
}

static plait_status ask_memory(const plait__buffer *buffer, uint32_t kind,
			       uint64_t *out, plait_error *error)
{
	plait_native_request request = { .kind = kind,
					 .memory = buffer->root->raw };

	if (request.memory == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a buffer of no bytes has no memory");
	return ask(buffer->device, &request, out, error);
}

PLAIT_API plait_status plait_buffer_native(plait_buffer *buffer, uint32_t kind,
					   uint64_t *out,
					   uint64_t *out_offset_bytes,
					   plait_error *error)
{
	plait__buffer *self;
	plait_status status;

	if (out != NULL)
		*out = 0;
	if (out_offset_bytes != NULL)
		*out_offset_bytes = 0;
	status = plait__buffer_enter(buffer, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = ask_memory(self, kind, out, error);
	if (status == PLAIT_OK && out_offset_bytes != NULL)
		*out_offset_bytes = self->offset;
	plait__object_leave(&self->object);
	return status;
}
