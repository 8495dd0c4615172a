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

static bool stopped(const plait__queued_state *state)
{
	/* Relaxed: it never goes back during a run. */
	return at_load_relaxed_u32(&state->instance->stop) != 0;
}

static const plait__plan *plan_of(const plait__queued_state *state)
{
	return state->queued->program->plan;
}

/* ---- submitting ---- */

static void fail_batch(plait__queued_state *state, uint32_t number,
		       plait_error *why)
{
	const plait__queued *queued = state->queued;
	const plait__queued_batch *batch =
		(const plait__queued_batch *)queued->batches.items + number;
	const plait__queued_stretch *stretch =
		(const plait__queued_stretch *)queued->stretches.items +
		batch->stretch_first;
	const plait__plan *plan = plan_of(state);
	/* Marks are numbered as work is; those of lanes come behind. */
	uint32_t command = stretch->work_count > 0 ?
		plait__queued_at(&queued->work, stretch->work_first) :
		stretch->mark;

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
static bool freshen(plait__queued_state *state, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (stopped(state))
		return false;
	plait__queued_bind(state, batch);
	if (!stopped(state) &&
	    plait__queued_freshen(state, batch, &why) != PLAIT_OK)
		fail_batch(state, batch, &why);
	return !stopped(state);
}

static void submit_one(plait__queued_state *state, uint32_t batch)
{
	plait_error why = { .size = sizeof(why) };

	if (plait__queued_submit(state, batch, &why) != PLAIT_OK)
		fail_batch(state, batch, &why);
	else if (state->queued->records)
		plait__queued_watch_batch(state, batch);
}

/* False: the run was stopped, now or before. */
static bool submit(plait__queued_state *state, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count && freshen(state, i); i++)
		submit_one(state, i);
	return !stopped(state);
}

/* ---- items ---- */

static void make_ready(plait__queued_state *state, uint32_t item)
{
	uint32_t body = plait__queued_item_at(state->queued, item)->body;
	plait__queued_frame *frame = &state->frames[body];

	state->ready[state->queued->bodies[body].item_first + frame->last++] =
		item;
}

static void end_item(plait__queued_state *state, uint32_t number)
{
	const plait__queued *queued = state->queued;
	const plait__queued_item *item = plait__queued_item_at(queued, number);

	state->frames[item->body].left--;
	for (uint32_t i = 0; i < item->next_count; i++) {
		uint32_t next = plait__queued_at(&queued->nexts,
						 item->next_first + i);

		if (--state->before[next] == 0)
			make_ready(state, next);
	}
}

/* From one of its batches on; false: it goes on behind a walk. */
static bool go_chunk(plait__queued_state *state, uint32_t number,
		     uint32_t first)
{
	const plait__queued_item *item = plait__queued_item_at(state->queued,
							       number);
	uint32_t end = item->batch_first + item->batch_count;

	for (uint32_t i = first; i < end && freshen(state, i); i++) {
		uint32_t lost = plait__queued_find_lost(state, i);

		if (lost == PLAIT__NONE) {
			submit_one(state, i);
			continue;
		}
		state->frozen[lost].item = number;
		state->frozen[lost].batch = i;
		if (!plait__queued_begin_walk(state, lost))
			return false;
	}
	end_item(state, number);
	return true;
}

/* False: its cell will tell. */
static bool do_outside(plait__queued_state *state, uint32_t lane,
		       uint32_t command)
{
	uint32_t number = state->queued->lanes[lane].outside;

	return plait__outside_step(&state->outsides[number].outside, command);
}

/* Do it, or go on with it. */
static void go_outside(plait__queued_state *state, uint32_t number)
{
	uint32_t command = plait__queued_item_at(state->queued, number)->link;

	if (!do_outside(state, plan_of(state)->commands[command].lane, command))
		return;
	if (state->queued->records)
		plait__queued_end_outside(state, command);
	end_item(state, number);
}

static void begin_outside(plait__queued_state *state, uint32_t number)
{
	uint32_t command = plait__queued_item_at(state->queued, number)->link;
	uint32_t lane = plan_of(state)->commands[command].lane;

	if (stopped(state)) {
		end_item(state, number);
		return;
	}
	state->outsides[state->queued->lanes[lane].outside].item = number;
	if (state->queued->records)
		plait__queued_begin_outside(state, command);
	go_outside(state, number);
}


/* Behind all that it comes behind; it may be over at once. */
static void begin_item(plait__queued_state *state, uint32_t number)
{
	const plait__queued *queued = state->queued;
	const plait__queued_item *item = plait__queued_item_at(queued, number);
	const plait__queued_region *region;

	switch (item->kind) {
	case PLAIT__ITEM_CHUNK:
		(void)go_chunk(state, number, item->batch_first);
		return;
	case PLAIT__ITEM_REGION:
		region = &queued->regions[item->link];
		state->body_of[item->link] = PLAIT__NONE;
		if (submit(state, region->enter_first, region->enter_count))
			plait__queued_await(state, item->link);
		else
			end_item(state, number);
		return;
	case PLAIT__ITEM_OUTSIDE:
		begin_outside(state, number);
		return;
	default:
		if (!stopped(state))
			plait__queued_await(state, plan_of(state)->regions_count +
							   item->cell);
		else
			end_item(state, number);
		return;
	}
}

