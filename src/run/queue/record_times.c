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

#include "run/args/payload_util.h"
#include "run/record/recorder.h"

#include <stdlib.h>

static const plait__plan *plan_of(const plait__queue_instance *state)
{
	return state->queued->program->plan;
}

bool plait__record_times_is_timed(const plait__queue_program *queued, uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	uint8_t kind = plan->commands[command].kind;

	return queued->records && kind != PLAIT__CMD_REGION &&
	       kind != PLAIT__CMD_ENTER && !plait__payload_is_external(plan, command);
}

static uint32_t body_of(const plait__queue_instance *state, uint32_t command)
{
	const plait__plan *plan = plan_of(state);

	return plan->nodes[plan->commands[command].node].body;
}

static plait__record_ring *ring_of(const plait__queue_instance *state, uint32_t command)
{
	return &state->instance->recording->rings[
		plan_of(state)->commands[command].lane];
}

static void put_command(plait__queue_instance *state, uint32_t command,
			uint64_t start_ns, uint64_t end_ns, uint64_t thread)
{
	const plait__plan *plan = plan_of(state);
	uint32_t body = body_of(state, command);
	const plait__record_entry entry = {
		.start_ns = start_ns < end_ns ? start_ns : end_ns,
		.end_ns = end_ns,
		.iteration = body == 0 ? 0 : state->instance->frame.iterations[
				     plan->bodies[body].region],
		.thread = thread, .kind = PLAIT_RECORD_COMMAND,
		.command = command, .other = PLAIT__NONE,
	};

	plait__recorder_put_as(ring_of(state, command), &entry);
}

/* ---- what queues do ---- */

static bool was_called(const plait__command_times *watch)
{
	return watch->call_end_ns != 0;
}

void plait__record_times_begin_body(plait__queue_instance *state, uint32_t body)
{
	const plait__plan_body *at = &plan_of(state)->bodies[body];

	for (uint32_t i = 0; i < at->command_count; i++)
		state->times[at->command_first + i] = (plait__command_times){
			.latest_ns = UINT64_MAX
		};
}

void plait__record_times_subscribe(plait__queue_instance *state, uint32_t batch)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_batch *at =
		(const plait__queue_batch *)queued->batches.items + batch;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)queued->submissions.items +
		at->submission_first;
	uint64_t now_ns = plait__clock_now_ns();

	for (uint32_t i = 0; i < at->submission_count; i++, submission++) {
		uint32_t command = submission->mark;

		if (command >= plan_of(state)->command_count ||
		    !plait__record_times_is_timed(queued, command))
			continue;
		state->times[command].start_ns = now_ns;
		state->frames[body_of(state, command)].left++;
		plait__submit_subscribe(state, plait__queue_program_time_listener(queued,
										  command));
	}
}

uint32_t plait__record_times_completed(plait__queue_instance *state, uint32_t number,
				       plait_status status)
{
	uint32_t command = state->listeners[number].mark;
	uint32_t body = body_of(state, command);

	/* One that failed counts, one that did not run does not. */
	if (status == PLAIT_OK)
		state->times[command].end_ns = state->listeners[number].told_ns;
	state->frames[body].left--;
	return body;
}

void plait__record_times_callback(plait__host_callback *call, uint64_t start_ns)
{
	plait__command_times *watch = &call->state->times[call->command];

	watch->call_start_ns = start_ns;
	watch->call_end_ns = plait__clock_now_ns();
	watch->thread = plait__thread_token();
}

/* ---- a body is over ---- */

/* Call `each` for all that a command comes behind in its body. */
static void each_before(plait__queue_instance *state, uint32_t command,
			void (*each)(plait__command_times *before,
				     uint64_t *ns), uint64_t *ns)
{
	const plait__plan *plan = plan_of(state);
	const plait__plan_command *at = &plan->commands[command];

	if (at->position > 0)
		each(&state->times[command - 1], ns);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		each(&state->times[plait__plan_find_command(
			     plan, body_of(state, command),
			     plan->waits[i].lane, plan->waits[i].position)],
		     ns);
}

static void end_before(plait__command_times *before, uint64_t *ns)
{
	if (*ns < before->latest_ns)
		before->latest_ns = *ns;
}

