/* SPDX-License-Identifier: MIT */
/*
 * Turns: runs of one plan that conflict (run_conflicts.h) execute one after the
 * other.  A run takes its turn when its queue has reached it, so it waits for
 * no run that is still behind other work; deferred runs start in that order.
 *
 *     take: start now, or defer  ...  give: start the runs that it deferred
 *
 * Fast path: one bit of the program says that no run executes, and `members`
 * that no run was deferred.  The first run takes the bit, together with
 * instance 0 if it is a call.  Slow path, under the lock: a run that finds the
 * bit taken becomes a *member*, executing or deferred, until it ends.  Members
 * own the bit together unless the run that took it alone still executes.
 *
 *     alone                               member
 *     take the bit; publish               members + 1
 *     asymmetric fence                    membarrier
 *     members? become one                 bit taken? compare with its owner
 *
 *     give the bit back                   members + 1
 *     asymmetric fence                    membarrier
 *     members? start some                 bit free? take it
 */
#ifndef PLAIT_SRC_RUN_RUN_TURNS_H
#define PLAIT_SRC_RUN_RUN_TURNS_H

#include "run/program.h"

/* Values of plait__instance.turn. */
enum {
	PLAIT__TURN_NONE = 0,
	PLAIT__TURN_ALONE = 1,		/* has the bit */
	PLAIT__TURN_PUBLISHED = 2,	/* and has noted its buffers */
	PLAIT__TURN_MEMBER = 3,		/* executes */
	PLAIT__TURN_DEFERRED = 4
};

/* Take the turn of a run with bound parameters.  Returns false if the run is
 * deferred: program->on_turn will start it.  Otherwise the caller starts it,
 * stopped if instance->turn_lost is set.  A stopped run is not deferred. */
bool plait__run_turns_take_ordered(plait__instance *instance);

static inline bool plait__run_turns_take(plait__instance *instance)
{
	return instance->program->conflicts.kind == PLAIT__CONFLICTS_NEVER ||
	       plait__run_turns_take_ordered(instance);
}

/* Take the turn for a caller that must not wait.  Returns false if the run
 * would be deferred, and forgets the run: it has no turn. */
bool plait__run_turns_try(plait__instance *instance);

/* The run was stopped.  Returns true if it was deferred: the caller starts it.
 * *out_ready: runs that followed it alone, or null; the caller starts them by
 * plait__run_turns_start, holding no lock. */
bool plait__run_turns_withdraw(plait__instance *instance,
			       plait__instance **out_ready);
void plait__run_turns_start(plait__instance *ready);

/* Returns true while the run is deferred. */
bool plait__run_turns_is_deferred(const plait__instance *instance);

/* End the turn of a run, if it has one, and start the runs that it deferred, on
 * the calling thread (program->on_turn), which holds no lock.  An abandoned run
 * keeps its turn: runs that follow it start as stopped. */
void plait__run_turns_give_taken(plait__instance *instance);

static inline void plait__run_turns_give(plait__instance *instance)
{
	if (at_load_relaxed_u32(&instance->turn) != PLAIT__TURN_NONE)
		plait__run_turns_give_taken(instance);
}

/* Members may have become ready: a run has given the bit back. */
void plait__run_turns_pass_on(plait__program *program);

#endif
