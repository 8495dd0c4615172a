/* SPDX-License-Identifier: MIT */
/* Wait for the completion of all submitted commands of a queue. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_FINISH_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_FINISH_H

#include "object/queue/outer_calls.h"
#include "object/queue/queue.h"

#include "pool/callback_scope.h"

/* As plait_queue_finish, for an entered queue. */
plait_status plait__queue_finish(plait__queue *queue, uint64_t timeout_ns,
				 plait_error *error);

/* Returns true if a submission has to wait (PLAIT_CONTEXT_SYNC) and may: in a
 * host function, or a function of the queue, that would be a deadlock. */
static inline bool plait__queue_wants_finish(const plait__queue *queue)
{
	return (queue->object.context->settings.flags & PLAIT_CONTEXT_SYNC) !=
		       0 &&
	       !plait__callback_scope_is_active() &&
	       !plait__outer_calls_block(queue);
}

#endif
