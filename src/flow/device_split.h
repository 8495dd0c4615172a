/* SPDX-License-Identifier: MIT */
/*
 * Launches of several steps in flows with devices: piece i of n runs on the i/n-th
 * of the devices that run the kernel, other steps on the host.  Steps are
 * committed one by one, each behind the copies that it needs; without room for all
 * of them the rest waits.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_SPLIT_H
#define PLAIT_SRC_FLOW_DEVICE_SPLIT_H

#include "flow/access/chunks.h"
#include "flow/split_weights.h"
#include "flow/task_split.h"

/* Steps that were committed, and the shares of the pieces; zero before the first
 * call. */
typedef struct plait__device_split {
	uint32_t done;
	bool supplies; /* it owns the room for buffers */
	plait__split_weights weights;
	uint64_t numbers[PLAIT__TASK_STEPS_MOST];
} plait__device_split;

/* Commit the steps that are left, then their end: the task's number.  `task` is
 * the first piece, prepared.  Caller holds the lock.  PLAIT_PENDING: no room, or
 * task->lacks_buffers is set.  As plait__task_split_commit. */
plait_status plait__device_split_commit(plait__flow_task *task,
					const plait_task_desc *desc,
					plait__task_split_prepare prepare,
					plait__device_split *split,
					plait_error *error);

#endif
