/* SPDX-License-Identifier: MIT */
/* Local memory of a plan's launches; see local_memory.h. */
#include "graph/plan/local_memory.h"

#include "base/error.h"
#include "kernel/argument.h"
#include "object/kernel/local_limit.h"

#include <string.h>

static const plait__plan_payload *payload_of(const plait__plan *plan,
					     uint32_t command)
{
	const plait__plan_command *at = &plan->commands[command];

	return at->kind == PLAIT__CMD_LAUNCH && at->link != PLAIT__NONE ?
	       &plan->payloads[at->link] : NULL;
}

/* The payload is that of a launch. */
static const plait__kernel *kernel_of(const plait__plan_object *plan_object,
				      const plait__plan_payload *payload)
{
	return (const plait__kernel *)plan_object->kernels[payload->kernel];
}

static const plait__device *device_of(const plait__plan_object *plan_object,
				      uint32_t command)
{
	const plait__plan *plan = plan_object->plan;

	return plan_object->devices[
		plan->lanes[plan->commands[command].lane].device];
}

bool plait__local_memory_is_used(const plait__plan_object *plan_object,
				 uint32_t command)
{
	const plait__plan_payload *payload =
		payload_of(plan_object->plan, command);
	const plait__kernel *kernel =
		payload != NULL && payload->kernel != PLAIT__NONE ?
		kernel_of(plan_object, payload) : NULL;

	return kernel != NULL && kernel->signature->local_count > 0 &&
	       device_of(plan_object, command) != NULL;
}

/* Check one argument; an error lacks the node.  The launch has as many
 * arguments as its kernel has parameters: add_node.c or verify_commands.c has
 * checked. */
static plait_status check_argument(plait__local_limit *limit, uint32_t index,
				   uint64_t bytes, plait_error *error)
{
	const plait__signature *signature = limit->kernel->signature;
	const plait__parameter *parameter = &signature->parameters[index];
	char fault_room[PLAIT__ARGUMENT_FAULT_ROOM];
	char type_room[PLAIT__ARGUMENT_TYPE_ROOM];
	const char *fault = plait__argument_check_local(parameter, bytes,
							fault_room);

	if (fault == NULL)
		return plait__local_limit_add(limit, index, bytes, error);
	return plait__fail(error, PLAIT_E_INVALID,
			   "%.60s: argument %u \"%.40s\" (%s): %s",
			   signature->name, index, parameter->name,
			   plait__argument_type(parameter, type_room), fault);
}

plait_status plait__local_memory_check_launch(
	const plait__plan_object *plan_object, uint32_t command,
	const uint8_t *blob, plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	const plait__plan_payload *payload = payload_of(plan, command);
	const plait__kernel *kernel = kernel_of(plan_object, payload);
	const plait__plan_arg *args = &plan->args[payload->arg_first];
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];
	plait_status status = PLAIT_OK;
	plait__local_limit limit;
	uint64_t bytes;

	plait__local_limit_init(&limit, kernel,
				device_of(plan_object, command));
	for (uint32_t i = 0; status == PLAIT_OK && i < payload->arg_count;
	     i++) {
		if (kernel->signature->parameters[i].type != PLAIT__TYPE_LOCAL)
			continue;
		memcpy(&bytes, blob + args[i].blob, sizeof(bytes));
		status = check_argument(&limit, i, bytes, error);
	}
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%s: ", plait__plan_node_text(
			plan, plan->commands[command].node, room));
	return status;
}

plait_status plait__local_memory_check(const plait__plan_object *plan_object,
				       plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++)
		if (plait__local_memory_is_used(plan_object, i))
			status = plait__local_memory_check_launch(
				plan_object, i, plan->blob, error);
	return status;
}