static void begin_behind(plait__command_times *before, uint64_t *ns)
{
	uint64_t end_ns = was_called(before) ? before->call_end_ns :
			  before->end_ns != 0 ? before->end_ns :
			  before->past_ns;

	if (end_ns > *ns)
		*ns = end_ns;
}

/* What has no time of its own, as where a lane goes past a region, hands on
 * when those behind it began; 0: none did. */
static uint64_t hand_on(const plait__command_times *watch)
{
	return watch->latest_ns == UINT64_MAX ? 0 : watch->latest_ns;
}

/* When it began, as those before it have to know; 0: it did not. */
static uint64_t limit_end(plait__queue_instance *state, uint32_t command)
{
	plait__command_times *watch = &state->times[command];

	if (was_called(watch))
		return watch->call_start_ns;
	/* What the host does itself it knows. */
	if (!plait__record_times_is_timed(state->queued, command))
		return watch->start_ns != 0 ? watch->start_ns : hand_on(watch);
	if (watch->end_ns > watch->latest_ns)
		watch->end_ns = watch->latest_ns;
	return watch->end_ns != 0 ? watch->end_ns : hand_on(watch);
}

/* What its lane did in the body around before it came to the region. */
static void begin_behind_lane(plait__queue_instance *state, uint32_t command,
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
		begin_behind(&state->times[i], ns);
		each_before(state, i, begin_behind, ns);
	}
}

/* The first in its lane is behind that of all bodies around. */
static void begin_behind_outer(plait__queue_instance *state, uint32_t command,
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

static void put_watch(plait__queue_instance *state, uint32_t command)
{
	const plait__command_times *watch = &state->times[command];
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

void plait__record_times_put_body(plait__queue_instance *state, uint32_t body)
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
		if (plait__record_times_is_timed(state->queued, order[i]))
			put_watch(state, order[i]);
		each_before(state, order[i], begin_behind,
			    &state->times[order[i]].past_ns);
	}
}

/* ---- what the driver does ---- */

void plait__record_times_begin_external(plait__queue_instance *state, uint32_t command)
{
	state->times[command].start_ns = plait__clock_now_ns();
}

void plait__record_times_end_external(plait__queue_instance *state, uint32_t command)
{
	plait__command_times *watch = &state->times[command];

	watch->end_ns = plait__clock_now_ns();
	put_command(state, command, watch->start_ns, watch->end_ns,
		    plait__thread_token());
}

void plait__record_times_decision(plait__queue_instance *state, uint32_t region,
				  uint32_t body, bool again)
{
	const plait__plan_region *at = &plan_of(state)->regions[region];
	plait__record_ring *ring = ring_of(state, at->command);
	const plait__record_entry entry = {
		.start_ns = state->listeners[region].told_ns,
		.end_ns = plait__clock_now_ns(),
		.iteration = state->instance->frame.iterations[region],
		.kind = PLAIT_RECORD_DECISION, .command = at->command,
		.other = body == PLAIT__NONE ? 0 : body - at->body_first + 1,
	};

	/* The first one, which is what all in front of it comes before. */
	if (!again)
		state->times[at->command].start_ns = entry.start_ns;
	plait__recorder_put(ring, &entry);
	if (again && at->kind != PLAIT__REGION_CASE)
		plait__recorder_add_iteration(ring);
}

/* ---- the end ---- */

static int compare(const void *a, const void *b)
{
	const plait__record_entry *one = a;
	const plait__record_entry *other = b;

	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	if (one->end_ns != other->end_ns)
		return one->end_ns < other->end_ns ? -1 : 1;
	return 0;
}

/* A lane does one thing after the other: where the two meet is within both, if
 * the one in front of them has left anything of that. */
static void part(plait__record_entry *before, plait__record_entry *after)
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

void plait__record_times_end(plait__queue_instance *state)
{
	plait__recording *recording = state->instance->recording;

	for (uint32_t l = 0; l < recording->ring_count; l++) {
		plait__record_ring *ring = &recording->rings[l];
		uint32_t kept = plait__recorder_entry_count(ring);

		if (kept == 0)
			continue;
		qsort(ring->entries, kept, sizeof(*ring->entries), compare);
		if (kept == ring->capacity)
			ring->next = 0;
		for (uint32_t i = 1; i < kept; i++)
			part(&ring->entries[i - 1], &ring->entries[i]);
	}
}
