/* SPDX-License-Identifier: MIT */
/*
 * Launches of several steps.  Each step is a task of its own, pieces in the order
 * of the chunks; a mark behind all of them has the number of the launch.  Room is
 * asked for all steps at once, so no task of another thread comes between them.
 */
#ifndef PLAIT_SRC_FLOW_TASK_SPLIT_H
#define PLAIT_SRC_FLOW_TASK_SPLIT_H

#include "flow/task_steps.h"

/*
 * Commit all steps; piece 0 is prepared.  Caller holds the lock.
 * PLAIT_PENDING: no room, nothing has changed.  PLAIT_E_NOMEM: pieces may have
 * been committed.
 */
plait_status plait__task_split_commit(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare,
				      plait_error *error);

#endif
