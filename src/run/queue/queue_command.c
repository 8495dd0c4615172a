/* SPDX-License-Identifier: MIT */
/* Properties of a plan command on a backend queue. */
#include "run/queue/queue_command.h"

#include "run/args/payload_util.h"

#include "kernel/signature.h"
#include "plan/rotation.h"
#include "object/kernel/kernel.h"
#include "object/memory/buffer.h"

bool plait__queue_command_has_work(const plait__plan *plan, uint32_t command)
{
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload = plait__payload_of(plan, command);

	if (payload == NULL)
		return false;
	if (at->kind == PLAIT__CMD_COPY || at->kind == PLAIT__CMD_FILL)
		return payload->bytes > 0;
	return at->kind == PLAIT__CMD_LAUNCH || at->kind == PLAIT__CMD_HOST;
}

/* ---- memory of other backends ---- */

const plait__device *plait__queue_command_memory_device(
	const plait__queue_program *compiled, uint32_t slot)
{
	const plait__plan_object *plan_object = compiled->program->plan_object;
	const plait__buffer *buffer =
		(const plait__buffer *)plan_object->buffers[slot];

	if (plan_object->plan->slots[slot].kind == PLAIT__SLOT_ARENA)
		return plan_object->devices[
			plan_object->plan->slots[slot].device];
	return buffer == NULL ? NULL : buffer->device;
}

/* Returns true if the backend of a lane knows the memory of a slot. */
static bool knows_slot(const plait__queue_program *compiled, uint32_t lane,
		       uint32_t slot)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__device *device;

	if (slot >= plan->slots_count || plan->slots[slot].bytes == 0)
		return true;
	device = plait__queue_command_memory_device(compiled, slot);
	return device == NULL ||
	       device->port == plait__queue_program_port(compiled, lane);
}

/* Returns true if the backend of a lane knows this memory.  Memory without
 * bytes, and memory that runs bind, count as known. */
static bool knows_memory(const plait__queue_program *compiled, uint32_t lane,
			 const plait__plan_arg *arg)
{
	const plait__plan *plan = compiled->program->plan;
	bool knows = true;

	if (arg->kind != PLAIT__ARG_MEMORY && arg->kind != PLAIT__ARG_ROTATION)
		return true;
	/* In a loaded plan the buffers of a rotation may be of several
	 * devices. */
	for (uint32_t i = 0; i < plait__rotation_arg_period(plan, arg); i++)
		knows = knows && knows_slot(compiled, lane,
					    plait__rotation_arg_slot(plan, arg,
								     i));
	return knows;
}

/* Returns true if the lane's device does not support strided copies. */
static bool lacks_rows(const plait__queue_program *compiled, uint32_t command,
		       const plait__plan_payload *payload)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	return at->kind == PLAIT__CMD_COPY && payload != NULL &&
	       payload->arg_count > 2 &&
	       (plait__device_facts(compiled->lanes[at->lane].device)
			->capabilities &
		PLAIT_CAP_ROWS) == 0;
}

bool plait__queue_command_is_foreign(const plait__queue_program *compiled,
				     uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload;
	bool foreign = false;

	if (at->kind == PLAIT__CMD_REGION)
		payload = plait__payload_at(plan,
					    plan->regions[at->link].predicate);
	else if (at->kind == PLAIT__CMD_COPY || at->kind == PLAIT__CMD_FILL)
		payload = plait__payload_of(plan, command);
	else
		return false;
	foreign = lacks_rows(compiled, command, payload);
	for (uint32_t i = 0; payload != NULL && i < payload->arg_count; i++)
		foreign =
			foreign || !knows_memory(compiled, at->lane,
						 &plan->args[payload->arg_first + i]);
	return foreign;
}

/* ---- capabilities of devices ---- */

bool plait__queue_command_can_call(const plait__queue_program *compiled,
				   uint32_t command)
{
	uint32_t lane = compiled->program->plan->commands[command].lane;

	return (plait__device_facts(compiled->lanes[lane].device)
			->capabilities &
		PLAIT_CAP_HOST_CALL) != 0;
}

/* Null if the lane's device executes the command itself, or can call the host
 * for it; else the reason. */
static const char *why_not_foreign(const plait__queue_program *compiled,
				   uint32_t command, const char *what)
{
	return plait__queue_command_can_call(compiled, command) ||
			       !plait__queue_command_is_foreign(compiled,
								command) ?
		       NULL :
		       what;
}

/* Returns the reason why the device of its lane cannot evaluate a region's
 * predicate, as plait__queue_command_lacks; null if it can, or the owner of an
 * inbox decides. */
