/* SPDX-License-Identifier: MIT */
/* Awaits of ops by coroutines, and the listeners for the ends of ops. */
#ifndef PLAIT_SRC_FLOW_OP_AWAIT_H
#define PLAIT_SRC_FLOW_OP_AWAIT_H

#include "flow/flow.h"

/* Suspend the calling coroutine until op `number` is done, or with `prefix` all up
 * to it; 0 is none.  PLAIT_OK also if the op failed.  Caller holds the flow, and
 * is in no thread scope. */
plait_status plait__op_await_suspend(plait__flow *flow, uint64_t number,
				     bool prefix, uint64_t timeout_ns,
				     plait_error *error);

/* The newest op up to `number` that is not done; 0: all are.  The newest, so
 * that a sleeping waiter is woken seldom.  *seen: all ops up to this one are
 * done. */
static inline uint64_t
plait__op_await_find_undone(const plait__op_ring *ring, uint64_t number,
			    uint64_t *seen)
{
	uint64_t size = ring->mask + 1, at;

	if (number > size && *seen < number - size)
		*seen = number - size;
	while (*seen < number && plait__op_is_done(ring, *seen + 1))
		(*seen)++;
	for (at = number; at > *seen; at--)
		if (!plait__op_is_done(ring, at))
			return at;
	return 0;
}

/* `ended` of the lanes: call the listeners of ops that are done. */
void plait__op_await_notify(void *flow);

#endif