/* ---- bodies and regions ---- */

static void begin_body(plait__queued_state *state, uint32_t number)
{
	const plait__queued_body *body = &state->queued->bodies[number];

	state->frames[number] = (plait__queued_frame){
		.left = body->item_count
	};
	if (state->queued->records)
		plait__queued_begin_watch(state, number);
	for (uint32_t i = 0; i < body->item_count; i++) {
		uint32_t item = body->item_first + i;

		state->before[item] =
			plait__queued_item_at(state->queued, item)->before;
		if (state->before[item] == 0)
			make_ready(state, item);
	}
}

static void leave(plait__queued_state *state, uint32_t number)
{
	const plait__queued_region *region = &state->queued->regions[number];

	state->body_of[number] = PLAIT__NONE;
	(void)submit(state, region->leave_first, region->leave_count);
	end_item(state, region->item);
}

/* All that can be begun, in this body and in those around it. */
static void go_on(plait__queued_state *state, uint32_t number)
{
	const plait__queued *queued = state->queued;
	plait__queued_frame *frame;
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
			plait__queued_put_body(state, number);
		region = plan_of(state)->bodies[number].region;
		if (region == PLAIT__NONE) {
			state->phase = ENDS;
			return;
		}
		if (submit(state, queued->bodies[number].end, 1)) {
			plait__queued_await(state, region);
			return;
		}
		leave(state, region);
		number = queued->regions[region].outer_body;
	}
}

