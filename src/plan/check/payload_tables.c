/* SPDX-License-Identifier: MIT */
/*
 * Range check of the payload tables (payload.h): names, parameters, buffers,
 * rotations, geometries, and the payload of each command.  The planner does not
 * read these tables; a file may hold anything.  Arguments are checked by
 * argument_bounds.c.
 */
#include "plan/check/phases.h"

/* Returns true for an index below `count`, or none. */
static bool is_index(uint32_t index, uint32_t count)
{
	return index == PLAIT__NONE || index < count;
}

/* ---- names ---- */

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
	for (uint32_t i = 0; i < plan->resources_count; i++)
		good &= is_index(plan->resources[i].name, strings);
	return good;
}

/* ---- objects ---- */

static plait_status check_slots(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->slots_count; i++) {
		if (plan->slots[i].kind != PLAIT__SLOT_BOUND &&
		    plan->slots[i].kind != PLAIT__SLOT_ARENA)
			return plait__check_fail_part(check, "slot", i,
				"unknown or reserved kind of memory");
		if (plan->slots[i].kind == PLAIT__SLOT_ARENA &&
		    plan->slots[i].bytes > INT64_MAX)
			return plait__check_fail_part(check, "slot", i,
				"a temporary is larger than any memory");
		if (plan->slots[i].device >= plan->devices_count)
			return plait__check_fail_part(check, "slot", i,
				"its device does not exist");
	}
	for (uint32_t i = 0; i < plan->signals_count; i++)
		if (plan->signals[i].device >= plan->devices_count)
			return plait__check_fail_part(check, "signal", i,
				"its device does not exist");
	if (plan->channels_count > 0)
		return plait__check_fail_part(check, "channel", 0,
					      "channels are reserved");
	return PLAIT_OK;
}

static plait_status check_rotations(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->rotations_count; i++) {
		const plait__plan_rotation *rotation = &plan->rotations[i];

		/* None: the loop is not part of a partial plan. */
		if (!is_index(rotation->region, plan->regions_count))
			return plait__check_fail_part(check, "rotation", i,
				"its loop does not exist");
		if (rotation->slot_count < 2 || rotation->prologue > 1 ||
		    rotation->slot_count - rotation->prologue > 8 ||
		    rotation->slot_first > plan->rotation_slots_count ||
		    rotation->slot_count > plan->rotation_slots_count -
		    rotation->slot_first)
			return plait__check_fail_part(check, "rotation", i,
				"its slots are out of range");
	}
	for (uint32_t i = 0; i < plan->rotation_slots_count; i++)
		if (plan->rotation_slots[i] >= plan->slots_count)
			return plait__check_fail_part(check, "rotation slot",
				i, "its slot does not exist");
	return PLAIT_OK;
}

static plait_status check_series(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->series_count; i++) {
		const plait__plan_series *series = &plan->series[i];

		/* None: the loop is not part of a partial plan. */
		if (!is_index(series->region, plan->regions_count))
			return plait__check_fail_part(check, "series", i,
				"its loop does not exist");
		if (series->flags > PLAIT__SERIES_FROM_COUNT ||
		    series->limit < 0)
			return plait__check_fail_part(check, "series", i,
				"unknown flags, or a limit below 0");
		if (series->flags != 0 && series->region != PLAIT__NONE &&
		    plan->regions[series->region].kind !=
			    PLAIT__REGION_REPEAT)
			return plait__check_fail_part(check, "series", i,
				"its loop has no count");
	}
	return PLAIT_OK;
}

/* ---- parameters and geometries ---- */

static bool is_value_size(uint32_t bytes)
{
	return bytes >= 1 && bytes <= PLAIT__PARAM_MAX_BYTES;
}

static plait_status check_params(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->params_count; i++) {
		const plait__plan_param *param = &plan->params[i];

		if (param->kind > PLAIT__PARAM_GEOMETRY &&
		    param->kind != PLAIT__PARAM_HOST)
			return plait__check_fail_part(check, "parameter", i,
				"unknown or reserved kind");
		if ((param->kind == PLAIT__PARAM_VALUE &&
		     !is_value_size(param->bytes)) ||
		    (plait__payload_param_is_memory(param) &&
		     param->bytes != sizeof(uint64_t)))
			return plait__check_fail_part(check, "parameter", i,
				"its size is not that of its kind");
	}
	return PLAIT_OK;
}

/* Multiply *total by the items, rounded up to whole groups; false on
 * overflow. */
static bool multiply(uint64_t *total, uint64_t items, uint64_t group)
{
	uint64_t rest = group > 0 ? items % group : 0;

	return !(rest > 0 && __builtin_add_overflow(items, group - rest,
						    &items)) &&
	       !__builtin_mul_overflow(*total, items, total);
}

static bool items_are_good(const plait__plan_geometry *geometry)
{
	uint64_t total = 1, in_group = 1;

	for (uint32_t i = 0; i < 3; i++) {
		uint64_t items = geometry->items[i];
		uint64_t group = geometry->group[i];

		if (items == 0 || (i >= geometry->dimensions &&
				   (items > 1 || group > 1)) ||
		    !multiply(&total, items, group) ||
		    !multiply(&in_group, group > 0 ? group : 1, 0))
			return false;
	}
	return true;
}

/* Returns true if the series of a geometry exist, within its dimensions, and no
 * parameter is in their place. */
