/* SPDX-License-Identifier: MIT */
/*
 * Times of commands in recorded runs.  Only the driver writes records.  A plan
 * that is recorded has a second compiled form, with a mark for each command; a
 * body is over when the driver has seen the completion of all of them, in any
 * order.
 *
 * A host callback takes its own times.  For work of a device, the end is the
 * time when the driver was notified, but not after the start of a successor;
 * the start is the time of its submission or the end of its predecessors,
 * whichever is later.  Backends offer nothing more exact.
 */
#include "run/queue/record_times.h"

#include "run/queue/queue_command.h"
#include "run/queue/submit_batch.h"

#include "run/args/payload_util.h"
#include "run/record/recorder.h"

#include <stdlib.h>

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

static uint32_t body_of(const plait__run_driver *driver, uint32_t command)
{
	const plait__plan *plan = plan_of(driver);

	return plan->nodes[plan->commands[command].node].body;
}

/* The run is recorded. */
static plait__record_ring *ring_of(const plait__run_driver *driver,
				   uint32_t command)
{
	return &driver->instance->recording
			->rings[plan_of(driver)->commands[command].lane];
}

/* Write the entry of a command to the ring of its lane, with the current
 * iteration of its body. */
static void put_command(plait__run_driver *driver, uint32_t command,
			uint64_t start_ns, uint64_t end_ns, uint64_t thread)
{
	const plait__plan *plan = plan_of(driver);
	uint32_t body = body_of(driver, command);
	const plait__record_entry entry = {
		.start_ns = start_ns < end_ns ? start_ns : end_ns,
		.end_ns = end_ns,
		.iteration =
			body == 0 ?
				0 :
				driver->instance->frame
					.iterations[plan->bodies[body].region],
		.thread = thread,
		.kind = PLAIT_RECORD_COMMAND,
		.command = command,
		.other = PLAIT__NONE,
	};

	plait__recorder_put_as(ring_of(driver, command), &entry);
}

/* ---- commands of queues ---- */

static bool was_called(const plait__command_times *times)
{
	return times->call.end_ns != 0;
}

void plait__record_times_begin_body(plait__run_driver *driver, uint32_t body)
{
	const plait__plan_body *at = &plan_of(driver)->bodies[body];

	for (uint32_t i = 0; i < at->command_count; i++)
		driver->times[at->command_first + i] =
			(plait__command_times){ .successor_start_ns =
							UINT64_MAX };
}

void plait__record_times_subscribe(plait__run_driver *driver, uint32_t batch)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__queue_batch *at =
		(const plait__queue_batch *)compiled->batches.items + batch;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)compiled->submissions.items +
		at->submission_first;
	uint64_t now_ns = plait__clock_now_ns();

	for (uint32_t i = 0; i < at->submission_count; i++, submission++) {
		uint32_t command = submission->mark;

		if (command >= plan_of(driver)->command_count ||
		    !plait__queue_command_is_timed(compiled, command))
			continue;
		driver->times[command].start_ns = now_ns;
		driver->running[body_of(driver, command)].stages_left++;
		plait__submit_subscribe(
			driver,
			plait__queue_program_time_listener(compiled, command));
	}
}

uint32_t plait__record_times_completed(plait__run_driver *driver,
				       uint32_t number, plait_status status)
{
	uint32_t command = driver->listeners[number].mark;
	uint32_t body = body_of(driver, command);

	/* A command that did not run has no end; a callback that failed has its
	 * own times. */
	if (status == PLAIT_OK)
		driver->times[command].end_ns =
			driver->listeners[number].completed_ns;
	driver->running[body].stages_left--;
	return body;
}

/* ---- a body is over ---- */

/* Call `each` for all predecessors of a command in its body. */
static void each_before(plait__run_driver *driver, uint32_t command,
			void (*each)(plait__command_times *before,
				     uint64_t *ns),
			uint64_t *ns)
{
	const plait__plan *plan = plan_of(driver);
	const plait__plan_command *at = &plan->commands[command];

	if (at->position > 0)
		each(&driver->times[command - 1], ns);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		each(&driver->times[plait__plan_find_command(
			     plan, body_of(driver, command),
			     plan->waits[i].lane, plan->waits[i].position)],
		     ns);
}

static void limit_predecessor(plait__command_times *before, uint64_t *ns)
{
	if (*ns < before->successor_start_ns)
		before->successor_start_ns = *ns;
}

static void limit_start(plait__command_times *before, uint64_t *ns)
{
	uint64_t end_ns = was_called(before)  ? before->call.end_ns :
			  before->end_ns != 0 ? before->end_ns :
						before->predecessors_end_ns;

	if (end_ns > *ns)
		*ns = end_ns;
}

/* A command without times of its own, such as a stub, passes on the start of
 * its successors; 0: none began. */
static uint64_t successor_start(const plait__command_times *times)
{
	return times->successor_start_ns == UINT64_MAX ?
		       0 :
		       times->successor_start_ns;
}

