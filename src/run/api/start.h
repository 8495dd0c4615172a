/* SPDX-License-Identifier: MIT */
/* Runs of plans by the library itself. */
#ifndef PLAIT_SRC_RUN_API_START_H
#define PLAIT_SRC_RUN_API_START_H

#include "run/run.h"

/* plait_plan_run, without a handle of the run, of a plan that the caller holds
 * until this returns: its own handle may be closed.  After PLAIT_OK `end` is
 * told of the end of the run, perhaps before this returns; else never. */
plait_status plait__start_held(plait__plan_object *held, plait_queue *queue,
			       const plait_run_desc *desc, plait__run_end *end,
			       plait_error *error);

/* plait_plan_call.  If the thread ends in a function of the run, this does not
 * return, and `end` is told of the end of the run; else never. */
plait_status plait__start_call(plait_plan *plan, const plait_run_desc *desc,
			       plait__run_end *end, plait_error *error);

#endif
