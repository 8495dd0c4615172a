/* SPDX-License-Identifier: MIT */
/*
 * Walk of a segment that decides regions: its device graph was changed in the
 * middle of a run, and the backend refuses the new one.  Its commands are then
 * submitted one by one to the queue of its lane, and the host decides its
 * regions: the walk submits the predicate and is resumed on its completion.
 *
 * A walk has a position: a body and a member.  The first commands wait for what
 * the segment waits for; the last submission emits its mark.  Until then no
 * later batch of the chunk is submitted.
 */
#include "run/queue/segment_fallback.h"

#include "run/queue/bind_work.h"
#include "run/queue/decide_region.h"
#include "run/queue/submit_batch.h"
#include "run/queue/translate_work.h"

#include "base/error.h"

static const plait__queue_segment *segment_at(const plait__run_driver *driver,
					      uint32_t number)
{
	return (const plait__queue_segment *)driver->compiled->segments.items +
	       number;
}

static const plait__queue_submission *submission_of(
	const plait__run_driver *driver, uint32_t number)
{
	return (const plait__queue_submission *)
		       driver->compiled->submissions.items +
	       segment_at(driver, number)->submission;
}

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

static uint32_t command_at(const plait__run_driver *driver, uint32_t number,
			   uint32_t index)
{
	return plait__queue_program_at(
		&driver->compiled->members,
		segment_at(driver, number)->member_first + index);
}

/* The region is a member of the segment. */
static uint32_t index_of(const plait__run_driver *driver, uint32_t region)
{
	return driver->compiled
		->member_index[plan_of(driver)->regions[region].command];
}

/* ---- where members are ---- */

/* The first member of a region's body.  The body is that of a region on a
 * device. */
static uint32_t body_start(const plait__run_driver *driver, uint32_t body)
{
	uint32_t region = plan_of(driver)->bodies[body].region;
	uint32_t at = index_of(driver, region) + 1;

	for (uint32_t b = plan_of(driver)->regions[region].body_first; b < body;
	     b++)
		at += driver->compiled->body_work[b];
	return at;
}

static bool is_region_body(const plait__run_driver *driver, uint32_t body)
{
	return plait__queue_program_is_device_body(driver->compiled, body);
}

/* The end of the body that the walk is in. */
static uint32_t body_end(const plait__run_driver *driver, uint32_t number,
			 uint32_t body)
{
	return is_region_body(driver, body) ?
		       body_start(driver, body) +
			       driver->compiled->body_work[body] :
		       segment_at(driver, number)->member_count;
}

/* The next region of the body, or its end. */
static uint32_t find_boundary(const plait__run_driver *driver, uint32_t number,
			      uint32_t from, uint32_t end)
{
	while (from < end &&
	       plan_of(driver)->commands[command_at(driver, number, from)]
			       .kind != PLAIT__CMD_REGION)
		from++;
	return from;
}

/* ---- submitting ---- */

/* Stops the run, which ends the walk. */
static void fail_segment(plait__run_driver *driver, uint32_t number,
			 plait_error *why)
{
	driver->walks[number].failed = true;
	plait__error_prefix(why, "could not be submitted: ");
	plait__instance_fail(driver->instance, command_at(driver, number, 0),
			     why);
}

/* Bind members of unrolled loops to their arguments in this iteration: nothing of
 * the iteration before is in flight.  Returns false after a failure. */
static bool bind_members(plait__run_driver *driver, uint32_t number,
			 uint32_t from, uint32_t end)
{
	bool unrolled = segment_at(driver, number)->copy_count > 0;
	plait_error why = { .size = sizeof(why) };

	for (uint32_t i = from; unrolled && i < end; i++) {
		if (plait__bind_work_command(&driver->state,
					     command_at(driver, number, i),
					     &why) == PLAIT_OK)
			continue;
		fail_segment(driver, number, &why);
		return false;
	}
	return true;
}

/* Submit the members from the position of the walk to `end`, then the predicate
 * if there is one, then `mark` unless it is none.  `end` is not before the
 * position; the caller moves the position. */
static void submit_members(plait__run_driver *driver, uint32_t number,
			   uint32_t end, const plait_work *predicate,
			   uint32_t mark)
{
	plait__segment_walk *walk = &driver->walks[number];
	const plait__queue_segment *segment = segment_at(driver, number);
	const plait__queue_submission *from = submission_of(driver, number);
	const plait_submission *whole =
		&driver->state.submissions[segment->submission];
	plait_backend_point emit;
	plait_submission parts[2] = {
		{ .size = sizeof(parts[0]),
		  .work = &driver->state
				   .work[from->work_first + walk->position],
		  .work_count = end - walk->position },
		{ .size = sizeof(parts[0]),
		  .work = predicate,
		  .work_count = predicate != NULL,
		  .emits = &emit,
		  .emit_count = mark != PLAIT__NONE },
	};
	plait_error why = { .size = sizeof(why) };

	if (!bind_members(driver, number, walk->position, end))
		return;
	if (!walk->waits_submitted) {
		parts[0].waits = whole->waits;
		parts[0].wait_count = whole->wait_count;
	}
	walk->waits_submitted = true;
	if (plait__submit_parts(driver, segment->lane, parts, 2, mark, &emit,
				&why) != PLAIT_OK)
		fail_segment(driver, number, &why);
}

