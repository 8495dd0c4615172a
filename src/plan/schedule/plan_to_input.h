/* SPDX-License-Identifier: MIT */
/*
 * Planner input rebuilt from a plan, for replanning: nodes, the remaining edges
 * of the graph (with the same transitive closure), regions.  Tables are shared
 * with the plan.  Nodes that the plan leaves out are removed nodes of the input.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLAN_TO_INPUT_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLAN_TO_INPUT_H

#include "plan/schedule/planner_input.h"

typedef struct plait__plan_to_input {
	plait__input input;
	const plait__plan *plan;
	const plait_allocator *allocator;
	plait__input_node *nodes;
	plait__input_edge *edges;
	plait__input_device *devices;
	uint32_t *device_sets;
	plait__input_scope *scopes;
	plait__input_region *regions;
} plait__plan_to_input;

/* Rebuild the input.  Call _fini in any case; the plan must outlive the result.
 * PLAIT_E_INVALID: a node has stubs and no other command; PLAIT_E_NOMEM. */
plait_status plait__plan_to_input_init(plait__plan_to_input *rebuilt,
				       const plait__plan *plan,
				       const plait_allocator *allocator,
				       plait_error *error);
void plait__plan_to_input_fini(plait__plan_to_input *rebuilt);

#endif
