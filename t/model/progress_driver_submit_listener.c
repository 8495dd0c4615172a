/* SPDX-License-Identifier: MIT */
/*
 * The role of the progress driver, and submit listeners, under every
 * interleaving: each note is found by a driver, one at a time; no thread sleeps
 * while there is one; a finished run is not touched.  progress_driver.c and
 * submit_listener.c as they are.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "object/context/context.h"
#include "object/signal/signal.h"
#include "sys/clock.h"

#include <string.h>

enum { NOTES = 2 };

static plait__context *context;
static plait__signal *signals;
static plait__pollable pollable;
static plait__progress_note notes[NOTES];
static plait__listener listener;
static void (*thread_run)(void *arg);
static uint32_t payload[NOTES];
static uint32_t found;		/* notes; guarded by the role */
static uint32_t finishes;
static uint32_t listener_calls;
static uint32_t driving;	/* the thread that has it */
static bool looks;		/* no notification comes for its point */
static uint32_t says;	/* the status that it reports then */
static at_u32 over;
static at_u32 returned;		/* the thread */
static at_u32 looked_for;
static at_u32 listener_returned;

/* --- the other functions that the source is linked with */

int plait__thread_start(struct plait__thread *thread, const char *name,
			void (*run)(void *arg), void *arg,
			void (*lost)(void *arg))
{
	(void)thread;
	(void)name;
	(void)lost;
	MC_CHECK(arg == context);
	thread_run = run;
	return 0;
}

void plait__thread_join(struct plait__thread *thread)
{
	(void)thread;
	while (at_load_acquire_u32(&returned) == 0)
		at_spin_pause();
}

uint64_t plait__clock_after(uint64_t timeout_ns)
{
	return mc_clock_now_ns() + timeout_ns;
}

/* --- the driver */

/* As many steps as there are; it has finished when all have come. */
static uint32_t advance(plait__pollable *self)
{
	plait__progress_note *note = plait__progress_take_notes(context, self);

	MC_CHECK(AT_PLAIN_READ(finishes) == 0);
	AT_PLAIN_WRITE(driving) = AT_PLAIN_READ(driving) + 1;
	for (; note != NULL; note = note->next) {
		/* Oldest first. */
		MC_CHECK(note == &notes[AT_PLAIN_READ(found)]);
		MC_CHECK(note->status == PLAIT_OK);
		MC_CHECK(AT_PLAIN_READ(payload[note - notes]) == 1);
		AT_PLAIN_WRITE(found) = AT_PLAIN_READ(found) + 1;
	}
	if (looks)
		return at_load_acquire_u32(&looked_for) != 0 ?
			       PLAIT__PROGRESS_DONE : says;
	return AT_PLAIN_READ(found) == NOTES ? PLAIT__PROGRESS_DONE :
					       PLAIT__PROGRESS_WAITING;
}

static void finish(plait__pollable *self)
{
	MC_CHECK(self == &pollable);
	AT_PLAIN_WRITE(finishes) = AT_PLAIN_READ(finishes) + 1;
	at_store_release_u32(&over, 1);
	at_futex_wake_all(&over);
	plait__eventcount_notify(&context->wait_event);
}

static void serve(void)
{
	thread_run(context);
	at_store_release_u32(&returned, 1);
}

static void post_all(void)
{
	if (looks) {
		at_store_release_u32(&looked_for, 1);
		return;
	}
	for (uint32_t i = 0; i < NOTES; i++) {
		AT_PLAIN_WRITE(payload[i]) = 1;
		plait__progress_post(context, &notes[i], PLAIT_OK);
	}
}

static bool is_over(void *arg)
{
	(void)arg;
	return at_load_acquire_u32(&over) != 0 ||
	       plait__progress_has_ready(&context->driver);
}

/* Drives in passing while it waits. */
static void drive_it(void)
{
	while (at_load_acquire_u32(&over) == 0) {
		bool polls;

		if (plait__progress_drive(context))
			continue;
		polls = plait__progress_has_polling(&context->driver);
		(void)plait__eventcount_await(
			&context->wait_event, is_over, NULL,
			polls ? plait__clock_after(1) : UINT64_MAX,
			PLAIT__BACKOFF_SLEEP);
	}
	MC_CHECK(AT_PLAIN_READ(finishes) == 1);
	MC_CHECK(looks || AT_PLAIN_READ(found) == NOTES);
}

