/* SPDX-License-Identifier: MIT */
/*
 * Repeats whose iterations are submitted ahead, in windows.  At most two windows
 * are in flight: the next one is submitted when the older one is complete, so
 * the memory of a run does not depend on the count.
 *
 * The home lane emits the region's mark at the end of each iteration, behind the
 * exits of the body; the other lanes wait for it before the next iteration.  A
 * flat body needs no waits: a window is one submission with one emission.
 *
 * The region is over when its last iteration is submitted: later commands wait
 * for the marks that the leaving batches emit.  It is entered again only after
 * all of it is complete, as the end of an enclosing body awaits that.
 */
#include "run/queue/repeat_ahead.h"

#include "run/queue/launch_variants.h"
#include "run/queue/prepared_batch.h"
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

/* The only stage of the body: compile_repeats.c refuses bodies with regions,
 * external commands or lanes of several backends. */
static const plait__queue_stage *stage_of(const plait__run_driver *driver,
					  uint32_t region)
{
	return plait__queue_program_stage(
		driver->compiled,
		driver->compiled->bodies[body_of(driver, region)].stage_first);
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
static void end_iteration(plait__run_driver *driver, uint32_t region)
{
	driver->repeats[region].left--;
	driver->instance->frame.iterations[region]++;
	driver->instance->iterations++;
}

/* Submit iterations: in each, the gate batches first, by which the other lanes
 * wait for the region's mark; `end`, a batch of the home lane, emits the next
 * one.  The caller limits `iterations` to a window. */
static void submit_window(plait__run_driver *driver, uint32_t region,
			  uint64_t iterations)
{
	const plait__queue_region *at = &driver->compiled->regions[region];
	const plait__queue_stage *stage = stage_of(driver, region);
	uint32_t end = driver->compiled->bodies[body_of(driver, region)].end;

	for (; iterations > 0; iterations--) {
		if (!plait__prepared_batch_submit_all(driver, at->gate_first,
						      at->gate_count) ||
		    !plait__prepared_batch_submit_all(driver,
						      stage->batch_first,
						      stage->batch_count) ||
		    !plait__prepared_batch_submit_all(driver, end, 1))
			return;
		end_iteration(driver, region);
	}
}

/* Append the bound work of one iteration to the room of the region.
 * plait__region_batches_place_room has reserved a window of them. */
static plait_work *copy_iteration(plait__run_driver *driver, uint32_t batch,
				  plait_work *out)
{
	const plait__queue_batch *at =
		(const plait__queue_batch *)driver->compiled->batches.items +
		batch;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)
			driver->compiled->submissions.items +
		at->submission_first;

	for (uint32_t i = 0; i < at->submission_count; i++, submission++)
		for (uint32_t k = 0; k < submission->work_count; k++)
			*out++ = driver->state.work[submission->work_first + k];
	return out;
}

/* Submit the work in the room.  The backend copies it (P-Q02), so the next
 * window may use the room. */
static void submit_room(plait__run_driver *driver, uint32_t region,
			uint32_t batch, uint32_t count)
{
	plait_backend_point emit;
	const plait_submission whole = {
		.size = sizeof(whole),
		.work = driver->state.repeat_work +
			driver->compiled->regions[region].room,
		.work_count = count, .emits = &emit, .emit_count = 1,
	};
	plait_error why = { .size = sizeof(why) };

	if (plait__submit_parts(driver, driver->compiled->regions[region].home,
				&whole, 1,
				plait__queue_program_region_mark(
					plan_of(driver), region),
				&emit, &why) != PLAIT_OK)
		plait__prepared_batch_fail(driver, batch, &why);
}

/* Submit iterations as one submission: bind each, collect its work in the room
 * of the region, and emit the region's mark behind the last.  The body is on
 * one lane. */
static void submit_flat(plait__run_driver *driver, uint32_t region,
			uint64_t iterations)
{
	const plait__queue_stage *stage = stage_of(driver, region);
	plait_work *room = driver->state.repeat_work +
			   driver->compiled->regions[region].room;
	plait_work *end = room;

	for (; iterations > 0; iterations--) {
		for (uint32_t i = 0; i < stage->batch_count; i++) {
			uint32_t batch = stage->batch_first + i;

			if (!plait__prepared_batch_bind(driver, batch))
				return;
			end = copy_iteration(driver, batch, end);
		}
		end_iteration(driver, region);
	}
	submit_room(driver, region, stage->batch_first,
		    (uint32_t)(end - room));
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
		if (at->flat)
			submit_flat(driver, region, iterations);
		else
			submit_window(driver, region, iterations);
		repeat->newer = newest_mark(driver, region);
		repeat->windows++;
	}
	return true;
}
