/* SPDX-License-Identifier: MIT */
/*
 * Proof that a plan is right, without running it.  Shares the types of plan.h
 * with the planner and not one line of code.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_CHECK_H
#define PLAIT_SRC_PLAN_CHECK_CHECK_H

#include "plan/schedule/planner_input.h"
#include "plan/plan.h"

/* What was proved. */
typedef struct plait__check_report {
	uint64_t orderings;		/* edges, preds, accesses, scratch */
	uint64_t direct;		/* of these, by one look */
	uint64_t clock_steps;		/* entries merged for the others */
	uint64_t redundant_waits;	/* implied by the rest; not an error */
} plait__check_report;

enum {
	/* Also count redundant waits (costs a search per wait). */
	PLAIT__CHECK_REDUNDANT = 1
};

/*
 * Check everything that a plan promises: its shape, that order, lanes and
 * waits have no cycle, that each command appears once, that every pred (and
 * every edge and multi-device meaning of `input`, if not null) is implied by
 * what its mode promises, that conflicting accesses are ordered, that scratch
 * does not alias, that signal slots are not reused too early, that segments
 * are convex.  A plan from a file may be anything: nothing is trusted.
 *
 * PLAIT_E_INVALID   the plan breaks a promise; the text says which, where
 * PLAIT_E_NOMEM     no memory
 */
plait_status plait__check_plan(const plait__plan *plan,
			       const plait__input *input, uint32_t flags,
			       const plait_allocator *allocator,
			       plait__check_report *report,
			       plait_error *error);

#endif
