/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of a run on queues (blocked_on.h): the first external
 * command that is parked, or the first lane that is not complete. */
#include "run/queue/blocked_queue.h"

#include "run/blocked_on.h"

/* The next command of a lane to emit its mark, or the last command. */
static uint32_t next_command(const plait__run_driver *driver, uint32_t lane,
			     uint64_t reached)
{
	const plait__plan *plan = driver->compiled->program->plan;
	uint64_t nearest = UINT64_MAX;
	uint32_t found = plait__retry_last_command(driver, lane);

	for (uint32_t i = 0; i < plan->command_count; i++) {
		if (plait__queue_program_lane(driver->compiled, i) != lane ||
		    driver->marks[i] <= reached || driver->marks[i] >= nearest)
			continue;
		nearest = driver->marks[i];
		found = i;
	}
	return found;
}

/* Returns true if the lane has work in flight. */
static bool describe_lane(const plait__run_driver *driver, uint32_t lane,
			  plait__blocked_on *out)
{
	const plait__backend *backend =
		driver->compiled->lanes[lane].device->port->backend;
	const plait__lane_progress *queue = &driver->lanes[lane];
	const plait_backend_point point = { driver->state.queues[lane].signal,
					    queue->emitted };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached = 0;

	if (queue->lost || queue->emitted == 0 ||
	    backend->table.signal_poll(backend->self, &point, &reached,
				       &ignored) != PLAIT_PENDING)
		return false;
	out->lane = lane;
	out->reached = reached;
	out->submitted = queue->emitted;
	out->command = next_command(driver, lane, reached);
	return true;
}

/* Called by plait__progress_inspect, in the role of the driver: no other thread
 * advances the run.  An external command comes before lanes. */
static void describe(plait__pollable *pollable, void *arg)
{
	const plait__run_driver *driver =
		(const plait__run_driver *)(const void *)pollable;
	plait__blocked_on *out = arg;
	uint32_t externals;

	if (driver->uses_fallback)
		driver = at_load_acquire_ptr(&driver->fallback);
	externals = driver->compiled->external_count;
	if (externals > 0)
		plait__external_describe_blocked(
			&driver->externals[externals - 1].external, out);
	for (uint32_t i = 0; i < driver->compiled->program->plan->lanes_count &&
			     out->command == PLAIT__NONE;
	     i++)
		if (describe_lane(driver, i, out))
			return;
}

void plait__blocked_queue_describe(plait__run_driver *driver,
				   plait__blocked_on *out)
{
	(void)plait__progress_inspect(driver->instance->program->context,
				      &driver->pollable, describe, out);
}
