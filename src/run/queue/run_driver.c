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
	BEGINS = 0,
	RUNS = 1,
	ENDS = 2
};

static bool stopped(const plait__queue_instance *state)
{
	/* Relaxed: it never goes back during a run. */
	return at_load_relaxed_u32(&state->instance->stop) != 0;
}

static const plait__plan *plan_of(const plait__queue_instance *state)
{
	return state->queued->program->plan;
}

/* ---- submitting ---- */

static void fail_batch(plait__queue_instance *state, uint32_t number,
		       plait_error *why)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_batch *batch =
		(const plait__queue_batch *)queued->batches.items + number;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)queued->submissions.items +
		batch->submission_first;
	const plait__plan *plan = plan_of(state);
	/* Marks are numbered as work is; those of lanes come behind. */
	uint32_t command = submission->work_count > 0 ?
		plait__queue_program_at(&queued->work, submission->work_first) :
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
static bool freshen(plait__queue_instance *state, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (stopped(state))
		return false;
	plait__launch_variants_bind(state, batch);
	if (!stopped(state) &&
	    plait__device_graphs_update(state, batch, &why) != PLAIT_OK)
		fail_batch(state, batch, &why);
	return !stopped(state);
}

static void submit_one(plait__queue_instance *state, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (plait__submit_batch(state, batch, &why) != PLAIT_OK)
		fail_batch(state, batch, &why);
	else if (state->queued->records)
		plait__record_times_subscribe(state, batch);
}

/* False: the run was stopped, now or before. */
static bool submit(plait__queue_instance *state, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count && freshen(state, i); i++)
		submit_one(state, i);
	return !stopped(state);
}

/* ---- items ---- */

static void make_ready(plait__queue_instance *state, uint32_t stage)
{
	uint32_t body = plait__queue_program_stage(state->queued, stage)->body;
	plait__running_body *frame = &state->frames[body];

	state->ready[state->queued->bodies[body].item_first + frame->last++] =
		stage;
}

static void end_item(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_stage *stage = plait__queue_program_stage(queued, number);

	state->frames[stage->body].left--;
	for (uint32_t i = 0; i < stage->next_count; i++) {
		uint32_t next = plait__queue_program_at(&queued->nexts,
							stage->next_first + i);

		if (--state->before[next] == 0)
			make_ready(state, next);
	}
}

/* From one of its batches on; false: it goes on behind a walk. */
static bool go_chunk(plait__queue_instance *state, uint32_t number,
		     uint32_t first)
{
	const plait__queue_stage *stage = plait__queue_program_stage(state->queued,
								     number);
	uint32_t end = stage->batch_first + stage->batch_count;

	for (uint32_t i = first; i < end && freshen(state, i); i++) {
		uint32_t lost = plait__segment_fallback_find(state, i);

		if (lost == PLAIT__NONE) {
			submit_one(state, i);
			continue;
		}
		state->frozen[lost].stage = number;
		state->frozen[lost].batch = i;
		if (!plait__segment_fallback_begin(state, lost))
			return false;
	}
	end_item(state, number);
	return true;
}

/* False: its cell will tell. */
static bool do_outside(plait__queue_instance *state, uint32_t lane,
		       uint32_t command)
{
	uint32_t number = state->queued->lanes[lane].external;

	return plait__external_step(&state->externals[number].external, command);
}

/* Do it, or go on with it. */
static void go_outside(plait__queue_instance *state, uint32_t number)
{
	uint32_t command = plait__queue_program_stage(state->queued, number)->link;

	if (!do_outside(state, plan_of(state)->commands[command].lane, command))
		return;
	if (state->queued->records)
		plait__record_times_end_external(state, command);
	end_item(state, number);
}

static void begin_outside(plait__queue_instance *state, uint32_t number)
{
	uint32_t command = plait__queue_program_stage(state->queued, number)->link;
	uint32_t lane = plan_of(state)->commands[command].lane;

	if (stopped(state)) {
		end_item(state, number);
		return;
	}
	state->externals[state->queued->lanes[lane].external].stage = number;
	if (state->queued->records)
		plait__record_times_begin_external(state, command);
	go_outside(state, number);
}


/* Behind all that it comes behind; it may be over at once. */
static void begin_item(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_stage *stage = plait__queue_program_stage(queued, number);
	const plait__queue_region *region;

	switch (stage->kind) {
	case PLAIT__STAGE_CHUNK:
		(void)go_chunk(state, number, stage->batch_first);
		return;
	case PLAIT__STAGE_REGION:
		region = &queued->regions[stage->link];
		state->body_of[stage->link] = PLAIT__NONE;
		if (submit(state, region->enter_first, region->enter_count))
			plait__submit_subscribe(state, stage->link);
		else
			end_item(state, number);
		return;
	case PLAIT__STAGE_EXTERNAL:
		begin_outside(state, number);
		return;
	default:
		if (!stopped(state))
			plait__submit_subscribe(state, plan_of(state)->regions_count +
							   stage->cell);
		else
			end_item(state, number);
		return;
	}
}

