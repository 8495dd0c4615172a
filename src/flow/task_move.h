/* SPDX-License-Identifier: MIT */
/* Preparation of tasks that move elements: copies, fills, reads and writes.  The
 * move itself is in the task's cells (box_move.h). */
#ifndef PLAIT_SRC_FLOW_TASK_MOVE_H
#define PLAIT_SRC_FLOW_TASK_MOVE_H

#include "flow/flow_object.h"

/* Prepare a COPY, FILL, READ or WRITE.  Caller holds the lock.  PLAIT_PENDING: no
 * room for the arguments. */
plait_status plait__task_move_prepare(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait_error *error);

#endif
