/* SPDX-License-Identifier: MIT */
/*
 * Carrying out a run on queues.  The driver submits all that can be, and is
 * told when the host has to do something: a region to be decided, a command
 * of another backend to be waited for, the end.
 *
 * A region: its home lane waits for what the region's command waits for, and
 * asks the predicate; when that has come the driver decides and submits the
 * body; behind it the home lane waits for the exits and asks again.  So there
 * is one hop through the host per iteration, and no iteration begins before
 * all of the last one is done.  Meanwhile everything else goes on.
 *
 * What needs somebody else the driver begins, too; it is told when that has
 * happened, by them or by who stops the run.
 *
 * After a failure or a cancellation nothing is submitted any more, but for the
 * ends of the lanes, which tell when nothing is in flight.  Loops that devices
 * decide are told to end.
 */
#include "run/queue/queue_engine.h"

#include "base/error.h"

#include <string.h>

enum {
	STARTING = 0,
	RUNNING = 1,
	DRAINING = 2
};

static bool is_stopped(const plait__queue_instance *state)
{
	/* Relaxed: it never goes back during a run. */
	return at_load_relaxed_u32(&state->instance->stop) != 0;
}

static const plait__plan *plan_of(const plait__queue_instance *state)
{
	return state->compiled->program->plan;
}

/* ---- submitting ---- */

static void fail_batch(plait__queue_instance *state, uint32_t number,
		       plait_error *why)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_batch *batch =
		(const plait__queue_batch *)compiled->batches.items + number;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)compiled->submissions.items +
		batch->submission_first;
	const plait__plan *plan = plan_of(state);
	/* Marks are numbered as work is; those of lanes come behind. */
	uint32_t command = submission->work_count > 0 ?
		plait__queue_program_at(&compiled->work, submission->work_first) :
		submission->mark;

	if (command != PLAIT__NONE && command >= plan->command_count)
		command = command - plan->command_count < plan->regions_count ?
			plan->regions[command - plan->command_count].command :
			PLAIT__NONE;
	plait__error_prefix(why, "could not be submitted: ");
	if (command != PLAIT__NONE)
		plait__instance_fail(state->instance, command, why);
	else
		plait__instance_stop(state->instance, why);
}

/* What it is now; false: the run was stopped, now or before. */
static bool prepare_batch(plait__queue_instance *state, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (is_stopped(state))
		return false;
	plait__launch_variants_bind(state, batch);
	if (!is_stopped(state) &&
	    plait__device_graphs_update(state, batch, &why) != PLAIT_OK)
		fail_batch(state, batch, &why);
	return !is_stopped(state);
}

static void submit_prepared(plait__queue_instance *state, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (plait__submit_batch(state, batch, &why) != PLAIT_OK)
		fail_batch(state, batch, &why);
	else if (state->compiled->records)
		plait__record_times_subscribe(state, batch);
}

/* False: the run was stopped, now or before. */
static bool submit_batches(plait__queue_instance *state, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count && prepare_batch(state, i); i++)
		submit_prepared(state, i);
	return !is_stopped(state);
}

/* ---- items ---- */

static void make_ready(plait__queue_instance *state, uint32_t stage)
{
	uint32_t body = plait__queue_program_stage(state->compiled, stage)->body;
	plait__running_body *frame = &state->running[body];

	state->ready[state->compiled->bodies[body].stage_first + frame->ready_last++] =
		stage;
}

static void end_stage(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_stage *stage = plait__queue_program_stage(compiled, number);

	state->running[stage->body].stages_left--;
	for (uint32_t i = 0; i < stage->successor_count; i++) {
		uint32_t next = plait__queue_program_at(&compiled->successors,
							stage->successor_first + i);

		if (--state->pending[next] == 0)
			make_ready(state, next);
	}
}

/* From one of its batches on; false: it goes on behind a walk. */
static bool submit_chunk(plait__queue_instance *state, uint32_t number,
		     uint32_t first)
{
	const plait__queue_stage *stage = plait__queue_program_stage(state->compiled,
								     number);
	uint32_t end_run = stage->batch_first + stage->batch_count;

	for (uint32_t i = first; i < end_run && prepare_batch(state, i); i++) {
		uint32_t segment = plait__segment_fallback_find(state, i);

		if (segment == PLAIT__NONE) {
			submit_prepared(state, i);
			continue;
		}
		state->graphs[segment].stage = number;
		state->graphs[segment].batch = i;
		if (!plait__segment_fallback_begin(state, segment))
			return false;
	}
	end_stage(state, number);
	return true;
}