static bool geometry_series_are_good(const plait__plan *plan,
				     const plait__plan_geometry *geometry)
{
	bool good = true;

	for (uint32_t i = 0; i < 3; i++)
		good &= geometry->series[i] == 0 ||
			(geometry->series[i] <= plan->series_count &&
			 i < geometry->dimensions &&
			 geometry->param == PLAIT__NONE);
	return good;
}

static plait_status check_geometries(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->geometries_count; i++) {
		const plait__plan_geometry *geometry = &plan->geometries[i];
		uint32_t param = geometry->param;

		if (geometry->dimensions < 1 || geometry->dimensions > 3)
			return plait__check_fail_part(check, "geometry", i,
				"1 to 3 dimensions are possible");
		if (!items_are_good(geometry))
			return plait__check_fail_part(check, "geometry", i,
				"its items are 0, beyond its dimensions, or too many");
		if (!geometry_series_are_good(plan, geometry))
			return plait__check_fail_part(check, "geometry", i,
				"its series do not fit it");
		if (param != PLAIT__NONE &&
		    (param >= plan->params_count ||
		     plan->params[param].kind != PLAIT__PARAM_GEOMETRY))
			return plait__check_fail_part(check, "geometry", i,
				"its parameter is not that of a geometry");
	}
	return PLAIT_OK;
}

/* ---- payloads ---- */

/* `object` is a function or a signal, depending on the command's kind. */
static plait_status check_payloads(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->payloads_count; i++) {
		const plait__plan_payload *payload = &plan->payloads[i];

		if (!is_index(payload->kernel, plan->kernels_count))
			return plait__check_fail_part(check, "payload", i,
				"its kernel does not exist");
		if (!is_index(payload->geometry, plan->geometries_count))
			return plait__check_fail_part(check, "payload", i,
				"its geometry does not exist");
		if (payload->arg_first > plan->args_count ||
		    payload->arg_count > plan->args_count - payload->arg_first)
			return plait__check_fail_part(check, "payload", i,
				"its arguments are out of range");
	}
	return PLAIT_OK;
}

static bool has_scratch(const plait__plan *plan, uint32_t command)
{
	uint32_t low = 0, high = plan->scratch_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (plan->scratch[middle].command < command)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->scratch_count &&
	       plan->scratch[low].command == command;
}

/* Returns true if each scratch argument of the command has memory.  structure.c
 * has checked that scratch ascends by command. */
static bool scratch_exists(const plait__plan *plan, uint32_t command,
			   const plait__plan_payload *payload)
{
	bool takes = false;

	for (uint32_t i = 0; i < payload->arg_count; i++)
		takes |= plan->args[payload->arg_first + i].kind ==
			 PLAIT__ARG_SCRATCH;
	return !takes || has_scratch(plan, command);
}

/* structure.c has checked the link; check_payloads comes first. */
static plait_status check_command(plait__check *check, uint32_t c)
{
	const plait__plan *plan = check->plan;
	const plait__plan_command *command = &plan->commands[c];
	const plait__plan_payload *payload;

	if (command->kind == PLAIT__CMD_REGION ||
	    command->kind == PLAIT__CMD_ENTER)
		return PLAIT_OK;
	if (command->kind == PLAIT__CMD_BARRIER_STUB &&
	    command->link != PLAIT__NONE)
		return plait__check_fail(check, c, "a stub has a payload");
	if (command->link == PLAIT__NONE)
		return PLAIT_OK;
	payload = &plan->payloads[command->link];
	if ((command->kind == PLAIT__CMD_HOST ||
	     command->kind == PLAIT__CMD_CALLBACK) &&
	    payload->object >= plan->functions_count)
		return plait__check_fail(check, c,
					 "its function does not exist");
	if ((command->kind == PLAIT__CMD_EMIT ||
	     command->kind == PLAIT__CMD_WAIT) &&
	    payload->object >= plan->signals_count)
		return plait__check_fail(check, c,
					 "the user's signal does not exist");
	if (!scratch_exists(plan, c, payload))
		return plait__check_fail(check, c,
			"it takes scratch, but the plan has none for it");
	return PLAIT_OK;
}

/* Check the payloads of predicates; structure.c has checked their indices.
 * Without a function: a word, or the count of a `repeat`. */
static plait_status check_predicates(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->regions_count; i++) {
		uint32_t predicate = plan->regions[i].predicate;

		if (predicate != PLAIT__NONE &&
		    !is_index(plan->payloads[predicate].object,
			      plan->functions_count))
			return plait__check_fail_part(check, "region", i,
				"the function of its predicate does not exist");
	}
	return PLAIT_OK;
}

plait_status plait__payload_tables_check(plait__check *check)
{
	plait_status status = PLAIT_OK;

	if (!names_are_inside(check->plan))
		return plait__check_fail_part(check, "strings",
					      check->plan->strings_count,
					      "a name is outside of them");
	status = check_slots(check);
	if (status == PLAIT_OK)
		status = check_rotations(check);
	if (status == PLAIT_OK)
		status = check_series(check);
	if (status == PLAIT_OK)
		status = check_params(check);
	if (status == PLAIT_OK)
		status = check_geometries(check);
	if (status == PLAIT_OK)
		status = check_payloads(check);
	for (uint32_t c = 0; status == PLAIT_OK &&
	     c < check->plan->command_count; c++)
		status = check_command(check, c);
	return status == PLAIT_OK ? check_predicates(check) : status;
}
