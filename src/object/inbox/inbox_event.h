/* SPDX-License-Identifier: MIT */
/*
 * Event record of an inbox, allocated when the event is promised, so that
 * posting cannot fail, and delivered exactly once:
 *
 *     PROMISED --post--> POSTED --taken by the owner--> TAKEN
 *         `----close of the inbox---^   (status PLAIT_E_CANCELLED)
 *
 * Two holds: the poster's, and the inbox's until the event is taken. A call
 * (queue/owner_call.h) starts with an event record, and stays in the inbox
 * until it is answered.
 */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_EVENT_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_EVENT_H

#include "plait/inbox.h"
#include "plait/queue.h"

#include "object/handle/object.h"
#include "object/progress/listener.h"

#include "pool/callback_scope.h"
#include "sys/thread.h"

typedef struct plait__inbox plait__inbox;
typedef struct plait__inbox_event plait__inbox_event;
typedef struct plait__signal plait__signal;

enum plait__inbox_event_state {
	PLAIT__INBOX_EVENT_PROMISED,
	PLAIT__INBOX_EVENT_POSTED,
	PLAIT__INBOX_EVENT_TAKEN
};

struct plait__inbox_event {
	plait__object object; /* without a handle */
	plait__listener listener; /* posts the event; not of calls */
	plait__inbox *inbox;  /* held */
	plait__signal *signal; /* held; null unless the event is of a signal */
	/* Guarded by the inbox's lock, as all below. */
	plait__inbox_event *next_event; /* POSTED: order of arrival */
	plait__inbox_event *next;	   /* all records of the inbox */
	plait__inbox_event *previous;
	plait__inbox_event *next_closed; /* calls that the close of the inbox
					  * fails */
	enum plait__inbox_event_state state;
	bool linked;   /* in the inbox's list, which has a hold */
	bool answered; /* a call's; true of other events */
	at_u32 stopping; /* a call's: the run that asks was stopped */
	void *run; /* that run's plait__instance, or null; constant.  Waits for
		    * a call that has begun, unless the inbox is closed */
	plait__object *run_owner; /* keeps `run`; held while the function runs */
	plait_event event;
	struct plait__thread_guard guard; /* while the event's function runs */
};

/* Hold a call that is taken and not answered, for the thread that runs its
 * function: the run waits for the call, so its owner exists.  Caller holds the
 * inbox's lock. */
static inline void plait__inbox_event_hold_call(plait__inbox_event *call)
{
	plait__object_hold(&call->object);
	if (call->run_owner != NULL)
		plait__object_hold(call->run_owner);
}

/* Drop the holds of plait__inbox_event_hold_call. */
static inline void plait__inbox_event_drop_call(plait__inbox_event *call)
{
	if (call->run_owner != NULL)
		plait__object_drop(call->run_owner);
	plait__object_drop(&call->object);
}

/* Exit guard of a function: it ends its thread, so the call of `event_record`
 * fails.  Drops the holds of the thread. */
void plait__inbox_event_fail_on_exit(void *event_record);

/* The state of a thread that runs the event's function inside `around`. */
static inline struct plait__callback_run
plait__inbox_event_scope(plait__inbox_event *event_record,
			 struct plait__callback_run *around)
{
	return (struct plait__callback_run){
		.stop = &event_record->stopping,
		.instance = event_record->run, .event = event_record,
		.around = around
	};
}

/* Promise an event: the caller gets the poster's hold. PLAIT_E_STATE (the inbox
 * is closed), PLAIT_E_NOMEM. */
plait_status plait__inbox_event_create(plait__inbox *inbox,
				       const plait_event *event,
				       plait__inbox_event **out,
				       plait_error *error);

/* Post the event, as its listener does; also in notification callbacks. After the
 * close of the inbox nothing is posted. Takes the inbox's lock, wakes the waiters,
 * drops the poster's hold. */
void plait__inbox_event_post(plait__inbox_event *event_record,
			     plait_status status);

/* Withdraw the promise, and drop the poster's hold. Not in notification
 * callbacks. */
void plait__inbox_event_cancel(plait__inbox_event *event_record);

#endif
