/* SPDX-License-Identifier: MIT */
/*
 * How long a plan takes on all its lanes, by how long a hop between them is.
 * Each path through a plan has a number of hops, so the longest one is convex
 * in what a hop costs: what lies between two that were simulated is not taken
 * for shorter than it is.
 */
#ifndef PLAIT_SRC_RUN_HOST_SPEEDUP_MODEL_H
#define PLAIT_SRC_RUN_HOST_SPEEDUP_MODEL_H

#include "plan/plan.h"

#include <stdbool.h>

enum { PLAIT__SPEEDUP_POINTS = 3 };

/* In the plan's unit of cost. */
typedef struct plait__speedup_model {
	uint64_t total;		/* on one lane */
	uint64_t hops[PLAIT__SPEEDUP_POINTS];
	uint64_t makespans[PLAIT__SPEEDUP_POINTS];
} plait__speedup_model;

/* On at most `threads` lanes at once, 1 or more.  PLAIT_E_NOMEM. */
plait_status plait__speedup_model_make(plait__speedup_model *model,
				       const plait__plan *plan, uint32_t threads,
				       const plait_allocator *allocator,
				       plait_error *error);

/* What all lanes save in ns, or less than nothing, if one takes `serial_ns`
 * for everything. */
double plait__speedup_model_saving(const plait__speedup_model *model,
				   uint64_t serial_ns, uint64_t hop_ns);

#endif