/* ---- bodies and regions ---- */

static void begin_body(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_body *body = &state->queued->bodies[number];

	state->frames[number] = (plait__running_body){
		.left = body->item_count
	};
	if (state->queued->records)
		plait__record_times_begin_body(state, number);
	for (uint32_t i = 0; i < body->item_count; i++) {
		uint32_t stage = body->item_first + i;

		state->before[stage] =
			plait__queue_program_stage(state->queued, stage)->before;
		if (state->before[stage] == 0)
			make_ready(state, stage);
	}
}

static void leave(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_region *region = &state->queued->regions[number];

	state->body_of[number] = PLAIT__NONE;
	(void)submit(state, region->leave_first, region->leave_count);
	end_item(state, region->stage);
}

/* All that can be begun, in this body and in those around it. */
static void go_on(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *queued = state->queued;
	plait__running_body *frame;
	uint32_t region;

	for (;;) {
		frame = &state->frames[number];
		while (frame->first < frame->last)
			begin_item(state, state->ready[
				queued->bodies[number].item_first +
				frame->first++]);
		if (frame->left > 0)
			return;
		if (state->queued->records)
			plait__record_times_put_body(state, number);
		region = plan_of(state)->bodies[number].region;
		if (region == PLAIT__NONE) {
			state->phase = ENDS;
			return;
		}
		if (submit(state, queued->bodies[number].end, 1)) {
			plait__submit_subscribe(state, region);
			return;
		}
		leave(state, region);
		number = queued->regions[region].outer_body;
	}
}

