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
		       state->compiled->segments.items + number;
}

static const plait__queue_submission *submission_of(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_submission *)state->compiled->submissions.items +
	       segment_at(state, number)->submission;
}

static const plait__plan *plan_of(const plait__queue_instance *state)
{
	return state->compiled->program->plan;
}

static uint32_t command_at(const plait__queue_instance *state, uint32_t number,
			   uint32_t index)
{
	return plait__queue_program_at(&state->compiled->members,
				       segment_at(state, number)->member_first +
					index);
}

static uint32_t index_of(const plait__queue_instance *state, uint32_t region)
{
	return state->compiled->member_index[
		plan_of(state)->regions[region].command];
}

/* ---- where members are ---- */

/* The first member of a body of a region. */
static uint32_t body_start(const plait__queue_instance *state, uint32_t body)
{
	uint32_t region = plan_of(state)->bodies[body].region;
	uint32_t at = index_of(state, region) + 1;

	for (uint32_t b = plan_of(state)->regions[region].body_first; b < body;
	     b++)
		at += state->compiled->body_work[b];
	return at;
}

static bool is_region_body(const plait__queue_instance *state, uint32_t body)
{
	return plait__queue_program_is_device_body(state->compiled, body);
}

/* Behind the last member of the body that the walk is in. */
static uint32_t body_end(const plait__queue_instance *state, uint32_t number,
		       uint32_t body)
{
	return is_region_body(state, body) ?
		body_start(state, body) + state->compiled->body_work[body] :
		segment_at(state, number)->member_count;
}

/* The next region of the body, or its end. */
static uint32_t find_boundary(const plait__queue_instance *state, uint32_t number,
			    uint32_t from, uint32_t end)
{
	while (from < end && plan_of(state)->commands[
			command_at(state, number, from)].kind !=
			PLAIT__CMD_REGION)
		from++;
	return from;
}

/* ---- submitting ---- */

static void fail_segment(plait__queue_instance *state, uint32_t number,
		 plait_error *why)
{
	state->graphs[number].failed = true;
	plait__error_prefix(why, "could not be submitted: ");
	plait__instance_fail(state->instance, command_at(state, number, 0),
			     why);
}

/* From where the walk is up to `end`, and a mark behind it, or none. */
static void submit_members(plait__queue_instance *state, uint32_t number, uint32_t end,
		   const plait_work *predicate, uint32_t mark)
{
	plait__device_graph *graph = &state->graphs[number];
	const plait__queue_segment *segment = segment_at(state, number);
	const plait__queue_submission *from = submission_of(state, number);
	const plait_submission *whole = &state->submissions[segment->submission];
	plait_backend_point emit;
	plait_submission parts[2] = {
		{ .size = sizeof(parts[0]),
		  .work = &state->work[from->work_first + graph->position],
		  .work_count = end - graph->position },
		{ .size = sizeof(parts[0]), .work = predicate,
		  .work_count = predicate != NULL, .emits = &emit,
		  .emit_count = mark != PLAIT__NONE },
	};
	plait_error why = { .size = sizeof(why) };

	if (!graph->waits_submitted) {
		parts[0].waits = whole->waits;
		parts[0].wait_count = whole->wait_count;
	}
	graph->waits_submitted = true;
	if (plait__submit_parts(state, segment->lane, parts, 2, mark,
				&emit, &why) != PLAIT_OK)
		fail_segment(state, number, &why);
}

static void submit_predicate(plait__queue_instance *state, uint32_t number, uint32_t region)
{
	const plait__plan *plan = plan_of(state);
	plait_work predicate = { .size = 0 };

	plait__translate_work(state, plan->command_count + region,
			      &predicate);
	submit_members(state, number, state->graphs[number].boundary, &predicate,
	       plait__queue_program_region_mark(plan, region));
	state->listeners[region].lane = segment_at(state, number)->lane;
	if (state->graphs[number].failed)
		return;
	state->graphs[number].waiting = true;
	plait__submit_subscribe(state, region);
}

