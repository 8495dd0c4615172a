/* SPDX-License-Identifier: MIT */
/* Preparation of launches: arguments, their accesses, the kernel. */
#ifndef PLAIT_SRC_FLOW_TASK_LAUNCH_H
#define PLAIT_SRC_FLOW_TASK_LAUNCH_H

#include "flow/access/chunks.h"
#include "flow/flow_object.h"

#include "kernel/signature.h"

/* Cells of a launch whose geometry is its own. */
enum { PLAIT__LAUNCH_CELLS = (sizeof(plait_launch) + 7) / 8 };

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

/* Fill the task from its kernel. */
void plait__task_launch_set_kernel(plait__flow_task *task);

/* Take cells for the addresses of the arguments, their values, and the geometry, which
 * becomes the launch's.  Null: no room. */
uint64_t *plait__task_launch_take_cells(plait__flow_task *task,
					const plait_launch *geometry);

/* Cells of the value of a parameter. */
static inline uint64_t
plait__task_launch_value_cells(const plait__parameter *parameter)
{
	return (parameter->bytes + 7) / 8;
}

/* Find the chunks of a task, whose launch was read. */
plait_status plait__task_launch_cut(const plait__flow *flow,
				    const plait_task_desc *desc,
				    const plait_launch *launch,
				    plait__chunks *out, plait_error *error);

#endif
