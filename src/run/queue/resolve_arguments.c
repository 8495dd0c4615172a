/* SPDX-License-Identifier: MIT */
/*
 * Current kernel and current memory of a command's arguments.
 * Rotating buffers are those of the iteration that runs.  Memory is mapped only
 * while a host callback runs, since a mapping may be a copy.
 */
#include "run/queue/resolve_arguments.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"
#include "run/args/temporaries.h"

#include "base/error.h"
#include "object/context/backend_result.h"
#include "object/memory/image.h"

enum { UNMAP_TRIES = 8 };

/* ---- which kernel, which buffer ---- */

plait__kernel *plait__resolve_kernel(const plait__queue_instance *state,
				     const plait__plan_payload *payload)
{
	const plait__kernel_version *version = state->instance->version;
	plait__object *const *kernels =
		version != NULL ? version->kernels :
				  state->compiled->program->plan_object->kernels;

	return (plait__kernel *)kernels[payload->kernel];
}

plait__buffer *plait__resolve_buffer_at(const plait__queue_instance *state,
					const plait__plan_arg *arg,
					const plait__frame_turn *turn,
					uint64_t *out_offset)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__plan_object *plan_object = frame->layout->plan_object;
	uint32_t slot = arg->index;

	*out_offset = arg->offset;
	if (arg->kind == PLAIT__ARG_PARAM) {
		*out_offset = frame->bound[arg->index].offset +
			      plait__payload_param_offset(
				      plan_object->plan->blob, arg);
		return frame->bound[arg->index].buffer;
	}
	if (arg->kind == PLAIT__ARG_ROTATION) {
		*out_offset = plait__payload_rotation_offset(arg);
		slot = plait__frame_slot(frame, arg->index,
					 plait__payload_rotation_ahead(arg),
					 turn);
	}
	if (slot >= plan_object->plan->slots_count)
		return NULL;
	return plait__temporaries_has(frame->layout, slot) ?
		       &state->temporaries[slot] :
		       (plait__buffer *)plan_object->buffers[slot];
}

plait__buffer *plait__resolve_buffer(const plait__queue_instance *state,
				     const plait__plan_arg *arg,
				     uint64_t *out_offset)
{
	return plait__resolve_buffer_at(state, arg, NULL, out_offset);
}

void *plait__resolve_host(const plait__queue_instance *state,
			  const plait__plan_arg *arg)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__plan *plan = frame->layout->plan_object->plan;
	char *address;

	if (!plait__payload_arg_is_host(plan->params, arg))
		return NULL;
	address = frame->bound[arg->index].mapped;
	return address == NULL ? NULL :
	       address + plait__payload_param_offset(plan->blob, arg);
}

uint64_t plait__resolve_number(const plait__queue_instance *state,
			       const plait__plan_arg *arg,
			       const plait__frame_turn *turn)
{
	const plait__frame *frame = &state->instance->frame;

	if (arg->kind == PLAIT__ARG_SERIES)
		return (uint64_t)plait__frame_number(frame, arg->index, turn);
	return turn != NULL && turn->region == arg->index ?
		       turn->iteration : frame->iterations[arg->index];
}

plait_status plait__resolve_no_items(const plait_launch *launch,
				     plait_error *error)
{
	for (uint32_t i = 0; i < launch->dimensions; i++)
		if (launch->items[i] == 0)
			return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "its launch has more than 2^64 - 1 items in this "
			   "iteration");
}

/* ---- memory as the host sees it ---- */

plait_status plait__resolve_map(plait__queue_pointer *pointer,
				plait__buffer *buffer, uint64_t offset,
				uint64_t bytes, uint32_t flags,
				plait_error *error)
{
	plait__backend_port *port = buffer->device->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	pointer->value = NULL;
	/* An empty range has no address. */
	if (offset >= buffer->bytes || bytes == 0)
		return PLAIT_OK;
	status = plait__device_check_can(buffer->device, PLAIT_CAP_MAP,
					 "map memory, which a function of the "
					 "host needs", error);
	if (status == PLAIT_OK)
		status = plait__image_check_address(buffer, error);
	if (status != PLAIT_OK)
		return status;
	status = port->backend->table.memory_map(
		port->backend->self, buffer->root->raw,
		buffer->offset + offset, bytes, flags, &pointer->value, &room);
	status = plait__backend_result_check_created(
		port, status, "memory_map", pointer->value, &room, error);
	if (status == PLAIT_OK)
		pointer->mapped = buffer;
	return status;
}

plait_status plait__resolve_unmap(plait__queue_pointer *pointer,
				  plait_error *error)
{
	plait__buffer *buffer = pointer->mapped;
	plait_error room = { .size = sizeof(room) };
	plait_status status = PLAIT_E_BUSY;
	plait__backend *backend;

	if (buffer == NULL)
		return PLAIT_OK;
	pointer->mapped = NULL;
	backend = buffer->device->port->backend;
	/* A failed call has no effect, and memory must not stay mapped. */
	for (int i = 0; i < UNMAP_TRIES && status != PLAIT_OK; i++)
		status = backend->table.memory_unmap(backend->self,
						     buffer->root->raw,
						     pointer->value, &room);
	return plait__backend_result_check(buffer->device->port, status,
					   "memory_unmap", &room, error);
}
