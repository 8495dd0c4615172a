/* SPDX-License-Identifier: MIT */
/*
 * Watcher: a thread that looks at the driver while commands are in flight,
 * because a driver that loses a device may never call back.  Threads that wait
 * for the core's counters then sleep without a limit, and no worker has a
 * reason to look.
 *
 *     parked     nothing is in flight: sleeps until plaitp_driven_watch
 *     watching   a look each LOOK_NS; parks after IDLE_LOOKS without commands
 *
 * The watcher takes the lock like a thread that submits, so a look also applies
 * completions, advances queues, and delivers.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "driven.h"

enum { LOOK_NS = 100000000, IDLE_LOOKS = 10 };

void plaitp_driven_watch(struct driven *self)
{
	if (self->watching)
		return;
	pthread_mutex_lock(&self->completion_lock);
	self->watching = true;
	pthread_cond_signal(&self->watch_changed);
	pthread_mutex_unlock(&self->completion_lock);
}

static struct timespec after_pause(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return until;
}

/* Sleep for a pause, and while parked.  Returns false at the end.  A wake-up
 * from parking is no look: a whole pause follows. */
static bool pause_watch(struct driven *self)
{
	struct timespec until;
	int result = 0;
	bool ends;

	pthread_mutex_lock(&self->completion_lock);
	while (!self->watching && !self->watch_ends)
		pthread_cond_wait(&self->watch_changed,
				  &self->completion_lock);
	until = after_pause();
	while (!self->watch_ends && result != ETIMEDOUT)
		result = pthread_cond_timedwait(&self->watch_changed,
						&self->completion_lock,
						&until);
	ends = self->watch_ends;
	pthread_mutex_unlock(&self->completion_lock);
	return !ends;
}

/* Caller holds self->lock, so nothing is put in flight meanwhile. */
static void park(struct driven *self)
{
	pthread_mutex_lock(&self->completion_lock);
	self->watching = false;
	pthread_mutex_unlock(&self->completion_lock);
}

static void *run_watcher(void *arg)
{
	struct driven *self = arg;
	uint32_t idle = 0;

	(void)pthread_setname_np(pthread_self(), "plait/watch");
	while (pause_watch(self)) {
		plaitp_driven_enter(self);
		idle = self->ops->look(self) ? 0 : idle + 1;
		if (idle == IDLE_LOOKS) {
			park(self);
			idle = 0;
		}
		plaitp_driven_leave(self);
	}
	return NULL;
}

/* The new thread inherits the mask: signals are the program's. */
static int create_thread(struct driven *self)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&self->watcher, NULL, run_watcher, self);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

plait_status plaitp_driven_watch_open(struct driven *self, plait_error *error)
{
	pthread_condattr_t attributes;
	int code;

	if (self->ops->look == NULL)
		return PLAIT_OK;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&self->watch_changed, &attributes);
	pthread_condattr_destroy(&attributes);
	code = create_thread(self);
	self->has_watcher = code == 0;
	if (self->has_watcher)
		return PLAIT_OK;
	pthread_cond_destroy(&self->watch_changed);
	return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM, code,
				  "%s: cannot start the thread that watches "
				  "the driver: %s; allow this process more "
				  "threads", self->ops->name, strerror(code));
}

void plaitp_driven_watch_close(struct driven *self)
{
	if (!self->has_watcher)
		return;
	pthread_mutex_lock(&self->completion_lock);
	self->watch_ends = true;
	pthread_cond_signal(&self->watch_changed);
	pthread_mutex_unlock(&self->completion_lock);
	(void)pthread_join(self->watcher, NULL);
	pthread_cond_destroy(&self->watch_changed);
	self->has_watcher = false;
}
