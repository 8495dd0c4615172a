/* SPDX-License-Identifier: MIT */
/*
 * Stop event of an owner call: tells the owner, which has taken the call and has
 * not answered it, that the run was stopped.  Promised by
 * plait_inbox_notify_stop (call_stop.c); posted by the stop, or withdrawn by the
 * answer.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_CALL_STOP_H
#define PLAIT_SRC_OBJECT_QUEUE_CALL_STOP_H

#include "object/queue/owner_call.h"

/* Take the event of a call that is not answered, or null.  Caller holds the
 * inbox's lock. */
static inline plait__inbox_event *plait__call_stop_take(plait__call *call)
{
	plait__inbox_event *event_record = NULL;

	if (!call->event_record.answered) {
		event_record = call->stop_event;
		call->stop_event = NULL;
	}
	return event_record;
}

/* Post the event; null: no action.  Not under the inbox's lock.  After the close
 * of the inbox, which has cancelled it, only its hold is dropped. */
static inline void plait__call_stop_post(plait__inbox_event *event_record)
{
	if (event_record != NULL)
		plait__inbox_event_post(event_record, PLAIT_OK);
}

/* The caller has claimed the call and answers it, so no event is due. */
static inline void plait__call_stop_withdraw(plait__call *call)
{
	if (call->stop_event != NULL)
		plait__inbox_event_cancel(call->stop_event);
	call->stop_event = NULL;
}

#endif
