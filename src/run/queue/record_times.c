/* SPDX-License-Identifier: MIT */
/*
 * Recording runs on queues.  Only the driver writes.  A plan that is recorded is
 * compiled once more, with a mark for each command; the driver is told of all
 * of them, in any order, and a body is not over before.
 *
 * A function of the host is timed where it is called.  Of what a device does by
 * itself the end is when we were told, but not after something began that comes
 * behind it, and the beginning when it was submitted, or when all that it comes
 * behind had ended: that is as exact as it gets.
 */
#include "run/queue/queue_engine.h"

#include "run/host/call_op.h"
#include "run/record/recorder.h"

#include <stdlib.h>

static const plait__plan *plan_of(const plait__queued_state *state)
{
	return state->queued->program->plan;
}

bool plait__queued_is_watched(const plait__queued *queued, uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	uint8_t kind = plan->commands[command].kind;

	return queued->records && kind != PLAIT__CMD_REGION &&
	       kind != PLAIT__CMD_ENTER && !plait__op_is_outside(plan, command);
}

static uint32_t body_of(const plait__queued_state *state, uint32_t command)
{
	const plait__plan *plan = plan_of(state);

	return plan->nodes[plan->commands[command].node].body;
}

static plait__ring *ring_of(const plait__queued_state *state, uint32_t command)
{
	return &state->instance->recording->rings[
		plan_of(state)->commands[command].lane];
}

static void put_command(plait__queued_state *state, uint32_t command,
			uint64_t start_ns, uint64_t end_ns, uint64_t thread)
{
	const plait__plan *plan = plan_of(state);
	uint32_t body = body_of(state, command);
	const plait__entry entry = {
		.start_ns = start_ns < end_ns ? start_ns : end_ns,
		.end_ns = end_ns,
		.iteration = body == 0 ? 0 : state->instance->frame.iterations[
				     plan->bodies[body].region],
		.thread = thread, .kind = PLAIT_RECORD_COMMAND,
		.command = command, .other = PLAIT__NONE,
	};

	plait__ring_put_of(ring_of(state, command), &entry);
}

/* ---- what queues do ---- */

static bool was_called(const plait__queued_watch *watch)
{
	return watch->call_end_ns != 0;
}

void plait__queued_begin_watch(plait__queued_state *state, uint32_t body)
{
	const plait__plan_body *at = &plan_of(state)->bodies[body];

	for (uint32_t i = 0; i < at->command_count; i++)
		state->watches[at->command_first + i] = (plait__queued_watch){
			.latest_ns = UINT64_MAX
		};
}

void plait__queued_watch_batch(plait__queued_state *state, uint32_t batch)
{
	const plait__queued *queued = state->queued;
	const plait__queued_batch *at =
		(const plait__queued_batch *)queued->batches.items + batch;
	const plait__queued_stretch *stretch =
		(const plait__queued_stretch *)queued->stretches.items +
		at->stretch_first;
	uint64_t now_ns = plait__clock_now_ns();

	for (uint32_t i = 0; i < at->stretch_count; i++, stretch++) {
		uint32_t command = stretch->mark;

		if (command >= plan_of(state)->command_count ||
		    !plait__queued_is_watched(queued, command))
			continue;
		state->watches[command].start_ns = now_ns;
		state->frames[body_of(state, command)].left++;
		plait__queued_await(state, plait__queued_watch_cell(queued,
								    command));
	}
}

uint32_t plait__queued_end_watch(plait__queued_state *state, uint32_t number,
				 plait_status status)
{
	uint32_t command = state->cells[number].mark;
	uint32_t body = body_of(state, command);

	/* One that failed counts, one that did not run does not. */
	if (status == PLAIT_OK)
		state->watches[command].end_ns = state->cells[number].told_ns;
	state->frames[body].left--;
	return body;
}

void plait__queued_time_call(plait__queued_call *call, uint64_t start_ns)
{
	plait__queued_watch *watch = &call->state->watches[call->command];

	watch->call_start_ns = start_ns;
	watch->call_end_ns = plait__clock_now_ns();
	watch->thread = plait__thread_token();
}

/* ---- a body is over ---- */

/* Call `each` for all that a command comes behind in its body. */
static void each_before(plait__queued_state *state, uint32_t command,
			void (*each)(plait__queued_watch *before,
				     uint64_t *ns), uint64_t *ns)
{
	const plait__plan *plan = plan_of(state);
	const plait__plan_command *at = &plan->commands[command];

	if (at->position > 0)
		each(&state->watches[command - 1], ns);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		each(&state->watches[plait__plan_find_command(
			     plan, body_of(state, command),
			     plan->waits[i].lane, plan->waits[i].position)],
		     ns);
}

static void end_before(plait__queued_watch *before, uint64_t *ns)
{
	if (*ns < before->latest_ns)
		before->latest_ns = *ns;
}

static void begin_behind(plait__queued_watch *before, uint64_t *ns)
{
	uint64_t end_ns = was_called(before) ? before->call_end_ns :
			  before->end_ns != 0 ? before->end_ns :
			  before->past_ns;

	if (end_ns > *ns)
		*ns = end_ns;
}

/* What has no time of its own, as where a lane goes past a region, hands on
 * when those behind it began; 0: none did. */
static uint64_t hand_on(const plait__queued_watch *watch)
{
	return watch->latest_ns == UINT64_MAX ? 0 : watch->latest_ns;
}