static void wait_for_it(void)
{
	plait__progress_add(context, &pollable);
	drive_it();
}

/* Thread 0 is the context's, 1 a backend's; 2 is the program's, and drives. */
static void run_kept(uint32_t self)
{
	if (self == 0) {
		serve();
	} else if (self == 1) {
		post_all();
	} else {
		plait__progress_add_kept(context, &pollable);
		drive_it();
		plait__progress_stop(context);
	}
}

/* The program's thread ends before it drives. */
static void run_left(uint32_t self)
{
	if (self != 2) {
		run_kept(self);
		return;
	}
	plait__progress_add_kept(context, &pollable);
	if (mc_choose(2))
		(void)plait__progress_drive(context);
	plait__progress_wake(context);
	while (at_load_acquire_u32(&over) == 0)
		at_futex_wait(&over, 0, UINT64_MAX);
	plait__progress_stop(context);
}

/* Thread 0 is the context's, 1 a backend's, 2 the program's. */
static void run_thread(uint32_t self)
{
	if (self == 0) {
		serve();
	} else if (self == 1) {
		post_all();
	} else {
		plait__progress_add(context, &pollable);
		while (at_load_acquire_u32(&over) == 0)
			at_futex_wait(&over, 0, UINT64_MAX);
		plait__progress_stop(context);
	}
}

/* Runs as if the inspecting thread were the driver. */
static void inspect(plait__pollable *self, void *arg)
{
	(void)arg;
	MC_CHECK(self == &pollable && AT_PLAIN_READ(finishes) == 0);
	AT_PLAIN_WRITE(driving) = AT_PLAIN_READ(driving) + 1;
}

/* Thread 0 is the context's, and the other one looks in between. */
static void run_inspected(uint32_t self)
{
	if (self == 0) {
		serve();
		return;
	}
	plait__progress_add(context, &pollable);
	(void)plait__progress_inspect(context, &pollable, inspect, NULL);
	post_all();
	(void)plait__progress_inspect(context, &pollable, inspect, NULL);
	while (at_load_acquire_u32(&over) == 0)
		at_futex_wait(&over, 0, UINT64_MAX);
	MC_CHECK(!plait__progress_inspect(context, &pollable, inspect, NULL));
	plait__progress_stop(context);
}

/* The context has no thread: the waiting thread drives. */
static void run_waiting(uint32_t self)
{
	if (self == 0)
		wait_for_it();
	else
		post_all();
}

/* --- submit listeners */

static void be_notified(plait__listener *self, plait_status status)
{
	MC_CHECK(self == &listener && status == PLAIT_OK);
	MC_CHECK(AT_PLAIN_READ(payload[0]) == 1);
	AT_PLAIN_WRITE(listener_calls) = AT_PLAIN_READ(listener_calls) + 1;
	at_store_release_u32(&listener_returned, 1);
}

/* Thread 0 listens for the first emission, thread 1 submits it. */
static void run_listener(uint32_t self)
{
	if (self == 1) {
		AT_PLAIN_WRITE(payload[0]) = 1;
		at_store_release_u64(&signals->submitted, 1);
		plait__submit_listener_notify(signals);
		return;
	}
	listener.notify = be_notified;
	if (!plait__submit_listener_add(signals, 1, &listener)) {
		MC_CHECK(AT_PLAIN_READ(payload[0]) == 1);
		return;
	}
	if (mc_choose(2) && plait__submit_listener_remove(signals, &listener))
		return;
	while (at_load_acquire_u32(&listener_returned) == 0)
		at_spin_pause();
	MC_CHECK(AT_PLAIN_READ(listener_calls) == 1);
}