static const char *why_not_region(const plait__queue_program *compiled,
				  uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	uint32_t region = plan->commands[command].link;
	const plait__store_function *function =
		compiled->regions[region].function;

	if (function == NULL)
		return why_not_foreign(
			compiled, command,
			"is decided by a "
			"word of another backend's memory, which that "
			"device cannot read");
	if (function->inbox != NULL)
		return NULL;
	if (plait__queue_command_can_call(compiled, command))
		return NULL;
	return "is decided by a host function, which that device cannot call";
}

const char *plait__queue_command_lacks(const plait__queue_program *compiled,
				       uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	switch (at->kind) {
	case PLAIT__CMD_HOST:
		if (plait__queue_command_can_call(compiled, command))
			return NULL;
		return "is a host function, which that device cannot call";
	case PLAIT__CMD_COPY:
	case PLAIT__CMD_FILL:
		return why_not_foreign(compiled, command,
				       "has rows or another backend's "
				       "memory, which that device cannot "
				       "reach");
	case PLAIT__CMD_LAUNCH:
	case PLAIT__CMD_JOIN:
	case PLAIT__CMD_MARK:
	case PLAIT__CMD_ENTER:
	case PLAIT__CMD_BARRIER_STUB:
	case PLAIT__CMD_EMIT:
	case PLAIT__CMD_WAIT:
	case PLAIT__CMD_CALLBACK:
		return NULL;
	case PLAIT__CMD_REGION:
		return why_not_region(compiled, command);
	default:
		return "is of a kind that plans on queues cannot run yet";
	}
}

/* ---- arguments ---- */

/* The signature is that of all kernels that can be exchanged for this one. */
static const plait__signature *signature_of(const plait__program *program,
					    const plait__plan_payload *payload)
{
	return ((const plait__kernel *)
			program->plan_object->kernels[payload->kernel])
		->signature;
}

void plait__queue_command_counts(const plait__queue_program *compiled,
				 uint32_t command, uint32_t *out_arguments,
				 uint32_t *out_pointers)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	const plait__signature *signature;

	*out_arguments = 0;
	*out_pointers = 0;
	if (payload == NULL)
		return;
	if (plait__queue_command_is_foreign(compiled, command) ||
	    plait__payload_is_param_copy(plan, command))
		*out_pointers = payload->arg_count;
	if (plan->commands[command].kind != PLAIT__CMD_LAUNCH)
		return;
	signature = signature_of(compiled->program, payload);
	*out_arguments = payload->arg_count;
	*out_pointers = 0;
	for (uint32_t i = 0; i < payload->arg_count; i++)
		*out_pointers +=
			signature->parameters[i].type == PLAIT__TYPE_POINTER ||
			plait__payload_arg_is_number(
				&plan->args[payload->arg_first + i]);
}

const plait__plan_payload *plait__queue_command_launch(
	const plait__queue_program *compiled, uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;

	return plan->commands[command].kind == PLAIT__CMD_LAUNCH ?
		       plait__payload_of(plan, command) :
		       NULL;
}

static uint32_t change_of(const plait__plan *plan, const plait__plan_arg *arg)
{
	switch (arg->kind) {
	case PLAIT__ARG_ROTATION:
		return PLAIT__CHANGES_ROTATION;
	case PLAIT__ARG_INDEX:
	case PLAIT__ARG_SERIES:
		return PLAIT__CHANGES_RUN | PLAIT__CHANGES_TURN;
	case PLAIT__ARG_PARAM:
		return plan->params[arg->index].kind == PLAIT__PARAM_MEMORY ?
			       PLAIT__CHANGES_RUN | PLAIT__CHANGES_BORROWED :
			       PLAIT__CHANGES_RUN;
	default:
		return 0;
	}
}

uint32_t plait__queue_command_changes(const plait__queue_program *compiled,
				      uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload =
		plait__queue_command_launch(compiled, command);
	uint32_t changes = 0;

	if (payload == NULL)
		return 0;
	if (plan->geometries[payload->geometry].param != PLAIT__NONE)
		changes = PLAIT__CHANGES_RUN;
	if (plait__payload_has_series(plan, payload))
		changes = PLAIT__CHANGES_RUN | PLAIT__CHANGES_TURN;
	for (uint32_t i = 0; i < payload->arg_count; i++)
		changes |= change_of(plan, &plan->args[payload->arg_first + i]);
	return changes;
}

bool plait__queue_command_may_change(const plait__queue_program *compiled,
				     uint32_t command)
{
	return plait__payload_is_changing_copy(compiled->program->plan,
					       command) ||
	       plait__queue_command_changes(compiled, command) != 0;
}

bool plait__queue_command_is_timed(const plait__queue_program *compiled,
				   uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	uint8_t kind = plan->commands[command].kind;

	return compiled->records && kind != PLAIT__CMD_REGION &&
	       kind != PLAIT__CMD_ENTER &&
	       !plait__payload_is_external(plan, command);
}
