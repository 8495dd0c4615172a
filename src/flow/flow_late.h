/* SPDX-License-Identifier: MIT */
/*
 * Late tasks: emissions, waits for signals, runs of plans, and functions that
 * the owner of an inbox runs.  A worker begins one when its predecessors are
 * done: it submits the command to a queue of the record's own (a wait needs
 * none), and goes on.  The notification of the point posts the record, and a
 * worker finishes the op.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_LATE_H
#define PLAIT_SRC_FLOW_FLOW_LATE_H

#include "flow/flow_object.h"

/* Prepare the task by its descriptor.  Its record goes to the op that
 * plait__commit_task makes, or back by plait__late_return.  Caller holds the
 * lock. */
plait_status plait__late_prepare(plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_error *error);
void plait__late_return(plait__flow_task *task);

/* plait__flow_lanes.collect: finish the ops whose notifications have come.  By a
 * worker, without the lock; takes it to free records. */
void plait__late_collect(void *flow);

/* Free all records; no op has one any more. */
void plait__late_fini(plait__flow *flow);

/* Write ": " and what a late task waits for that has begun, or "".  Takes the
 * lock, and that of a queue. */
void plait__late_describe(plait__flow *flow, uint64_t number, char *out,
			  uint32_t bytes);

#endif
