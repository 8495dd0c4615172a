/* SPDX-License-Identifier: MIT */
/*
 * Cancellation of runs with loops that a device decides, under every
 * interleaving: a loop without end ends, the note of it is queued once at a
 * time, also for a finished run, and a lane that a fallback driver has parked
 * goes on though the driver was made while the run was stopped.
 * stop_device_loops.c and progress_driver.c as they are; the device, and the
 * parked lane, are here.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "object/context/context.h"
#include "run/queue/device_graphs.h"
#include "run/queue/stop_device_loops.h"
#include "run/external/cancel_external.h"
#include "sys/clock.h"

#include <string.h>

enum { RUNS = 2 };

static plait__context *context;
static plait__instance *instance;
static plait__program *program;
static plait__queue_program *loops, *decides;
static plait__run_driver *driver, *fallback;
static plait__queue_external parks;
static plait__queue_listener device_listener;
static at_u32 device_stop;	/* the word that the loop reads */
static at_u32 device_runs;	/* the loop has begun, so often */
static at_u32 overs;		/* finished runs */
static at_u32 cancels;		/* that have returned */
static uint32_t noted;		/* notes that were read; under the role */
static uint32_t stops;		/* of the device, in a run; likewise */
static bool parked;		/* under the lock */
static uint32_t made;		/* `fallback` is */
static bool through;		/* guarded by the role */

/* --- the other functions that the sources are linked with */

int plait__thread_start(struct plait__thread *thread, const char *name,
			void (*run)(void *arg), void *arg,
			void (*lost)(void *arg))
{
	(void)thread;
	(void)name;
	(void)run;
	(void)arg;
	(void)lost;
	return 0;
}

void plait__thread_join(struct plait__thread *thread)
{
	(void)thread;
}

uint64_t plait__clock_after(uint64_t timeout_ns)
{
	return mc_clock_now_ns() + timeout_ns;
}

void plait__device_graphs_stop(plait__queue_instance *of, bool stop)
{
	MC_CHECK(of == &driver->state && stop);
	MC_CHECK(AT_PLAIN_READ(stops) == 0);
	AT_PLAIN_WRITE(stops) = 1;
	at_store_release_u32(&device_stop, 1);
}

void plait__cancel_external(plait__external *first)
{
	bool found;

	MC_CHECK(first == &parks.external);
	MC_CHECK(AT_PLAIN_READ(made) == 1);
	plait__mutex_lock(&fallback->lock);
	found = AT_PLAIN_READ(parked);
	AT_PLAIN_WRITE(parked) = false;
	plait__mutex_unlock(&fallback->lock);
	if (found)
		plait__progress_post(context, &device_listener.note, PLAIT_OK);
}

/* --- the driver */

static void read_notes(plait__run_driver *of)
{
	plait__progress_note *note = plait__progress_take_notes(context, of->note_target);
	plait__progress_note *next;

	for (; note != NULL; note = next) {
		next = note->next;
		AT_PLAIN_WRITE(noted) = AT_PLAIN_READ(noted) + 1;
		/* A list that leads back to itself does not end. */
		MC_CHECK(AT_PLAIN_READ(noted) <= 2 * RUNS);
		if (note == &device_listener.note)
			AT_PLAIN_WRITE(through) = true;
		else
			plait__device_loops_ack_stop(of);
	}
}

static uint32_t advance_loops(plait__pollable *pollable)
{
	(void)pollable;
	read_notes(driver);
	plait__stop_device_loops(driver);
	return AT_PLAIN_READ(through) ? PLAIT__PROGRESS_DONE :
					PLAIT__PROGRESS_WAITING;
}

static void make_fallback(void)
{
	AT_PLAIN_WRITE(made) = 1;
	plait__device_loops_set_fallback(driver, fallback);
	plait__mutex_lock(&fallback->lock);
	if (at_load_relaxed_u32(&instance->stop) != 0)
		AT_PLAIN_WRITE(through) = true;
	else
		AT_PLAIN_WRITE(parked) = true;
	plait__mutex_unlock(&fallback->lock);
}

/* Its first call makes the fallback, which parks at once. */
static uint32_t advance_fallback(plait__pollable *pollable)
{
	(void)pollable;
	if (!driver->uses_fallback) {
		driver->uses_fallback = true;
		make_fallback();
	}
	read_notes(fallback);
	plait__stop_device_loops(fallback);
	return AT_PLAIN_READ(through) ? PLAIT__PROGRESS_DONE :
					PLAIT__PROGRESS_WAITING;
}

static void end_run(plait__pollable *pollable)
{
	(void)pollable;
	at_add_u32(&overs, 1);
	at_futex_wake_all(&overs);
}

static void drive_until_over(uint32_t run)
{
	while (at_load_acquire_u32(&overs) < run)
		if (!plait__progress_drive(context))
			at_spin_pause();
}

/* --- threads */

/* An instance is not given to the next run before the thread that cancels the
 * last one has left it. */
static void begin_run(uint32_t run)
{
	while (at_load_acquire_u32(&cancels) + 1 < run)
		at_spin_pause();
	at_store_relaxed_u32(&instance->stop, 0);
	AT_PLAIN_WRITE(through) = false;
	AT_PLAIN_WRITE(stops) = 0;
	driver->loops_stopped = false;
	at_store_relaxed_u32(&device_stop, 0);
	plait__progress_add(context, driver->note_target);
	at_store_release_u32(&device_runs, run);
	drive_until_over(run);
}

/* The device: of the first run its loop may end by itself, of the last one it
 * does not. */
