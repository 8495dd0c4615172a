/* SPDX-License-Identifier: MIT */
/*
 * Own tasks of a caller: the late tasks whose function, or a function of whose
 * plan, the calling thread executes, as the owner of an inbox or in a coroutine.
 * None of them ends before the function returns.
 *
 * Coroutines of tasks that await ops, of any flow of the context, are in a list of
 * the context, so that one that closes a cycle of such awaits is refused.
 */
#ifndef PLAIT_SRC_FLOW_OWN_TASKS_H
#define PLAIT_SRC_FLOW_OWN_TASKS_H

#include "flow/flow.h"

/* Flows of whose tasks one caller is a function, in nested runs; further ones are
 * not looked at. */
enum { PLAIT__OWN_TASKS_FLOWS = 4 };

typedef struct plait__own_await plait__own_await;

/* An await without a time limit; on the stack of the coroutine, which holds
 * `flow`.  Guarded by own_awaits_lock of the context.  Neither an own task nor
 * one behind it is done while the await is in the list: so what it needs and
 * what needs it stays true. */
struct plait__own_await {
	plait__own_await *next;
	/* The newest own task of each flow, which that keeps; 0: not in the
	 * list. */
	struct plait__own_task {
		plait__flow *flow;
		uint64_t number;
	} own[PLAIT__OWN_TASKS_FLOWS];
	uint32_t own_count;
	plait__flow *flow;
	uint64_t number; /* the op of `flow` that it awaits */
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

/* Enter an await, whose `flow`, `number` and `prefix` are set, into the list if the
 * calling coroutine has an own task.  PLAIT_E_DEADLOCK: it would close a cycle.
 * Takes that lock, then those of flows; leave takes the first. */
plait_status plait__own_tasks_enter(plait__own_await *await,
				    plait_error *error);
void plait__own_tasks_leave(plait__own_await *await);

/* Returns the failure of a wait for an own task. */
plait_status plait__own_tasks_fail(const plait__flow *flow, uint64_t own,
				   plait_error *error);

#endif
