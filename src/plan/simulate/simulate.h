/* SPDX-License-Identifier: MIT */
/*
 * Simulation of a plan: a timeline predicted from costs, for a described
 * system.  Reads the types of plan.h only; a plan from a file must have passed
 * the check.
 */
#ifndef PLAIT_SRC_PLAN_SIMULATE_SIMULATE_H
#define PLAIT_SRC_PLAN_SIMULATE_SIMULATE_H

#include "plan/plan.h"

/* Cost model of the system.  All zero: only the commands' own costs count. */
typedef struct plait__simulate_system {
	uint64_t hop_cost;		/* a completion seen from another
					 * lane */
	uint64_t submit_cost;		/* per command on an async device */
	uint64_t start_cost;		/* wake-up of each lane but the first */
	uint64_t decision_cost;		/* per decision of a region and lane */
	/* A copy of b bytes costs copy_alpha + b * copy_beta / 1024, plus the
	 * command's own cost. */
	uint64_t copy_alpha;
	uint64_t copy_beta;
	/* Measured costs in place of the plan's, one per command, or null. */
	const uint64_t *costs;
} plait__simulate_system;

typedef struct plait__simulate_span {
	uint64_t start;
	uint64_t end;
} plait__simulate_span;

/*
 * One simulated run.  Regions run for their expected iterations; `spans` has
 * the first one.  Times saturate at UINT64_MAX.
 */
typedef struct plait__timeline {
	plait_allocator allocator;
	uint64_t makespan;
	uint64_t critical_cost;		/* sum of costs on the critical path */
	uint64_t memory_peak;		/* peak of scratch in use, in bytes */
	uint32_t command_count;
	uint32_t lane_count;
	uint32_t critical_count;	/* commands of body 0 on the critical
					 * path */
	uint32_t body_count;
	plait__simulate_span *spans;	/* by command */
	uint64_t *lane_busy;		/* by lane: time not idle */
	uint64_t *body_makespan;	/* by body: one iteration */
	uint32_t *critical;		/* commands, from first to last */
} plait__timeline;

/* Simulate a run.  `system` may be null; `allocator` null: the C library's.  *out
 * is null unless the result is PLAIT_OK; else PLAIT_E_NOMEM. */
plait_status plait__simulate_plan(const plait__plan *plan,
				  const plait__simulate_system *system,
				  const plait_allocator *allocator,
				  plait__timeline **out, plait_error *error);

/* Free the result; null is allowed. */
void plait__simulate_release(plait__timeline *timeline);

#endif
