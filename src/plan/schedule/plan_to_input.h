/* SPDX-License-Identifier: MIT */
/*
 * From a plan back to what it was planned of, so that it can be planned anew:
 * nodes, the edges that are left of the graph's (what they imply is the same),
 * regions.  Tables are the plan's own.
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

/* PLAIT_E_UNSUPPORTED: a plan of a part of a graph.  Given back with _fini in
 * any case; the plan has to outlive it. */
plait_status plait__plan_to_input_init(plait__plan_to_input *rebuilt,
				       const plait__plan *plan,
				       const plait_allocator *allocator,
				       plait_error *error);
void plait__plan_to_input_fini(plait__plan_to_input *rebuilt);

#endif
