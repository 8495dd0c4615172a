/* SPDX-License-Identifier: MIT */
/*
 * Reclaim thread: drops the holds of finished work after the user has released
 * an object that is in use, when no other thread does it in passing
 * (reclaim.c). It sleeps until a queue has advanced. Backends that advance only
 * while a thread waits (PLAIT_CAP_NEEDS_PUMP) are left alone as long as the
 * user has a handle of the context; then this thread drives them to the end.
 */
#include "object/context/reclaim_thread.h"

#include "object/context/backend_result.h"
#include "object/context/reclaim.h"

#include "sys/clock.h"

enum {
	/* Polling interval where no wake-up will come. */
	POLL_NS = 2000000,
	/* Objects that a plan holds linger as long as the plan: each event
	 * meanwhile would be a wake-up for nothing. */
	MIN_REST_NS = 1000000
};

static void notify_urgently(plait__context *context)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;

	plait__context_notify_reclaimer(context);
	at_add_u32(&reclaimer->urgent_count, 1);
	plait__eventcount_notify(&reclaimer->urgent);
}

/* Not in notification callbacks. */
static void wake_urgently(plait__context *context)
{
	plait__reclaim_thread_wake(context);
	notify_urgently(context);
}

void plait__reclaim_thread_submit(plait__context *context,
				  plait__context_task *task)
{
	plait__object_hold(&context->object);
	plait__mutex_lock(&context->deferred_lock);
	task->next = context->tasks;
	context->tasks = task;
	plait__mutex_unlock(&context->deferred_lock);
	wake_urgently(context);
}

/* Caller holds no lock: tasks call functions of the user. */
static void run_tasks(plait__context *context)
{
	plait__context_task *task;

	for (;;) {
		plait__mutex_lock(&context->deferred_lock);
		task = context->tasks;
		if (task != NULL)
			context->tasks = task->next;
		plait__mutex_unlock(&context->deferred_lock);
		if (task == NULL)
			return;
		task->run(task);
		plait__object_drop(&context->object);
	}
}

/* --- the thread */

/* Returns true if a backend advanced. */
static bool pump_all(plait__context *context)
{
	bool more = false;
	uint32_t i;

	for (i = 0; i < context->port_count; i++) {
		const plait__backend_port *port = &context->ports[i];

		if ((port->any & PLAIT_CAP_NEEDS_PUMP) != 0 &&
		    plait__context_is_final(context) && plait__backend_pump(context, port))
			more = true;
	}
	/* No other thread drives the runs that pumping has notified, nor runs
	 * items of the ready queue in a pool without workers. */
	if (plait__context_is_final(context) && plait__progress_drive(context))
		more = true;
	if (plait__context_is_final(context) &&
	    plait__external_thread_has_work(context->pool) &&
	    plait__external_thread_pump(context->pool, NULL) == PLAIT_OK)
		more = true;
	return more;
}

/* Run one round; returns when to run the next even without a wake-up.  The
 * caller has a hold of the context. */
static uint64_t run_round(plait__context *context)
{
	bool watched;

	run_tasks(context);
	do {
		watched = plait__reclaim_round(context, true, false);
		if (at_load_acquire_u64(&context->base.lingering) == 0)
			return PLAIT__CLOCK_NEVER;
	} while (pump_all(context));
	/* After the last handle no other thread may come by to drive the
	 * rest. */
	if (watched && !plait__context_is_final(context))
		return PLAIT__CLOCK_NEVER;
	return plait__clock_deadline(POLL_NS);
}

struct wake_state {
	plait__reclaim_thread *reclaimer;
	uint32_t seen;
	uint32_t urgent_count; /* likewise */
};

static bool is_stopped(void *arg)
{
	plait__reclaim_thread *reclaimer = arg;

	/* Acquire: pairs with the store in plait__reclaim_thread_stop. */
	return at_load_acquire_u32(&reclaimer->stop) != 0;
}

static bool is_urgent(void *arg)
{
	const struct wake_state *state = arg;

	return at_load_acquire_u32(&state->reclaimer->urgent_count) !=
	       state->urgent_count;
}

static void rest(const plait__context *context, struct wake_state *state)
{
	uint64_t until_ns = at_load_relaxed_u64(&context->next_reclaim_ns);
	uint64_t least_ns = plait__clock_deadline(MIN_REST_NS);

	(void)plait__eventcount_await(&state->reclaimer->urgent, is_urgent,
				      state,
				      until_ns > least_ns ? until_ns : least_ns,
				      PLAIT__BACKOFF_SLEEP);
}

static bool was_woken(void *arg)
{
	const struct wake_state *state = arg;

	return at_load_acquire_u32(&state->reclaimer->wake_count) !=
	       state->seen;
}

/* The loop of the thread, until it is stopped.  A round needs a hold of the
 * context; without one the context is about to end. */
