/* SPDX-License-Identifier: MIT */
/*
 * The wait loop, one for signals, queues and inboxes: poll; serve the inboxes
 * of the calling thread; then drive pollables, pump backends or sleep, as the
 * backends require.
 */
#ifndef PLAIT_SRC_OBJECT_WAIT_WAIT_LOOP_H
#define PLAIT_SRC_OBJECT_WAIT_WAIT_LOOP_H

#include "object/context/context.h"
#include "object/signal/signal_watch.h"

#include "pool/callback_scope.h"

typedef struct plait__wait_point {
	plait__backend_port *port;
	plait__signal_watch *watch;
	plait_backend_point point;
} plait__wait_point;

/* Points that a run, or a queue, awaits: wait_in_driver.h. */
struct plait__awaited_points;
typedef plait_status plait__awaited_use(struct plait__awaited_points *found);

typedef struct plait__wait_request plait__wait_request;
struct plait__wait_request {
	plait__context *context;
	const plait__wait_point *points;
	uint64_t count;
	bool any;
	/* PLAIT_FOREVER: no limit. 0: poll, and advance pollables and backends
	 * once. Any other wait that has to block in a host function is
	 * PLAIT_E_DEADLOCK. */
	uint64_t timeout_ns;
	/* Instead of points: a condition of this process. */
	bool (*ready)(void *arg);
	void *arg;
	/* With `ready`: also serve inboxes; and null or work that this thread
	 * can do for the condition, which returns true if it did some. */
	bool serves;
	/* SLEEP: what it waits for takes long, and needs the processor. */
	enum plait__backoff_policy backoff;
	bool (*help)(void *arg);
	/* Null; or, with `ready`, ask for the wake-up: called before the last
	 * look of a thread that is to sleep. */
	void (*announce)(void *arg);
	/* Null, or use the points on which that condition, or the queue,
	 * depends: wait in a driver for one, or poll them.  Returns the result
	 * of `use`, or PLAIT_PENDING if there are none now. */
	plait_status (*enter)(void *arg, plait__awaited_use *use);
	/* The caller leaves its scopes and suspends where the wait sets
	 * `suspends`, and returns PLAIT_E_DEADLOCK without a text: it would
	 * have to block directly in a coroutine. */
	bool can_suspend;
	bool suspends;
	/* Null; or, with `ready` or points of a queue, write what the wait is
	 * blocked on, for the error text. Not in notification callbacks. */
	void (*describe)(void *arg, char *out, uint32_t bytes);
	/* Null, or the end of a timeout's text: the caller's options. */
	const char *advice;
	/* Null, or returns true if the wait needs a function that the calling
	 * thread is inside of to end, by its callback scope.  Takes locks. */
	bool (*blocked)(void *blocked_arg);
	void *blocked_arg;
	/* Set when a point decided the wait. */
	bool decided;
	uint64_t index; /* which point: the one (any), the first that failed
			 * (all) */
};

/*
 * PLAIT_OK, the failure of a point, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT,
 * PLAIT_E_DEADLOCK, PLAIT_E_NOMEM. The caller holds the context and the objects
 * of the points, and no lock: functions of inboxes run here.
 */
plait_status plait__wait_run(plait__wait_request *request,
			     plait_error *error);

/* As plait__wait_run, with `blocked`: inside a function of an owner, a wait without
 * a limit that closes a cycle of such waits is PLAIT_E_DEADLOCK. */
static inline plait_status
plait__wait_run_seen(plait__wait_request *request, plait_error *error)
{
	const plait__inbox_service *inboxes = request->context->inbox_service;

	if (request->timeout_ns == PLAIT_FOREVER &&
	    plait__callback_scope_run.event != NULL && inboxes != NULL)
		return inboxes->wait_inside(request, error);
	return plait__wait_run(request, error);
}

/* Wait until ready(arg) is true; inboxes are not served. */
static inline plait_status
plait__wait_until(plait__context *context, bool (*ready)(void *arg),
		  void (*describe)(void *arg, char *out, uint32_t bytes),
		  void *arg, uint64_t timeout_ns, plait_error *error)
{
	plait__wait_request request = {
		.context = context,
		.timeout_ns = timeout_ns,
		.ready = ready,
		.describe = describe,
		.arg = arg,
	};

	return plait__wait_run(&request, error);
}

/*
 * Do one bounded piece of work on a pollable, or else on an item of a pool without
 * workers and on every backend that needs pumping. Returns true if one advanced;
 * false inside a host function.
 */
bool plait__wait_pump(plait__context *context);
/* Returns true if plait__wait_pump might find work. */
bool plait__wait_may_pump(plait__context *context);

#endif
