/* SPDX-License-Identifier: MIT */
/*
 * The thread that gives back what work in flight kept, when the user has
 * released something that is still in use and nobody comes by (reclaim.c): it
 * sleeps until told that a queue got on.  Backends that only get on while
 * somebody waits (PLAIT_CAP_NEEDS_PUMP) are left alone by that thread as long
 * as the user has any handle of the context; then it drives them to the end.
 */
#include "object/context/context.h"

#include "object/context/reclaim.h"
#include "object/progress/wait_loop.h"

#include "sys/clock.h"

enum {
	/* How long to sleep when nothing will tell us to look again. */
	LOOK_NS = 2000000,
	/* Memory that a plan keeps lingers as long as the plan does: the thread
	 * is not to wake at each thing that happens meanwhile. */
	LEAST_REST_NS = 1000000
};

/* Costs a fence while the thread rests. */
static void kick(plait__reaper *reaper)
{
	at_add_u32(&reaper->kicks, 1);
	plait__event_notify(&reaper->event);
}

void plait__context_pulse(plait__context *context)
{
	plait__event_notify(&context->pulse);
	if (at_load_acquire_u64(&context->lingering) != 0)
		kick(&context->reaper);
}

static void wake_at_once(plait__reaper *reaper)
{
	kick(reaper);
	at_add_u32(&reaper->hurries, 1);
	plait__event_notify(&reaper->hurry);
}

/* Not from upcalls. */
static void hurry(plait__context *context)
{
	plait__context_kick(context);
	wake_at_once(&context->reaper);
}

void plait__context_errand(plait__context *context, plait__errand *errand)
{
	plait__object_hold(&context->object);
	plait__mutex_lock(&context->deferred_lock);
	errand->next = context->errands;
	context->errands = errand;
	plait__mutex_unlock(&context->deferred_lock);
	hurry(context);
}

