/* SPDX-License-Identifier: MIT */
/*
 * Repeats whose iterations are submitted ahead, in windows.  At most two windows
 * are in flight: the next one is submitted when the older one is complete, so
 * the memory of a run does not depend on the count.
 *
 * The home lane emits the region's mark at the end of each iteration, behind the
 * exits of the body; the other lanes wait for it before the next iteration.  A
 * flat body needs no waits: a window is one submission with one emission, and
 * work of one iteration if the backend repeats it.
 *
 * The region is over when its last iteration is submitted: later commands wait
 * for the marks that the leaving batches emit.  It is entered again only after
 * all of it is complete, as the end of an enclosing body awaits that.
 */
#include "run/queue/repeat_ahead.h"

#include "run/queue/prepared_batch.h"
#include "run/queue/repeat_room.h"
#include "run/queue/repeat_series.h"
#include "run/queue/submit_batch.h"

#include "run/args/loop_count.h"

#include "base/error.h"

#include <string.h>

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

static uint32_t body_of(const plait__run_driver *driver, uint32_t region)
{
	return plan_of(driver)->regions[region].body_first;
}

static uint64_t newest_mark(const plait__run_driver *driver, uint32_t region)
{
	return driver->marks[plait__queue_program_region_mark(plan_of(driver),
							      region)];
}

/* ---- begin ---- */

/* Calls of the body count from 0. */
static void reset_callbacks(plait__run_driver *driver, uint32_t region)
{
	const plait__plan_body *body =
		&plan_of(driver)->bodies[body_of(driver, region)];

	for (uint32_t i = 0; i < body->command_count; i++)
		driver->state.callbacks[body->command_first + i].turn = 0;
}

/* Begin the repeat: its count, if it is a word, has been read. */
static void begin(plait__run_driver *driver, uint32_t region)
{
	driver->repeats[region] = (plait__queue_repeat){
		.left = plait__loop_count_enter(
			&driver->instance->frame, region,
			driver->state.predicates[region].word),
		.has_begun = true,
	};
	driver->instance->frame.iterations[region] = 0;
	reset_callbacks(driver, region);
}

bool plait__repeat_ahead_has_begun(plait__run_driver *driver, uint32_t region)
{
	driver->repeats[region].has_begun = false;
	driver->repeats[region].left = 0;
	if (!driver->compiled->regions[region].ahead ||
	    plait__loop_count_is_word(plan_of(driver), region))
		return false;
	begin(driver, region);
	return true;
}

void plait__repeat_ahead_resume(plait__run_driver *driver, uint32_t region)
{
	plait__queue_repeat *repeat = &driver->repeats[region];

	if (repeat->has_begun)
		repeat->windows--;
	else if (!plait__run_driver_is_stopped(driver))
		begin(driver, region);
}

/* ---- windows ---- */

/* The frame has the number of the next iteration; after the last one, that of
 * all. */
static void end_iterations(plait__run_driver *driver, uint32_t region,
			   uint64_t count)
{
	driver->repeats[region].left -= count;
	driver->instance->frame.iterations[region] += count;
	driver->instance->iterations += count;
}

/* Submit iterations: in each, the gate batches first, by which the other lanes
 * wait for the region's mark; `end`, a batch of the home lane, emits the next
 * one.  The caller limits `iterations` to a window. */
static void submit_window(plait__run_driver *driver, uint32_t region,
			  uint64_t iterations)
{
	const plait__queue_region *at = &driver->compiled->regions[region];
	const plait__queue_stage *stage =
		plait__repeat_room_stage(driver->compiled, region);
	uint32_t end = driver->compiled->bodies[body_of(driver, region)].end;

	for (; iterations > 0; iterations--) {
		if (!plait__prepared_batch_submit_all(driver, at->gate_first,
						      at->gate_count) ||
		    !plait__prepared_batch_submit_all(driver,
						      stage->batch_first,
						      stage->batch_count) ||
		    !plait__prepared_batch_submit_all(driver, end, 1))
			return;
		end_iterations(driver, region, 1);
	}
}

/* Submit work in the room, and emit the region's mark behind it.  The backend
 * copies it (P-Q02), so the next window may use the room. */
static void submit_work(plait__run_driver *driver, uint32_t region,
			plait_submission *whole)
{
	plait_backend_point emit;
	plait_error why = { .size = sizeof(why) };

	whole->size = sizeof(*whole);
	whole->emits = &emit;
	whole->emit_count = 1;
	if (plait__submit_parts(driver, driver->compiled->regions[region].home,
				whole, 1,
				plait__queue_program_region_mark(
					plan_of(driver), region),
				&emit, &why) != PLAIT_OK)
		plait__prepared_batch_fail(
			driver,
			plait__repeat_room_stage(driver->compiled, region)
				->batch_first,
			&why);
}

/* Submit iterations as one submission, which emits the region's mark behind the
 * last one.  The body is on one lane. */
static void submit_flat(plait__run_driver *driver, uint32_t region,
			uint64_t iterations)
{
	plait_submission whole = {
		.work_count = (uint32_t)iterations *
			      driver->compiled->regions[region].work,
	};

	if (!plait__repeat_room_fill(driver, region, iterations, &whole.work))
		return;
	end_iterations(driver, region, iterations);
	submit_work(driver, region, &whole);
}

/* Submit iterations that the backend counts: one only, if the host has a command
 * of it.  The queue has room for the work of two iterations. */
static void submit_counted(plait__run_driver *driver, uint32_t region,
			   uint64_t iterations)
{
	plait_submission whole = { .times = 0 };

	if (driver->instance->frame.iterations[region] == 0 &&
	    !plait__repeat_room_begin(driver, region))
		return;
	iterations = plait__repeat_series_fill(driver, region, iterations,
					       &whole);
	end_iterations(driver, region, iterations);
	submit_work(driver, region, &whole);
}

bool plait__repeat_ahead_advance(plait__run_driver *driver, uint32_t region)
{
	const plait__queue_region *at = &driver->compiled->regions[region];
	plait__queue_repeat *repeat = &driver->repeats[region];

	while (repeat->left > 0 && !plait__run_driver_is_stopped(driver)) {
		uint64_t iterations = repeat->left < at->window ?
				      repeat->left : at->window;

		if (repeat->windows == 2) {
			plait__submit_subscribe_at(driver, region,
						   repeat->older);
			return false;
		}
		repeat->older = repeat->newer;
		if (at->counted)
			submit_counted(driver, region, iterations);
		else if (at->flat)
			submit_flat(driver, region, iterations);
		else
			submit_window(driver, region, iterations);
		repeat->newer = newest_mark(driver, region);
		repeat->windows++;
	}
	return true;
}
