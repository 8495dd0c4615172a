/* SPDX-License-Identifier: MIT */
/*
 * Epochs of fixed flows (PLAIT_FLOW_FIXED): what cannot be decided by numbers of
 * the window alone waits until all ops are done, and then these count as done.
 * That such a wait is needed follows from numbers, too.  Caller holds the lock.
 * Not here: plait__flow_settled (flow_object.h).
 */
#ifndef PLAIT_SRC_FLOW_FLOW_FIXED_H
#define PLAIT_SRC_FLOW_FLOW_FIXED_H

#include "flow/flow_object.h"

/* Let all ops count as done.  Returns false if one is not done, or all count as
 * done already. */
bool plait__flow_fixed_begin_epoch(plait__flow *flow);

/* A task needs as many ops.  Returns true if the window of a fixed flow is too
 * small for them, and an epoch has begun: it needs less then. */
static inline bool plait__flow_fixed_lacks_window(plait__flow *flow,
						  uint64_t ops)
{
	return __builtin_expect(flow->is_fixed, 0) &&
	       ops > plait__window_size(&flow->window) &&
	       plait__flow_fixed_begin_epoch(flow);
}

/* Returns true if several threads share the runs of a repetition, by predicted
 * times instead of measured ones. */
bool plait__flow_fixed_shares(plait_plan *shared, plait_plan *alone);

#endif
