/* SPDX-License-Identifier: MIT */
/* Compiled form of a plan in mode HELPED, and the workers of one instance. */
#ifndef PLAIT_SRC_RUN_HOST_STEAL_SETUP_H
#define PLAIT_SRC_RUN_HOST_STEAL_SETUP_H

#include "run/host/lane_merge.h"
#include "run/host/steal_worker.h"

/* Returns true if workers can run the plan: mode HELPED, 2 to 32 lanes, no
 * region, group, signal or coroutine. */
bool plait__steal_program_applies(const plait__plan *plan);

/* Compile into zeroed memory.  `merge` null: the plan's own lanes.  Free after
 * a failure, too: PLAIT_E_NOMEM. */
plait_status plait__steal_program_compile(plait__steal_program *compiled,
					  const plait__program *program,
					  const plait__lane_merge *merge,
					  plait_error *error);
void plait__steal_program_free(plait__steal_program *compiled);

/* Make the workers of an instance, in zeroed memory.  The thread that ends the
 * last command of a run calls `end`.  Free them after a failure, too:
 * PLAIT_E_NOMEM. */
plait_status plait__steal_set_make(plait__steal_set *set,
				   plait__instance *instance,
				   const plait__steal_program *compiled,
				   void (*end)(plait__instance *instance),
				   plait_error *error);
void plait__steal_set_free(plait__steal_set *set);
/* Start a run, which may be over when this returns.  `inline_ok` as in
 * plait__engine.start. */
void plait__steal_set_start(plait__steal_set *set, bool inline_ok);
/* Run one worker that is offered on the calling thread; returns false if none
 * is. */
bool plait__steal_set_drive(plait__steal_set *set);

#endif
