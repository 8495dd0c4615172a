/* SPDX-License-Identifier: MIT */
/*
 * Independent checker of a plan: proves, without a run, that the plan keeps
 * every promise.  The checker shares the types of plan.h with the planner and
 * not one line of code.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_CHECK_H
#define PLAIT_SRC_PLAN_CHECK_CHECK_H

#include "plan/schedule/planner_input.h"
#include "plan/plan.h"

/* Counters of one check. */
typedef struct plait__check_report {
	uint64_t orderings;		/* edges, preds, accesses, scratch */
	uint64_t direct;		/* of these, proved by the direct
					 * test */
	uint64_t clock_steps;		/* clock entries merged to prove the
					 * others */
	uint64_t redundant_waits;	/* implied by other orderings; not an
					 * error */
} plait__check_report;

enum {
	/* Also count redundant waits (costs a search per wait). */
	PLAIT__CHECK_REDUNDANT = 1
};

/*
 * Check every promise of a plan: indices are in range; arguments are within
 * their objects, and runs supply every address; order, lanes and waits
 * have no cycle; each command appears once; every pred (and every edge and
 * multi-device meaning of `input`, if not null) is implied by the
 * happens-before relation of the plan's mode; conflicting accesses are ordered;
 * scratch does not alias; signal slots are not reused too early; segments are
 * convex.  No field of the plan is trusted: a file may hold anything.
 *
 * `allocator` null: the C library's.  `report` may be null.
 *
 * PLAIT_E_INVALID   the plan breaks a promise; the text says which and where
 * PLAIT_E_NOMEM     no memory
 */
plait_status plait__check_plan(const plait__plan *plan,
			       const plait__input *input, uint32_t flags,
			       const plait_allocator *allocator,
			       plait__check_report *report,
			       plait_error *error);

/*
 * Check places of the plan's temporaries, which are not part of a plan: each has
 * its offset in the arena of its device, UINT64_MAX for none, by slot.  A
 * temporary is in use from the first to the last command that names it, all
 * iterations of a loop included; what shares bytes with it, temporaries and
 * scratch, must be used before or after that.  The plan has passed
 * plait__check_plan.
 *
 * PLAIT_E_INVALID   two share bytes; the text names commands without an order
 * PLAIT_E_NOMEM     no memory
 */
plait_status plait__check_places(const plait__plan *plan,
				 const uint64_t *offsets,
				 const plait_allocator *allocator,
				 plait_error *error);

#endif
