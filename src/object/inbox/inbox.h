/* SPDX-License-Identifier: MIT */
/*
 * Inboxes: event queues of one thread each, the owner. inbox.c creates, closes
 * and adopts them; inbox_records.h has their lists; inbox_pump.c has the
 * owner's side; inbox_event.c posts events. Calls, the events that need an
 * answer, are in queue/owner_call.c.
 */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_H

#include "object/context/context.h"
#include "object/inbox/inbox_event.h"

#include "base/vector.h"

typedef struct plait__call plait__call;

/* Operations on the calls in an inbox, each of which starts with an event
 * record. owner_call.c stores them with the first call. */
typedef struct plait__inbox_call_ops {
	/* The function of the call has returned, or has ended its thread. */
	void (*answer)(plait__inbox_event *call, int64_t result,
		       const char *text);
	/* Returns true if the call is not answered, and the queue that waits for
	 * it makes emission `emission` of the signal behind it.  Caller holds
	 * no lock. */
	bool (*precedes)(plait__inbox_event *call, const plait__object *signal,
			 uint64_t emission);
	/* The inbox was closed: fail `call` and those linked by next_closed. */
	void (*fail_closed)(plait__inbox_event *call);
	/* The inbox is destroyed: free the calls of its free list. */
	void (*free_idle)(plait__inbox *inbox);
} plait__inbox_call_ops;

struct plait__inbox {
	plait__object object;
	plait__inbox *next; /* in the context's list, guarded by its lock */
	plait__inbox *previous;
	at_u64 owner;	    /* plait__thread_token; written under the lock */
	int fd;
	/* Guards the fields below and all event records. Taken in notification
	 * callbacks. */
	struct plait__mutex lock;
	int32_t owner_id;    /* thread id of the owner */
	uint32_t inside;     /* calls of the owner in progress */
	bool closed;
	bool listened; /* the descriptor was asked for */
	bool raised;   /* the descriptor is readable */
	plait__inbox_event *first_event;
	plait__inbox_event *last_event;
	at_u64 event_count; /* written under the lock, read without it */
	plait__inbox_event *records;
	plait__vector calls; /* plait__call *, by index; never shrinks */
	plait__call *idle;   /* free list of calls */
	const plait__inbox_call_ops *call_ops; /* null before the first call */
};

PLAIT__OBJECT_ENTER(inbox, PLAIT_OBJECT_INBOX);

/* Returns true if the event is a call that is not answered and `match` is true of
 * it.  What waits for the answer stays as it is while `match` runs, under the
 * inbox's lock. */
static inline bool
plait__inbox_is_open_call(plait__inbox_event *event,
			  bool (*match)(plait__inbox_event *call,
					const void *arg), const void *arg)
{
	bool matches;

	plait__mutex_lock(&event->inbox->lock);
	matches = !event->answered && match(event, arg);
	plait__mutex_unlock(&event->inbox->lock);
	return matches;
}

/* Accept no further events, and cancel the promised ones. */
void plait__inbox_close(plait__inbox *inbox);

/* inbox_pump.c: run the functions of at most `maximum` events; 0: of all that
 * are there. Stops at an event without a function: PLAIT_EVENT_READY. Caller is the
 * owner, inside, and holds no lock. */
plait_status plait__inbox_pump(plait__inbox *inbox, uint64_t maximum,
			       uint64_t *out_count);
/* inbox_pump.c; see plait__inbox_service. */
extern const plait__inbox_service plait__inbox_pump_service;

#endif
