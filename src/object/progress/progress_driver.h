/* SPDX-License-Identifier: MIT */
/*
 * Progress driver: advances work (a run on queues) that a backend has notified,
 * and that needs a thread which may call slots. Driving is a role: any waiting
 * thread takes it between looks; if none waits, a thread of the context does,
 * where backends advance by themselves.
 *
 *     IDLE --note--> READY --drive--> DRIVEN --advance--> IDLE, READY or OVER
 *
 * One thread at a time drives a pollable; it finds notes posted meanwhile
 * afterwards. Only plait__progress_add leads out of OVER.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_PROGRESS_DRIVER_H
#define PLAIT_SRC_OBJECT_PROGRESS_PROGRESS_DRIVER_H

#include "plait/base.h"

#include "sys/eventcount.h"
#include "sys/mutex.h"
#include "sys/thread.h"

#include <stdbool.h>

typedef struct plait__context plait__context;
typedef struct plait__pollable plait__pollable;
typedef struct plait__progress_note plait__progress_note;

/* Results of `advance`. */
enum {
	PLAIT__PROGRESS_WAITING = 0,	/* for the next note */
	/* no note may come: advance again soon */
	PLAIT__PROGRESS_POLLING = 1,
	PLAIT__PROGRESS_DONE = 2,
	/* Like POLLING, but it ends after a bounded number of rounds. */
	PLAIT__PROGRESS_RETRYING = 3,
	/* Like POLLING, after a poll that found a completion. */
	PLAIT__PROGRESS_POLLED = 4
};

/* An event of a pollable, as a notification callback posts it. */
struct plait__progress_note {
	plait__progress_note *next;
	plait__pollable *whose;
	plait_status status;
};

struct plait__pollable {
	/* Guarded by the driver's lock. */
	plait__pollable *next;
	uint32_t state;
	bool tries;		/* `advance` returned RETRYING last */
	bool kept;		/* by the thread that added it */
	plait__progress_note *notes;
	plait__progress_note *last_note;

	/* Constant. */

	/* Do a bounded piece of work, on the driving thread, without the
	 * driver's lock; may call slots. Returns one of PLAIT__PROGRESS_... */
	uint32_t (*advance)(plait__pollable *pollable);
	/* Called once after `advance` returned DONE, by the same thread: no
	 * other touches the pollable any more, so its owner may reuse it. */
	void (*over)(plait__pollable *pollable);
};

typedef struct plait__pollable_list {
	plait__pollable *first;
	plait__pollable *last;
} plait__pollable_list;

typedef struct plait__progress_driver {
	struct plait__mutex lock; /* no lock inside; taken in notification
				   * callbacks */
	plait__pollable_list ready;
	plait__pollable_list polling;
	at_u32 ready_count;	/* read without the lock */
	at_u32 polling_count;
	/* those that retry, also while they are driven */
	at_u32 retrying_count;
	at_u32 active;		/* expected, or between add and over */
	/* Runs that threads of the pool execute; counted where a backend other
	 * than the host needs a pump. */
	at_u32 pool_runs;
	at_u32 pool_runs_ended;
	at_u32 pool_runs_expected; /* that a queue has yet to reach */
	bool counts_pool_runs;	/* constant */
	/* The context's thread, started where it can be of use. */
	struct plait__mutex starting; /* writers of `running` */
	at_u32 running;
	at_u32 stop;
	at_u32 wake_count;		/* raised by each wake-up */
	struct plait__eventcount event;
	struct plait__thread thread;
} plait__progress_driver;

/* Start the thread, if it does not run. PLAIT_E_NOMEM. */
plait_status plait__progress_start(plait__context *context, plait_error *error);
/* Join the thread: the context ends. */
void plait__progress_stop(plait__context *context);

/* Begin to drive the pollable, at once for the first time. From any thread,
 * notification callbacks included. */
void plait__progress_add(plait__context *context, plait__pollable *pollable);

/* Likewise; the calling thread drives it until it is over, so no other is woken
 * for it, but for notes. If that thread ends before: plait__progress_wake. */