/* False: its listener will tell. */
static bool step_external(plait__queue_instance *state, uint32_t lane,
		       uint32_t command)
{
	uint32_t number = state->compiled->lanes[lane].external;

	return plait__external_step(&state->externals[number].external, command);
}

/* Do it, or go on with it. */
static void advance_external(plait__queue_instance *state, uint32_t number)
{
	uint32_t command = plait__queue_program_stage(state->compiled, number)->link;

	if (!step_external(state, plan_of(state)->commands[command].lane, command))
		return;
	if (state->compiled->records)
		plait__record_times_end_external(state, command);
	end_stage(state, number);
}

static void begin_external(plait__queue_instance *state, uint32_t number)
{
	uint32_t command = plait__queue_program_stage(state->compiled, number)->link;
	uint32_t lane = plan_of(state)->commands[command].lane;

	if (is_stopped(state)) {
		end_stage(state, number);
		return;
	}
	state->externals[state->compiled->lanes[lane].external].stage = number;
	if (state->compiled->records)
		plait__record_times_begin_external(state, command);
	advance_external(state, number);
}


/* Behind all that it comes behind; it may be over at once. */
static void begin_stage(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_stage *stage = plait__queue_program_stage(compiled, number);
	const plait__queue_region *region;

	switch (stage->kind) {
	case PLAIT__STAGE_CHUNK:
		(void)submit_chunk(state, number, stage->batch_first);
		return;
	case PLAIT__STAGE_REGION:
		region = &compiled->regions[stage->link];
		state->current_body[stage->link] = PLAIT__NONE;
		if (submit_batches(state, region->enter_first, region->enter_count))
			plait__submit_subscribe(state, stage->link);
		else
			end_stage(state, number);
		return;
	case PLAIT__STAGE_EXTERNAL:
		begin_external(state, number);
		return;
	default:
		if (!is_stopped(state))
			plait__submit_subscribe(state, plan_of(state)->regions_count +
							   stage->listener);
		else
			end_stage(state, number);
		return;
	}
}

/* ---- bodies and regions ---- */

static void begin_body(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_body *body = &state->compiled->bodies[number];

	state->running[number] = (plait__running_body){
		.stages_left = body->stage_count
	};
	if (state->compiled->records)
		plait__record_times_begin_body(state, number);
	for (uint32_t i = 0; i < body->stage_count; i++) {
		uint32_t stage = body->stage_first + i;

		state->pending[stage] =
			plait__queue_program_stage(state->compiled, stage)->predecessors;
		if (state->pending[stage] == 0)
			make_ready(state, stage);
	}
}

static void leave_region(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_region *region = &state->compiled->regions[number];

	state->current_body[number] = PLAIT__NONE;
	(void)submit_batches(state, region->leave_first, region->leave_count);
	end_stage(state, region->stage);
}

/* All that can be begun, in this body and in those around it. */
static void advance_body(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *compiled = state->compiled;
	plait__running_body *frame;
	uint32_t region;

	for (;;) {
		frame = &state->running[number];
		while (frame->ready_first < frame->ready_last)
			begin_stage(state, state->ready[
				compiled->bodies[number].stage_first +
				frame->ready_first++]);
		if (frame->stages_left > 0)
			return;
		if (state->compiled->records)
			plait__record_times_put_body(state, number);
		region = plan_of(state)->bodies[number].region;
		if (region == PLAIT__NONE) {
			state->phase = DRAINING;
			return;
		}
		if (submit_batches(state, compiled->bodies[number].end, 1)) {
			plait__submit_subscribe(state, region);
			return;
		}
		leave_region(state, region);
		number = compiled->regions[region].outer_body;
	}
}

/* What comes now: a body, or none; `again`: a body was done. */
static uint32_t next_body(const plait__queue_instance *state, uint32_t number,
		       bool again)
{
	const plait__plan_region *region = &plan_of(state)->regions[number];
	uint32_t word = state->predicates[number].word;

	if (is_stopped(state))
		return PLAIT__NONE;
	if (region->kind == PLAIT__REGION_CASE)
		return !again && word < region->body_count ?
		       region->body_first + word : PLAIT__NONE;
	if (region->kind == PLAIT__REGION_DO && !again)
		return region->body_first;
	return word != 0 ? region->body_first : PLAIT__NONE;
}

