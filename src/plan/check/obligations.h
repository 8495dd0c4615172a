/* SPDX-License-Identifier: MIT */
/*
 * Proof obligations: a happens-before from command a to command b of the same
 * body. Every promise of a plan about order becomes one.  An obligation that
 * the direct test cannot prove goes on a list, which clock_sweeps.c proves with
 * vector clocks of 64 chains at a time.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_OBLIGATIONS_H
#define PLAIT_SRC_PLAN_CHECK_OBLIGATIONS_H

#include "plan/check/check_state.h"

/* Reason why a must happen before b; obligations.c has the texts. */
enum {
	PLAIT__OBLIGATION_PRED = 0,
	PLAIT__OBLIGATION_EDGE = 1,
	PLAIT__OBLIGATION_STUB = 2,
	PLAIT__OBLIGATION_ACCESS = 3,
	PLAIT__OBLIGATION_SCRATCH = 4,
	PLAIT__OBLIGATION_LOOP = 5,
	PLAIT__OBLIGATION_REDUNDANT = 6, /* a wait to be tested for redundancy;
					 * not a promise */
	PLAIT__OBLIGATION_PLACE = 7,
	PLAIT__OBLIGATION_UNIT = 8
};

/* Direct predecessors of a command in the order graph, other than its
 * predecessor on the lane. */
typedef struct plait__obligations_edges {
	const uint32_t *targets;
	uint32_t first;
	uint32_t last;
} plait__obligations_edges;

static inline plait__obligations_edges
plait__obligations_in_edges(const plait__check *check, uint32_t c)
{
	const plait__plan_command *command = &check->plan->commands[c];
	plait__obligations_edges e;

	if (check->plan->mode == PLAIT__MODE_HELPED) {
		e.targets = check->plan->preds;
		e.first = command[0].pred_first;
		e.last = command[1].pred_first;
	} else {
		e.targets = check->wait_target;
		e.first = command[0].wait_first;
		e.last = command[1].wait_first;
	}
	return e;
}

static inline bool plait__obligations_has_lane_pred(const plait__check *check,
						    uint32_t c)
{
	return check->plan->mode == PLAIT__MODE_STRICT &&
	       check->plan->commands[c].position > 0;
}

/* Partition the commands into chains. */
plait_status plait__obligations_find_chains(plait__check *check);
/* Require a happens-before within one body: proved now, or put on the list.
 * PLAIT_E_INVALID: `order` shows that there is none; PLAIT_E_NOMEM. */
plait_status plait__obligations_add(plait__check *check, uint32_t before,
				    uint32_t after, uint32_t why);
/*
 * Require a happens-before from a to b; their bodies may differ.  Sets
 * *exclusive (may be null) if they lie in two branches of one case: at most one
 * of them runs, so no order is needed.  Requires nothing and sets it, too, if a
 * and b are one command, or one is the region that holds the other.
 */
plait_status plait__obligations_add_across(plait__check *check, uint32_t a,
					   uint32_t b, uint32_t why,
					   bool *exclusive);
/* Fail: there is no happens-before from `before` to `after`. */
plait_status plait__obligations_fail(plait__check *check, uint32_t before,
				     uint32_t after, uint32_t why);
#endif
