/* SPDX-License-Identifier: MIT */
/*
 * State machine of a run on queues.  The driver submits all work that is ready
 * and reacts to completions that need the host: a region to be decided, a
 * command that another backend waits for, the end of the run.
 *
 * A region: its home lane waits for the predecessors of the region's command
 * and evaluates the predicate.  On its completion the driver decides the region
 * and submits the body; behind the body the home lane waits for its exits and
 * evaluates the predicate again.  So each iteration has one round trip through
 * the host, and an iteration begins after all of the last one.  Other stages
 * proceed meanwhile.  A repeat may be submitted ahead (repeat_ahead.c): queues
 * keep the order of its iterations.
 *
 * The driver also begins external commands; it is notified of their completion,
 * or when the run is stopped.
 *
 * After a failure or a cancellation the driver submits nothing but the final
 * batches of the lanes (drain_queues.c): their completion proves that nothing
 * is in flight.  It tells loops on devices to end.
 */
#include "run/queue/run_driver.h"

#include "run/queue/decide_region.h"
#include "run/queue/device_graphs.h"
#include "run/queue/drain_queues.h"
#include "run/queue/host_fallback.h"
#include "run/queue/launch_variants.h"
#include "run/queue/log_decisions.h"
#include "run/queue/prepared_batch.h"
#include "run/queue/repeat_ahead.h"
#include "run/queue/record_times.h"
#include "run/queue/segment_fallback.h"
#include "run/queue/stop_device_loops.h"
#include "run/queue/submit_batch.h"

#include "base/error.h"

#include <string.h>

enum { STARTING = 0, RUNNING = 1, DRAINING = 2 };

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

/* ---- stages ---- */

/* Called once per stage and execution of its body, so the list has room. */
static void make_ready(plait__run_driver *driver, uint32_t stage)
{
	uint32_t body =
		plait__queue_program_stage(driver->compiled, stage)->body;
	plait__running_body *running = &driver->running[body];

	driver->ready[driver->compiled->bodies[body].stage_first +
		      running->ready_last++] = stage;
}

/* The body of the stage runs. */
static void end_stage(plait__run_driver *driver, uint32_t number)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__queue_stage *stage =
		plait__queue_program_stage(compiled, number);

	driver->running[stage->body].stages_left--;
	for (uint32_t i = 0; i < stage->successor_count; i++) {
		uint32_t next = plait__queue_program_at(
			&compiled->successors, stage->successor_first + i);

		if (--driver->pending[next] == 0)
			make_ready(driver, next);
	}
}

/* Submit a chunk from batch `first` on. Returns false if it is to be continued
 * after the fallback of a segment. */
static bool submit_chunk(plait__run_driver *driver, uint32_t number,
			 uint32_t first)
{
	const plait__queue_stage *stage =
		plait__queue_program_stage(driver->compiled, number);
	uint32_t end = stage->batch_first + stage->batch_count;

	for (uint32_t i = first; i < end && plait__prepared_batch_bind(driver, i); i++) {
		uint32_t segment = plait__segment_fallback_find(driver, i);

		if (segment == PLAIT__NONE) {
			plait__prepared_batch_submit(driver, i);
			continue;
		}
		driver->walks[segment].stage = number;
		driver->walks[segment].batch = i;
		if (!plait__segment_fallback_begin(driver, segment))
			return false;
	}
	end_stage(driver, number);
	return true;
}

/* Returns false if the command is pending: its listener is notified.  The lane
 * has external commands, and none of them is under way but this one:
 * compile_stages.c orders them. */
static bool step_external(plait__run_driver *driver, uint32_t lane,
			  uint32_t command)
{
	uint32_t number = driver->compiled->lanes[lane].external;

	return plait__external_step(&driver->externals[number].external,
				    command);
}

/* Begin or resume an external command. */
static void advance_external(plait__run_driver *driver, uint32_t number)
{
	uint32_t command =
		plait__queue_program_stage(driver->compiled, number)->link;

	if (!step_external(driver, plan_of(driver)->commands[command].lane,
			   command))
		return;
	if (driver->compiled->records)
		plait__record_times_end_external(driver, command);
	end_stage(driver, number);
}

static void begin_external(plait__run_driver *driver, uint32_t number)
{
	uint32_t command =
		plait__queue_program_stage(driver->compiled, number)->link;
	uint32_t lane = plan_of(driver)->commands[command].lane;

	if (plait__run_driver_is_stopped(driver)) {
		end_stage(driver, number);
		return;
	}
	driver->externals[driver->compiled->lanes[lane].external].stage =
		number;
	if (driver->compiled->records)
		plait__record_times_begin_external(driver, command);
	advance_external(driver, number);
}