/* The number of the iteration that begins, or how many there were. */
static void count_iteration(plait__queue_instance *state, uint32_t number,
			    bool again)
{
	uint64_t *iterations = state->instance->frame.iterations;
	uint32_t outer = state->compiled->regions[number].outer;
	bool is_case = plan_of(state)->regions[number].kind ==
		       PLAIT__REGION_CASE;

	if (is_case && outer != PLAIT__NONE) {
		iterations[number] = iterations[outer];
	} else if (again && !is_case) {
		iterations[number]++;
		state->instance->iterations++;
	} else {
		iterations[number] = 0;
	}
}

/* Has the owner of an inbox to say it now? */
static bool owner_decides(const plait__queue_instance *state, uint32_t number,
		       bool again)
{
	uint32_t kind = plan_of(state)->regions[number].kind;

	return state->compiled->regions[number].owner_decides &&
	       kind != (again ? PLAIT__REGION_CASE : PLAIT__REGION_DO);
}

/* False: it was not said yet. */
static bool ask_inbox_owner(plait__queue_instance *state, uint32_t number)
{
	uint32_t lane = state->compiled->regions[number].home;
	plait__queue_external *asks =
		&state->externals[state->compiled->lanes[lane].external];

	asks->stage = PLAIT__NONE;
	asks->region = number;
	if (!step_external(state, lane, plan_of(state)->regions[number].command))
		return false;
	state->predicates[number].word = asks->external.word;
	return true;
}

uint32_t plait__run_driver_decide(plait__queue_instance *state, uint32_t number,
				  bool again)
{
	uint32_t body = next_body(state, number, again);

	count_iteration(state, number, again);
	return body;
}

/* Of a segment that is walked. */
static void resume_fallback(plait__queue_instance *state, uint32_t number)
{
	uint32_t segment = state->compiled->segment_of[
		plan_of(state)->regions[number].command];
	const plait__device_graph *graph = &state->graphs[segment];
	uint32_t stage = graph->stage;

	if (plait__segment_fallback_resume(state, segment, number) &&
	    submit_chunk(state, stage, graph->batch + 1))
		advance_body(state, plait__queue_program_stage(state->compiled, stage)->body);
}

/* What comes before a decision has come; and what was asked is answered. */
static void advance_region(plait__queue_instance *state, uint32_t number)
{
	bool again = state->current_body[number] != PLAIT__NONE;
	uint32_t body;

	if (state->compiled->regions[number].on_device) {
		resume_fallback(state, number);
		return;
	}
	if (owner_decides(state, number, again) && !ask_inbox_owner(state, number))
		return;
	body = plait__run_driver_decide(state, number, again);
	if (state->compiled->records)
		plait__record_times_decision(state, number, body, again);
	state->current_body[number] = body;
	if (body != PLAIT__NONE) {
		begin_body(state, body);
		advance_body(state, body);
		return;
	}
	leave_region(state, number);
	advance_body(state, state->compiled->regions[number].outer_body);
}

/* ---- what comes ---- */

/* Somebody else has done something, or the run was stopped. */
static void external_advanced(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_external *lane = &state->externals[number];
	const plait__queue_stage *stage;

	if (lane->stage == PLAIT__NONE) {
		advance_region(state, lane->region);
		return;
	}
	stage = plait__queue_program_stage(state->compiled, lane->stage);
	advance_external(state, lane->stage);
	advance_body(state, stage->body);
}

static void handle_completion(plait__queue_instance *state, uint32_t number,
		 plait_status status)
{
	plait__queue_listener *listener = &state->listeners[number];
	uint32_t regions = plan_of(state)->regions_count;
	plait_error why = { .size = sizeof(why) };

	if (listener->polled)
		state->polled_count--;
	listener->polled = false;
	/* Calls tell it themselves, and sooner. */
	if (status < 0 && !is_stopped(state)) {
		plait__submit_explain(state, number, status, &why);
		plait__instance_stop(state->instance, &why);
	}
	if (number < regions) {
		advance_region(state, listener->link);
	} else if (number < regions + state->compiled->point_count) {
		end_stage(state, listener->link);
		advance_body(state, plait__queue_program_stage(state->compiled,
							listener->link)->body);
	} else if (number < plait__queue_program_mark_listeners(state->compiled)) {
		state->drains_left--;
	} else if (number < plait__queue_program_time_listener(state->compiled, 0)) {
		external_advanced(state, listener->link);
	} else {
		advance_body(state, plait__record_times_completed(state, number, status));
	}
}