void plait__progress_add_kept(plait__context *context,
			      plait__pollable *pollable);
/* Wake the threads that drive. */
void plait__progress_wake(plait__context *context);

/* A pollable will be added when a queue reaches it: threads that wait from now
 * on have to drive. Undone when it was added, or will not be. */
void plait__progress_expect(plait__context *context);
void plait__progress_unexpect(plait__context *context);

/* Threads of the pool execute a run: until its end, a backend that has nothing
 * left to do must not conclude that nothing can happen any more.  Called only
 * with counts_pool_runs. */
static inline void plait__progress_begin_pool_run(
	plait__progress_driver *driver)
{
	at_add_u32(&driver->pool_runs, 1);
}

static inline void plait__progress_end_pool_run(plait__progress_driver *driver)
{
	at_add_u32(&driver->pool_runs_ended, 1);
	/* Release: pairs with plait__progress_has_pool_run. */
	at_sub_u32(&driver->pool_runs, 1);
}

/* A queue will let such a run begin: a thread that waits must not stay inside
 * the backend of that queue, in case the run needs the thread. */
static inline void plait__progress_expect_pool_run(
	plait__progress_driver *driver)
{
	at_add_u32(&driver->pool_runs_expected, 1);
}

/* The run has begun, or will not. */
static inline void plait__progress_unexpect_pool_run(
	plait__progress_driver *driver)
{
	at_sub_u32(&driver->pool_runs_expected, 1);
}

/* Post a note. From any thread, notification callbacks included; the caller
 * touches neither note nor pollable afterwards. */
void plait__progress_post(plait__context *context, plait__progress_note *note,
			  plait_status status);

/* Take the notes posted since, oldest first. Called by `advance`. */
plait__progress_note *plait__progress_take_notes(plait__context *context,
						 plait__pollable *pollable);

/* Drive one pollable. Returns true if one was notified or advanced. Not in
 * notification callbacks. */
bool plait__progress_drive(plait__context *context);

/* Look at a pollable as its driver would, without changing it. Returns false if
 * a thread drives it or is about to, or if it is over. Not in notification
 * callbacks. */
bool plait__progress_inspect(plait__context *context, plait__pollable *pollable,
			     void (*look)(plait__pollable *pollable, void *arg),
			     void *arg);

/* Returns true if plait__progress_drive would find a notified pollable. */
static inline bool plait__progress_has_ready(
	const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->ready_count) != 0;
}

/* Returns true if a pollable has to be polled. */
static inline bool plait__progress_has_polling(
	const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->polling_count) != 0;
}

/* Returns true if a pollable finishes if only driven often enough. */
static inline bool plait__progress_has_retrying(
	const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->retrying_count) != 0;
}

/* Returns true if threads of the pool execute a run. */
static inline bool plait__progress_has_pool_run(
	const plait__progress_driver *driver)
{
	/* Acquire: pairs with plait__progress_end_pool_run. A thread that sees
	 * no run sees how many have ended. */
	return at_load_acquire_u32(&driver->pool_runs) != 0;
}

/* Returns true if a queue has yet to reach such a run. */
static inline bool plait__progress_expects_pool_run(
	const plait__progress_driver *driver)
{
	/* Acquire: pairs with plait__progress_unexpect_pool_run, behind which
	 * the run is counted. */
	return at_load_acquire_u32(&driver->pool_runs_expected) != 0;
}

/* Returns true if the context's thread drives pollables. */
static inline bool plait__progress_has_thread(
	const plait__progress_driver *driver)
{
	/* Relaxed: the thread is used under `starting`, or by the last user of
	 * the context. */
	return at_load_relaxed_u32(&driver->running) != 0;
}

/* Returns true if any pollable is expected or driven. */
static inline bool plait__progress_is_active(
	const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->active) != 0;
}

/* Returns true if it is one that is expected or driven. */
static inline bool plait__progress_is_single(
	const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->active) == 1;
}

#endif