/* No body of the region runs. */
static void leave_region(plait__run_driver *driver, uint32_t number)
{
	const plait__queue_region *region = &driver->compiled->regions[number];

	driver->current_body[number] = PLAIT__NONE;
	(void)plait__prepared_batch_submit_all(driver, region->leave_first, region->leave_count);
	end_stage(driver, region->stage);
}

/* Begin a stage that is ready; it may be over at once. */
static void begin_stage(plait__run_driver *driver, uint32_t number)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__queue_stage *stage =
		plait__queue_program_stage(compiled, number);
	const plait__queue_region *region;

	switch (stage->kind) {
	case PLAIT__STAGE_CHUNK:
		(void)submit_chunk(driver, number, stage->batch_first);
		return;
	case PLAIT__STAGE_REGION:
		region = &compiled->regions[stage->link];
		driver->current_body[stage->link] = PLAIT__NONE;
		if (!plait__prepared_batch_submit_all(driver,
						      region->enter_first,
						      region->enter_count))
			end_stage(driver, number);
		else if (!plait__repeat_ahead_has_begun(driver, stage->link))
			plait__submit_subscribe(driver, stage->link);
		else if (plait__repeat_ahead_advance(driver, stage->link))
			leave_region(driver, stage->link);
		return;
	case PLAIT__STAGE_EXTERNAL:
		begin_external(driver, number);
		return;
	default:
		if (!plait__run_driver_is_stopped(driver))
			plait__submit_subscribe(driver,
						plan_of(driver)->regions_count +
							stage->listener);
		else
			end_stage(driver, number);
		return;
	}
}

/* ---- bodies and regions ---- */

static void begin_body(plait__run_driver *driver, uint32_t number)
{
	const plait__queue_body *body = &driver->compiled->bodies[number];

	driver->running[number] =
		(plait__running_body){ .stages_left = body->stage_count };
	if (driver->compiled->records)
		plait__record_times_begin_body(driver, number);
	for (uint32_t i = 0; i < body->stage_count; i++) {
		uint32_t stage = body->stage_first + i;

		driver->pending[stage] =
			plait__queue_program_stage(driver->compiled, stage)
				->predecessors;
		if (driver->pending[stage] == 0)
			make_ready(driver, stage);
	}
}

/* Begin all ready stages of a body, and of enclosing bodies that it ends. */
static void advance_body(plait__run_driver *driver, uint32_t number)
{
	const plait__queue_program *compiled = driver->compiled;
	plait__running_body *running;
	uint32_t region;

	for (;;) {
		running = &driver->running[number];
		while (running->ready_first < running->ready_last)
			begin_stage(driver,
				    driver->ready[compiled->bodies[number]
							  .stage_first +
						  running->ready_first++]);
		if (running->stages_left > 0)
			return;
		if (driver->compiled->records)
			plait__record_times_put_body(driver, number);
		region = plan_of(driver)->bodies[number].region;
		if (region == PLAIT__NONE) {
			driver->phase = DRAINING;
			return;
		}
		if (plait__prepared_batch_submit_all(driver, compiled->bodies[number].end, 1)) {
			plait__submit_subscribe(driver, region);
			return;
		}
		leave_region(driver, region);
		number = compiled->regions[region].outer_body;
	}
}

/* Returns true if the owner of an inbox has to evaluate the predicate now. */
static bool owner_decides(const plait__run_driver *driver, uint32_t number,
			  bool again)
{
	uint32_t kind = plan_of(driver)->regions[number].kind;

	return driver->compiled->regions[number].owner_decides &&
	       kind != (again ? PLAIT__REGION_CASE : PLAIT__REGION_DO);
}

/* Returns false if the answer is pending.  owner_decides has returned true, so
 * the home lane has an external state. */
static bool ask_inbox_owner(plait__run_driver *driver, uint32_t number)
{
	uint32_t lane = driver->compiled->regions[number].home;
	plait__queue_external *external =
		&driver->externals[driver->compiled->lanes[lane].external];

	external->stage = PLAIT__NONE;
	external->region = number;
	if (!step_external(driver, lane,
			   plan_of(driver)->regions[number].command))
		return false;
	driver->state.predicates[number].word = external->external.word;
	return true;
}

/* Resume the fallback of a segment.  The region is in a segment whose walk
 * waits for its predicate. */
