/* SPDX-License-Identifier: MIT */
/* Numbers of the bound launches that commands keep; see launch_variants.c. */
#include "run/queue/variant_count.h"

#include "run/queue/queue_command.h"

#include "object/context/device.h"

enum {
	/* Maximum of variants per command; more rotations are bound when they
	 * occur. */
	MAX_VARIANTS = 8
};

/* Both are 1 to 8: rotations have at most 8 buffers, and count_rotations stops
 * above MAX_VARIANTS. */
static uint32_t common_multiple(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b;

	while (y != 0) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/* Number of iterations after which the same buffers occur again. */
static uint32_t count_rotations(const plait__plan *plan,
				const plait__plan_payload *payload)
{
	uint32_t rotations = 1, prologue = 0;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];
		const plait__plan_rotation *rotation;

		if (arg->kind != PLAIT__ARG_ROTATION)
			continue;
		rotation = &plan->rotations[arg->index];
		prologue |= rotation->prologue != 0;
		rotations = common_multiple(rotations,
					    rotation->slot_count -
						    (rotation->prologue != 0));
		if (rotations > MAX_VARIANTS)
			break;
	}
	return rotations + prologue;
}

/* Number of iterations whose launches are kept, for a command of a repeat that
 * is submitted ahead; 0 if its launches recur before they would be replaced, or
 * if the backend counts the iterations. */
static uint32_t count_turns(const plait__queue_program *compiled,
			    uint32_t command, uint32_t rotations)
{
	uint32_t region = plait__queue_program_ahead(compiled, command);
	uint32_t least, times;

	if (region == PLAIT__NONE || compiled->regions[region].counted ||
	    (rotations <= MAX_VARIANTS &&
	     (plait__queue_command_changes(compiled, command) &
	      PLAIT__CHANGES_TURN) == 0))
		return 0;
	least = 2 * compiled->regions[region].window;
	times = compiled->program->plan->regions[region].times;
	if (times > PLAIT__VARIANT_TURNS)
		times = PLAIT__VARIANT_TURNS;
	return times > least ? times : least;
}

uint32_t plait__variant_count(const plait__queue_program *compiled,
			      uint32_t command)
{
	const plait__plan_payload *payload =
		plait__queue_command_launch(compiled, command);
	uint32_t rotations, turns;

	if (payload == NULL ||
	    plait__device_forms(compiled->lanes[
		    compiled->program->plan->commands[command].lane].device) == 0)
		return 0;
	rotations = count_rotations(compiled->program->plan, payload);
	turns = count_turns(compiled, command, rotations);
	if (turns > 0)
		return turns;
	return rotations < MAX_VARIANTS ? rotations : MAX_VARIANTS;
}

uint32_t plait__variant_count_turns(const plait__queue_program *compiled,
				    uint32_t command)
{
	const plait__plan_payload *payload =
		plait__queue_command_launch(compiled, command);

	return count_turns(compiled, command,
			   count_rotations(compiled->program->plan,
					   payload)) > 0 ?
		       plait__queue_program_ahead(compiled, command) :
		       PLAIT__NONE;
}
