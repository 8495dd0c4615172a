/* SPDX-License-Identifier: MIT */
/*
 * Model of a plan's makespan on all lanes as a function of the hop cost (the
 * latency between lanes).  Each path through a plan has a number of hops, so
 * the longest path is convex in the hop cost: interpolation between simulated
 * points does not underestimate it.
 */
#ifndef PLAIT_SRC_RUN_HOST_SPEEDUP_MODEL_H
#define PLAIT_SRC_RUN_HOST_SPEEDUP_MODEL_H

#include "plan/plan.h"

#include <stdbool.h>

enum { PLAIT__SPEEDUP_POINTS = 3 };

/* In the plan's unit of cost. */
typedef struct plait__speedup_model {
	uint64_t total;		/* work, on one lane */
	uint64_t hops[PLAIT__SPEEDUP_POINTS];
	uint64_t makespans[PLAIT__SPEEDUP_POINTS];
} plait__speedup_model;

/* `threads`: lanes that run at once, 1 or more.  PLAIT_E_NOMEM. */
plait_status plait__speedup_model_make(plait__speedup_model *model,
				       const plait__plan *plan,
				       uint32_t threads,
				       const plait_allocator *allocator,
				       plait_error *error);

/* ns that parallel execution saves, or a negative number, if serial execution
 * takes `serial_ns`. */
double plait__speedup_model_saving(const plait__speedup_model *model,
				   uint64_t serial_ns, uint64_t hop_ns);

#endif
