/* SPDX-License-Identifier: MIT */
/*
 * The planner's front door: from planner_input.h to plan.h.  Pure: no thread, clock,
 * device or environment; equal input gives equal bytes.  See README.md here
 * for the algorithm; place_command.h has the step for online use.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLANNER_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLANNER_H

#include "plan/schedule/planner_input.h"
#include "plan/plan.h"

/* Operations counted, to see that they grow linearly; a byproduct. */
typedef struct plait__planner_counts {
	uint64_t steps;			/* of all loops that could grow */
	uint64_t reduce_steps;		/* of the transitive reduction */
	uint64_t recycle_steps;		/* of the search for free lanes */
	uint64_t clock_steps;		/* entries of clocks that were merged */
	uint64_t heap_steps;		/* comparisons of heaps */
	uint64_t peak_bytes;		/* most memory held at once */
	/* Edges kept without proof that they are needed, since their search
	 * was cut short: they cost a wait at most, never an ordering. */
	uint64_t unproven_edges;
} plait__planner_counts;

/*
 * Plan a graph.
 *
 * `options` null is all zero; `allocator` null is the C library's; `counts`
 * may be null.  *out is null unless PLAIT_OK.
 *
 * PLAIT_E_INVALID   an index out of range, an edge that leaves its scope, a
 *                   case without branches, a node without a device, ...; a
 *                   cycle, whose nodes the text names
 * PLAIT_E_NOMEM     no memory
 */
plait_status plait__planner_run(const plait__input *input,
				const plait__input_options *options,
				const plait_allocator *allocator,
				plait__planner_counts *counts,
				plait__plan **out, plait_error *error);

#endif
