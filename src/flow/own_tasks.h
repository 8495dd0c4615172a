/* SPDX-License-Identifier: MIT */
/*
 * Own tasks of a caller: the late tasks whose function, or a function of whose
 * plan, the calling thread executes, as the owner of an inbox or in a coroutine.
 * None of them ends before the function returns.
 *
 * Coroutines that await ops of the flow of their own task are in a list of the
 * flow, so that one that closes a cycle of such awaits is refused.
 */
#ifndef PLAIT_SRC_FLOW_OWN_TASKS_H
#define PLAIT_SRC_FLOW_OWN_TASKS_H

#include "flow/flow.h"

typedef struct plait__own_await plait__own_await;

/* An await without a time limit; on the stack of the coroutine.  Guarded by the
 * lock of the flow. */
struct plait__own_await {
	plait__own_await *next;
	uint64_t own;	 /* the task of the coroutine, or 0: not in the list */
	uint64_t number; /* the op that it awaits */
	bool prefix;	 /* and all before it */
	bool is_needed;	 /* by the await in question, directly or not */
	bool is_asked;
};

/* Returns the newest own task of the flow below `below`; 0: none. */
uint64_t plait__own_tasks_find(const plait__flow *flow, uint64_t below);

/* Returns the newest own task that a wait for op `number`, or with `prefix` for
 * all up to it, is a wait for; 0: none.  Caller holds the lock. */
uint64_t plait__own_tasks_find_awaited(plait__flow *flow, uint64_t number,
				       bool prefix);

/* Returns true if a wait for op `number` is one for op `own`, too.  Caller holds
 * the lock. */
bool plait__own_tasks_awaits(plait__flow *flow, uint64_t number, bool prefix,
			     uint64_t own);

/* Enter an await, whose `number` and `prefix` are set, into the list if the
 * calling coroutine has an own task.  PLAIT_E_DEADLOCK: it would close a cycle.
 * Takes the lock, as leave. */
plait_status plait__own_tasks_enter(plait__flow *flow, plait__own_await *await,
				    plait_error *error);
void plait__own_tasks_leave(plait__flow *flow, plait__own_await *await);

/* Returns the failure of a wait for an own task. */
plait_status plait__own_tasks_fail(const plait__flow *flow, uint64_t own,
				   plait_error *error);

#endif
