/* SPDX-License-Identifier: MIT */
/* Launches of a repeat that is submitted ahead; see variant_turns.h. */
#include "run/queue/variant_turns.h"

#include "run/queue/queue_command.h"
#include "run/queue/variant_count.h"

#include "run/args/payload_util.h"

static bool arg_follows(const plait__plan *plan, const plait__plan_arg *arg,
			uint32_t region)
{
	switch (arg->kind) {
	case PLAIT__ARG_INDEX:
		return arg->index == region;
	case PLAIT__ARG_SERIES:
		return plan->series[arg->index].region == region;
	case PLAIT__ARG_ROTATION:
		return plan->rotations[arg->index].region == region;
	default:
		return arg->kind != PLAIT__ARG_PARAM;
	}
}

static bool size_follows(const plait__plan *plan,
			 const plait__plan_geometry *geometry, uint32_t region)
{
	bool follows = geometry->param == PLAIT__NONE;

	for (uint32_t i = 0; i < 3; i++)
		follows = follows && (geometry->series[i] == 0 ||
				      plan->series[geometry->series[i] - 1]
						      .region == region);
	return follows;
}

bool plait__variant_turns_follow(const plait__queue_program *compiled,
				 uint32_t command, uint32_t region)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	bool follows = payload != NULL &&
		       (plan->commands[command].kind != PLAIT__CMD_LAUNCH ||
			size_follows(plan,
				     &plan->geometries[payload->geometry],
				     region));

	for (uint32_t i = 0; follows && i < payload->arg_count; i++)
		follows = arg_follows(plan,
				      &plan->args[payload->arg_first + i],
				      region);
	return follows;
}

void plait__variant_turns_find(const plait__queue_instance *state,
			       uint32_t command)
{
	plait__queue_launch *launch = &state->launches[command];

	launch->turns = plait__variant_count_turns(state->compiled, command);
	launch->follows = launch->turns != PLAIT__NONE &&
			  plait__variant_turns_follow(state->compiled, command,
						      launch->turns);
}

plait__launch_variant *
plait__variant_turns_at(const plait__queue_instance *state,
			const plait__queue_launch *launch)
{
	const uint64_t turn =
		state->instance->frame.iterations[launch->turns];

	return &launch->variants[turn % launch->variant_count];
}

void plait__variant_turns_note(const plait__queue_instance *state,
			       const plait__queue_launch *launch,
			       plait__launch_variant *variant)
{
	variant->turn = state->instance->frame.iterations[launch->turns];
	variant->count = state->instance->frame.counts[launch->turns];
}

plait_backend_launch *
plait__variant_turns_bound(const plait__queue_instance *state,
			   const plait__queue_launch *launch)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__launch_variant *variant;

	if (!launch->follows)
		return NULL;
	variant = plait__variant_turns_at(state, launch);
	return variant->turn == frame->iterations[launch->turns] &&
			       variant->count == frame->counts[launch->turns] ?
		       variant->raw : NULL;
}