static void resume_fallback(plait__run_driver *driver, uint32_t number)
{
	uint32_t segment =
		driver->compiled
			->segment_of[plan_of(driver)->regions[number].command];
	const plait__segment_walk *walk = &driver->walks[segment];
	uint32_t stage = walk->stage;

	if (plait__segment_fallback_resume(driver, segment, number) &&
	    submit_chunk(driver, stage, walk->batch + 1))
		advance_body(driver,
			     plait__queue_program_stage(driver->compiled, stage)
				     ->body);
}

/* Resume a repeat that is submitted ahead: its count is known, or its older
 * window is complete. */
static void resume_repeat(plait__run_driver *driver, uint32_t number)
{
	plait__repeat_ahead_resume(driver, number);
	if (!plait__repeat_ahead_advance(driver, number))
		return;
	leave_region(driver, number);
	advance_body(driver, driver->compiled->regions[number].outer_body);
}

/* Resume a region: its predecessors are complete and its predicate is
 * evaluated. */
static void advance_region(plait__run_driver *driver, uint32_t number)
{
	bool again = driver->current_body[number] != PLAIT__NONE;
	uint32_t body;

	if (driver->compiled->regions[number].on_device) {
		resume_fallback(driver, number);
		return;
	}
	if (driver->compiled->regions[number].ahead) {
		resume_repeat(driver, number);
		return;
	}
	if (owner_decides(driver, number, again) &&
	    !ask_inbox_owner(driver, number))
		return;
	body = plait__decide_region(driver, number, again);
	if (driver->compiled->records)
		plait__record_times_decision(driver, number, body, again);
	driver->current_body[number] = body;
	if (body != PLAIT__NONE) {
		begin_body(driver, body);
		advance_body(driver, body);
		return;
	}
	leave_region(driver, number);
	advance_body(driver, driver->compiled->regions[number].outer_body);
}

/* ---- completions ---- */

/* An external command has made progress, or the run was stopped. */
static void external_advanced(plait__run_driver *driver, uint32_t number)
{
	const plait__queue_external *lane = &driver->externals[number];
	const plait__queue_stage *stage;

	if (lane->stage == PLAIT__NONE) {
		advance_region(driver, lane->region);
		return;
	}
	stage = plait__queue_program_stage(driver->compiled, lane->stage);
	advance_external(driver, lane->stage);
	advance_body(driver, stage->body);
}

/* The listener's note has been taken, or a poll has succeeded. */
static void handle_completion(plait__run_driver *driver, uint32_t number,
			      plait_status status)
{
	plait__queue_listener *listener = &driver->listeners[number];
	uint32_t regions = plan_of(driver)->regions_count;
	plait_error why = { .size = sizeof(why) };

	if (listener->polled)
		driver->polled_count--;
	listener->polled = false;
	listener->awaited = false;
	/* Failed callbacks have stopped the run already. */
	if (status < 0 && !plait__run_driver_is_stopped(driver)) {
		plait__submit_explain(driver, number, status, &why);
		plait__instance_stop(driver->instance, &why);
	}
	if (number < regions) {
		advance_region(driver, listener->link);
	} else if (number < regions + driver->compiled->point_count) {
		end_stage(driver, listener->link);
		advance_body(driver, plait__queue_program_stage(
					     driver->compiled, listener->link)
					     ->body);
	} else if (number <
		   plait__queue_program_mark_listeners(driver->compiled)) {
		driver->drains_left--;
	} else if (number <
		   plait__queue_program_time_listener(driver->compiled, 0)) {
		external_advanced(driver, listener->link);
	} else {
		advance_body(driver, plait__record_times_completed(
					     driver, number, status));
	}
}

static void read_notes(plait__run_driver *driver)
{
	plait__progress_note *note = plait__progress_take_notes(
		driver->instance->program->context, driver->note_target);
	plait__progress_note *next;

	for (; note != NULL; note = next) {
		plait__queue_listener *listener =
			(plait__queue_listener *)(void *)note;

		next = note->next;
		if (listener->mark == PLAIT__NONE)
			plait__device_loops_ack_stop(driver);
		else
			handle_completion(
				driver,
				(uint32_t)(listener - driver->listeners),
				note->status);
	}
}

/* Returns true if a poll found a completion. */
static bool poll_listeners(plait__run_driver *driver)
{
	uint32_t count = plait__queue_program_listener_count(driver->compiled);
	plait_status status;
	bool found = false;

	for (uint32_t i = 0; driver->polled_count > 0 && i < count; i++)
		if (driver->listeners[i].polled &&
		    plait__submit_poll(driver, i, &status)) {
			found = true;
			handle_completion(driver, i, status);
		}
	if (driver->polls_left > 0 && --driver->polls_left == 0)
		plait__submit_arm_polled(driver);
	return found;
}