static void run_rounds(plait__context *context)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;
	struct wake_state state = { .reclaimer = reclaimer };
	uint64_t deadline_ns;

	for (;;) {
		state.urgent_count = at_load_acquire_u32(
			&reclaimer->urgent_count);
		state.seen = at_load_acquire_u32(&reclaimer->wake_count);
		if (is_stopped(reclaimer))
			return;
		deadline_ns = PLAIT__CLOCK_NEVER;
		if (plait__object_try_hold(&context->object)) {
			deadline_ns = run_round(context);
			/* If this is the last hold, another thread ends the
			 * context and joins this one, so the context's memory
			 * is still there. */
			plait__object_drop(&context->object);
		}
		/* Wake-ups may be frequent. */
		if (!plait__context_is_final(context))
			rest(context, &state);
		(void)plait__eventcount_await(&reclaimer->event, was_woken,
					      &state, deadline_ns,
					      PLAIT__BACKOFF_SLEEP);
	}
}

static void survive_exit(void *arg);

/* An heir joins the thread that ended in a user's function, and drops the
 * context's hold of that thread's round. */
static void run_thread(void *arg)
{
	plait__context *context = arg;
	plait__reclaim_thread *reclaimer = &context->reclaimer;
	bool inherits;
	uint32_t generation;

	plait__mutex_lock(&reclaimer->lock);
	inherits = reclaimer->inherits;
	reclaimer->inherits = false;
	generation = reclaimer->generation;
	plait__mutex_unlock(&reclaimer->lock);
	if (inherits)
		plait__thread_join(&reclaimer->threads[(generation - 1) % 2]);
	at_store_release_u64(&reclaimer->token, plait__thread_token());
	if (inherits)
		plait__object_drop(&context->object);
	run_rounds(context);
}

/* Caller holds reclaimer->lock. */
static bool start_generation(plait__context *context, uint32_t generation)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;

	return plait__thread_start(&reclaimer->threads[generation % 2],
				   "plait/tidy", run_thread, context,
				   survive_exit) == 0;
}

/* Exit guard: a user function, called by a task, ends the thread. */
static void survive_exit(void *arg)
{
	plait__context *context = arg;
	plait__reclaim_thread *reclaimer = &context->reclaimer;
	bool replaced;

	plait__mutex_lock(&reclaimer->lock);
	reclaimer->inherits = true;
	replaced = start_generation(context, reclaimer->generation + 1);
	if (replaced)
		reclaimer->generation++;
	else
		reclaimer->inherits = false;
	plait__mutex_unlock(&reclaimer->lock);
	if (replaced)
		return;
	/* No thread can be started: this one goes on while it exits. */
	(void)plait__thread_guard_push(&reclaimer->guard, survive_exit,
				       context);
	plait__object_drop(&context->object);
	run_rounds(context);
	plait__thread_guard_pop(&reclaimer->guard);
}

/* --- start and stop */

static bool start(plait__context *context)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;

	bool running;

	plait__mutex_lock(&reclaimer->lock);
	if (!reclaimer->running)
		reclaimer->running = start_generation(context, 0);
	running = reclaimer->running;
	plait__mutex_unlock(&reclaimer->lock);
	return running;
}

/*
 * Without a thread the caller runs the tasks, and after the last handle the
 * remaining rounds, as no later call would.
 */
static void reclaim_here(plait__context *context)
{
	/* No user function runs inside a round. */
	if (plait__reclaim_is_current(context)) {
		context->after_reclaim = plait__reclaim_thread_wake;
		return;
	}
	plait__log_line(&context->settings.log, PLAIT_LOG_WARNING,
			"no thread to reclaim on; the caller reclaims");
	run_tasks(context);
	while (plait__context_is_final(context) &&
	       at_load_acquire_u64(&context->base.lingering) != 0) {
		(void)run_round(context);
		plait__thread_yield();
	}
}

void plait__reclaim_thread_wake(plait__context *context)
{
	if (!start(context)) {
		reclaim_here(context);
		return;
	}
	plait__context_notify_reclaimer(context);
}

bool plait__reclaim_thread_is_current(plait__context *context)
{
	return at_load_acquire_u64(&context->reclaimer.token) ==
	       plait__thread_token();
}

void plait__reclaim_thread_stop(plait__context *context)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;

	if (!reclaimer->running)
		return;
	at_store_release_u32(&reclaimer->stop, 1);
	notify_urgently(context);
	plait__thread_join(&reclaimer->threads[reclaimer->generation % 2]);
}

/* --- for plait__context_ops */

void plait__reclaim_thread_last_handle_closed(plait__context *context)
{
	wake_urgently(context);
}

void plait__reclaim_thread_object_lingers(plait__context *context)
{
	if (plait__reclaim_has_autonomous_backend(context))
		plait__reclaim_thread_wake(context);
}