/* What comes now: a body, or none; `again`: a body was done. */
static uint32_t choose(const plait__queue_instance *state, uint32_t number,
		       bool again)
{
	const plait__plan_region *region = &plan_of(state)->regions[number];
	uint32_t word = state->predicates[number].word;

	if (stopped(state))
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
	uint32_t outer = state->queued->regions[number].outer;
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
static bool asks_owner(const plait__queue_instance *state, uint32_t number,
		       bool again)
{
	uint32_t kind = plan_of(state)->regions[number].kind;

	return state->queued->regions[number].asks_owner &&
	       kind != (again ? PLAIT__REGION_CASE : PLAIT__REGION_DO);
}

/* False: it was not said yet. */
static bool ask_owner(plait__queue_instance *state, uint32_t number)
{
	uint32_t lane = state->queued->regions[number].home;
	plait__queue_external *asks =
		&state->externals[state->queued->lanes[lane].external];

	asks->stage = PLAIT__NONE;
	asks->region = number;
	if (!do_outside(state, lane, plan_of(state)->regions[number].command))
		return false;
	state->predicates[number].word = asks->external.word;
	return true;
}

uint32_t plait__run_driver_decide(plait__queue_instance *state, uint32_t number,
				  bool again)
{
	uint32_t body = choose(state, number, again);

	count_iteration(state, number, again);
	return body;
}

/* Of a segment that is walked. */
static void resume_walk(plait__queue_instance *state, uint32_t number)
{
	uint32_t segment = state->queued->segment_of[
		plan_of(state)->regions[number].command];
	const plait__device_graph *frozen = &state->frozen[segment];
	uint32_t stage = frozen->stage;

	if (plait__segment_fallback_resume(state, segment, number) &&
	    go_chunk(state, stage, frozen->batch + 1))
		go_on(state, plait__queue_program_stage(state->queued, stage)->body);
}

/* What comes before a decision has come; and what was asked is answered. */
static void resume(plait__queue_instance *state, uint32_t number)
{
	bool again = state->body_of[number] != PLAIT__NONE;
	uint32_t body;

	if (state->queued->regions[number].frozen) {
		resume_walk(state, number);
		return;
	}
	if (asks_owner(state, number, again) && !ask_owner(state, number))
		return;
	body = plait__run_driver_decide(state, number, again);
	if (state->queued->records)
		plait__record_times_decision(state, number, body, again);
	state->body_of[number] = body;
	if (body != PLAIT__NONE) {
		begin_body(state, body);
		go_on(state, body);
		return;
	}
	leave(state, number);
	go_on(state, state->queued->regions[number].outer_body);
}

/* ---- what comes ---- */

/* Somebody else has done something, or the run was stopped. */
static void come_outside(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_external *lane = &state->externals[number];
	const plait__queue_stage *stage;

	if (lane->stage == PLAIT__NONE) {
		resume(state, lane->region);
		return;
	}
	stage = plait__queue_program_stage(state->queued, lane->stage);
	go_outside(state, lane->stage);
	go_on(state, stage->body);
}

static void come(plait__queue_instance *state, uint32_t number,
		 plait_status status)
{
	plait__queue_listener *cell = &state->listeners[number];
	uint32_t regions = plan_of(state)->regions_count;
	plait_error why = { .size = sizeof(why) };

	if (cell->polled)
		state->polled_count--;
	cell->polled = false;
	/* Calls tell it themselves, and sooner. */
	if (status < 0 && !stopped(state)) {
		plait__submit_explain(state, number, status, &why);
		plait__instance_stop(state->instance, &why);
	}
	if (number < regions) {
		resume(state, cell->link);
	} else if (number < regions + state->queued->point_count) {
		end_item(state, cell->link);
		go_on(state, plait__queue_program_stage(state->queued,
							cell->link)->body);
	} else if (number < plait__queue_program_mark_listeners(state->queued)) {
		state->drains_left--;
	} else if (number < plait__queue_program_time_listener(state->queued, 0)) {
		come_outside(state, cell->link);
	} else {
		go_on(state, plait__record_times_completed(state, number, status));
	}
}

static void read_notes(plait__queue_instance *state)
{
	plait__progress_note *note = plait__progress_take_notes(
		state->instance->program->context, state->pilot);
	plait__progress_note *next;

	for (; note != NULL; note = next) {
		plait__queue_listener *cell = (plait__queue_listener *)(void *)note;

		next = note->next;
		if (cell->mark == PLAIT__NONE)
			plait__device_loops_ack_stop(state);
		else
			come(state, (uint32_t)(cell - state->listeners),
			     note->status);
	}
}

static void look(plait__queue_instance *state)
{
	uint32_t count = plait__queue_program_listener_count(state->queued);
	plait_status status;

	for (uint32_t i = 0; state->polled_count > 0 && i < count; i++)
		if (state->listeners[i].polled &&
		    plait__submit_poll(state, i, &status))
			come(state, i, status);
}

/* ---- the end ---- */

static bool is_through(const plait__queue_instance *state)
{
	return state->phase == ENDS && state->drains_left == 0 &&
	       state->final_next == 2 * plan_of(state)->lanes_count;
}

/* ---- turns ---- */

void plait__run_driver_begin(plait__queue_instance *state)
{
	state->phase = BEGINS;
	state->polled_count = 0;
	state->final_next = 0;
	state->decides = false;
	state->drains_left = state->queued->port_count;
	for (uint32_t i = 0; i < plan_of(state)->lanes_count; i++) {
		plait__lane_queue *queue = &state->queues[i];

		queue->taken = queue->refuses = false;
		memset(queue->retries, 0, sizeof(queue->retries));
	}
	plait__external_begin_run(state->queued->program, state->newest);
}

/* False: not all regions can be decided by their devices in this run. */
static bool can_run(plait__queue_instance *state)
{
	plait_error why = { .size = sizeof(why) };
	bool whole = true;

	if (!state->queued->has_loops || stopped(state))
		return true;
	if (state->loops_stopped)
		plait__device_graphs_stop(state, false);
	state->loops_stopped = false;
	if (plait__device_graphs_prepare(state, &whole, &why) != PLAIT_OK)
		plait__instance_stop(state->instance, &why);
	return whole || stopped(state);
}

static void begin(plait__queue_instance *state)
{
	plait_error why = { .size = sizeof(why) };
	plait__queue_instance *decider;

	state->phase = RUNS;
	if (state->loss.status != PLAIT_OK)
		plait__instance_stop(state->instance, &state->loss);
	plait__launch_variants_renew(state);
	if (!can_run(state)) {
		plait__launch_variants_release(state);
		if (plait__queue_engine_host_decided(state, &decider, &why) == PLAIT_OK) {
			state->decides = true;
			plait__log_decisions(decider->queued);
			plait__run_driver_begin(decider);
			begin(decider);
			return;
		}
		plait__instance_stop(state->instance, &why);
	}
	begin_body(state, 0);
	go_on(state, 0);
}

static uint32_t end(plait__queue_instance *state)
{
	if (stopped(state))
		plait__submit_recover(state);
	if (state->queued->records)
		plait__record_times_end(state);
	plait__launch_variants_release(state);
	return PLAIT__PROGRESS_DONE;
}

static uint32_t turn(plait__queue_instance *state)
{
	state->tries = false;
	read_notes(state);
	plait__stop_device_loops(state);
	if (state->polled_count > 0)
		look(state);
	if (state->phase == ENDS)
		plait__drain_queues(state);
	plait__submit_flush(state);
	/* Nothing that it has may be touched but what stops a loop. */
	if (at_load_relaxed_u32(&state->instance->abandoned) != 0) {
		plait__stop_device_loops(state);
		return PLAIT__PROGRESS_DONE;
	}
	if (is_through(state))
		return end(state);
	if (state->tries)
		return PLAIT__PROGRESS_RETRYING;
	return state->polled_count > 0 ? PLAIT__PROGRESS_POLLING : PLAIT__PROGRESS_WAITING;
}

uint32_t plait__run_driver_advance(plait__pollable *piloted)
{
	plait__queue_instance *state = (plait__queue_instance *)(void *)piloted;

	if (state->phase == BEGINS)
		begin(state);
	return turn(state->decides ? at_load_acquire_ptr(&state->decider) :
				     state);
}
