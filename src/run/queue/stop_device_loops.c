/* SPDX-License-Identifier: MIT */
/*
 * Cancellation of runs with loops that devices decide.  The caller has set
 * `stop` of the instance before; then
 *
 *     loops	a note is posted to the driver, which stops the device graphs;
 *		there is one note per driver, posted only while it is not queued
 *     fallback	its parked external commands are offered again; it may be
 *		created concurrently: by the fences, either the canceller sees
 *		it, or its first stage sees the stop
 */
#include "run/queue/stop_device_loops.h"

#include "run/queue/device_graphs.h"

#include "run/external/cancel_external.h"

/* Caller has set instance->stop. */
static void notify_stop(plait__run_driver *driver)
{
	if (driver->compiled->has_device_loops &&
	    at_exchange_u32(&driver->stop_posted, 1) == 0)
		plait__progress_post(driver->instance->program->context,
				     &driver->stop_listener.note, PLAIT_OK);
}

/* The note may be of a run that was over already. */
void plait__device_loops_ack_stop(plait__run_driver *driver)
{
	plait__run_driver *target =
		(plait__run_driver *)(void *)driver->note_target;

	/* Acquire: a canceller that found it posted has set `stop` before. */
	(void)at_exchange_u32(&target->stop_posted, 0);
}

/* Once per run. */
void plait__stop_device_loops(plait__run_driver *driver)
{
	/* Relaxed: the flag is never cleared during a run. */
	if (!driver->compiled->has_device_loops || driver->loops_stopped ||
	    at_load_relaxed_u32(&driver->instance->stop) == 0)
		return;
	driver->loops_stopped = true;
	plait__device_graphs_stop(&driver->state, true);
}

void plait__device_loops_set_fallback(plait__run_driver *driver,
				      plait__run_driver *fallback)
{
	/* Release: pairs with the load in plait__device_loops_cancel. */
	at_store_release_ptr(&driver->fallback, fallback);
	/* Between the store and the fallback's first load of `stop`; pairs with
	 * the fence in plait__device_loops_cancel. */
	at_fence_seq_cst();
}

/* Caller has set instance->stop; a fence follows that store. */
static void cancel_externals(plait__run_driver *driver)
{
	uint32_t count = driver->compiled->external_count;

	if (count > 0)
		plait__cancel_external(&driver->externals[count - 1].external);
}

void plait__device_loops_cancel(plait__run_driver *driver)
{
	plait__run_driver *fallback;

	notify_stop(driver);
	/* Between `stop` and the load; pairs with
	 * plait__device_loops_set_fallback. */
	at_fence_seq_cst();
	fallback = at_load_acquire_ptr(&driver->fallback);
	if (fallback != NULL)
		cancel_externals(fallback);
	cancel_externals(driver);
}
