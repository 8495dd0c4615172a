/* SPDX-License-Identifier: MIT */
/*
 * A timeline of a plan, predicted from costs for a described system.  Uses
 * the types of plan.h only; a plan from a file must have passed the check.
 */
#ifndef PLAIT_SRC_PLAN_SIMULATE_SIMULATE_H
#define PLAIT_SRC_PLAN_SIMULATE_SIMULATE_H

#include "plan/plan.h"

/* The system.  All zero: only the commands' own costs count. */
typedef struct plait__simulate_system {
	uint64_t hop_cost;		/* seen from another lane */
	uint64_t submit_cost;		/* a command on an async device */
	uint64_t start_cost;		/* waking each lane but the first */
	uint64_t decision_cost;		/* a region's decision, per lane */
	/* A copy of b bytes costs copy_alpha + b * copy_beta / 1024, plus
	 * the command's own cost. */
	uint64_t copy_alpha;
	uint64_t copy_beta;
	/* Measured cost per command instead of the plan's, or null. */
	const uint64_t *costs;
} plait__simulate_system;

typedef struct plait__simulate_span {
	uint64_t start;
	uint64_t end;
} plait__simulate_span;

/*
 * One predicted run.  Regions run for their expected iterations: `spans` has
 * the first one.  Times saturate at UINT64_MAX.
 */
typedef struct plait__timeline {
	plait_allocator allocator;
	uint64_t makespan;
	uint64_t critical_cost;		/* what the critical path costs */
	uint64_t memory_peak;		/* scratch in use at once, most */
	uint32_t command_count;
	uint32_t lane_count;
	uint32_t critical_count;	/* commands of body 0 on that path */
	uint32_t body_count;
	plait__simulate_span *spans;	/* one per command */
	uint64_t *lane_busy;		/* one per lane: time not idle */
	uint64_t *body_makespan;	/* one per body: once through it */
	uint32_t *critical;		/* from the first to the last */
} plait__timeline;

/* `system` may be null.  *out is null unless PLAIT_OK. */
plait_status plait__simulate_plan(const plait__plan *plan,
				  const plait__simulate_system *system,
				  const plait_allocator *allocator,
				  plait__timeline **out, plait_error *error);

void plait__simulate_release(plait__timeline *timeline);

#endif
