/* SPDX-License-Identifier: MIT */
/* Batches of the driver; see prepared_batch.h. */
#include "run/queue/prepared_batch.h"

#include "run/queue/bind_work.h"
#include "run/queue/device_graphs.h"
#include "run/queue/record_times.h"
#include "run/queue/submit_batch.h"

#include "base/error.h"

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

void plait__prepared_batch_fail(plait__run_driver *driver, uint32_t number,
				plait_error *why)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__queue_batch *batch =
		(const plait__queue_batch *)compiled->batches.items + number;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)compiled->submissions.items +
		batch->submission_first;
	const plait__plan *plan = plan_of(driver);
	/* Marks of commands and regions are numbered as work is; marks of lanes
	 * follow. */
	uint32_t command =
		submission->work_count > 0 ?
			plait__queue_program_at(&compiled->work,
						submission->work_first) :
			submission->mark;

	if (command != PLAIT__NONE && command >= plan->command_count)
		command = command - plan->command_count < plan->regions_count ?
			plan->regions[command - plan->command_count].command :
			PLAIT__NONE;
	plait__error_prefix(why, "could not be submitted: ");
	if (command != PLAIT__NONE)
		plait__instance_fail(driver->instance, command, why);
	else
		plait__instance_stop(driver->instance, why);
}

bool plait__prepared_batch_bind(plait__run_driver *driver, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (plait__run_driver_is_stopped(driver))
		return false;
	plait__bind_work_batch(&driver->state, batch);
	if (!plait__run_driver_is_stopped(driver) &&
	    plait__device_graphs_update(&driver->state, batch, &why) !=
		    PLAIT_OK)
		plait__prepared_batch_fail(driver, batch, &why);
	return !plait__run_driver_is_stopped(driver);
}

void plait__prepared_batch_submit(plait__run_driver *driver, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (plait__submit_batch(driver, batch, &why) != PLAIT_OK)
		plait__prepared_batch_fail(driver, batch, &why);
	else if (driver->compiled->records)
		plait__record_times_subscribe(driver, batch);
}

bool plait__prepared_batch_submit_all(plait__run_driver *driver,
				      uint32_t first, uint32_t count)
{
	for (uint32_t i = first;
	     i < first + count && plait__prepared_batch_bind(driver, i); i++)
		plait__prepared_batch_submit(driver, i);
	return !plait__run_driver_is_stopped(driver);
}
