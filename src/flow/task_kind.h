/* SPDX-License-Identifier: MIT */
/*
 * Preparation of a task by its kind: its function and arguments, and the accesses
 * that the kind has by itself.  The descriptor's accesses: task_access.h.
 */
#ifndef PLAIT_SRC_FLOW_TASK_KIND_H
#define PLAIT_SRC_FLOW_TASK_KIND_H

#include "flow/commit.h"

/* Caller holds the lock of the flow. */
plait_status plait__task_kind_prepare(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait_error *error);

#endif
