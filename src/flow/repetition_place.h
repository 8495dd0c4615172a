/* SPDX-License-Identifier: MIT */
/*
 * Runs of repetitions in flows with devices.  The plan has the copies between its
 * tasks.  Before a run, ordinary copies bring what it needs to the memories where
 * its first readers are, so that it may begin with values anywhere; behind it, the
 * memories have what it has left there.  Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_REPETITION_PLACE_H
#define PLAIT_SRC_FLOW_REPETITION_PLACE_H

#include "flow/repetitions.h"

/* Submit the copies that the run lacks; the task has no accesses yet, and its
 * repetition.  PLAIT_PENDING: no room.  PLAIT_E_NOMEM. */
plait_status plait__repetition_place_fetch(plait__flow_task *task,
					   plait_error *error);

/* Make room for what the commit changes, and order the run with launches of host
 * code.  The task has its accesses.  PLAIT_E_NOMEM. */
plait_status plait__repetition_place_task(plait__flow_task *task,
					  plait_error *error);

/* The run was committed. */
void plait__repetition_place_commit(plait__flow_task *task);

#endif