static void run_errands(plait__context *context)
{
	plait__errand *errand;

	for (;;) {
		plait__mutex_lock(&context->deferred_lock);
		errand = context->errands;
		if (errand != NULL)
			context->errands = errand->next;
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
	return at_load_acquire_u64(&context->open) == 0;
}

/* True: some backend got on. */
static bool pump_all(plait__context *context)
{
	bool more = false;
	uint32_t i;

	for (i = 0; i < context->port_count; i++) {
		const plait__port *port = &context->ports[i];

		if ((port->any & PLAIT_CAP_NEEDS_PUMP) != 0 &&
		    is_final(context) && plait__wait_pump_port(context, port))
			more = true;
	}
	/* Nobody else is there to drive what pumping led to. */
	if (is_final(context) && plait__pilot_drive(context))
		more = true;
	return more;
}

/* One round; when to look again even if nobody kicks. */
static uint64_t tidy_once(plait__context *context)
{
	bool watched;

	run_errands(context);
	do {
		watched = plait__sweep_queues(context, true, false);
		if (at_load_acquire_u64(&context->lingering) == 0)
			return PLAIT__CLOCK_NEVER;
	} while (pump_all(context));
	/* At the end nobody else may come by to get things on. */
	if (watched && !is_final(context))
		return PLAIT__CLOCK_NEVER;
	return plait__clock_deadline(LOOK_NS);
}

struct kicked {
	plait__reaper *reaper;
	uint32_t seen;
	uint32_t hurries; /* the same */
};

static bool is_stopped(void *arg)
{
	plait__reaper *reaper = arg;

	/* Acquire: pairs with the store in stop. */
	return at_load_acquire_u32(&reaper->stop) != 0;
}

static bool is_hurried(void *arg)
{
	const struct kicked *kicked = arg;

	return at_load_acquire_u32(&kicked->reaper->hurries) !=
	       kicked->hurries;
}

static void take_rest(const plait__context *context, struct kicked *kicked)
{
	uint64_t until_ns = at_load_relaxed_u64(&context->rested_ns);
	uint64_t least_ns = plait__clock_deadline(LEAST_REST_NS);

	(void)plait__event_await(&kicked->reaper->hurry, is_hurried, kicked,
				 until_ns > least_ns ? until_ns : least_ns,
				 PLAIT__WAIT_SLEEP);
}

static bool is_kicked(void *arg)
{
	const struct kicked *kicked = arg;

	return at_load_acquire_u32(&kicked->reaper->kicks) != kicked->seen;
}

static void serve(plait__context *context)
{
	plait__reaper *reaper = &context->reaper;
	struct kicked kicked = { .reaper = reaper };
	uint64_t deadline_ns;

	for (;;) {
		kicked.hurries = at_load_acquire_u32(&reaper->hurries);
		kicked.seen = at_load_acquire_u32(&reaper->kicks);
		if (is_stopped(reaper))
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
		(void)plait__event_await(&reaper->event, is_kicked, &kicked,
					 deadline_ns, PLAIT__WAIT_SLEEP);
	}
}

static void lose(void *arg);

static void reap(void *arg)
{
	plait__context *context = arg;
	plait__reaper *reaper = &context->reaper;
	bool inherits;
	uint32_t turn;

	plait__mutex_lock(&reaper->lock);
	inherits = reaper->inherits;
	reaper->inherits = false;
	turn = reaper->turn;
	plait__mutex_unlock(&reaper->lock);
	if (inherits)
		plait__thread_join(&reaper->threads[(turn - 1) % 2]);
	at_store_release_u64(&reaper->token, plait__thread_token());
	if (inherits)
		plait__object_drop(&context->object);
	serve(context);
}

/* The lock is held. */
static bool start_turn(plait__context *context, uint32_t turn)
{
	plait__reaper *reaper = &context->reaper;

	return plait__thread_start(&reaper->threads[turn % 2], "plait/tidy",
				   reap, context, lose) == 0;
}

/* A function of the user's, which an errand called, ends the thread. */
static void lose(void *arg)
{
	plait__context *context = arg;
	plait__reaper *reaper = &context->reaper;
	bool replaced;

	plait__mutex_lock(&reaper->lock);
	reaper->inherits = true;
	replaced = start_turn(context, reaper->turn + 1);
	if (replaced)
		reaper->turn++;
	else
		reaper->inherits = false;
	plait__mutex_unlock(&reaper->lock);
	if (replaced)
		return;
	/* No other thread is to be had: this one, dying, goes on. */
	(void)plait__thread_guard_push(&reaper->guard, lose, context);
	plait__object_drop(&context->object);
	serve(context);
	plait__thread_guard_pop(&reaper->guard);
}

/* --- starting and stopping it */

static bool start(plait__context *context)
{
	plait__reaper *reaper = &context->reaper;

	bool running;

	plait__mutex_lock(&reaper->lock);
	if (!reaper->running)
		reaper->running = start_turn(context, 0);
	running = reaper->running;
	plait__mutex_unlock(&reaper->lock);
	return running;
}

/*
 * Without a thread: errands here and now, and at the very end the rest, for
 * otherwise it would be lost.
 */
static void tidy_here(plait__context *context)
{
	/* No function of the user's runs inside of a sweep. */
	if (plait__sweep_is_mine(context)) {
		context->tidy_left = true;
		return;
	}
	plait__log_line(&context->settings.log, PLAIT_LOG_WARNING,
			"no thread to tidy up on; the caller does it");
	run_errands(context);
	while (is_final(context) &&
	       at_load_acquire_u64(&context->lingering) != 0) {
		(void)tidy_once(context);
		plait__thread_yield();
	}
}

void plait__context_kick(plait__context *context)
{
	if (!start(context)) {
		tidy_here(context);
		return;
	}
	kick(&context->reaper);
}

bool plait__reaper_is_me(plait__context *context)
{
	return at_load_acquire_u64(&context->reaper.token) ==
	       plait__thread_token();
}

void plait__reaper_stop(plait__context *context)
{
	plait__reaper *reaper = &context->reaper;

	if (!reaper->running)
		return;
	at_store_release_u32(&reaper->stop, 1);
	wake_at_once(reaper);
	plait__thread_join(&reaper->threads[reaper->turn % 2]);
}

/* --- told by object.c */

void plait__context_opened(plait__context *context)
{
	at_add_u64(&context->open, 1);
}

void plait__context_closed(plait__context *context)
{
	/* Who closes the last handle sees what the others left behind. */
	if (at_sub_u64(&context->open, 1) == 1 &&
	    at_load_acquire_u64(&context->lingering) != 0)
		hurry(context);
}

void plait__context_lingers(plait__context *context, int32_t change)
{
	if (change < 0) {
		at_sub_u64(&context->lingering, 1);
		return;
	}
	at_add_u64(&context->lingering, 1);
	if (plait__sweep_any_runs_alone(context))
		plait__context_kick(context);
}
