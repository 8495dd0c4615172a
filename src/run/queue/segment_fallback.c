/* SPDX-License-Identifier: MIT */
/*
 * Walking a segment that decides regions: what a device has taken as one, and
 * will not take again in the middle of a run, where it has become another one.
 * Then its commands come one by one in the queue of its lane, and the host decides
 * its regions, as it does others: the driver asks, and goes on when it is told.
 *
 * A walk is at a member, in a body.  What the segment waits for the first
 * commands wait for; what it emits is emitted behind the last.  Until then nothing
 * of its chunk that comes later is submitted.
 */
#include "run/queue/queue_engine.h"

#include "base/error.h"

static const plait__queue_segment *segment_at(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_segment *)
		       state->queued->segments.items + number;
}

static const plait__queue_submission *stretch_of(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_submission *)state->queued->submissions.items +
	       segment_at(state, number)->submission;
}

static const plait__plan *plan_of(const plait__queue_instance *state)
{
	return state->queued->program->plan;
}

static uint32_t command_at(const plait__queue_instance *state, uint32_t number,
			   uint32_t index)
{
	return plait__queue_program_at(&state->queued->members,
				       segment_at(state, number)->member_first +
					index);
}

static uint32_t index_of(const plait__queue_instance *state, uint32_t region)
{
	return state->queued->member_index[
		plan_of(state)->regions[region].command];
}

/* ---- where members are ---- */

/* The first member of a body of a region. */
static uint32_t start_of(const plait__queue_instance *state, uint32_t body)
{
	uint32_t region = plan_of(state)->bodies[body].region;
	uint32_t at = index_of(state, region) + 1;

	for (uint32_t b = plan_of(state)->regions[region].body_first; b < body;
	     b++)
		at += state->queued->body_work[b];
	return at;
}

static bool is_inside(const plait__queue_instance *state, uint32_t body)
{
	return plait__queue_program_is_device_body(state->queued, body);
}

/* Behind the last member of the body that the walk is in. */
static uint32_t end_of(const plait__queue_instance *state, uint32_t number,
		       uint32_t body)
{
	return is_inside(state, body) ?
		start_of(state, body) + state->queued->body_work[body] :
		segment_at(state, number)->member_count;
}

/* The next region of the body, or its end. */
static uint32_t find_border(const plait__queue_instance *state, uint32_t number,
			    uint32_t from, uint32_t end)
{
	while (from < end && plan_of(state)->commands[
			command_at(state, number, from)].kind !=
			PLAIT__CMD_REGION)
		from++;
	return from;
}

/* ---- submitting ---- */

static void fail(plait__queue_instance *state, uint32_t number,
		 plait_error *why)
{
	state->frozen[number].failed = true;
	plait__error_prefix(why, "could not be submitted: ");
	plait__instance_fail(state->instance, command_at(state, number, 0),
			     why);
}

/* From where the walk is up to `end`, and a mark behind it, or none. */
static void submit(plait__queue_instance *state, uint32_t number, uint32_t end,
		   const plait_work *question, uint32_t mark)
{
	plait__device_graph *frozen = &state->frozen[number];
	const plait__queue_segment *segment = segment_at(state, number);
	const plait__queue_submission *from = stretch_of(state, number);
	const plait_submission *whole = &state->submissions[segment->submission];
	plait_backend_point emit;
	plait_submission parts[2] = {
		{ .size = sizeof(parts[0]),
		  .work = &state->work[from->work_first + frozen->at],
		  .work_count = end - frozen->at },
		{ .size = sizeof(parts[0]), .work = question,
		  .work_count = question != NULL, .emits = &emit,
		  .emit_count = mark != PLAIT__NONE },
	};
	plait_error why = { .size = sizeof(why) };

	if (!frozen->waited) {
		parts[0].waits = whole->waits;
		parts[0].wait_count = whole->wait_count;
	}
	frozen->waited = true;
	if (plait__submit_parts(state, segment->lane, parts, 2, mark,
				&emit, &why) != PLAIT_OK)
		fail(state, number, &why);
}

