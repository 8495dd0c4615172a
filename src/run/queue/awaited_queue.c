/* SPDX-License-Identifier: MIT */
/* Points that a run on queues awaits (wait_in_driver.h): those of its regions,
 * of its points and of the ports that drain. */
#include "run/queue/awaited_queue.h"

#include "object/wait/wait_in_driver.h"

/* The caller has checked that there is room. */
static void add_point(const plait__run_driver *driver,
		      const plait__queue_listener *listener,
		      plait__awaited_points *out)
{
	out->points[out->count++] = (plait__wait_point){
		.port = driver->compiled->lanes[listener->lane].device->port,
		.point = { driver->state.queues[listener->lane].signal,
			   listener->sequence },
	};
}

/* A thread that has to drive the run, or to pump, waits for the only completion
 * that lets the run go on. */
static bool may_leave(const plait__run_driver *driver, uint32_t awaited)
{
	return plait__wait_in_driver_is_free(
		       driver->instance->program->context) ||
	       (awaited == 1 && driver->compiled->external_count == 0);
}

/* Called by plait__progress_inspect, in the role of the driver: no other thread
 * advances the run. */
static void collect_points(plait__pollable *pollable, void *arg)
{
	plait__run_driver *driver = (plait__run_driver *)(void *)pollable;
	plait__awaited_points *out = arg;
	uint32_t i, listeners, awaited = 0;

	if (driver->uses_fallback)
		driver = at_load_acquire_ptr(&driver->fallback);
	/* The run needs to be driven soon. */
	if (driver->polled_count > 0 || driver->retrying)
		return;
	listeners = plait__queue_program_mark_listeners(driver->compiled);
	for (i = 0; i < listeners; i++) {
		if (!driver->listeners[i].awaited)
			continue;
		awaited++;
		if (out->count < PLAIT__WAIT_IN_DRIVER_POINTS)
			add_point(driver, &driver->listeners[i], out);
	}
	if (!may_leave(driver, awaited))
		out->count = 0;
	if (out->count == 0)
		return;
	out->users = &driver->entered;
	at_add_u32(out->users, 1);
}

void plait__awaited_queue_find(plait__run_driver *driver,
			       plait__awaited_points *out)
{
	if (out->count == 0)
		(void)plait__progress_inspect(
			driver->instance->program->context, &driver->pollable,
			collect_points, out);
}
