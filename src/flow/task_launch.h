/* SPDX-License-Identifier: MIT */
/* Preparation of launches: arguments, their accesses, the kernel. */
#ifndef PLAIT_SRC_FLOW_TASK_LAUNCH_H
#define PLAIT_SRC_FLOW_TASK_LAUNCH_H

#include "flow/access/chunks.h"
#include "flow/flow_object.h"

/*
 * Fill the task and flow->accesses from piece task->chunk.index of a launch, and
 * set the rest of task->chunk.  Caller holds the lock.  PLAIT_PENDING: no room
 * for the arguments; else as plait_flow_submit.
 */
plait_status plait__task_launch_prepare(plait__flow_task *task,
					const plait_task_desc *desc,
					plait_error *error);

/* Find argument i: *out is in the array, or is `room`.  The size field of the
 * first argument is that of all. */
plait_status plait__task_launch_argument(const plait_argument *arguments,
					 uint64_t i, const plait_argument **out,
					 plait_argument *room,
					 plait_error *error);

/* Find the chunks of a task, whose launch was read. */
plait_status plait__task_launch_cut(const plait__flow *flow,
				    const plait_task_desc *desc,
				    const plait_launch *launch,
				    plait__chunks *out, plait_error *error);

#endif
