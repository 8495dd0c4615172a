/* SPDX-License-Identifier: MIT */
/* Lanes of one instance as tasks of the pool. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_TASKS_H
#define PLAIT_SRC_RUN_HOST_LANE_TASKS_H

#include "run/host/lane_set.h"

/* Make the lanes of an instance, in zeroed memory.  The thread that ends the
 * last command of a run calls `end`.  Free them after a failure, too:
 * PLAIT_E_NOMEM, or that of a lane's own queue. */
plait_status plait__lane_set_make(plait__lane_set *set,
				  plait__instance *instance,
				  const plait__lane_program *compiled,
				  void (*end)(plait__instance *instance),
				  plait_error *error);
void plait__lane_set_free(plait__lane_set *set);
/* Start a run, which may be over when this returns; no run of the set is in
 * flight.  `inline_ok` as in plait__engine.start. */
void plait__lane_set_start(plait__lane_set *set, bool inline_ok);
/* Run one lane that is offered on the calling thread; returns false if none
 * is. */
bool plait__lane_set_drive(plait__lane_set *set);
/* Returns the command that a lane executes or decides, for an error text;
 * PLAIT__NONE if all lanes are parked or have yet to begin.  The run is not
 * over. */
uint32_t plait__lane_set_find_command(const plait__lane_set *set);

#endif
