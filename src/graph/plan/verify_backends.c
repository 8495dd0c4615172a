/* SPDX-License-Identifier: MIT */
/*
 * Checks of a loaded plan's objects against the devices of its lanes, with the
 * rules of plait_graph_add (infer_device.c): a text or a file names devices
 * that did not exist when its nodes were added.  Kernels are checked where a
 * program is made.
 */
#include "graph/plan/verify_backends.h"

#include "base/error.h"
#include "base/text.h"
#include "object/context/device.h"
#include "object/memory/image.h"
#include "object/signal/signal.h"

/* A command, or the predicate of its region. */
struct usage {
	const plait__plan_object *plan_object;
	const plait__device *device;
	const plait__plan_payload *payload;
	uint32_t node;
	uint8_t kind;
	plait_error *error;
};

static bool can_call(const struct usage *usage)
{
	return (plait__device_facts(usage->device)->capabilities &
		PLAIT_CAP_HOST_CALL) != 0;
}

static const char *node_text(const struct usage *usage,
			     char room[PLAIT__PLAN_NODE_TEXT_BYTES])
{
	return plait__plan_node_text(usage->plan_object->plan, usage->node,
				     room);
}

static plait_status fail_foreign(const struct usage *usage, const char *what,
				 const char *name, const plait__device *owner)
{
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];

	return plait__fail(usage->error, PLAIT_E_UNSUPPORTED,
			   "%s: %s \"%.*s\" is of %s, the node runs on %s; "
			   "between backends the host has to wait and to copy",
			   node_text(usage, room), what,
			   PLAIT__TEXT_FIT(name, 40), owner->object.label,
			   usage->device->object.label);
}

/* ---- memory ---- */

/* Returns true if the host can move the bytes of a copy, a fill or a
 * predicate between the two backends. */
static bool host_moves(const struct usage *usage, const plait__device *owner,
		       const plait__buffer *buffer)
{
	return (buffer == NULL || plait__image_has_address(buffer)) &&
	       usage->kind != PLAIT__CMD_LAUNCH && can_call(usage) &&
	       (owner->port->all & PLAIT_CAP_MAP) != 0;
}

/* The device whose memory a slot is; null for a temporary of a device that has
 * not been bound.  Buffers are bound. */
static const plait__device *owner_of(const plait__plan_object *plan_object,
				     uint32_t slot)
{
	const plait__plan_slot *of = &plan_object->plan->slots[slot];
	const plait__buffer *buffer =
		(const plait__buffer *)plan_object->buffers[slot];

	if (of->kind == PLAIT__SLOT_ARENA)
		return plan_object->devices[of->device];
	return buffer->device;
}

static plait_status check_slot(const struct usage *usage, uint32_t slot)
{
	const plait__plan_object *plan_object = usage->plan_object;
	const plait__device *owner = owner_of(plan_object, slot);
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];

	if (owner == NULL)
		return plait__fail(usage->error, PLAIT_E_STATE,
				   "%s: the device of a temporary is not "
				   "bound; call plait_plan_bind_device",
				   node_text(usage, room));
	if (owner->port == usage->device->port ||
	    host_moves(usage, owner, (const plait__buffer *)
				     plan_object->buffers[slot]))
		return PLAIT_OK;
	return fail_foreign(usage, "buffer",
			    plan_object->buffers[slot] != NULL ?
				    plan_object->buffers[slot]->label :
				    "(temporary)",
			    owner);
}

static plait_status check_argument(const struct usage *usage,
				   const plait__plan_arg *arg)
{
	const plait__plan *plan = usage->plan_object->plan;
	const plait__plan_rotation *rotation;
	plait_status status = PLAIT_OK;

	if (arg->kind == PLAIT__ARG_MEMORY)
		return check_slot(usage, arg->index);
	if (arg->kind != PLAIT__ARG_ROTATION)
		return PLAIT_OK;
	rotation = &plan->rotations[arg->index];
	for (uint32_t i = 0; status == PLAIT_OK && i < rotation->slot_count;
	     i++)
		status = check_slot(usage, plan->rotation_slots[
					    rotation->slot_first + i]);
	return status;
}

static plait_status check_memory(const struct usage *usage)
{
	const plait__plan *plan = usage->plan_object->plan;
	const plait__plan_payload *payload = usage->payload;
	plait_status status = PLAIT_OK;

	/* A copy or fill of no bytes accesses nothing. */
	if ((usage->kind == PLAIT__CMD_COPY ||
	     usage->kind == PLAIT__CMD_FILL) && payload->bytes == 0)
		return PLAIT_OK;
	for (uint32_t i = 0; status == PLAIT_OK && i < payload->arg_count; i++)
		status = check_argument(usage,
					&plan->args[payload->arg_first + i]);
	return status;
}

/* ---- signals and functions ---- */

static plait_status check_signal(const struct usage *usage)
{
	const plait__signal *signal = (const plait__signal *)
		usage->plan_object->signals[usage->payload->object];

	if (signal->port == usage->device->port)
		return PLAIT_OK;
	return fail_foreign(usage, "signal", signal->object.label,
			    &signal->port->devices[0]);
}

static plait_status check_function(const struct usage *usage)
{
	const uint32_t remote = PLAIT_CAP_NOTIFY | PLAIT_CAP_GATE;
	const plait__store_function *function =
		&usage->plan_object->functions[usage->payload->object];
	const char *lacks = NULL;
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];

	if (function->inbox == NULL && !can_call(usage))
		lacks = "cannot run host functions";
	if (function->inbox != NULL &&
	    (usage->device->port->all & remote) != remote)
		lacks = "has no notifications or no gates, which an inbox "
			"needs";
	if (lacks == NULL)
		return PLAIT_OK;
	return plait__fail(usage->error, PLAIT_E_UNSUPPORTED,
			   "%s: device %s %s", node_text(usage, room),
			   usage->device->object.label, lacks);
}

static plait_status check(const struct usage *usage)
{
	switch (usage->kind) {
	case PLAIT__CMD_EMIT:
	case PLAIT__CMD_WAIT:
		return check_signal(usage);
	case PLAIT__CMD_HOST:
	case PLAIT__CMD_CALLBACK:
		return check_function(usage);
	case PLAIT__CMD_REGION:
		return usage->payload->object != PLAIT__NONE ?
		       check_function(usage) : check_memory(usage);
	case PLAIT__CMD_LAUNCH:
	case PLAIT__CMD_COPY:
	case PLAIT__CMD_FILL:
		return check_memory(usage);
	default:
		return PLAIT_OK;
	}
}

plait_status plait__verify_backends(const plait__plan_object *plan_object,
				    plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++) {
		const plait__plan_command *at = &plan->commands[i];
		uint32_t link = at->kind == PLAIT__CMD_REGION ?
				plan->regions[at->link].predicate : at->link;
		struct usage usage = {
			.plan_object = plan_object, .kind = at->kind,
			.device = plan_object->devices[
				plan->lanes[at->lane].device],
			.node = at->node,
			.error = error
		};

		if (link == PLAIT__NONE || at->kind == PLAIT__CMD_ENTER ||
		    at->kind == PLAIT__CMD_BARRIER_STUB)
			continue;
		usage.payload = &plan->payloads[link];
		status = check(&usage);
	}
	return status;
}
