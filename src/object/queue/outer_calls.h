/* SPDX-License-Identifier: MIT */
/*
 * Outer calls: the commands of queues whose functions the calling thread
 * executes as the owner of an inbox, in nested waits.  None of them ends before
 * the function returns, so a call of the library that waits for one of them, or
 * for what its queue has behind it, would wait for itself.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_OUTER_CALLS_H
#define PLAIT_SRC_OBJECT_QUEUE_OUTER_CALLS_H

#include "object/inbox/inbox.h"
#include "object/queue/queue.h"

/* Returns true if `match` is true of any outer call.  Caller holds no lock that is
 * taken inside that of an inbox; `match` runs under the inbox's lock. */
bool plait__outer_calls_any(bool (*match)(plait__inbox_event *call,
					  const void *arg), const void *arg);

/* Returns true if the queue waits for an outer call: one of its commands, or of
 * a run in it. */
bool plait__outer_calls_block(const plait__queue *queue);

/* Returns the failure of a wait for such a queue. */
plait_status plait__outer_calls_fail(const plait__queue *queue,
				     plait_error *error);

/* See plait__inbox_call_ops.precedes. */
bool plait__outer_calls_precedes(plait__inbox_event *call,
				 const plait__object *signal, uint64_t emission);

#endif
