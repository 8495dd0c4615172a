/* SPDX-License-Identifier: MIT */
/* Errors and new lanes, which several phases of the planner need. */
#include "plan/schedule/planner_state.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

plait_status plait__planner_no_memory(plait__planner_state *planner)
{
	return plait__fail(planner->error, PLAIT_E_NOMEM,
			   "no memory to plan %u nodes, %u edges",
			   planner->input->node_count, planner->input->edge_count);
}

plait_status plait__planner_fail_at(const plait__planner_state *planner,
				    uint32_t node, const char *format, ...)
{
	const plait__input *input = planner->input;
	const plait__input_node *n = &input->nodes[node];
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!plait__input_is_from_text(input, n))
		return plait__fail(planner->error, PLAIT_E_INVALID, "%s", text);
	return plait__fail(planner->error, PLAIT_E_INVALID, "%s:%u: %s",
			   input->text_name, n->line, text);
}

plait_status plait__planner_new_lane(plait__planner_state *planner,
				     plait__planner_scope *scope,
				     uint32_t device, uint32_t *out_lane)
{
	uint32_t index = planner->lane_device_count;

	if (plait__workspace_reserve(&planner->work,
				     (void **)&planner->lane_device,
				     &planner->lane_device_capacity,
				     index + 1ull,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	planner->lane_device[index] = device;
	planner->lane_device_count++;
	*out_lane = scope->lane_count++;
	return PLAIT_OK;
}
