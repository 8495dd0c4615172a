/* SPDX-License-Identifier: MIT */
/* Arrays of a queue in which submissions are built; guarded by its lock. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_ARRAYS_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMISSION_ARRAYS_H

#include "object/queue/queue.h"

plait_status plait__submission_arrays_grow(plait__queue *queue, uint64_t count,
					   plait_error *error);
void plait__submission_arrays_free(plait__queue *queue);

/* Make room for `count` commands. PLAIT_E_NOMEM. */
static inline plait_status
plait__submission_arrays_reserve(plait__queue *queue, uint64_t count,
				 plait_error *error)
{
	return count <= queue->arrays.commands ?
		       PLAIT_OK :
		       plait__submission_arrays_grow(queue, count, error);
}

#endif