/* When it began, as those before it have to know; 0: it did not. */
static uint64_t limit_end(plait__queued_state *state, uint32_t command)
{
	plait__queued_watch *watch = &state->watches[command];

	if (was_called(watch))
		return watch->call_start_ns;
	/* What the host does itself it knows. */
	if (!plait__queued_is_watched(state->queued, command))
		return watch->start_ns != 0 ? watch->start_ns : hand_on(watch);
	if (watch->end_ns > watch->latest_ns)
		watch->end_ns = watch->latest_ns;
	return watch->end_ns != 0 ? watch->end_ns : hand_on(watch);
}

/* What its lane did in the body around before it came to the region. */
static void begin_behind_lane(plait__queued_state *state, uint32_t command,
			      uint32_t body, uint64_t *ns)
{
	const plait__plan *plan = plan_of(state);
	uint32_t lane = plan->commands[command].lane;
	uint32_t region = plan->commands[
		plan->regions[plan->bodies[body].region].command].node;
	const plait__plan_body *at = &plan->bodies[plan->nodes[region].body];

	for (uint32_t i = at->command_first;
	     i < at->command_first + at->command_count; i++) {
		if (plan->commands[i].lane != lane)
			continue;
		if (plan->commands[i].node == region)
			return;
		begin_behind(&state->watches[i], ns);
		each_before(state, i, begin_behind, ns);
	}
}

/* The first in its lane is behind that of all bodies around. */
static void begin_behind_outer(plait__queued_state *state, uint32_t command,
			       uint64_t *ns)
{
	const plait__plan *plan = plan_of(state);
	uint32_t body = body_of(state, command);

	if (plan->commands[command].position > 0)
		return;
	while (body != 0) {
		begin_behind_lane(state, command, body, ns);
		body = plan->nodes[plan->commands[plan->regions[
			plan->bodies[body].region].command].node].body;
	}
}

static void put_watch(plait__queued_state *state, uint32_t command)
{
	const plait__queued_watch *watch = &state->watches[command];
	uint64_t start_ns = watch->start_ns;

	if (was_called(watch)) {
		put_command(state, command, watch->call_start_ns,
			    watch->call_end_ns, watch->thread);
	} else if (watch->end_ns != 0) {
		each_before(state, command, begin_behind, &start_ns);
		begin_behind_outer(state, command, &start_ns);
		put_command(state, command, start_ns, watch->end_ns,
			    plait__thread_token());
	}
}

void plait__queued_put_body(plait__queued_state *state, uint32_t body)
{
	const plait__plan_body *at = &plan_of(state)->bodies[body];
	const uint32_t *order = plan_of(state)->order + at->command_first;
	uint64_t ns;

	for (uint32_t i = at->command_count; i-- > 0;) {
		ns = limit_end(state, order[i]);
		if (ns != 0)
			each_before(state, order[i], end_before, &ns);
	}
	for (uint32_t i = 0; i < at->command_count; i++) {
		if (plait__queued_is_watched(state->queued, order[i]))
			put_watch(state, order[i]);
		each_before(state, order[i], begin_behind,
			    &state->watches[order[i]].past_ns);
	}
}

/* ---- what the driver does ---- */

void plait__queued_begin_outside(plait__queued_state *state, uint32_t command)
{
	state->watches[command].start_ns = plait__clock_now_ns();
}

void plait__queued_end_outside(plait__queued_state *state, uint32_t command)
{
	plait__queued_watch *watch = &state->watches[command];

	watch->end_ns = plait__clock_now_ns();
	put_command(state, command, watch->start_ns, watch->end_ns,
		    plait__thread_token());
}

void plait__queued_note_decision(plait__queued_state *state, uint32_t region,
				 uint32_t body, bool again)
{
	const plait__plan_region *at = &plan_of(state)->regions[region];
	plait__ring *ring = ring_of(state, at->command);
	const plait__entry entry = {
		.start_ns = state->cells[region].told_ns,
		.end_ns = plait__clock_now_ns(),
		.iteration = state->instance->frame.iterations[region],
		.kind = PLAIT_RECORD_DECISION, .command = at->command,
		.other = body == PLAIT__NONE ? 0 : body - at->body_first + 1,
	};

	/* The first one, which is what all in front of it comes before. */
	if (!again)
		state->watches[at->command].start_ns = entry.start_ns;
	plait__ring_put(ring, &entry);
	if (again && at->kind != PLAIT__REGION_CASE)
		plait__ring_iteration(ring);
}

/* ---- the end ---- */

static int compare(const void *a, const void *b)
{
	const plait__entry *one = a;
	const plait__entry *other = b;

	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	if (one->end_ns != other->end_ns)
		return one->end_ns < other->end_ns ? -1 : 1;
	return 0;
}

/* A lane does one thing after the other: where the two meet is within both, if
 * the one in front of them has left anything of that. */
static void part(plait__entry *before, plait__entry *after)
{
	uint64_t at_ns = before->end_ns < after->end_ns ? before->end_ns :
			 after->end_ns;

	if (before->end_ns <= after->start_ns)
		return;
	if (at_ns < before->start_ns)
		at_ns = before->start_ns;
	before->end_ns = at_ns;
	after->start_ns = at_ns;
	if (after->end_ns < at_ns)
		after->end_ns = at_ns;
}

void plait__queued_end_record(plait__queued_state *state)
{
	plait__recording *recording = state->instance->recording;

	for (uint32_t l = 0; l < recording->ring_count; l++) {
		plait__ring *ring = &recording->rings[l];
		uint32_t kept = plait__ring_kept(ring);

		if (kept == 0)
			continue;
		qsort(ring->entries, kept, sizeof(*ring->entries), compare);
		if (kept == ring->capacity)
			ring->next = 0;
		for (uint32_t i = 1; i < kept; i++)
			part(&ring->entries[i - 1], &ring->entries[i]);
	}
}