/* What comes now: a body, or none; `again`: a body was done. */
static uint32_t choose(const plait__queued_state *state, uint32_t number,
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
static void count_iteration(plait__queued_state *state, uint32_t number,
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
static bool asks_owner(const plait__queued_state *state, uint32_t number,
		       bool again)
{
	uint32_t kind = plan_of(state)->regions[number].kind;

	return state->queued->regions[number].asks_owner &&
	       kind != (again ? PLAIT__REGION_CASE : PLAIT__REGION_DO);
}

/* False: it was not said yet. */
static bool ask_owner(plait__queued_state *state, uint32_t number)
{
	uint32_t lane = state->queued->regions[number].home;
	plait__queued_outside *asks =
		&state->outsides[state->queued->lanes[lane].outside];

	asks->item = PLAIT__NONE;
	asks->region = number;
	if (!do_outside(state, lane, plan_of(state)->regions[number].command))
		return false;
	state->predicates[number].word = asks->outside.word;
	return true;
}

uint32_t plait__queued_decide(plait__queued_state *state, uint32_t number,
			      bool again)
{
	uint32_t body = choose(state, number, again);

	count_iteration(state, number, again);
	return body;
}

/* Of a segment that is walked. */
static void resume_walk(plait__queued_state *state, uint32_t number)
{
	uint32_t segment = state->queued->segment_of[
		plan_of(state)->regions[number].command];
	const plait__queued_frozen *frozen = &state->frozen[segment];
	uint32_t item = frozen->item;

	if (plait__queued_walk_on(state, segment, number) &&
	    go_chunk(state, item, frozen->batch + 1))
		go_on(state, plait__queued_item_at(state->queued, item)->body);
}

/* What comes before a decision has come; and what was asked is answered. */
static void resume(plait__queued_state *state, uint32_t number)
{
	bool again = state->body_of[number] != PLAIT__NONE;
	uint32_t body;

	if (state->queued->regions[number].frozen) {
		resume_walk(state, number);
		return;
	}
	if (asks_owner(state, number, again) && !ask_owner(state, number))
		return;
	body = plait__queued_decide(state, number, again);
	if (state->queued->records)
		plait__queued_note_decision(state, number, body, again);
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
static void come_outside(plait__queued_state *state, uint32_t number)
{
	const plait__queued_outside *lane = &state->outsides[number];
	const plait__queued_item *item;

	if (lane->item == PLAIT__NONE) {
		resume(state, lane->region);
		return;
	}
	item = plait__queued_item_at(state->queued, lane->item);
	go_outside(state, lane->item);
	go_on(state, item->body);
}

static void come(plait__queued_state *state, uint32_t number,
		 plait_status status)
{
	plait__queued_cell *cell = &state->cells[number];
	uint32_t regions = plan_of(state)->regions_count;
	plait_error why = { .size = sizeof(why) };

	if (cell->looks)
		state->looking--;
	cell->looks = false;
	/* Calls tell it themselves, and sooner. */
	if (status < 0 && !stopped(state)) {
		plait__queued_why(state, number, status, &why);
		plait__instance_stop(state->instance, &why);
	}
	if (number < regions) {
		resume(state, cell->link);
	} else if (number < regions + state->queued->point_count) {
		end_item(state, cell->link);
		go_on(state, plait__queued_item_at(state->queued,
						   cell->link)->body);
	} else if (number < plait__queued_mark_cells(state->queued)) {
		state->ends_left--;
	} else if (number < plait__queued_watch_cell(state->queued, 0)) {
		come_outside(state, cell->link);
	} else {
		go_on(state, plait__queued_end_watch(state, number, status));
	}
}

static void read_notes(plait__queued_state *state)
{
	plait__pilot_note *note = plait__pilot_read(
		state->instance->program->context, state->pilot);
	plait__pilot_note *next;

	for (; note != NULL; note = next) {
		plait__queued_cell *cell = (plait__queued_cell *)(void *)note;

		next = note->next;
		if (cell->mark == PLAIT__NONE)
			plait__queued_hear_halt(state);
		else
			come(state, (uint32_t)(cell - state->cells),
			     note->status);
	}
}

static void look(plait__queued_state *state)
{
	uint32_t count = plait__queued_cell_count(state->queued);
	plait_status status;

	for (uint32_t i = 0; state->looking > 0 && i < count; i++)
		if (state->cells[i].looks &&
		    plait__queued_look(state, i, &status))
			come(state, i, status);
}

/* ---- the end ---- */

static bool is_through(const plait__queued_state *state)
{
	return state->phase == ENDS && state->ends_left == 0 &&
	       state->final_next == 2 * plan_of(state)->lanes_count;
}

/* ---- turns ---- */

void plait__queued_begin(plait__queued_state *state)
{
	state->phase = BEGINS;
	state->looking = 0;
	state->final_next = 0;
	state->decides = false;
	state->ends_left = state->queued->port_count;
	for (uint32_t i = 0; i < plan_of(state)->lanes_count; i++) {
		plait__queued_queue *queue = &state->queues[i];

		queue->taken = queue->refuses = false;
		memset(queue->refusals, 0, sizeof(queue->refusals));
	}
	plait__outside_begin(state->queued->program, state->newest);
}

/* False: not all regions can be decided by their devices in this run. */
static bool can_run(plait__queued_state *state)
{
	plait_error why = { .size = sizeof(why) };
	bool whole = true;

	if (!state->queued->has_loops || stopped(state))
		return true;
	if (state->halted)
		plait__queued_frozen_stop(state, false);
	state->halted = false;
	if (plait__queued_frozen_ready(state, &whole, &why) != PLAIT_OK)
		plait__instance_stop(state->instance, &why);
	return whole || stopped(state);
}

static void begin(plait__queued_state *state)
{
	plait_error why = { .size = sizeof(why) };
	plait__queued_state *decider;

	state->phase = RUNS;
	if (state->loss.status != PLAIT_OK)
		plait__instance_stop(state->instance, &state->loss);
	plait__queued_launches_renew(state);
	if (!can_run(state)) {
		plait__queued_launches_give_back(state);
		if (plait__queued_decider(state, &decider, &why) == PLAIT_OK) {
			state->decides = true;
			plait__queued_tell_regions(decider->queued);
			plait__queued_begin(decider);
			begin(decider);
			return;
		}
		plait__instance_stop(state->instance, &why);
	}
	begin_body(state, 0);
	go_on(state, 0);
}

static uint32_t end(plait__queued_state *state)
{
	if (stopped(state))
		plait__queued_recover(state);
	if (state->queued->records)
		plait__queued_end_record(state);
	plait__queued_launches_give_back(state);
	return PLAIT__PILOT_OVER;
}

static uint32_t turn(plait__queued_state *state)
{
	state->tries = false;
	read_notes(state);
	plait__queued_stop_loops(state);
	if (state->looking > 0)
		look(state);
	if (state->phase == ENDS)
		plait__queued_submit_ends(state);
	plait__queued_flush(state);
	/* Nothing that it has may be touched but what stops a loop. */
	if (at_load_relaxed_u32(&state->instance->stuck) != 0) {
		plait__queued_stop_loops(state);
		return PLAIT__PILOT_OVER;
	}
	if (is_through(state))
		return end(state);
	if (state->tries)
		return PLAIT__PILOT_TRIES;
	return state->looking > 0 ? PLAIT__PILOT_LOOKS : PLAIT__PILOT_WAITS;
}

uint32_t plait__queued_turn(plait__piloted *piloted)
{
	plait__queued_state *state = (plait__queued_state *)(void *)piloted;

	if (state->phase == BEGINS)
		begin(state);
	return turn(state->decides ? at_load_acquire_ptr(&state->decider) :
				     state);
}
