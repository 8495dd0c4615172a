/* SPDX-License-Identifier: MIT */
/*
 * Parameters that no command uses; see idle_params.h.  A parameter counts as
 * idle if an argument or a geometry of the tables names it, and none that
 * belongs to a command or region does: one that other tables name never is.
 */
#include "run/args/idle_params.h"

#include "run/args/payload_util.h"

/* Mark the parameters of some arguments with `mark`. */
static void mark_args(const plait__frame_layout *layout, uint32_t first,
		      uint32_t count, bool mark)
{
	const plait__plan *plan = layout->plan_object->plan;

	for (uint32_t i = first; i < first + count; i++)
		if (plan->args[i].kind == PLAIT__ARG_PARAM)
			layout->idle_params[plan->args[i].index] = mark;
}

static void mark_geometry(const plait__frame_layout *layout, uint32_t geometry,
			  bool mark)
{
	const plait__plan *plan = layout->plan_object->plan;
	uint32_t param = plan->geometries[geometry].param;

	if (param != PLAIT__NONE)
		layout->idle_params[param] = mark;
}

static void mark_used(const plait__frame_layout *layout,
		      const plait__plan_payload *payload, bool is_launch)
{
	if (payload == NULL)
		return;
	mark_args(layout, payload->arg_first, payload->arg_count, false);
	if (is_launch && payload->geometry != PLAIT__NONE)
		mark_geometry(layout, payload->geometry, false);
}

bool plait__idle_params_find(plait__frame_layout *layout)
{
	const plait__plan *plan = layout->plan_object->plan;

	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &layout->idle_params, plan->params_count,
				  sizeof(bool)))
		return false;
	mark_args(layout, 0, plan->args_count, true);
	for (uint32_t i = 0; i < plan->geometries_count; i++)
		mark_geometry(layout, i, true);
	for (uint32_t i = 0; i < plan->command_count; i++)
		mark_used(layout, plait__payload_of(plan, i),
			  plan->commands[i].kind == PLAIT__CMD_LAUNCH);
	for (uint32_t i = 0; i < plan->regions_count; i++)
		mark_used(layout, plait__payload_at(plan, plan->regions[i]
						    .predicate), false);
	return true;
}

void plait__idle_params_free(plait__frame_layout *layout)
{
	plait__free(plait__payload_allocator(layout), layout->idle_params,
		    layout->plan_object->plan->params_count * sizeof(bool));
}
