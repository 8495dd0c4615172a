/* SPDX-License-Identifier: MIT */
/*
 * The thread that gives back what work in flight kept, when the user has
 * released something that is still in use and nobody comes by (reclaim.c): it
 * sleeps until told that a queue got on.  Backends that only get on while
 * somebody waits (PLAIT_CAP_NEEDS_PUMP) are left alone by that thread as long
 * as the user has any handle of the context; then it drives them to the end.
 */
#include "object/context/context.h"

#include "object/context/backend_result.h"
#include "object/context/reclaim.h"

#include "sys/clock.h"

enum {
	/* How long to sleep when nothing will tell us to look again. */
	LOOK_NS = 2000000,
	/* Memory that a plan keeps lingers as long as the plan does: the thread
	 * is not to wake at each thing that happens meanwhile. */
	LEAST_REST_NS = 1000000
};

static void wake_at_once(plait__context *context)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;

	plait__context_notify_reclaimer(context);
	at_add_u32(&reclaimer->urgent_count, 1);
	plait__eventcount_notify(&reclaimer->urgent);
}

/* Not from upcalls. */
static void wake_urgently(plait__context *context)
{
	plait__reclaim_thread_wake(context);
	wake_at_once(context);
}

void plait__reclaim_thread_submit(plait__context *context, plait__context_task *errand)
{
	plait__object_hold(&context->object);
	plait__mutex_lock(&context->deferred_lock);
	errand->next = context->tasks;
	context->tasks = errand;
	plait__mutex_unlock(&context->deferred_lock);
	wake_urgently(context);
}

static void run_tasks(plait__context *context)
{
	plait__context_task *errand;

	for (;;) {
		plait__mutex_lock(&context->deferred_lock);
		errand = context->tasks;
		if (errand != NULL)
			context->tasks = errand->next;
		plait__mutex_unlock(&context->deferred_lock);
		if (errand == NULL)
			return;
		errand->run(errand);
		plait__object_drop(&context->object);
	}
}

/* --- the thread */

static bool is_final(plait__context *context)
{
	return at_load_acquire_u64(&context->base.open_handles) == 0;
}

/* True: some backend got on. */
static bool pump_all(plait__context *context)
{
	bool more = false;
	uint32_t i;

	for (i = 0; i < context->port_count; i++) {
		const plait__backend_port *port = &context->ports[i];

		if ((port->any & PLAIT_CAP_NEEDS_PUMP) != 0 &&
		    is_final(context) && plait__backend_pump(context, port))
			more = true;
	}
	/* Nobody else is there to drive what pumping led to. */
	if (is_final(context) && plait__progress_drive(context))
		more = true;
	return more;
}

/* One round; when to look again even if nobody kicks. */
static uint64_t tidy_once(plait__context *context)
{
	bool watched;

	run_tasks(context);
	do {
		watched = plait__reclaim_queues(context, true, false);
		if (at_load_acquire_u64(&context->base.lingering) == 0)
			return PLAIT__CLOCK_NEVER;
	} while (pump_all(context));
	/* At the end nobody else may come by to get things on. */
	if (watched && !is_final(context))
		return PLAIT__CLOCK_NEVER;
	return plait__clock_deadline(LOOK_NS);
}

struct kicked {
	plait__reclaim_thread *reclaimer;
	uint32_t seen;
	uint32_t urgent_count; /* the same */
};

static bool is_stopped(void *arg)
{
	plait__reclaim_thread *reclaimer = arg;

	/* Acquire: pairs with the store in stop. */
	return at_load_acquire_u32(&reclaimer->stop) != 0;
}

static bool is_urgent(void *arg)
{
	const struct kicked *kicked = arg;

	return at_load_acquire_u32(&kicked->reclaimer->urgent_count) !=
	       kicked->urgent_count;
}

static void take_rest(const plait__context *context, struct kicked *kicked)
{
	uint64_t until_ns = at_load_relaxed_u64(&context->next_reclaim_ns);
	uint64_t least_ns = plait__clock_deadline(LEAST_REST_NS);

	(void)plait__eventcount_await(&kicked->reclaimer->urgent, is_urgent, kicked,
				      until_ns > least_ns ? until_ns : least_ns,
				      PLAIT__BACKOFF_SLEEP);
}

static bool is_kicked(void *arg)
{
	const struct kicked *kicked = arg;

	return at_load_acquire_u32(&kicked->reclaimer->wake_count) != kicked->seen;
}

static void serve(plait__context *context)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;
	struct kicked kicked = { .reclaimer = reclaimer };
	uint64_t deadline_ns;

	for (;;) {
		kicked.urgent_count = at_load_acquire_u32(&reclaimer->urgent_count);
		kicked.seen = at_load_acquire_u32(&reclaimer->wake_count);
		if (is_stopped(reclaimer))
			return;
		deadline_ns = PLAIT__CLOCK_NEVER;
		if (plait__object_try_hold(&context->object)) {
			deadline_ns = tidy_once(context);
			/* The last hold: another thread ends the context and
			 * joins this one, so all of it is still there. */
			plait__object_drop(&context->object);
		}
		/* Somebody may kick all the time. */
		if (!is_final(context))
			take_rest(context, &kicked);
		(void)plait__eventcount_await(&reclaimer->event, is_kicked, &kicked,
					      deadline_ns, PLAIT__BACKOFF_SLEEP);
	}
}

static void lose(void *arg);

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
	serve(context);
}

/* The lock is held. */
static bool start_generation(plait__context *context, uint32_t generation)
{
	plait__reclaim_thread *reclaimer = &context->reclaimer;

	return plait__thread_start(&reclaimer->threads[generation % 2], "plait/tidy",
				   run_thread, context, lose) == 0;
}

/* A function of the user's, which an errand called, ends the thread. */
static void lose(void *arg)
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
	/* No other thread is to be had: this one, dying, goes on. */
	(void)plait__thread_guard_push(&reclaimer->guard, lose, context);
	plait__object_drop(&context->object);
	serve(context);
	plait__thread_guard_pop(&reclaimer->guard);
}

/* --- starting and stopping it */

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
 * Without a thread: tasks here and now, and at the very end the rest, for
 * otherwise it would be lost.
 */
static void tidy_here(plait__context *context)
{
	/* No function of the user's runs inside of a sweep. */
	if (plait__reclaim_is_current(context)) {
		context->after_reclaim = plait__reclaim_thread_wake;
		return;
	}
	plait__log_line(&context->settings.log, PLAIT_LOG_WARNING,
			"no thread to tidy up on; the caller does it");
	run_tasks(context);
	while (is_final(context) &&
	       at_load_acquire_u64(&context->base.lingering) != 0) {
		(void)tidy_once(context);
		plait__thread_yield();
	}
}

void plait__reclaim_thread_wake(plait__context *context)
{
	if (!start(context)) {
		tidy_here(context);
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
	wake_at_once(context);
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
