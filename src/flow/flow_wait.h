/* SPDX-License-Identifier: MIT */
/* Waits for ops of a flow, in the wait loop: the waiting thread runs ops. */
#ifndef PLAIT_SRC_FLOW_FLOW_WAIT_H
#define PLAIT_SRC_FLOW_FLOW_WAIT_H

#include "flow/flow.h"

/* Wait until op `number` is done; 0 is none.  PLAIT_OK also if the op failed;
 * else as plait__wait_run.  Caller holds the flow, and not its lock. */
plait_status plait__flow_wait_for(plait__flow *flow, uint64_t number,
				  uint64_t timeout_ns, plait_error *error);

/* As plait__op_await_suspend; PLAIT_E_DEADLOCK without a limit also if the op, or the
 * coroutine of a task that it is behind, awaits the caller's own task.  Takes
 * the lock. */
plait_status plait__flow_wait_suspend(plait__flow *flow, uint64_t number,
				      bool prefix, uint64_t timeout_ns,
				      plait_error *error);

/* In a coroutine: suspend until there is room for an op, or in a retry until op
 * `behind`, not 0, is done; of a flow that the caller holds, or of a handle.  *seen: the
 * oldest op at the last attempt, 0 at first.  If it is another one there may be room, and
 * the caller attempts again: PLAIT_E_DEADLOCK is for the last attempt alone. */
plait_status plait__flow_wait_for_room_suspended(plait__flow *flow,
						 uint64_t *seen,
						 plait_error *error);
plait_status plait__flow_wait_retry(plait_flow *flow, uint64_t behind,
				    uint64_t *seen, plait_error *error);

/* Wait for room: until the oldest op is done.  PLAIT_PENDING directly in a
 * coroutine, if the caller can suspend: it leaves its scopes before.
 * PLAIT_E_BUSY inside a host function on a worker and inside a function of a
 * task of the flow, PLAIT_E_DEADLOCK if the op is a mapping of the caller.  Takes
 * the lock. */
plait_status plait__flow_wait_for_room(plait__flow *flow, bool can_suspend,
				       plait_error *error);

/* The same without suspension, until half of the window is done, unless the caller
 * may have to end an op in it: fewer changes of threads. */
plait_status plait__flow_wait_for_more_room(plait__flow *flow,
					    plait_error *error);

/* The caller's wait ended with PLAIT_EVENT_READY, and it has to go on: run ops for
 * a moment, or sleep, without inboxes. */
void plait__flow_wait_past_event(plait__flow *flow);

/* Wait for an op that uses memory of a device, in the same way.  PLAIT_E_BUSY and
 * PLAIT_E_DEADLOCK as plait__flow_wait_check, and inside a host function. */
plait_status plait__flow_wait_for_memory(plait__flow *flow, uint64_t number,
					 bool can_suspend, plait_error *error);

/* PLAIT_E_DEADLOCK if op `number` is behind a mapping of the caller, or
 * behind a task whose function the thread executes.  Caller holds the lock. */
plait_status plait__flow_wait_check(plait__flow *flow, uint64_t number,
				    bool prefix, plait_error *error);

/* Fail for a number above the newest one.  Caller holds the lock. */
plait_status plait__flow_wait_refuse(const plait__flow *flow, plait_task task,
				     plait_error *error);

#endif
