/* SPDX-License-Identifier: MIT */
/*
 * Suspension: what a coroutine waits for, and how a call that waits suspends the
 * coroutine that made it.  An await names its source by a class; the lane of the
 * coroutine polls it, and subscribes to it while it is not decided.
 *
 * A call suspends when it holds no lock and is in no thread scope, since another
 * thread may continue it.  Its objects it holds, but is not inside them.
 */
#ifndef PLAIT_SRC_OBJECT_WAIT_SUSPENSION_H
#define PLAIT_SRC_OBJECT_WAIT_SUSPENSION_H

#include "plait/run.h"

#include "object/handle/object.h"
#include "object/progress/listener.h"

typedef struct plait__await plait__await;

/* Source of awaits.  All but `name` are called on the thread that has the
 * lane. */
typedef struct plait__await_class {
	/* PLAIT_PENDING, PLAIT_OK, or the failure. */
	plait_status (*poll)(plait__await *await, plait_error *error);
	/* PLAIT_OK: `listener` is called once, possibly within the call, when
	 * the await may be decided.  Else it is not called. */
	plait_status (*subscribe)(plait__await *await,
				  plait__listener *listener,
				  plait_error *error);
	/* Returns true if `listener` was subscribed, and is not called.  Null:
	 * it is always called. */
	bool (*withdraw)(plait__await *await, plait__listener *listener);
	/* Write what is missing, as a sentence without its end. */
	void (*explain)(const plait__await *await, char *out, uint32_t bytes);
	/* Write a noun phrase: the event of the object, by its number. */
	void (*name)(const plait__object *object, uint64_t number, char *out,
		     uint32_t bytes);
} plait__await_class;

/* An await; on the stack of the function, which is suspended meanwhile. */
struct plait__await {
	const plait__await_class *class;
	plait__object *object;	/* what is awaited; held by the function */
	uint64_t number;	/* which of its events */
	uint64_t deadline_ns;	/* PLAIT__CLOCK_NEVER: none */
	plait_status status;	/* set by the lane before the function goes on;
				 * not PLAIT_PENDING */
	plait_error *error;	/* the function's, which the lane fills; or
				 * null */
};

/* How a coroutine waits: the first member of what `coroutine` of the callback
 * scope points to. */
typedef struct plait__suspender {
	/* Suspend the calling function until the await is decided. */
	plait_status (*await)(plait__await *await, plait_error *error);
	/* As plait_signal_wait_points. */
	plait_status (*await_points)(const plait_point *points, uint64_t count,
				     int32_t mode, uint64_t timeout_ns,
				     uint64_t *out_index, plait_error *error);
	/* As plait_run_wait. */
	plait_status (*await_run)(plait_run *run, uint64_t timeout_ns,
				  plait_error *error);
	/* PLAIT_OK, or PLAIT_E_HANDLE if the object is of another context than
	 * the coroutine's run. */
	plait_status (*check)(const plait__object *object, plait_error *error);
	/* Returns true if the coroutine's run has to end before what comes
	 * behind it in this queue. */
	bool (*is_before)(const plait__object *queue);
} plait__suspender;

/* That of the coroutine that the calling thread is directly in, or null.  Not
 * inline: another thread may execute the caller afterwards, so the address of
 * the thread-local variable must not be kept. */
const plait__suspender *plait__suspension_current(void);

/* A number of that coroutine, or of the thread: of what an access to memory belongs
 * to until it ends.  Not inline, likewise. */
uint64_t plait__suspension_owner(void);

/* Suspend the calling coroutine until the await is decided, or the time has
 * passed; returns its status.  PLAIT_E_STATE: the caller is not directly in a
 * coroutine. */
plait_status plait__suspension_await(plait__await *await, uint64_t timeout_ns,
				     plait_error *error);

/* Class of the awaits that are decided after a turn of other work. */
extern const plait__await_class plait__suspension_turn;

/* Likewise: let other work of the pool have a turn. */
plait_status plait__suspension_yield(plait_error *error);

/* Fails with PLAIT_E_STATE. */
plait_status plait__suspension_fail(plait_error *error);

#endif
