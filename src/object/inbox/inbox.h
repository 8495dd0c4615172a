/* SPDX-License-Identifier: MIT */
/*
 * Inboxes: events for one thread.  inbox.c makes, closes and adopts them;
 * inbox_pump.c is what the owner does; inbox_event.c are the events, owner_call.c those that
 * are answered.
 */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_H

#include "object/context/context.h"
#include "object/inbox/inbox_event.h"

#include "base/vector.h"

typedef struct plait__call plait__call;

/* What owner_call.c does for the calls in an inbox, whose event records start
 * them; stored with the first call. */
typedef struct plait__inbox_call_ops {
	/* The function of the call has returned, or ended its thread. */
	void (*answer)(plait__inbox_event *call, int64_t result,
		       const char *text);
	/* The inbox closes: `call`, and those linked by next_closed. */
	void (*fail_closed)(plait__inbox_event *call);
	/* The inbox ends. */
	void (*free_idle)(plait__inbox *inbox);
} plait__inbox_call_ops;

struct plait__inbox {
	plait__object object;
	plait__inbox *next; /* of the context, under its lock */
	plait__inbox *previous;
	at_u64 owner;	    /* plait__thread_token; written under the lock */
	int fd;
	/* Guards what follows and every event_record.  Taken in upcalls. */
	struct plait__mutex lock;
	int32_t owner_id;    /* what the system calls the owner */
	uint32_t inside;     /* calls of the owner that are under way */
	bool closed;
	bool listened; /* somebody asked for the descriptor */
	bool raised;   /* the descriptor is readable */
	plait__inbox_event *first_event;
	plait__inbox_event *last_event;
	at_u64 event_count; /* written under the lock, looked at without */
	plait__inbox_event *records;
	plait__vector calls; /* plait__call *, by index; never shorter */
	plait__call *idle;   /* to be used again */
	const plait__inbox_call_ops *call_ops; /* null before the first call */
};

PLAIT__OBJECT_ENTER(inbox, PLAIT_OBJECT_INBOX);

/* With the lock held.  A link has a hold of the event_record. */
void plait__inbox_link(plait__inbox *inbox, plait__inbox_event *event_record);
void plait__inbox_push(plait__inbox *inbox, plait__inbox_event *event_record);
void plait__inbox_remove(plait__inbox *inbox, plait__inbox_event *event_record);
void plait__inbox_wake_owner(plait__inbox *inbox);
/* True: nobody needs it in the list any more; drop that hold, unlocked. */
bool plait__inbox_unlink(plait__inbox_event *event_record);

/* Make it no further events; what was promised is cancelled. */
void plait__inbox_close(plait__inbox *inbox);

/* Is the calling thread its owner? */
bool plait__inbox_is_mine(const plait__inbox *inbox);

/* inbox_pump.c: run functions, at most `maximum`. */
plait_status plait__inbox_pump(plait__inbox *inbox, uint64_t maximum,
			       uint64_t *out_count);
/* inbox_pump.c: for the context; see plait__inbox_service. */
extern const plait__inbox_service plait__inbox_pump_service;

#endif