/* Thread 0 listens, thread 1 ends the last source: no emission can come. */
static void run_last_source(uint32_t self)
{
	if (self == 1) {
		plait__submit_add_source(signals);
		plait__submit_drop_source(signals);
		AT_PLAIN_WRITE(payload[0]) = 1;
		plait__submit_drop_source(signals);
		return;
	}
	listener.notify = be_notified;
	if (!plait__submit_listener_add(signals, 1, &listener)) {
		MC_CHECK(AT_PLAIN_READ(payload[0]) == 1);
		MC_CHECK(!plait__signal_has_source(signals));
		return;
	}
	while (at_load_acquire_u32(&listener_returned) == 0)
		at_spin_pause();
	MC_CHECK(AT_PLAIN_READ(listener_calls) == 1);
	MC_CHECK(!plait__signal_has_source(signals));
}

/* --- scenarios */

static void begin_with(bool no_notification)
{
	static plait__context contexts;
	static plait__signal signal;

	context = &contexts;
	signals = &signal;
	memset(context, 0, sizeof(*context));
	memset(signals, 0, sizeof(*signals));
	at_init_u32(&signals->sources, 1);
	memset(&pollable, 0, sizeof(pollable));
	memset(notes, 0, sizeof(notes));
	memset(&listener, 0, sizeof(listener));
	plait__eventcount_init(&context->wait_event, 0);
	plait__eventcount_init(&context->driver.event, 0);
	pollable.advance = advance;
	pollable.over = finish;
	looks = no_notification;
	says = PLAIT__PROGRESS_POLLING;
	for (uint32_t i = 0; i < NOTES; i++) {
		notes[i].whose = &pollable;
		AT_PLAIN_WRITE(payload[i]) = 0;
	}
	AT_PLAIN_WRITE(found) = 0;
	AT_PLAIN_WRITE(finishes) = 0;
	AT_PLAIN_WRITE(listener_calls) = 0;
	AT_PLAIN_WRITE(driving) = 0;
	at_init_u32(&over, 0);
	at_init_u32(&returned, 0);
	at_init_u32(&looked_for, 0);
	at_init_u32(&listener_returned, 0);
	MC_CHECK(plait__progress_start(context, NULL) == PLAIT_OK);
}

static void begin(void)
{
	begin_with(false);
}

static void begin_looking(void)
{
	begin_with(true);
}

/* As begin_looking, and the pollable is known to end. */
static void begin_trying(void)
{
	begin_with(true);
	says = PLAIT__PROGRESS_RETRYING;
}

static void end(void)
{
	MC_CHECK(!plait__progress_has_retrying(&context->driver));
	MC_CHECK(!plait__progress_has_ready(&context->driver));
	MC_CHECK(!plait__progress_has_polling(&context->driver));
	MC_CHECK(!plait__progress_is_active(&context->driver));
	MC_CHECK(signals->listeners == NULL);
}

#define DRIVER(id, text, begin, run, threads, pre, stale)                     \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 3000 }

DRIVER(thread, "a thread drives", begin, run_thread, 3, 2, 1);
DRIVER(waiting, "the waiting thread drives", begin, run_waiting, 2, 4, 2);
DRIVER(looking, "no notification, the driver polls", begin_looking, run_thread,
	3, 2, 1);
DRIVER(trying, "a pollable is retried", begin_trying, run_thread, 3, 2, 1);
DRIVER(kept, "the thread that added it drives", begin, run_kept, 3, 2, 1);
DRIVER(kept_looking, "the thread that added it polls", begin_looking, run_kept, 3,
	2, 1);
DRIVER(left, "the thread that added it leaves", begin_looking, run_left, 3, 2, 1);
DRIVER(inspected, "another thread inspects it", begin, run_inspected, 2, 3, 1);
DRIVER(inspected_trying, "another thread inspects a retried one", begin_trying,
	run_inspected, 2, 3, 1);
DRIVER(listening, "a listener for an emission", begin, run_listener, 2, 6, 3);

DRIVER(sourceless, "a listener for the last source", begin, run_last_source, 2,
	6, 3);

static const struct mc_scenario *const scenarios[] = {
	&thread, &waiting, &listening, &sourceless, &looking, &trying,
	&inspected, &inspected_trying, &kept, &kept_looking, &left,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "object/progress/progress_driver.c",
					     "object/progress/progress_driver.h",
					     "object/signal/submit_listener.c",
					     "object/signal/signal.h", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "driving", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
