/* SPDX-License-Identifier: MIT */
/* Timers of a context and their thread; see timer.h. */
#include "object/progress/timer.h"

#include "base/error.h"
#include "sys/clock.h"

struct wake_state {
	plait__timers *timers;
	uint32_t seen;
};

static bool was_woken(void *arg)
{
	const struct wake_state *state = arg;

	return at_load_acquire_u32(&state->timers->wake_count) != state->seen;
}

static void wake(plait__timers *timers)
{
	at_add_u32(&timers->wake_count, 1);
	plait__eventcount_notify(&timers->event);
}

/* Take a timer that is due, or null; *out_next is when the next one is. */
static plait__timer *take_due(plait__timers *timers, uint64_t *out_next)
{
	plait__timer *timer;

	plait__mutex_lock(&timers->lock);
	timer = timers->first;
	*out_next = timer != NULL ? timer->due_ns : PLAIT__CLOCK_NEVER;
	if (timer != NULL && timer->due_ns > plait__clock_now_ns())
		timer = NULL;
	if (timer != NULL) {
		plait__timer_heap_remove(&timers->first, timer);
		timer->armed = false;
	}
	plait__mutex_unlock(&timers->lock);
	return timer;
}

static void serve(void *arg)
{
	plait__timers *timers = arg;
	struct wake_state state = { .timers = timers };
	plait__timer *timer;
	uint64_t next_ns;

	for (;;) {
		state.seen = at_load_acquire_u32(&timers->wake_count);
		/* Acquire: pairs with the store in plait__timer_stop. */
		if (at_load_acquire_u32(&timers->stop) != 0)
			return;
		while ((timer = take_due(timers, &next_ns)) != NULL)
			timer->expired(timer);
		(void)plait__eventcount_await(&timers->event, was_woken,
					      &state, next_ns,
					      PLAIT__BACKOFF_SLEEP);
	}
}

/* Relaxed: a thread that sees 0 looks again under `starting`. */
static plait_status start(plait__timers *timers, plait_error *error)
{
	bool running = at_load_relaxed_u32(&timers->running) != 0;

	if (running)
		return PLAIT_OK;
	plait__mutex_lock(&timers->starting);
	running = at_load_relaxed_u32(&timers->running) != 0;
	if (!running)
		running = plait__thread_start(&timers->thread, "plait/timer",
					      serve, timers, NULL) == 0;
	at_store_relaxed_u32(&timers->running, running);
	plait__mutex_unlock(&timers->starting);
	return running ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no thread for a deadline");
}

plait_status plait__timer_arm(plait__timers *timers, plait__timer *timer,
			      plait_error *error)
{
	plait_status status = start(timers, error);
	bool earliest;

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&timers->lock);
	timer->armed = true;
	plait__timer_heap_add(&timers->first, timer);
	earliest = timers->first == timer;
	plait__mutex_unlock(&timers->lock);
	/* The thread sleeps until an earlier timer is due. */
	if (earliest)
		wake(timers);
	return PLAIT_OK;
}

bool plait__timer_disarm(plait__timers *timers, plait__timer *timer)
{
	bool armed;

	plait__mutex_lock(&timers->lock);
	armed = timer->armed;
	if (armed)
		plait__timer_heap_remove(&timers->first, timer);
	timer->armed = false;
	plait__mutex_unlock(&timers->lock);
	return armed;
}

void plait__timer_stop(plait__timers *timers)
{
	/* Relaxed: the caller is the last user of the context. */
	if (at_load_relaxed_u32(&timers->running) == 0)
		return;
	/* Release: pairs with the load in serve. */
	at_store_release_u32(&timers->stop, 1);
	wake(timers);
	plait__thread_join(&timers->thread);
}
