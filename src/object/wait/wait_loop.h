/* SPDX-License-Identifier: MIT */
/*
 * How threads wait: look; serve the inboxes that this thread owns; then sleep
 * or drive, in the way that the backends need.  One loop for signals, queues
 * and inboxes.
 */
#ifndef PLAIT_SRC_OBJECT_WAIT_WAIT_LOOP_H
#define PLAIT_SRC_OBJECT_WAIT_WAIT_LOOP_H

#include "object/context/context.h"
#include "object/signal/signal_watch.h"

typedef struct plait__wait_point {
	plait__backend_port *port;
	plait__signal_watch *watch;
	plait_backend_point point;
} plait__wait_point;

typedef struct plait__wait_request {
	plait__context *context;
	const plait__wait_point *points;
	uint64_t count;
	bool any;
	uint64_t timeout_ns;
	/* Instead of points: what is waited for, in words of this process. */
	bool (*ready)(void *arg);
	void *arg;
	/* With `ready`: serve events too; and work that this thread can do
	 * for what it waits for, null or true when it did some. */
	bool serves;
	bool (*help)(void *arg);
	/* Null; or with `ready`, or points of a queue: says what the wait is
	 * blocked on, for the text of an error.  Not in upcalls. */
	void (*describe)(void *arg, char *out, uint32_t bytes);
	/* What one may do when the time is over: the end of that text; or
	 * null. */
	const char *advice;
	/* Set when a point decided, not the wait itself. */
	bool decided;
	uint64_t index; /* which: the one (any), the first that failed (all) */
} plait__wait_request;

/*
 * PLAIT_OK, the failure of a point, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT,
 * PLAIT_E_DEADLOCK, PLAIT_E_NOMEM.  The caller keeps the context, and all
 * that the points speak of, alive.
 */
plait_status plait__wait_run(plait__wait_request *request,
			     plait_error *error);

/* Until ready(arg); events are not served. */
plait_status plait__wait_until(plait__context *context,
			       bool (*ready)(void *arg),
			       void (*describe_it)(void *arg, char *out,
						   uint32_t bytes),
			       void *arg, uint64_t timeout_ns,
			       plait_error *error);

/*
 * One bounded piece of work on every backend that needs a thread for it.
 * True: something got on.  Not inside a host function.
 */
bool plait__wait_pump(plait__context *context);
/* A look at whether there is anything that it might do. */
bool plait__wait_may_pump(plait__context *context);

#endif