static void submit_predicate(plait__run_driver *driver, uint32_t number,
			     uint32_t region)
{
	const plait__plan *plan = plan_of(driver);
	plait_work predicate = { .size = 0 };

	plait__translate_work(&driver->state, plan->command_count + region,
			      &predicate);
	submit_members(driver, number, driver->walks[number].boundary,
		       &predicate,
		       plait__queue_program_region_mark(plan, region));
	driver->listeners[region].lane = segment_at(driver, number)->lane;
	if (driver->walks[number].failed)
		return;
	driver->walks[number].waiting = true;
	plait__submit_subscribe(driver, region);
}

/* ---- walking ---- */

static void enter_body(plait__run_driver *driver, uint32_t number,
		       uint32_t body)
{
	driver->current_body[plan_of(driver)->bodies[body].region] = body;
	driver->walks[number].body = body;
	driver->walks[number].position = body_start(driver, body);
}

static void leave_region(plait__run_driver *driver, uint32_t number,
			 uint32_t region)
{
	const plait__queue_region *at = &driver->compiled->regions[region];

	driver->current_body[region] = PLAIT__NONE;
	driver->walks[number].body = at->outer_body;
	driver->walks[number].position =
		index_of(driver, region) + 1 + at->inner_count;
}

/* Submit up to a region, and evaluate its predicate or enter it. */
static void reach_region(plait__run_driver *driver, uint32_t number,
			 uint32_t region)
{
	uint32_t body;

	driver->current_body[region] = PLAIT__NONE;
	if (plan_of(driver)->regions[region].kind != PLAIT__REGION_DO) {
		submit_predicate(driver, number, region);
		return;
	}
	submit_members(driver, number, driver->walks[number].boundary, NULL,
		       PLAIT__NONE);
	body = plait__decide_region(driver, region, false);
	if (body != PLAIT__NONE)
		enter_body(driver, number, body);
}

/* Submit up to the end of a region's body, and evaluate its predicate again or
 * leave it. */
static void end_body(plait__run_driver *driver, uint32_t number,
		     uint32_t region)
{
	if (plan_of(driver)->regions[region].kind != PLAIT__REGION_CASE) {
		submit_predicate(driver, number, region);
		return;
	}
	submit_members(driver, number, driver->walks[number].boundary, NULL,
		       PLAIT__NONE);
	leave_region(driver, number, region);
}

/* Returns false if the walk waits for a predicate. */
static bool walk_on(plait__run_driver *driver, uint32_t number)
{
	plait__segment_walk *walk = &driver->walks[number];
	const plait__plan *plan = plan_of(driver);

	walk->waiting = false;
	while (!walk->waiting &&
	       at_load_relaxed_u32(&driver->instance->stop) == 0) {
		uint32_t end = body_end(driver, number, walk->body);

		walk->boundary =
			find_boundary(driver, number, walk->position, end);
		if (walk->boundary < end) {
			reach_region(driver, number,
				     plan->commands[command_at(driver, number,
							       walk->boundary)]
					     .link);
		} else if (is_region_body(driver, walk->body)) {
			end_body(driver, number,
				 plan->bodies[walk->body].region);
		} else {
			submit_members(driver, number, end, NULL,
				       submission_of(driver, number)->mark);
			return true;
		}
	}
	return !walk->waiting;
}

bool plait__segment_fallback_begin(plait__run_driver *driver, uint32_t number)
{
	const plait__plan *plan = plan_of(driver);
	plait__segment_walk *walk = &driver->walks[number];

	plait__submit_number_waits(driver, submission_of(driver, number));
	walk->position = 0;
	walk->waits_submitted = walk->failed = false;
	walk->body =
		plan->nodes[plan->commands[segment_at(driver, number)->last]
				    .node]
			.body;
	return walk_on(driver, number);
}

bool plait__segment_fallback_resume(plait__run_driver *driver, uint32_t number,
				    uint32_t region)
{
	bool again = driver->current_body[region] != PLAIT__NONE;
	uint32_t body = plait__decide_region(driver, region, again);

	if (body != PLAIT__NONE)
		enter_body(driver, number, body);
	else
		leave_region(driver, number, region);
	return walk_on(driver, number);
}

/* ---- which ---- */

uint32_t plait__segment_fallback_find(const plait__run_driver *driver,
				      uint32_t batch)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__queue_batch *at =
		(const plait__queue_batch *)compiled->batches.items + batch;
	uint32_t number;

	/* A segment that decides regions is a batch of its own. */
	if (!at->has_segments || !compiled->has_device_loops)
		return PLAIT__NONE;
	number = ((const plait__queue_submission *)compiled->submissions.items +
		  at->submission_first)
			 ->segment;
	return number != PLAIT__NONE &&
			       driver->state.graphs[number].raw == NULL &&
			       segment_at(driver, number)->regions > 0 ?
		       number :
		       PLAIT__NONE;
}
