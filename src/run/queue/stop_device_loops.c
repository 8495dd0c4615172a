/* SPDX-License-Identifier: MIT */
/*
 * Stopping a run whose loops devices decide.  Who stops it has set the run's
 * `stop` before; then
 *
 *     loops	a note for the driver, which tells their segments.  There is one
 *		note, so it is written down only where it is not on its way yet
 *     decider	what it has parked is offered again.  It may be made at this
 *		very moment; so one of the two looks behind the other's fence:
 *		who stops finds it, or it finds the run stopped
 */
#include "run/queue/stop_device_loops.h"

#include "run/queue/device_graphs.h"

static void notify_stop(plait__run_driver *driver)
{
	if (driver->compiled->has_device_loops &&
	    at_exchange_u32(&driver->stop_posted, 1) == 0)
		plait__progress_post(driver->instance->program->context,
				     &driver->stop_listener.note, PLAIT_OK);
}

/* It may be of a run that was over already. */
void plait__device_loops_ack_stop(plait__run_driver *driver)
{
	plait__run_driver *whose =
		(plait__run_driver *)(void *)driver->note_target;

	/* Acquire: whoever found it noted has stopped the run before. */
	(void)at_exchange_u32(&whose->stop_posted, 0);
}

/* Once, and loops that were begun end. */
void plait__stop_device_loops(plait__run_driver *driver)
{
	/* Relaxed: it never goes back during a run. */
	if (!driver->compiled->has_device_loops || driver->loops_stopped ||
	    at_load_relaxed_u32(&driver->instance->stop) == 0)
		return;
	driver->loops_stopped = true;
	plait__device_graphs_stop(&driver->state, true);
}

void plait__device_loops_set_host_decided(plait__run_driver *driver,
					  plait__run_driver *decider)
{
	/* Release: pairs with the load in plait__device_loops_cancel. */
	at_store_release_ptr(&driver->host_decided, decider);
	/* Between this and what it begins, which looks at `stop`; pairs with the
	 * fence in plait__device_loops_cancel. */
	at_fence_seq_cst();
}

static void cancel_externals(plait__run_driver *driver)
{
	uint32_t count = driver->compiled->external_count;

	if (count > 0)
		plait__cancel_external(&driver->externals[count - 1].external);
}

void plait__device_loops_cancel(plait__run_driver *driver)
{
	plait__run_driver *decider;

	notify_stop(driver);
	/* Between `stop` and this; pairs with plait__device_loops_set_host_decided. */
	at_fence_seq_cst();
	decider = at_load_acquire_ptr(&driver->host_decided);
	if (decider != NULL)
		cancel_externals(decider);
	cancel_externals(driver);
}