/* ---- the end ---- */

static bool is_complete(const plait__run_driver *driver)
{
	return driver->phase == DRAINING && driver->drains_left == 0 &&
	       driver->final_next == 2 * plan_of(driver)->lanes_count;
}

/* ---- a pass ---- */

void plait__run_driver_begin(plait__run_driver *driver)
{
	driver->phase = STARTING;
	driver->polled_count = 0;
	driver->polls_left = 0;
	driver->final_next = 0;
	driver->uses_fallback = false;
	driver->drains_left = driver->compiled->port_count;
	for (uint32_t i = 0; i < plan_of(driver)->lanes_count; i++) {
		plait__lane_progress *queue = &driver->lanes[i];

		queue->accepted = queue->refused = false;
		memset(queue->retries, 0, sizeof(queue->retries));
	}
	plait__external_begin_run(driver->compiled->program, driver->newest);
}

/* Returns false if devices cannot decide all their regions in this run.
 * Nothing of the instance is in flight. */
static bool prepare_device_loops(plait__run_driver *driver)
{
	plait_error why = { .size = sizeof(why) };
	bool whole = true;

	if (!driver->compiled->has_device_loops ||
	    plait__run_driver_is_stopped(driver))
		return true;
	if (driver->loops_stopped)
		plait__device_graphs_stop(&driver->state, false);
	driver->loops_stopped = false;
	if (plait__device_graphs_prepare(&driver->state, &whole, &why) !=
	    PLAIT_OK)
		plait__instance_stop(driver->instance, &why);
	return whole || plait__run_driver_is_stopped(driver);
}

/* The recursion ends: the program of a fallback driver has no region on a
 * device. */
static void begin_run(plait__run_driver *driver)
{
	plait_error why = { .size = sizeof(why) };
	plait__run_driver *fallback;

	driver->phase = RUNNING;
	if (driver->loss.status != PLAIT_OK)
		plait__instance_stop(driver->instance, &driver->loss);
	plait__launch_variants_renew(&driver->state);
	if (!prepare_device_loops(driver)) {
		plait__launch_variants_release(&driver->state);
		if (plait__host_fallback_get(driver, &fallback, &why) ==
		    PLAIT_OK) {
			driver->uses_fallback = true;
			plait__log_decisions(fallback->compiled);
			plait__run_driver_begin(fallback);
			begin_run(fallback);
			return;
		}
		plait__instance_stop(driver->instance, &why);
	}
	begin_body(driver, 0);
	advance_body(driver, 0);
}

/* is_complete has returned true: nothing is in flight. */
static uint32_t end_run(plait__run_driver *driver)
{
	if (plait__run_driver_is_stopped(driver))
		plait__submit_recover(driver);
	if (driver->compiled->records)
		plait__record_times_end(driver);
	plait__launch_variants_release(&driver->state);
	return PLAIT__PROGRESS_DONE;
}

/* Caller is the driver of the run's pollable. */
static uint32_t advance(plait__run_driver *driver)
{
	bool found;

	driver->retrying = false;
	read_notes(driver);
	plait__stop_device_loops(driver);
	found = driver->polled_count > 0 && poll_listeners(driver);
	if (driver->phase == DRAINING)
		plait__drain_queues(driver);
	plait__submit_flush(driver);
	/* The resources of an abandoned run must not be touched, but for
	 * stopping loops on devices. */
	if (at_load_relaxed_u32(&driver->instance->abandoned) != 0) {
		plait__stop_device_loops(driver);
		return PLAIT__PROGRESS_DONE;
	}
	if (is_complete(driver))
		return end_run(driver);
	if (driver->retrying)
		return PLAIT__PROGRESS_RETRYING;
	if (driver->polled_count == 0)
		return PLAIT__PROGRESS_WAITING;
	return found ? PLAIT__PROGRESS_POLLED : PLAIT__PROGRESS_POLLING;
}

uint32_t plait__run_driver_advance(plait__pollable *pollable)
{
	plait__run_driver *driver = (plait__run_driver *)(void *)pollable;

	if (driver->phase == STARTING)
		begin_run(driver);
	return advance(driver->uses_fallback ?
			       at_load_acquire_ptr(&driver->fallback) :
			       driver);
}
