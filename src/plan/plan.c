/* SPDX-License-Identifier: MIT */
/* Accessors of a finished plan, and its release.  planner.c makes plans. */
#include "plan/plan.h"

#include "base/alloc.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>

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
	return kind != PLAIT__REGION_DO || times > 0 ? times : 1;
}

uint64_t plait__plan_decisions(uint32_t kind, uint64_t times)
{
	switch (kind) {
	case PLAIT__REGION_CASE: return 1;
	case PLAIT__REGION_WHILE: return times + 1;
	case PLAIT__REGION_DO: return times;
	default: return 0;
	}
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

const char *plait__plan_kernel_name(const plait__plan *tables, uint32_t kind,
				    uint32_t link)
{
	uint32_t kernel, name;

	if (kind != PLAIT__CMD_LAUNCH || link >= tables->payloads_count)
		return "";
	kernel = tables->payloads[link].kernel;
	if (kernel >= tables->kernels_count)
		return "";
	name = tables->kernels[kernel].name;
	return name < tables->strings_count ? tables->strings + name : "";
}

const char *plait__plan_node_name(const plait__plan *plan, uint32_t node)
{
	const char *label = plait__plan_node_label(plan, node);
	uint32_t command = plan->nodes[node].command;

	if (*label != '\0' || command >= plan->command_count)
		return label;
	return plait__plan_kernel_name(plan, plan->commands[command].kind,
				       plan->commands[command].link);
}

const char *plait__plan_node_text(const plait__plan *plan, uint32_t node,
				  char room[PLAIT__PLAN_NODE_TEXT_BYTES])
{
	const char *name = plait__plan_node_name(plan, node);

	(void)snprintf(room, PLAIT__PLAN_NODE_TEXT_BYTES, "node %u%s%.*s%s",
		       node, *name != '\0' ? " \"" : "",
		       PLAIT__TEXT_FIT(name, 60), *name != '\0' ? "\"" : "");
	return room;
}
