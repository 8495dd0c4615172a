/* SPDX-License-Identifier: MIT */
/*
 * Commit of a task: its predecessors, its op, and the fronts that it leaves.
 * The caller holds the lock and has filled the task and flow->accesses.
 */
#ifndef PLAIT_SRC_FLOW_COMMIT_H
#define PLAIT_SRC_FLOW_COMMIT_H

#include "flow/flow.h"

/* Make room in flow->accesses; returns false without memory. */
bool plait__commit_reserve_accesses(plait__flow *flow, uint32_t count);

/*
 * PLAIT_OK: the task has a number, and unless it is a mapping it may run.
 * PLAIT_PENDING: no room, nothing has changed.  PLAIT_E_NOMEM.
 */
plait_status plait__commit_task(plait__flow_task *task, plait_error *error);

/* A mapping that was committed ends before it has begun: it becomes a mark,
 * which a lane runs. */
void plait__commit_abandon(plait__flow *flow, uint64_t number);

/* Submit an op behind all others, in the room that is kept for it. */
void plait__commit_last(plait__flow *flow, plait_host_function function,
			void *user_data);

#endif
