/* SPDX-License-Identifier: MIT */
/*
 * Timers of a context: each calls a function on the thread `plait/timer` when
 * its time has come, unless it is disarmed before.  The thread is started with
 * the first timer, and sleeps until the earliest one is due.
 *
 * A timer is part of the object to be told.  Arming takes a hold on nothing: the
 * caller keeps the object until plait__timer_disarm has returned true, or until
 * the timer's function has been called.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_TIMER_H
#define PLAIT_SRC_OBJECT_PROGRESS_TIMER_H

#include "plait/base.h"

#include "object/progress/timer_heap.h"

#include "sys/eventcount.h"
#include "sys/mutex.h"
#include "sys/thread.h"

#include <stdbool.h>

/* Zeroed memory has no timer and no thread. */
typedef struct plait__timers {
	struct plait__mutex lock; /* guards `first`, and `armed` of the timers;
				   * a leaf lock */
	plait__timer *first;	/* root of the heap */
	struct plait__mutex starting; /* writers of `running` */
	at_u32 running;
	at_u32 stop;
	at_u32 wake_count;	/* raised by each wake-up */
	struct plait__eventcount event;
	struct plait__thread thread;
} plait__timers;

/* Let timer->expired be called at timer->due_ns, a time of sys/clock.h.  The
 * timer is not armed.  PLAIT_E_NOMEM: no thread, and the timer is not armed. */
plait_status plait__timer_arm(plait__timers *timers, plait__timer *timer,
			      plait_error *error);

/* Returns false if timer->expired was called, or is being called. */
bool plait__timer_disarm(plait__timers *timers, plait__timer *timer);

/* Join the thread: the context ends, and no timer is armed. */
void plait__timer_stop(plait__timers *timers);

#endif
