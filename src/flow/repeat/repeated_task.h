/* SPDX-License-Identifier: MIT */
/*
 * Repeated task: a copy of the descriptor of a task, for comparison with later
 * ones.  Values, boxes and addresses are part of it; `label` and `cost` are not.
 * Pure.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_REPEATED_TASK_H
#define PLAIT_SRC_FLOW_REPEAT_REPEATED_TASK_H

#include "plait/flow.h"

#include <stdbool.h>

typedef struct plait__repeated_task {
	plait_task_desc desc; /* what it points to is behind it */
	uint64_t bytes;	      /* of all */
} plait__repeated_task;

/* Returns true if runs of a repetition may have the task: a function, a launch, a copy
 * or a fill, with plain accesses. */
bool plait__repeated_task_applies(const plait_task_desc *desc);

/* Of a descriptor that applies: a word of it, which is not 0. */
uint64_t plait__repeated_task_token(const plait_task_desc *desc);

/* Likewise: copy it; null without memory. */
plait__repeated_task *
plait__repeated_task_make(const plait_allocator *allocator,
			  const plait_task_desc *desc);
void plait__repeated_task_free(const plait_allocator *allocator,
			       plait__repeated_task *task);

/* Returns true if both are the same task, and the descriptor applies. */
bool plait__repeated_task_equals(const plait__repeated_task *task,
				 const plait_task_desc *desc);

#endif
