/* SPDX-License-Identifier: MIT */
/*
 * A promised event.  Made when it is promised, so that delivering it cannot
 * fail; delivered exactly once:
 *
 *     PROMISED --post--> POSTED --taken by the owner--> TAKEN
 *         `----close of the inbox---^   (status PLAIT_E_CANCELLED)
 *
 * Two holds: who will post it, and the inbox until it was taken.  A CALL
 * (owner_call.h) starts with a event_record and stays with the inbox until it is answered.
 */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_EVENT_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_EVENT_H

#include "plait/inbox.h"
#include "plait/queue.h"

#include "object/handle/object.h"

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
	plait__inbox *inbox;  /* held */
	plait__signal *signal; /* SIGNAL: held; else null */
	/* The rest under the inbox's lock. */
	plait__inbox_event *next_event; /* POSTED: in the order of arrival */
	plait__inbox_event *next;	   /* all that the inbox keeps */
	plait__inbox_event *previous;
	plait__inbox_event *next_closed; /* calls that the close answers */
	enum plait__inbox_event_state state;
	bool linked;   /* in the inbox's list, which has a hold */
	bool answered; /* of a CALL; all others are */
	plait_event event;
	struct plait__thread_guard guard; /* while its function runs */
};

/* PLAIT_E_STATE (the inbox is closed), PLAIT_E_NOMEM. */
plait_status plait__inbox_event_create(plait__inbox *inbox,
				       const plait_event *event,
				       plait__inbox_event **out, plait_error *error);

/* It has come; also in upcalls.  Gives the poster's hold back. */
void plait__inbox_event_post(plait__inbox_event *event_record, plait_status status);

/* It was never promised. */
void plait__inbox_event_cancel(plait__inbox_event *event_record);

#endif
