/* SPDX-License-Identifier: MIT */
/*
 * Repeats of a flow with PLAIT_FLOW_REPEATS: the tasks are searched for a period;
 * a stretch of them is recorded and becomes a repetition, of which later tasks are
 * runs (repeat_runs.h).
 */
#ifndef PLAIT_SRC_FLOW_FLOW_REPEATS_H
#define PLAIT_SRC_FLOW_FLOW_REPEATS_H

#include "flow/flow_object.h"
#include "flow/task_split.h"

/* PLAIT_E_UNSUPPORTED: the flag, and what it is not for. */
plait_status plait__flow_repeats_check(const plait_flow_desc *desc,
				       plait_error *error);

/* PLAIT_E_NOMEM. */
plait_status plait__flow_repeats_make(plait__flow *flow, plait_error *error);

/* No op is in flight.  Without the flag nothing happens. */
void plait__flow_repeats_free(plait__flow *flow);

/* A task was submitted, as one of its own.  Caller holds the lock. */
void plait__flow_repeats_note(plait__flow *flow, const plait_task_desc *desc);

/* Tasks that came as parts of runs; 0 without the flag.  Caller holds the lock. */
uint64_t plait__flow_repeats_tasks(const plait__flow *flow);

/* Make a stretch that was recorded a repetition.  Caller does not hold the lock. */
void plait__flow_repeats_build(plait__flow *flow,
			       plait__task_split_prepare prepare);

#endif
