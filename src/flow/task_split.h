/* SPDX-License-Identifier: MIT */
/*
 * Split launches.  Each piece is a task of its own, in the order of the chunks;
 * a mark behind all of them has the number of the launch.  Room is asked for all
 * pieces at once, so no task of another thread comes between them.
 */
#ifndef PLAIT_SRC_FLOW_TASK_SPLIT_H
#define PLAIT_SRC_FLOW_TASK_SPLIT_H

#include "flow/flow_object.h"

/* Fill the task, of which flow, closing and chunk.index are set, and
 * flow->accesses. */
typedef plait_status (*plait__task_split_prepare)(plait__flow_task *task,
						  const plait_task_desc *desc,
						  plait_error *error);

/*
 * Commit all pieces; piece 0 is prepared.  Caller holds the lock.
 * PLAIT_PENDING: no room, nothing has changed.  PLAIT_E_NOMEM: pieces may have
 * been committed.
 */
plait_status plait__task_split_commit(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare,
				      plait_error *error);

#endif
