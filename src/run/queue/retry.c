/* SPDX-License-Identifier: MIT */
/*
 * Bounded retry of calls that a backend refuses while it has accepted work of a
 * run: a final submission, a flush, a poll.  Nothing else proves that nothing
 * is in flight, so the driver retries them, but not for ever.  When retries are
 * exhausted the run ends with an error.  Its work may still be in flight and
 * use all resources of the instance, so none of them is reused or freed
 * (plait__instance_abandon).
 */
#include "run/queue/retry.h"

#include "run/command_text.h"
#include "run/queue/queue_command.h"
#include "run/queue/run_driver.h"

#include "base/error.h"
#include "base/log.h"

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

bool plait__retry_has_accepted(const plait__run_driver *driver, uint32_t lane)
{
	const plait__queue_program *compiled = driver->compiled;

	for (uint32_t i = 0; i < plan_of(driver)->lanes_count; i++)
		if (compiled->lanes[i].port == compiled->lanes[lane].port &&
		    driver->lanes[i].accepted)
			return true;
	return false;
}

uint32_t plait__retry_last_command(const plait__run_driver *driver,
				   uint32_t lane)
{
	const plait__plan *plan = plan_of(driver);

	for (uint32_t i = plan->command_count; i-- > 0;)
		if (plait__queue_program_lane(driver->compiled, i) == lane &&
		    plait__queue_command_has_work(plan, i))
			return i;
	return PLAIT__NONE;
}

/* Give the run up.  The backend has accepted work of it, and it is not
 * abandoned yet. */
static void abandon_run(plait__run_driver *driver, uint32_t lane,
			uint32_t request, const plait_error *why)
{
	static const char *const requests[PLAIT__RETRY_KINDS] = {
		[PLAIT__RETRY_END] = "its final submission",
		[PLAIT__RETRY_FLUSH] = "to flush it",
		[PLAIT__RETRY_POINT] = "to poll it",
	};
	const plait__backend_port *port =
		driver->compiled->lanes[lane].device->port;
	plait_error loss = { .size = sizeof(loss) };
	uint32_t last = plait__retry_last_command(driver, lane);
	char room[PLAIT__COMMAND_TEXT_BYTES] = "no node";

	if (last != PLAIT__NONE)
		(void)plait__command_text(plan_of(driver), last, room);
	plait__fail_origin(&loss, PLAIT_E_LOST, why->status,
			   "plugin %.20s has work of lane %u, up to %.60s, and "
			   "refuses %s; freeze the plan anew, its memory and "
			   "buffers stay allocated: %s",
			   port->backend->name, lane, room, requests[request],
			   why->text);
	plait__log_line(&port->context->settings.log, PLAIT_LOG_ERROR,
			"a run is abandoned: %s", loss.text);
	plait__instance_stop(driver->instance, &loss);
	plait__instance_abandon(driver->instance, &loss);
}

void plait__retry_reset(plait__run_driver *driver, uint32_t lane,
			uint32_t request)
{
	plait__refusals_reset(&driver->lanes[lane].retries[request]);
}

bool plait__retry_refused(plait__run_driver *driver, uint32_t lane,
			  uint32_t request, const plait_error *why)
{
	driver->retrying = true;
	if (plait__refusals_may_retry(
		    &driver->lanes[lane].retries[request],
		    driver->compiled->lanes[lane].device->port))
		return true;
	if (plait__retry_has_accepted(driver, lane) &&
	    at_load_relaxed_u32(&driver->instance->abandoned) == 0)
		abandon_run(driver, lane, request, why);
	return false;
}
