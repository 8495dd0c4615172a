/* SPDX-License-Identifier: MIT */
/*
 * A promised event.  Made when it is promised, so that delivering it cannot
 * fail; delivered exactly once:
 *
 *     PROMISED --post--> POSTED --taken by the owner--> TAKEN
 *         `----close of the inbox---^   (status PLAIT_E_CANCELLED)
 *
 * Two holds: who will post it, and the inbox until it was taken.  A CALL
 * (owner_call.h) starts with a notice and stays with the inbox until it is answered.
 */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_EVENT_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_EVENT_H

#include "plait/inbox.h"
#include "plait/queue.h"

#include "object/handle/object.h"

#include "sys/thread.h"

typedef struct plait__inbox plait__inbox;
typedef struct plait__notice plait__notice;
typedef struct plait__signal plait__signal;

enum plait__notice_state {
	PLAIT__NOTICE_PROMISED,
	PLAIT__NOTICE_POSTED,
	PLAIT__NOTICE_TAKEN
};

struct plait__notice {
	plait__object object; /* without a handle */
	plait__inbox *inbox;  /* held */
	plait__signal *signal; /* SIGNAL: held; else null */
	/* The rest under the inbox's lock. */
	plait__notice *next_event; /* POSTED: in the order of arrival */
	plait__notice *next;	   /* all that the inbox keeps */
	plait__notice *previous;
	enum plait__notice_state state;
	bool linked;   /* in the inbox's list, which has a hold */
	bool answered; /* of a CALL; all others are */
	plait_event event;
	struct plait__thread_guard guard; /* while its function runs */
};

/* PLAIT_E_STATE (the inbox is closed), PLAIT_E_NOMEM. */
plait_status plait__notice_create(plait__inbox *inbox,
				  const plait_event *event,
				  plait__notice **out, plait_error *error);

/* It has come; also in upcalls.  Gives the poster's hold back. */
void plait__notice_post(plait__notice *notice, plait_status status);

/* It was never promised. */
void plait__notice_cancel(plait__notice *notice);

#endif
