/* SPDX-License-Identifier: MIT */
/*
 * What commands are given: which kernel, which memory now, and where the host
 * sees it.  Memory is mapped for as long as a function of the host runs, since a
 * mapping may be a copy, and what takes turns is what the iteration that runs
 * has.
 */
#include "run/queue/queue_engine.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"

#include "base/error.h"
#include "object/context/backend_result.h"

enum { UNMAP_TRIES = 8 };

/* ---- which kernel, which buffer ---- */

plait__kernel *plait__resolve_kernel(const plait__queue_instance *state,
				     const plait__plan_payload *payload)
{
	const plait__kernel_version *version = state->instance->version;
	plait__object *const *kernels =
		version != NULL ? version->kernels :
		state->compiled->program->frozen->kernels;

	return (plait__kernel *)kernels[payload->kernel];
}

/* What an exchanged kernel has, too: it has the same signature. */
static const plait__signature *signature_of(const plait__program *program,
					    const plait__plan_payload *payload)
{
	return ((const plait__kernel *)
		program->frozen->kernels[payload->kernel])->signature;
}

void plait__resolve_counts(const plait__queue_program *compiled, uint32_t command,
			   uint32_t *out_arguments, uint32_t *out_pointers)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan,
							       command);
	const plait__signature *signature;

	*out_arguments = 0;
	*out_pointers = 0;
	if (payload == NULL)
		return;
	if (plait__resolve_is_foreign(compiled, command) ||
	    plait__payload_is_param_copy(plan, command))
		*out_pointers = payload->arg_count;
	if (plan->commands[command].kind != PLAIT__CMD_LAUNCH)
		return;
	signature = signature_of(compiled->program, payload);
	*out_arguments = payload->arg_count;
	*out_pointers = 0;
	for (uint32_t i = 0; i < payload->arg_count; i++)
		*out_pointers += signature->parameters[i].type ==
				 PLAIT__TYPE_POINTER;
}

plait__buffer *plait__resolve_buffer(const plait__queue_instance *state,
				     const plait__plan_arg *arg,
				     uint64_t *out_offset)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__plan_object *plan_object = frame->layout->frozen;
	uint32_t slot = arg->index;

	*out_offset = arg->offset;
	if (arg->kind == PLAIT__ARG_PARAM) {
		*out_offset = frame->bound[arg->index].offset +
			      plait__payload_param_offset(plan_object->plan->blob,
							  arg);
		return frame->bound[arg->index].buffer;
	}
	if (arg->kind == PLAIT__ARG_ROTATION) {
		*out_offset = 0;
		slot = plait__frame_slot(frame, arg->index, arg->offset);
	}
	return slot < plan_object->plan->slots_count ?
	       (plait__buffer *)plan_object->buffers[slot] : NULL;
}

/* Does a lane's backend know this memory?  Memory without bytes is none. */
static bool knows(const plait__queue_program *compiled, uint32_t lane,
		  const plait__plan_arg *arg)
{
	const plait__plan_object *plan_object = compiled->program->frozen;
	const plait__buffer *buffer =
		arg->kind == PLAIT__ARG_MEMORY &&
				arg->index < plan_object->plan->slots_count ?
		(const plait__buffer *)plan_object->buffers[arg->index] : NULL;

	return buffer == NULL || buffer->root->raw == NULL ||
	       buffer->device->port == plait__queue_program_port(compiled, lane);
}

/* Does the lane's device leave rows to the host? */
static bool lacks_rows(const plait__queue_program *compiled, uint32_t command,
		       const plait__plan_payload *payload)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	return at->kind == PLAIT__CMD_COPY && payload != NULL &&
	       payload->arg_count > 2 &&
	       (plait__device_facts(compiled->lanes[at->lane].device)
			->capabilities & PLAIT_CAP_ROWS) == 0;
}

bool plait__resolve_is_foreign(const plait__queue_program *compiled, uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload;
	bool foreign = false;

	if (at->kind == PLAIT__CMD_REGION)
		payload = plait__payload_at(
			plan, plan->regions[at->link].predicate);
	else if (at->kind == PLAIT__CMD_COPY || at->kind == PLAIT__CMD_FILL)
		payload = plait__payload_of(plan, command);
	else
		return false;
	foreign = lacks_rows(compiled, command, payload);
	for (uint32_t i = 0; payload != NULL && i < payload->arg_count; i++)
		foreign = foreign || !knows(compiled, at->lane,
					    &plan->args[payload->arg_first +
							i]);
	return foreign;
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
	/* A range without bytes has no address. */
	if (offset >= buffer->bytes || bytes == 0)
		return PLAIT_OK;
	status = plait__device_check_can(buffer->device, PLAIT_CAP_MAP,
					 "map memory, which a function of the "
					 "host needs", error);
	if (status != PLAIT_OK)
		return status;
	status = port->backend->table.memory_map(
		port->backend->self, buffer->root->raw,
		buffer->offset + offset, bytes, flags, &pointer->value, &room);
	status = plait__backend_result_check_created(port, status, "memory_map",
						     pointer->value, &room, error);
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
	/* What failed has changed nothing, and must not stay mapped. */
	for (int i = 0; i < UNMAP_TRIES && status != PLAIT_OK; i++)
		status = backend->table.memory_unmap(backend->self,
						     buffer->root->raw,
						     pointer->value, &room);
	return plait__backend_result_check(buffer->device->port, status, "memory_unmap",
					   &room, error);
}