static void read_notes(plait__queue_instance *state)
{
	plait__progress_note *note = plait__progress_take_notes(
		state->instance->program->context, state->note_target);
	plait__progress_note *next;

	for (; note != NULL; note = next) {
		plait__queue_listener *listener = (plait__queue_listener *)(void *)note;

		next = note->next;
		if (listener->mark == PLAIT__NONE)
			plait__device_loops_ack_stop(state);
		else
			handle_completion(state, (uint32_t)(listener - state->listeners),
			     note->status);
	}
}

static void poll_listeners(plait__queue_instance *state)
{
	uint32_t count = plait__queue_program_listener_count(state->compiled);
	plait_status status;

	for (uint32_t i = 0; state->polled_count > 0 && i < count; i++)
		if (state->listeners[i].polled &&
		    plait__submit_poll(state, i, &status))
			handle_completion(state, i, status);
}

/* ---- the end ---- */

static bool is_complete(const plait__queue_instance *state)
{
	return state->phase == DRAINING && state->drains_left == 0 &&
	       state->final_next == 2 * plan_of(state)->lanes_count;
}

/* ---- turns ---- */

void plait__run_driver_begin(plait__queue_instance *state)
{
	state->phase = STARTING;
	state->polled_count = 0;
	state->final_next = 0;
	state->uses_host_decided = false;
	state->drains_left = state->compiled->port_count;
	for (uint32_t i = 0; i < plan_of(state)->lanes_count; i++) {
		plait__lane_queue *queue = &state->queues[i];

		queue->accepted = queue->refused = false;
		memset(queue->retries, 0, sizeof(queue->retries));
	}
	plait__external_begin_run(state->compiled->program, state->newest);
}

/* False: not all regions can be decided by their devices in this run. */
static bool prepare_device_loops(plait__queue_instance *state)
{
	plait_error why = { .size = sizeof(why) };
	bool whole = true;

	if (!state->compiled->has_device_loops || is_stopped(state))
		return true;
	if (state->loops_stopped)
		plait__device_graphs_stop(state, false);
	state->loops_stopped = false;
	if (plait__device_graphs_prepare(state, &whole, &why) != PLAIT_OK)
		plait__instance_stop(state->instance, &why);
	return whole || is_stopped(state);
}

static void begin_run(plait__queue_instance *state)
{
	plait_error why = { .size = sizeof(why) };
	plait__queue_instance *decider;

	state->phase = RUNNING;
	if (state->loss.status != PLAIT_OK)
		plait__instance_stop(state->instance, &state->loss);
	plait__launch_variants_renew(state);
	if (!prepare_device_loops(state)) {
		plait__launch_variants_release(state);
		if (plait__queue_engine_host_decided(state, &decider, &why) == PLAIT_OK) {
			state->uses_host_decided = true;
			plait__log_decisions(decider->compiled);
			plait__run_driver_begin(decider);
			begin_run(decider);
			return;
		}
		plait__instance_stop(state->instance, &why);
	}
	begin_body(state, 0);
	advance_body(state, 0);
}

static uint32_t end_run(plait__queue_instance *state)
{
	if (is_stopped(state))
		plait__submit_recover(state);
	if (state->compiled->records)
		plait__record_times_end(state);
	plait__launch_variants_release(state);
	return PLAIT__PROGRESS_DONE;
}

static uint32_t advance(plait__queue_instance *state)
{
	state->retrying = false;
	read_notes(state);
	plait__stop_device_loops(state);
	if (state->polled_count > 0)
		poll_listeners(state);
	if (state->phase == DRAINING)
		plait__drain_queues(state);
	plait__submit_flush(state);
	/* Nothing that it has may be touched but what stops a loop. */
	if (at_load_relaxed_u32(&state->instance->abandoned) != 0) {
		plait__stop_device_loops(state);
		return PLAIT__PROGRESS_DONE;
	}
	if (is_complete(state))
		return end_run(state);
	if (state->retrying)
		return PLAIT__PROGRESS_RETRYING;
	return state->polled_count > 0 ? PLAIT__PROGRESS_POLLING : PLAIT__PROGRESS_WAITING;
}

uint32_t plait__run_driver_advance(plait__pollable *pollable)
{
	plait__queue_instance *state = (plait__queue_instance *)(void *)pollable;

	if (state->phase == STARTING)
		begin_run(state);
	return advance(state->uses_host_decided ? at_load_acquire_ptr(&state->host_decided) :
				     state);
}
