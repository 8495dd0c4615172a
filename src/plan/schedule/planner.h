/* SPDX-License-Identifier: MIT */
/*
 * Entry point of the planner: planner_input.h in, plan.h out.  Pure: no thread,
 * clock, device or environment; equal input gives equal bytes.  README.md has
 * the algorithm; place_command.h has the placing step for online use.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLANNER_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLANNER_H

#include "plan/schedule/planner_input.h"
#include "plan/plan.h"

/* Operation counters, to verify near-linear growth. */
typedef struct plait__planner_counts {
	uint64_t steps;			/* of all loops that could grow */
	uint64_t reduce_steps;		/* of the transitive reduction */
	uint64_t recycle_steps;		/* of the search for free lanes */
	uint64_t clock_steps;		/* vector clock entries merged */
	uint64_t heap_steps;		/* comparisons in priority queues */
	uint64_t peak_bytes;		/* peak of memory held */
	/* Edges that the transitive reduction kept without proof that they are
	 * needed, since its search ran out of budget: each costs at most a
	 * redundant wait, never an ordering. */
	uint64_t unproven_edges;
} plait__planner_counts;

/*
 * Plan a graph.
 *
 * `options` null: all zero.  `allocator` null: the C library's.  `counts` may
 * be null.  *out is null unless the result is PLAIT_OK.
 *
 * PLAIT_E_INVALID   an index out of range, an edge that leaves its scope, a
 *                   case without branches, a node without a device, ...; a
 *                   cycle; the text names its nodes
 * PLAIT_E_UNSUPPORTED  2^30 - 1 nodes or 2^31 - 1 edges, or more
 * PLAIT_E_NOMEM     no memory
 */
plait_status plait__planner_run(const plait__input *input,
				const plait__input_options *options,
				const plait_allocator *allocator,
				plait__planner_counts *counts,
				plait__plan **out, plait_error *error);

#endif