static void run_device(void)
{
	for (uint32_t run = 1; run <= RUNS; run++) {
		while (at_load_acquire_u32(&device_runs) < run)
			at_spin_pause();
		if (run == RUNS || mc_choose(2))
			while (at_load_acquire_u32(&device_stop) == 0)
				at_spin_pause();
		plait__progress_post(context, &device_listener.note, PLAIT_OK);
		while (at_load_acquire_u32(&overs) < run)
			at_spin_pause();
	}
}

static void cancel_run(uint32_t run)
{
	while (at_load_acquire_u32(&device_runs) < run)
		at_spin_pause();
	at_store_release_u32(&instance->stop, 1);
	plait__device_loops_cancel(driver);
	at_add_u32(&cancels, 1);
}

/* Thread 0 drives, 1 is the device, 2 stops the runs. */
static void run_loops(uint32_t self)
{
	for (uint32_t run = 1; self != 1 && run <= RUNS; run++)
		if (self == 0)
			begin_run(run);
		else
			cancel_run(run);
	if (self == 1)
		run_device();
}

/* Thread 0 drives, 1 stops the run at any time. */
static void run_fallback(uint32_t self)
{
	if (self == 0) {
		plait__progress_add(context, driver->note_target);
		drive_until_over(1);
		return;
	}
	at_store_release_u32(&instance->stop, 1);
	plait__device_loops_cancel(driver);
}

/* Does the same where another thread has queued it already, and nothing
 * more. */
static void run_late(uint32_t self)
{
	if (self == 0) {
		make_fallback();
		return;
	}
	at_store_release_u32(&instance->stop, 1);
	plait__device_loops_cancel(driver);
}

/* Two at once, of one run: there is one note. */
static void run_twice(uint32_t self)
{
	if (self == 0) {
		plait__progress_add(context, driver->note_target);
		drive_until_over(1);
		return;
	}
	at_store_release_u32(&instance->stop, 1);
	plait__device_loops_cancel(driver);
	if (self == 1) {
		while (at_load_acquire_u32(&device_stop) == 0)
			at_spin_pause();
		plait__progress_post(context, &device_listener.note, PLAIT_OK);
	}
}

/* --- scenarios */

static void begin_with(uint32_t (*turn)(plait__pollable *pollable))
{
	static plait__context contexts;
	static plait__instance instances;
	static plait__program programs;
	static plait__queue_program queued[2];
	static plait__run_driver drivers[2];

	memset(&contexts, 0, sizeof(contexts));
	memset(&instances, 0, sizeof(instances));
	memset(&programs, 0, sizeof(programs));
	memset(queued, 0, sizeof(queued));
	memset(drivers, 0, sizeof(drivers));
	memset(&parks, 0, sizeof(parks));
	memset(&device_listener, 0, sizeof(device_listener));
	context = &contexts;
	instance = &instances;
	program = &programs;
	loops = &queued[0];
	decides = &queued[1];
	driver = &drivers[0];
	fallback = &drivers[1];
	plait__eventcount_init(&context->wait_event, 0);
	plait__eventcount_init(&context->driver.event, 0);
	program->context = context;
	instance->program = program;
	loops->has_device_loops = true;
	decides->external_count = 1;
	driver->compiled = loops;
	fallback->compiled = decides;
	fallback->externals = &parks;
	driver->instance = fallback->instance = instance;
	driver->note_target = fallback->note_target = &driver->pollable;
	device_listener.note.whose = driver->note_target;
	driver->stop_listener.note.whose = driver->note_target;
	driver->pollable.advance = turn;
	driver->pollable.over = end_run;
	at_init_u32(&instance->stop, 0);
	at_init_u32(&device_stop, 0);
	at_init_u32(&device_runs, 0);
	at_init_u32(&overs, 0);
	at_init_u32(&cancels, 0);
	at_init_u32(&driver->stop_posted, 0);
	at_init_ptr(&driver->fallback, NULL);
	AT_PLAIN_WRITE(made) = 0;
	AT_PLAIN_WRITE(noted) = 0;
	AT_PLAIN_WRITE(stops) = 0;
	AT_PLAIN_WRITE(parked) = false;
	AT_PLAIN_WRITE(through) = false;
}

static void begin_loops(void)
{
	begin_with(advance_loops);
}

static void begin_fallback(void)
{
	begin_with(advance_fallback);
}

static void begin_late(void)
{
	begin_with(advance_fallback);
	at_init_u32(&driver->stop_posted, 1);
}

static void end_late(void)
{
	MC_CHECK(!AT_PLAIN_READ(parked));
}

/* The last note may have come after the end. */
static void end(void)
{
	bool waits = false;

	for (plait__progress_note *note = driver->pollable.notes; note != NULL;
	     note = note->next)
		waits = waits || note == &driver->stop_listener.note;
	MC_CHECK(at_load_relaxed_u32(&driver->stop_posted) == waits);
	end_late();
	MC_CHECK(!plait__progress_has_ready(&context->driver));
}

#define HALTS(id, text, begin, run, end, threads, pre, stale)                 \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 4000 }

HALTS(loops_stopped, "a loop of a device is stopped", begin_loops, run_loops,
	end, 3, 2, 1);
HALTS(twice, "two threads stop it at once", begin_loops, run_twice, end, 3, 2,
	1);
HALTS(made_meanwhile, "a fallback driver is made while its run is stopped",
	begin_fallback, run_fallback, end, 2, 3, 2);
HALTS(late, "a fallback driver is made behind the note", begin_late, run_late,
	end_late, 2, 6, 3);

static const struct mc_scenario *const scenarios[] = { &loops_stopped, &twice,
						       &made_meanwhile, &late };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = {
		"run/queue/stop_device_loops.c",
		NULL
	};

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "halts", explore },
	{ "weaker orders", mutants },
};
TAP_MAIN(all)
