/* SPDX-License-Identifier: MIT */
/*
 * Range check of the payload tables (payload.h), which the planner does not
 * read; for plans that come from outside.
 */
#include "plan/check/payload_tables.h"

#include "base/error.h"

#include <stdbool.h>

/* Returns true for an index below `count`, or none. */
static bool is_index(uint32_t index, uint32_t count)
{
	return index == PLAIT__NONE || index < count;
}

/* Returns true if [first, first + length) lies within `count`. */
static bool is_range(uint64_t first, uint64_t length, uint64_t count)
{
	return first <= count && length <= count - first;
}

static plait_status broken(plait_error *error, const char *what, uint32_t i)
{
	return plait__fail(error, PLAIT_E_INVALID,
			   "plan: %s %u has a reference that is out of range", what, i);
}

static bool names_are_inside(const plait__plan *plan)
{
	uint32_t strings = plan->strings_count;
	bool good = true;

	for (uint32_t i = 0; i < plan->devices_count; i++)
		good &= is_index(plan->devices[i].name, strings);
	for (uint32_t i = 0; i < plan->nodes_count; i++)
		good &= is_index(plan->nodes[i].label, strings) &&
			is_index(plan->nodes[i].file, strings);
	for (uint32_t i = 0; i < plan->kernels_count; i++)
		good &= is_index(plan->kernels[i].name, strings) &&
			is_index(plan->kernels[i].signature, strings);
	for (uint32_t i = 0; i < plan->functions_count; i++)
		good &= is_index(plan->functions[i].name, strings);
	for (uint32_t i = 0; i < plan->signals_count; i++)
		good &= is_index(plan->signals[i].name, strings);
	for (uint32_t i = 0; i < plan->params_count; i++)
		good &= is_index(plan->params[i].name, strings);
	for (uint32_t i = 0; i < plan->slots_count; i++)
		good &= is_index(plan->slots[i].name, strings);
	return good;
}

/* The kind of an argument says which table `index` refers to. */
static bool arg_is_good(const plait__plan *plan, const plait__plan_arg *arg)
{
	switch (arg->kind) {
	case PLAIT__ARG_VALUE:
		return is_range(arg->blob, arg->bytes, plan->blob_count);
	case PLAIT__ARG_PARAM:
		return arg->index < plan->params_count;
	case PLAIT__ARG_MEMORY:
		return arg->index < plan->slots_count;
	case PLAIT__ARG_ROTATION:
		return arg->index < plan->rotations_count;
	case PLAIT__ARG_INDEX:
		/* None: the loop is not part of a partial plan. */
		return is_index(arg->index, plan->regions_count);
	case PLAIT__ARG_SCRATCH:
		return true;
	default:
		return false;
	}
}

static plait_status check_args(const plait__plan *plan, plait_error *error)
{
	for (uint32_t i = 0; i < plan->args_count; i++)
		if (!arg_is_good(plan, &plan->args[i]))
			return broken(error, "argument", i);
	for (uint32_t i = 0; i < plan->patches_count; i++) {
		const plait__plan_patch *patch = &plan->patches[i];

		if (patch->param >= plan->params_count ||
		    !is_index(patch->arg, plan->args_count) ||
		    !is_range(patch->blob, patch->bytes, plan->blob_count))
			return broken(error, "patch", i);
	}
	return PLAIT_OK;
}

static plait_status check_payloads(const plait__plan *plan,
				   plait_error *error)
{
	for (uint32_t i = 0; i < plan->payloads_count; i++) {
		const plait__plan_payload *payload = &plan->payloads[i];

		/* `object` is a function or a signal, depending on the kind of
		 * the command; check_objects checks it. */
		if (!is_index(payload->kernel, plan->kernels_count) ||
		    !is_index(payload->geometry, plan->geometries_count) ||
		    !is_range(payload->arg_first, payload->arg_count,
			      plan->args_count))
			return broken(error, "payload", i);
	}
	for (uint32_t i = 0; i < plan->geometries_count; i++)
		if (!is_index(plan->geometries[i].param, plan->params_count) ||
		    plan->geometries[i].dimensions < 1 ||
		    plan->geometries[i].dimensions > 3)
			return broken(error, "geometry", i);
	return PLAIT_OK;
}

static bool object_is_good(const plait__plan *plan, uint32_t kind,
			   uint32_t object)
{
	if (kind == PLAIT__CMD_HOST || kind == PLAIT__CMD_CALLBACK)
		return object < plan->functions_count;
	if (kind == PLAIT__CMD_EMIT || kind == PLAIT__CMD_WAIT)
		return object < plan->signals_count;
	return true;
}

static plait_status check_objects(const plait__plan *plan,
				  plait_error *error)
{
	for (uint32_t i = 0; i < plan->command_count &&
	     i < plan->commands_count; i++) {
		const plait__plan_command *command = &plan->commands[i];
		bool region = command->kind == PLAIT__CMD_REGION ||
			      command->kind == PLAIT__CMD_ENTER ||
			      command->kind == PLAIT__CMD_BARRIER_STUB;

		if (region || command->link == PLAIT__NONE)
			continue;
		if (command->link >= plan->payloads_count ||
		    !object_is_good(plan, command->kind,
				    plan->payloads[command->link].object))
			return broken(error, "command", i);
	}
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		uint32_t predicate = plan->regions[i].predicate;

		if (!is_index(predicate, plan->payloads_count))
			return broken(error, "region", i);
		if (predicate != PLAIT__NONE &&
		    !is_index(plan->payloads[predicate].object,
			      plan->functions_count))
			return broken(error, "predicate of region", i);
	}
	return PLAIT_OK;
}

static plait_status check_memory(const plait__plan *plan, plait_error *error)
{
	for (uint32_t i = 0; i < plan->slots_count; i++)
		if (plan->slots[i].device >= plan->devices_count ||
		    (plan->slots[i].kind == PLAIT__SLOT_PARAM &&
		     plan->slots[i].param >= plan->params_count))
			return broken(error, "slot", i);
	for (uint32_t i = 0; i < plan->signals_count; i++)
		if (plan->signals[i].device >= plan->devices_count)
			return broken(error, "signal", i);
	for (uint32_t i = 0; i < plan->rotations_count; i++) {
		const plait__plan_rotation *rotation = &plan->rotations[i];

		if (!is_index(rotation->region, plan->regions_count) ||
		    rotation->slot_count < 2 || rotation->prologue > 1 ||
		    rotation->slot_count - rotation->prologue > 8 ||
		    !is_range(rotation->slot_first, rotation->slot_count,
			      plan->rotation_slots_count))
			return broken(error, "rotation", i);
	}
	for (uint32_t i = 0; i < plan->rotation_slots_count; i++)
		if (plan->rotation_slots[i] >= plan->slots_count)
			return broken(error, "rotation slot", i);
	return PLAIT_OK;
}

plait_status plait__payload_tables_check(const plait__plan *plan,
					 plait_error *error)
{
	plait_status status;

	if (plan->strings_count == 0 ||
	    plan->strings[plan->strings_count - 1] != '\0' ||
	    !names_are_inside(plan))
		return plait__fail(error, PLAIT_E_INVALID,
				   "plan: a name lies outside of the strings");
	status = check_payloads(plan, error);
	if (status == PLAIT_OK)
		status = check_args(plan, error);
	if (status == PLAIT_OK)
		status = check_objects(plan, error);
	if (status == PLAIT_OK)
		status = check_memory(plan, error);
	return status;
}