/* ---- walking ---- */

static void enter_body(plait__queue_instance *state, uint32_t number, uint32_t body)
{
	state->current_body[plan_of(state)->bodies[body].region] = body;
	state->graphs[number].body = body;
	state->graphs[number].position = body_start(state, body);
}

static void leave_region(plait__queue_instance *state, uint32_t number,
		  uint32_t region)
{
	const plait__queue_region *at = &state->compiled->regions[region];

	state->current_body[region] = PLAIT__NONE;
	state->graphs[number].body = at->outer_body;
	state->graphs[number].position = index_of(state, region) + 1 + at->inner_count;
}

/* A region of the body, with what is in front of it. */
static void reach_region(plait__queue_instance *state, uint32_t number, uint32_t region)
{
	uint32_t body;

	state->current_body[region] = PLAIT__NONE;
	if (plan_of(state)->regions[region].kind != PLAIT__REGION_DO) {
		submit_predicate(state, number, region);
		return;
	}
	submit_members(state, number, state->graphs[number].boundary, NULL, PLAIT__NONE);
	body = plait__run_driver_decide(state, region, false);
	if (body != PLAIT__NONE)
		enter_body(state, number, body);
}

/* The end of a region's body, with what is in front of that. */
static void end_body(plait__queue_instance *state, uint32_t number,
		       uint32_t region)
{
	if (plan_of(state)->regions[region].kind != PLAIT__REGION_CASE) {
		submit_predicate(state, number, region);
		return;
	}
	submit_members(state, number, state->graphs[number].boundary, NULL, PLAIT__NONE);
	leave_region(state, number, region);
}

bool plait__segment_fallback_run(plait__queue_instance *state, uint32_t number)
{
	plait__device_graph *graph = &state->graphs[number];
	const plait__plan *plan = plan_of(state);

	graph->waiting = false;
	while (!graph->waiting &&
	       at_load_relaxed_u32(&state->instance->stop) == 0) {
		uint32_t end = body_end(state, number, graph->body);

		graph->boundary = find_boundary(state, number, graph->position, end);
		if (graph->boundary < end) {
			reach_region(state, number, plan->commands[command_at(
				state, number, graph->boundary)].link);
		} else if (is_region_body(state, graph->body)) {
			end_body(state, number,
				   plan->bodies[graph->body].region);
		} else {
			submit_members(state, number, end, NULL,
			       submission_of(state, number)->mark);
			return true;
		}
	}
	return !graph->waiting;
}

bool plait__segment_fallback_begin(plait__queue_instance *state, uint32_t number)
{
	const plait__plan *plan = plan_of(state);
	plait__device_graph *graph = &state->graphs[number];

	plait__submit_number_waits(state, submission_of(state, number));
	graph->position = 0;
	graph->waits_submitted = graph->failed = false;
	graph->body = plan->nodes[plan->commands[
		segment_at(state, number)->last].node].body;
	return plait__segment_fallback_run(state, number);
}

bool plait__segment_fallback_resume(plait__queue_instance *state, uint32_t number,
				    uint32_t region)
{
	bool again = state->current_body[region] != PLAIT__NONE;
	uint32_t body = plait__run_driver_decide(state, region, again);

	if (body != PLAIT__NONE)
		enter_body(state, number, body);
	else
		leave_region(state, number, region);
	return plait__segment_fallback_run(state, number);
}

/* ---- which ---- */

uint32_t plait__segment_fallback_find(const plait__queue_instance *state,
				      uint32_t batch)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_batch *at =
		(const plait__queue_batch *)compiled->batches.items + batch;
	uint32_t number;

	/* One that decides regions is a batch of its own. */
	if (!at->has_segments || !compiled->has_device_loops)
		return PLAIT__NONE;
	number = ((const plait__queue_submission *)compiled->submissions.items +
		  at->submission_first)->segment;
	return number != PLAIT__NONE && state->graphs[number].raw == NULL &&
	       segment_at(state, number)->regions > 0 ? number : PLAIT__NONE;
}
