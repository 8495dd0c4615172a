/* SPDX-License-Identifier: MIT */
/* Accessors of a finished plan, and its release.  planner.c makes plans. */
#include "plan/plan.h"

#include "base/alloc.h"

#include <stddef.h>

#define FREE_ARRAY(type, name)						\
	plait__free(&allocator, plan->name,				\
		    (uint64_t)plan->name##_count * sizeof(type));
#define ARRAY_BYTES(type, name) \
	bytes += (uint64_t)plan->name##_count * sizeof(type);

void plait__plan_release(plait__plan *plan)
{
	plait_allocator allocator;

	if (plan == NULL)
		return;
	allocator = plan->allocator;
	PLAIT__PLAN_ARRAYS(FREE_ARRAY)
	plait__free(&allocator, plan, sizeof(*plan));
}

uint64_t plait__plan_iterations(uint32_t kind, uint64_t times)
{
	return kind == PLAIT__REGION_WHILE || times > 0 ? times : 1;
}

uint64_t plait__plan_decisions(uint32_t kind, uint64_t times)
{
	return kind == PLAIT__REGION_CASE ? 1 :
	       kind == PLAIT__REGION_WHILE ? times + 1 : times;
}

uint64_t plait__plan_own_cost(const plait__plan *plan, uint32_t command)
{
	const plait__plan_command *at = &plan->commands[command];

	return at->kind == PLAIT__CMD_REGION ?
	       plan->regions[at->link].decision_cost : at->cost;
}

uint64_t plait__plan_bytes(const plait__plan *plan)
{
	uint64_t bytes = sizeof(*plan);

	PLAIT__PLAN_ARRAYS(ARRAY_BYTES)
	return bytes;
}

uint32_t plait__plan_find_track(const plait__plan *plan, uint32_t body,
				uint32_t lane)
{
	uint32_t low = plan->bodies[body].track_first;
	uint32_t end = low + plan->bodies[body].track_count;
	uint32_t high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (plan->tracks[middle].lane < lane)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == end || plan->tracks[low].lane != lane)
		return PLAIT__NONE;
	return low;
}

uint32_t plait__plan_find_command(const plait__plan *plan, uint32_t body,
				  uint32_t lane, uint32_t position)
{
	uint32_t track = plait__plan_find_track(plan, body, lane);

	if (track == PLAIT__NONE || position >= plan->tracks[track].count)
		return PLAIT__NONE;
	return plan->tracks[track].first + position;
}

uint32_t plait__plan_nodes_in(const plait__plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		count += plan->nodes[i].command != PLAIT__NONE;
	return count;
}

const char *plait__plan_node_label(const plait__plan *plan, uint32_t node)
{
	uint32_t label = plan->nodes[node].label;

	return label < plan->strings_count ? plan->strings + label : "";
}