/* The latest end of its predecessors that a command allows; 0: it did not
 * begin. */
static uint64_t limit_end(plait__run_driver *driver, uint32_t command)
{
	plait__command_times *times = &driver->times[command];

	if (was_called(times))
		return times->call.start_ns;
	/* The driver times its own stages. */
	if (!plait__queue_command_is_timed(driver->compiled, command))
		return times->start_ns != 0 ? times->start_ns :
					      successor_start(times);
	if (times->end_ns > times->successor_start_ns)
		times->end_ns = times->successor_start_ns;
	return times->end_ns != 0 ? times->end_ns : successor_start(times);
}

/* Limit by the commands of the lane that precede the region in the enclosing
 * body.  The body belongs to a region. */
static void limit_start_by_lane(plait__run_driver *driver, uint32_t command,
				uint32_t body, uint64_t *ns)
{
	const plait__plan *plan = plan_of(driver);
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
		limit_start(&driver->times[i], ns);
		each_before(driver, i, limit_start, ns);
	}
}

/* The first command of its lane follows those of all enclosing bodies. */
static void limit_start_by_outer(plait__run_driver *driver, uint32_t command,
				 uint64_t *ns)
{
	const plait__plan *plan = plan_of(driver);
	uint32_t body = body_of(driver, command);

	if (plan->commands[command].position > 0)
		return;
	while (body != 0) {
		limit_start_by_lane(driver, command, body, ns);
		body = plan->nodes[plan->commands[plan->regions[
			plan->bodies[body].region].command].node].body;
	}
}

/* plait__record_times_put_body has limited all ends of the body. */
static void put_times(plait__run_driver *driver, uint32_t command)
{
	const plait__command_times *times = &driver->times[command];
	uint64_t start_ns = times->start_ns;

	if (was_called(times)) {
		put_command(driver, command, times->call.start_ns,
			    times->call.end_ns, times->call.thread);
	} else if (times->end_ns != 0) {
		each_before(driver, command, limit_start, &start_ns);
		limit_start_by_outer(driver, command, &start_ns);
		put_command(driver, command, start_ns, times->end_ns,
			    plait__thread_token());
	}
}

void plait__record_times_put_body(plait__run_driver *driver, uint32_t body)
{
	const plait__plan_body *at = &plan_of(driver)->bodies[body];
	const uint32_t *order = plan_of(driver)->order + at->command_first;
	uint64_t ns;

	for (uint32_t i = at->command_count; i-- > 0;) {
		ns = limit_end(driver, order[i]);
		if (ns != 0)
			each_before(driver, order[i], limit_predecessor, &ns);
	}
	for (uint32_t i = 0; i < at->command_count; i++) {
		if (plait__queue_command_is_timed(driver->compiled, order[i]))
			put_times(driver, order[i]);
		each_before(driver, order[i], limit_start,
			    &driver->times[order[i]].predecessors_end_ns);
	}
}

/* ---- stages of the driver ---- */

void plait__record_times_begin_external(plait__run_driver *driver,
					uint32_t command)
{
	driver->times[command].start_ns = plait__clock_now_ns();
}

void plait__record_times_end_external(plait__run_driver *driver,
				      uint32_t command)
{
	plait__command_times *times = &driver->times[command];

	times->end_ns = plait__clock_now_ns();
	put_command(driver, command, times->start_ns, times->end_ns,
		    plait__thread_token());
}

void plait__record_times_decision(plait__run_driver *driver, uint32_t region,
				  uint32_t body, bool again)
{
	const plait__plan_region *at = &plan_of(driver)->regions[region];
	plait__record_ring *ring = ring_of(driver, at->command);
	const plait__record_entry entry = {
		.start_ns = driver->listeners[region].completed_ns,
		.end_ns = plait__clock_now_ns(),
		.iteration = driver->instance->frame.iterations[region],
		.kind = PLAIT_RECORD_DECISION,
		.command = at->command,
		.other = body == PLAIT__NONE ? 0 : body - at->body_first + 1,
	};

	/* The first decision; all predecessors of the region end before it. */
	if (!again)
		driver->times[at->command].start_ns = entry.start_ns;
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

/* Entries of a lane do not overlap: divide the overlap of two, within both,
 * where `before` leaves any of it.  `before` does not start after `after`: the
 * entries are sorted. */
static void separate(plait__record_entry *before, plait__record_entry *after)
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

void plait__record_times_end(plait__run_driver *driver)
{
	plait__recording *recording = driver->instance->recording;

	for (uint32_t l = 0; l < recording->ring_count; l++) {
		plait__record_ring *ring = &recording->rings[l];
		uint32_t kept = plait__recorder_entry_count(ring);

		if (kept == 0)
			continue;
		qsort(ring->entries, kept, sizeof(*ring->entries), compare);
		if (kept == ring->capacity)
			ring->next = 0;
		for (uint32_t i = 1; i < kept; i++)
			separate(&ring->entries[i - 1], &ring->entries[i]);
	}
}
