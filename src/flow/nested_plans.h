/* SPDX-License-Identifier: MIT */
/*
 * Runs of plans as nodes of a captured graph: launches of a kernel of the host that
 * calls the plan.  The nodes of one plan have one buffer, with the record of the plan;
 * the graph, and the plans of it, keep the record by the buffer.
 */
#ifndef PLAIT_SRC_FLOW_NESTED_PLANS_H
#define PLAIT_SRC_FLOW_NESTED_PLANS_H

#include "plait/graph.h"

#include "flow/flow_object.h"

#include "base/vector.h"

/* A plan with one run descriptor. */
typedef struct plait__nested_plan {
	const plait_plan *plan;
	const plait_run_desc *run;
	plait_buffer *buffer; /* one reference */
	uint32_t last; /* 1 + the newest task of the record that runs the plan */
} plait__nested_plan;

typedef struct plait__nested_plans {
	plait__vector items;  /* plait__nested_plan */
	plait_kernel *kernel; /* one reference, or null */
} plait__nested_plans;

void plait__nested_plans_init(plait__nested_plans *nodes,
			      const plait_allocator *allocator);
/* Caller does not hold the lock. */
void plait__nested_plans_fini(plait__nested_plans *nodes);

/* Set what the node of a task of kind PLAN launches; `argument` is room for its
 * argument.  The plan is one that a function of the host can call.  Caller holds the
 * lock.  PLAIT_E_HANDLE, PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM. */
plait_status plait__nested_plans_set(plait__nested_plans *nodes,
				     plait__flow *flow,
				     const plait_task_desc *desc,
				     plait_argument *argument,
				     plait_node_desc *node, plait_error *error);

/* Task `number` of the record runs the plan, 1 for the first; returns the number of
 * the newest one before it that does, or 0. */
uint32_t plait__nested_plans_note(plait__nested_plans *nodes,
				  const plait_plan *plan, uint32_t number);

#endif
