/* SPDX-License-Identifier: MIT */
/*
 * Scope of loop-dependent arguments: an iteration number, and a series, are used
 * only inside their loop; a rotation only inside its loop or after it.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

/* The body is not 0. */
static const plait__plan_region *region_of(const plait__plan *plan,
					   uint32_t body)
{
	return &plan->regions[plan->bodies[body].region];
}

static bool is_loop(const plait__plan *plan, uint32_t region)
{
	return region < plan->regions_count &&
	       plan->regions[region].kind != PLAIT__REGION_CASE;
}

/* Returns the command of body `outer` that is c or holds it, or none. */
static uint32_t holder(const plait__check *check, uint32_t c, uint32_t outer)
{
	const plait__plan *plan = check->plan;

	while (check->depth[check->body_of[c]] > check->depth[outer])
		c = region_of(plan, check->body_of[c])->command;
	return check->body_of[c] == outer ? c : PLAIT__NONE;
}

static plait_status check_index(plait__check *check, uint32_t c,
				uint32_t region)
{
	const plait__plan *plan = check->plan;

	if (is_loop(plan, region) &&
	    holder(check, c, plan->regions[region].body_first) != PLAIT__NONE)
		return PLAIT_OK;
	return plait__check_fail(check, c, "it takes the iteration of a loop "
				 "that it is not in");
}

/* The indices of series are checked already. */
static plait_status check_series(plait__check *check, uint32_t c,
				 uint32_t series)
{
	return check_index(check, c, check->plan->series[series].region);
}

static plait_status check_rotation(plait__check *check, uint32_t c,
				   uint32_t rotation)
{
	const plait__plan *plan = check->plan;
	uint32_t region, loop, user;

	if (rotation >= plan->rotations_count ||
	    !is_loop(plan, plan->rotations[rotation].region))
		return plait__check_fail(check, c, "it uses a rotation that "
					 "no loop has");
	region = plan->rotations[rotation].region;
	if (holder(check, c, plan->regions[region].body_first) != PLAIT__NONE)
		return PLAIT_OK;
	loop = plan->regions[region].command;
	user = holder(check, c, check->body_of[loop]);
	if (user == PLAIT__NONE)
		return plait__check_fail(check, c, "it uses a rotation of a "
					 "loop in another body");
	return plait__obligations_add(check, loop, user,
				      PLAIT__OBLIGATION_LOOP);
}

/* Returns true if a command of the kind moves bytes between buffers. */
static bool moves(uint32_t kind)
{
	return kind == PLAIT__CMD_COPY || kind == PLAIT__CMD_FILL;
}

/* Launches follow their loops with all arguments, copies and fills with their
 * buffers, no other command does. */
static plait_status check_argument(plait__check *check, uint32_t c,
				   const plait__plan_arg *arg, uint32_t kind)
{
	bool rotates = arg->kind == PLAIT__ARG_ROTATION;

	if (arg->kind != PLAIT__ARG_INDEX && arg->kind != PLAIT__ARG_SERIES &&
	    !rotates)
		return PLAIT_OK;
	if (kind != PLAIT__CMD_LAUNCH && !(rotates && moves(kind)))
		return plait__check_fail(check, c, "only launches may use "
					 "numbers of a loop, and only those, "
					 "copies and fills its rotations");
	if (rotates && kind == PLAIT__CMD_LAUNCH &&
	    plait__payload_rotation_offset(arg) != 0)
		return plait__check_fail(check, c, "a launch takes a rotation "
					 "from its buffers' first byte on");
	switch (arg->kind) {
	case PLAIT__ARG_INDEX:
		return check_index(check, c, arg->index);
	case PLAIT__ARG_SERIES:
		return check_series(check, c, arg->index);
	default:
		return check_rotation(check, c, arg->index);
	}
}

static plait_status check_geometry(plait__check *check, uint32_t c,
				   uint32_t number)
{
	const plait__plan_geometry *geometry;
	plait_status status = PLAIT_OK;

	if (number >= check->plan->geometries_count)
		return PLAIT_OK;
	geometry = &check->plan->geometries[number];
	for (uint32_t i = 0; status == PLAIT_OK && i < 3; i++)
		if (geometry->series[i] != 0)
			status = check_series(check, c,
					      geometry->series[i] - 1);
	return status;
}

static plait_status check_payload(plait__check *check, uint32_t c,
				  uint32_t link, uint32_t kind)
{
	const plait__plan *plan = check->plan;
	const plait__plan_payload *payload;
	plait_status status = PLAIT_OK;

	if (link >= plan->payloads_count)
		return PLAIT_OK;
	payload = &plan->payloads[link];
	if (payload->arg_first > plan->args_count ||
	    payload->arg_count > plan->args_count - payload->arg_first)
		return plait__check_fail(check, c,
					 "its arguments are out of range");
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < payload->arg_count; i++)
		status = check_argument(check, c,
					&plan->args[payload->arg_first + i],
					kind);
	if (status == PLAIT_OK && kind == PLAIT__CMD_LAUNCH)
		status = check_geometry(check, c, payload->geometry);
	return status;
}

plait_status plait__rotation_scope_check(plait__check *check)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t c = 0; status == PLAIT_OK && c < plan->command_count;
	     c++) {
		const plait__plan_command *command = &plan->commands[c];
		uint32_t kind = command->kind;

		if (kind == PLAIT__CMD_REGION)
			status = check_payload(
				check, c,
				plan->regions[command->link].predicate,
				kind);
		else if (kind != PLAIT__CMD_ENTER &&
			 kind != PLAIT__CMD_BARRIER_STUB)
			status = check_payload(check, c, command->link, kind);
	}
	return status;
}
