/* SPDX-License-Identifier: MIT */
/*
 * Final submissions of a run: the last batch of each lane, which the driver
 * awaits.  Each queue that accepted work gets one, also in a run that
 * was stopped: only their completion proves that nothing is in flight.
 */
#include "run/queue/drain_queues.h"

#include "run/queue/submit_batch.h"

#include "base/error.h"

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

/* The n-th lane to get its final batch: the first lanes of ports come last.
 * None if lane n belongs to the other half. */
static uint32_t nth_lane(const plait__run_driver *driver, uint32_t n,
			 bool *out_last)
{
	const plait__queue_program *compiled = driver->compiled;
	uint32_t lanes = plan_of(driver)->lanes_count;
	uint32_t lane = n < lanes ? n : n - lanes;

	*out_last = compiled->ports[compiled->lanes[lane].port].lane == lane;
	return *out_last == (n >= lanes) ? lane : PLAIT__NONE;
}

/* Skip the final batches of a port that accepted no work: nothing of it is in
 * flight, and retries might never succeed.  Returns false if the batch has to
 * be retried.  The backend has just refused a final batch of the lane with
 * `why`. */
static bool skip_unused_port(plait__run_driver *driver, uint32_t lane,
			     plait_error *why)
{
	bool again = plait__retry_refused(driver, lane, PLAIT__RETRY_END, why);

	if (plait__retry_has_accepted(driver, lane) ||
	    (again && !plait__run_driver_is_stopped(driver) &&
	     why->status == PLAIT_E_BUSY))
		return false;
	plait__instance_stop(driver->instance, why);
	for (uint32_t i = 0; i < plan_of(driver)->lanes_count; i++)
		if (driver->compiled->lanes[i].port ==
		    driver->compiled->lanes[lane].port)
			driver->lanes[i].refused = true;
	return true;
}

/* A refused final batch is retried (retry.c) where work was accepted, as
 * nothing else proves the completion of the work. */
void plait__drain_queues(plait__run_driver *driver)
{
	const plait__queue_program *compiled = driver->compiled;
	uint32_t listeners = plait__queue_program_mark_listeners(compiled) -
			     compiled->port_count;

	for (; driver->final_next < 2 * plan_of(driver)->lanes_count;
	     driver->final_next++) {
		plait_error why = { .size = sizeof(why) };
		bool last;
		uint32_t lane = nth_lane(driver, driver->final_next, &last);
		plait_status status;

		if (lane == PLAIT__NONE)
			continue;
		if (driver->lanes[lane].refused) {
			driver->drains_left -= last;
			continue;
		}
		status = plait__submit_batch(driver,
					     compiled->lanes[lane].final, &why);
		if (status == PLAIT_OK)
			plait__retry_reset(driver, lane, PLAIT__RETRY_END);
		else if (status != PLAIT_E_LOST &&
			 !skip_unused_port(driver, lane, &why))
			return;
		if (last && status == PLAIT_OK)
			plait__submit_subscribe(
				driver, listeners + compiled->lanes[lane].port);
		else if (last)
			driver->drains_left--;
		/* A lost device has nothing in flight. */
		if (status == PLAIT_E_LOST)
			plait__instance_stop(driver->instance, &why);
	}
}
