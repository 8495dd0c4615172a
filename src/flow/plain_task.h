/* SPDX-License-Identifier: MIT */
/*
 * Submission of plain tasks, which most short ones are: host functions with accesses to
 * boxes, in a flow on the host.  One pass finds the fronts and the predecessors, unless a
 * border is missing.  All other tasks are left to submit.c.
 */
#ifndef PLAIT_SRC_FLOW_PLAIN_TASK_H
#define PLAIT_SRC_FLOW_PLAIN_TASK_H

#include "flow/flow_object.h"

/* Data of the last access, under one lock: tasks side by side use few. */
typedef struct plait__plain_data {
	const plait_data *handle; /* null: none */
	plait__data *found;
} plait__plain_data;

/* Returns false if the flow has more to do for each task.  Caller holds the lock. */
static inline bool plait__plain_task_may_come(const plait__flow *flow)
{
	/* Relaxed: the lock orders it. */
	return at_load_relaxed_u32(&flow->is_simple) != 0;
}

/* Submit a task of a flow that may have plain ones.  Returns its number; 0: the task is
 * not plain, lacks room, or is to be refused, and nothing has changed.  Caller holds
 * the lock; *known begins as zero. */
plait_task plait__plain_task_submit(plait__flow *flow,
				    const plait_task_desc *desc,
				    plait__plain_data *known);

/* The same of one task, with the lock.  Returns false instead of 0. */
bool plait__plain_task_submit_one(plait__flow *flow,
				  const plait_task_desc *desc,
				  plait_task *out);

#endif