static void ask(plait__queue_instance *state, uint32_t number, uint32_t region)
{
	const plait__plan *plan = plan_of(state);
	plait_work question = { .size = 0 };

	plait__translate_work(state, plan->command_count + region,
			      &question);
	submit(state, number, state->frozen[number].border, &question,
	       plait__queue_program_region_mark(plan, region));
	state->listeners[region].lane = segment_at(state, number)->lane;
	if (state->frozen[number].failed)
		return;
	state->frozen[number].asked = true;
	plait__submit_subscribe(state, region);
}

/* ---- walking ---- */

static void enter(plait__queue_instance *state, uint32_t number, uint32_t body)
{
	state->body_of[plan_of(state)->bodies[body].region] = body;
	state->frozen[number].body = body;
	state->frozen[number].at = start_of(state, body);
}

static void leave(plait__queue_instance *state, uint32_t number,
		  uint32_t region)
{
	const plait__queue_region *at = &state->queued->regions[region];

	state->body_of[region] = PLAIT__NONE;
	state->frozen[number].body = at->outer_body;
	state->frozen[number].at = index_of(state, region) + 1 + at->inside;
}

/* A region of the body, with what is in front of it. */
static void meet(plait__queue_instance *state, uint32_t number, uint32_t region)
{
	uint32_t body;

	state->body_of[region] = PLAIT__NONE;
	if (plan_of(state)->regions[region].kind != PLAIT__REGION_DO) {
		ask(state, number, region);
		return;
	}
	submit(state, number, state->frozen[number].border, NULL, PLAIT__NONE);
	body = plait__run_driver_decide(state, region, false);
	if (body != PLAIT__NONE)
		enter(state, number, body);
}

/* The end of a region's body, with what is in front of that. */
static void turn_round(plait__queue_instance *state, uint32_t number,
		       uint32_t region)
{
	if (plan_of(state)->regions[region].kind != PLAIT__REGION_CASE) {
		ask(state, number, region);
		return;
	}
	submit(state, number, state->frozen[number].border, NULL, PLAIT__NONE);
	leave(state, number, region);
}

bool plait__segment_fallback_run(plait__queue_instance *state, uint32_t number)
{
	plait__device_graph *frozen = &state->frozen[number];
	const plait__plan *plan = plan_of(state);

	frozen->asked = false;
	while (!frozen->asked &&
	       at_load_relaxed_u32(&state->instance->stop) == 0) {
		uint32_t end = end_of(state, number, frozen->body);

		frozen->border = find_border(state, number, frozen->at, end);
		if (frozen->border < end) {
			meet(state, number, plan->commands[command_at(
				state, number, frozen->border)].link);
		} else if (is_inside(state, frozen->body)) {
			turn_round(state, number,
				   plan->bodies[frozen->body].region);
		} else {
			submit(state, number, end, NULL,
			       stretch_of(state, number)->mark);
			return true;
		}
	}
	return !frozen->asked;
}

bool plait__segment_fallback_begin(plait__queue_instance *state, uint32_t number)
{
	const plait__plan *plan = plan_of(state);
	plait__device_graph *frozen = &state->frozen[number];

	plait__submit_number_waits(state, stretch_of(state, number));
	frozen->at = 0;
	frozen->waited = frozen->failed = false;
	frozen->body = plan->nodes[plan->commands[
		segment_at(state, number)->last].node].body;
	return plait__segment_fallback_run(state, number);
}

bool plait__segment_fallback_resume(plait__queue_instance *state, uint32_t number,
				    uint32_t region)
{
	bool again = state->body_of[region] != PLAIT__NONE;
	uint32_t body = plait__run_driver_decide(state, region, again);

	if (body != PLAIT__NONE)
		enter(state, number, body);
	else
		leave(state, number, region);
	return plait__segment_fallback_run(state, number);
}

/* ---- which ---- */

uint32_t plait__segment_fallback_find(const plait__queue_instance *state,
				      uint32_t batch)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_batch *at =
		(const plait__queue_batch *)queued->batches.items + batch;
	uint32_t number;

	/* One that decides regions is a batch of its own. */
	if (!at->has_segments || !queued->has_loops)
		return PLAIT__NONE;
	number = ((const plait__queue_submission *)queued->submissions.items +
		  at->submission_first)->segment;
	return number != PLAIT__NONE && state->frozen[number].raw == NULL &&
	       segment_at(state, number)->regions > 0 ? number : PLAIT__NONE;
}
