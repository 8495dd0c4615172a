/* SPDX-License-Identifier: MIT */
/*
 * Repeats of a flow with PLAIT_FLOW_REPEATS: the tasks are searched for a period;
 * a stretch of them is recorded and becomes a repetition.  From then on a task
 * that equals the first one of a stretch begins a held run (held_run.h), and those
 * that equal the next ones are its parts.
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

/*
 * The task is submitted.  PLAIT_OK: it is a part of a held run, and has its
 * number.  PLAIT_PENDING: no room for the run.  PLAIT_E_STATE without a text: it
 * is a task of its own.  Caller holds the lock.
 */
plait_status plait__flow_repeats_take(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare);

/* It was submitted, as a task of its own.  Caller holds the lock. */
void plait__flow_repeats_note(plait__flow *flow, const plait_task_desc *desc);

/* Tasks that came as parts of runs; 0 without the flag.  Caller holds the lock. */
uint64_t plait__flow_repeats_tasks(const plait__flow *flow);

/* Make a stretch that was recorded a repetition.  Caller does not hold the lock. */
void plait__flow_repeats_build(plait__flow *flow,
			       plait__task_split_prepare prepare);

#endif
