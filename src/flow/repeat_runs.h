/* SPDX-License-Identifier: MIT */
/*
 * Runs of the stretches of a flow (flow_repeats.h): a task that equals the first one of a
 * stretch begins a held run (held_run.h), and those that equal the next ones are its
 * parts.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_RUNS_H
#define PLAIT_SRC_FLOW_REPEAT_RUNS_H

#include "flow/flow_object.h"
#include "flow/task_split.h"

/*
 * The task is submitted.  PLAIT_OK: it is a part of a held run, and has its
 * number.  PLAIT_PENDING: no room for the run.  PLAIT_E_STATE without a text: it
 * is a task of its own.  `is_begun`: it is one, and some of it was committed.
 * Caller holds the lock.
 */
plait_status plait__repeat_runs_take(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare,
				      bool is_begun);

/*
 * Add tasks to the held run, if there is one and it has them next: the first ones of an
 * array of descriptors of the known size.  Returns how many; *out is the number of
 * the first, and the others follow it.  Caller holds the lock.
 */
uint64_t plait__repeat_runs_extend(plait__flow *flow,
				    const plait_task_desc *descs, uint64_t count,
				    plait_task *out);

/* The same with the lock; descs may be null. */
uint64_t plait__repeat_runs_extend_alone(plait__flow *flow,
					  const plait_task_desc *descs,
					  uint64_t count, plait_task *out);

#endif
