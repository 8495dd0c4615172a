/* SPDX-License-Identifier: MIT */
/* Marks of the table elements that commands use. */
#include "graph/plan/used_tables.h"

#include "base/alloc.h"

#include <stddef.h>

static void need_slot(plait__used_tables *used, const plait__plan *plan,
		      uint32_t slot)
{
	used->slots[slot] = 1;
	used->devices[plan->slots[slot].device] = 1;
}

static void need_args(plait__used_tables *used, const plait__plan *plan,
		      const plait__plan_payload *payload)
{
	const plait__plan_rotation *rotation;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];

		if (arg->kind == PLAIT__ARG_MEMORY)
			need_slot(used, plan, arg->index);
		if (arg->kind != PLAIT__ARG_ROTATION)
			continue;
		rotation = &plan->rotations[arg->index];
		for (uint32_t k = 0; k < rotation->slot_count; k++)
			need_slot(used, plan, plan->rotation_slots[
					  rotation->slot_first + k]);
	}
}

/* The indices of a plan that was read are checked (payload_tables.c). */
static void mark_payload(plait__used_tables *used, const plait__plan *plan,
			 uint32_t link, uint8_t kind)
{
	const plait__plan_payload *payload;

	if (link == PLAIT__NONE)
		return;
	payload = &plan->payloads[link];
	if (payload->kernel != PLAIT__NONE)
		used->kernels[payload->kernel] = 1;
	need_args(used, plan, payload);
	if (kind == PLAIT__CMD_EMIT || kind == PLAIT__CMD_WAIT) {
		used->signals[payload->object] = 1;
		used->devices[plan->signals[payload->object].device] = 1;
	} else if (payload->object != PLAIT__NONE &&
		   (kind == PLAIT__CMD_HOST || kind == PLAIT__CMD_CALLBACK ||
		    kind == PLAIT__CMD_REGION)) {
		used->functions[payload->object] |=
			kind == PLAIT__CMD_REGION ? PLAIT__USED_AS_PREDICATE :
						    PLAIT__USED_AS_CALL;
	}
}

/* Nodes of a text state the temporaries that they use and have no
 * arguments. */
static void need_accesses(plait__used_tables *used, const plait__plan *plan,
			  uint32_t node)
{
	const plait__plan_node *at = &plan->nodes[node];

	for (uint32_t i = at[0].access_first; i < at[1].access_first; i++) {
		uint32_t slot = plan->accesses[i].object;

		if (slot < plan->slots_count &&
		    plan->slots[slot].kind == PLAIT__SLOT_ARENA)
			need_slot(used, plan, slot);
	}
}

static void mark(plait__used_tables *used, const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		used->devices[plan->lanes[i].device] = 1;
	for (uint32_t i = 0; i < plan->regions_count; i++)
		mark_payload(used, plan, plan->regions[i].predicate,
			     PLAIT__CMD_REGION);
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *command = &plan->commands[i];

		need_accesses(used, plan, command->node);
		/* The link of these is a region or a command, or unused. */
		if (command->kind != PLAIT__CMD_REGION &&
		    command->kind != PLAIT__CMD_ENTER &&
		    command->kind != PLAIT__CMD_BARRIER_STUB)
			mark_payload(used, plan, command->link,
				     command->kind);
	}
}

bool plait__used_tables_init(plait__used_tables *used, const plait__plan *plan,
			     const plait_allocator *allocator)
{
	uint8_t *block;

	used->bytes = 1 + (uint64_t)plan->kernels_count +
			plan->slots_count + plan->signals_count +
			plan->functions_count + plan->devices_count;
	block = plait__alloc(allocator, used->bytes);
	used->kernels = block;
	if (block == NULL)
		return false;
	used->slots = block + plan->kernels_count;
	used->signals = used->slots + plan->slots_count;
	used->functions = used->signals + plan->signals_count;
	used->devices = used->functions + plan->functions_count;
	mark(used, plan);
	return true;
}

void plait__used_tables_fini(plait__used_tables *used,
			     const plait_allocator *allocator)
{
	plait__free(allocator, used->kernels, used->bytes);
	used->kernels = NULL;
}
