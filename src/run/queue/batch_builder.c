/* SPDX-License-Identifier: MIT */
/* Parts of batches: submissions, the marks that they wait for, work. */
#include "run/queue/batch_builder.h"

#include "run/queue/queue_command.h"

#include "run/args/payload_util.h"

void *plait__batch_builder_push(plait__batch_builder *p, plait__vector *vector,
				const void *stage)
{
	void *pushed = p->failed ? NULL : plait__vector_push(vector, stage, 1);

	p->failed = p->failed || pushed == NULL;
	return pushed;
}

/* ---- submissions ---- */

plait__queue_submission *plait__batch_builder_begin_submission(
	plait__batch_builder *p)
{
	const plait__queue_submission submission = {
		.wait_first = p->compiled->waits.count,
		.work_first = p->compiled->work.count,
		.mark = PLAIT__NONE,
		.segment = PLAIT__NONE,
	};
	plait__vector *batches = &p->compiled->batches;
	plait__queue_submission *pushed = plait__batch_builder_push(
		p, &p->compiled->submissions, &submission);

	if (pushed != NULL)
		((plait__queue_batch *)plait__vector_at(batches,
							batches->count - 1))
			->submission_count++;
	return pushed;
}

void plait__batch_builder_begin_batch(plait__batch_builder *p, uint32_t lane)
{
	const plait__queue_batch batch = {
		.lane = lane,
		.submission_first = p->compiled->submissions.count,
		.flights = p->flights,
	};

	(void)plait__batch_builder_push(p, &p->compiled->batches, &batch);
}

void plait__batch_builder_add_wait(plait__batch_builder *p,
				   plait__queue_submission *submission,
				   uint32_t mark)
{
	if (plait__batch_builder_push(p, &p->compiled->waits, &mark) != NULL)
		submission->wait_count++;
}

void plait__batch_builder_add_work(plait__batch_builder *p,
				   plait__queue_submission *submission,
				   uint32_t work)
{
	plait__vector *batches = &p->compiled->batches;

	if (plait__batch_builder_push(p, &p->compiled->work, &work) == NULL)
		return;
	submission->work_count++;
	if (work < p->plan->command_count &&
	    plait__queue_command_may_change(p->compiled, work))
		((plait__queue_batch *)plait__vector_at(batches,
							batches->count - 1))
			->binds = true;
}

bool plait__batch_builder_is_of_port(const plait__batch_builder *p,
				     uint32_t lane, uint32_t other)
{
	return p->compiled->lanes[lane].port == p->compiled->lanes[other].port;
}

uint32_t plait__batch_builder_find_before(const plait__batch_builder *p,
					  uint32_t lane, uint32_t position)
{
	return plait__plan_find_command(p->plan, p->body, lane, position);
}

/* Returns true if a queue has to wait for `before`.  The order of a lane's own
 * queue needs no wait, nor does a command that the host awaits, nor, for a
 * stub, the command of its own region. */
static bool needs_wait(const plait__batch_builder *p, uint32_t command,
		       uint32_t before)
{
	const plait__plan_command *at = &p->plan->commands[command];
	uint32_t lane = plait__queue_program_lane(p->compiled, command);
	uint32_t other = plait__queue_program_lane(p->compiled, before);

	if (lane == other || !plait__batch_builder_is_of_port(p, lane, other) ||
	    plait__payload_is_external(p->plan, before))
		return false;
	return at->kind != PLAIT__CMD_ENTER ||
	       p->plan->regions[at->link].command != before;
}

void plait__batch_builder_note_mark(plait__batch_builder *p, uint32_t mark)
{
	if (p->failed || p->stamps[mark] == p->stamp)
		return;
	p->stamps[mark] = p->stamp;
	(void)plait__batch_builder_push(p, &p->marks, &mark);
}

/* Note the waits of a command, and its lane predecessor if one of the two runs
 * on another lane, in a segment. */
static void note_waits(plait__batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];

	if (at->position > 0 && needs_wait(p, command, command - 1))
		plait__batch_builder_note_mark(
			p, plait__queue_program_mark(p->compiled, command - 1));
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		const plait__plan_wait *wait = &p->plan->waits[i];
		uint32_t before = plait__batch_builder_find_before(
			p, wait->lane, wait->position);

		if (wait->lane != at->lane && needs_wait(p, command, before))
			plait__batch_builder_note_mark(
				p,
				plait__queue_program_mark(p->compiled, before));
	}
}

/* Returns true if the lane of a segment member may still be at commands that
 * precede the body. */
static bool has_arrival(const plait__batch_builder *p, uint32_t command)
{
	return p->plan->commands[command].position == 0 && p->body != 0 &&
	       plait__queue_program_lane(p->compiled, command) !=
		       p->plan->commands[command].lane;
}

/* A region waits for what its stubs wait for, too. */
static void note_member(plait__batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];
	const uint32_t *all = &command, *end = all + 1;

	if (at->kind == PLAIT__CMD_REGION) {
		all = p->plan->order +
		      p->compiled->regions[at->link].order_first;
		end = all + p->compiled->regions[at->link].order_count;
	}
	for (; all < end; all++) {
		note_waits(p, *all);
		/* The mark of a member has no other use: the segment emits the
		 * mark of its last command. */
		if (has_arrival(p, *all))
			plait__batch_builder_note_mark(p, *all);
	}
}

static void note_segment(plait__batch_builder *p,
			 const plait__queue_segment *segment)
{
	for (uint32_t i = 0; i < segment->member_count; i++) {
		uint32_t member = plait__queue_program_at(
			&p->compiled->members, segment->member_first + i);

		/* Members inside a region follow the region itself. */
		if (p->plan->nodes[p->plan->commands[member].node].body ==
		    p->body)
			note_member(p, member);
	}
}

/* Find the waits of a command, or of the segment that ends with it. */
void plait__batch_builder_find_waits(plait__batch_builder *p, uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(p->compiled, command);

	plait__vector_truncate(&p->marks, 0);
	p->stamp++;
	if (segment == NULL)
		note_waits(p, command);
	else
		note_segment(p, segment);
}

void plait__batch_builder_add_waits(plait__batch_builder *p,
				    plait__queue_submission *submission)
{
	for (uint32_t i = 0; i < p->marks.count; i++)
		plait__batch_builder_add_wait(
			p, submission, plait__queue_program_at(&p->marks, i));
}

/* Begin a batch of one submission; null without memory. */
plait__queue_submission *plait__batch_builder_single(plait__batch_builder *p,
						     uint32_t lane)
{
	plait__batch_builder_begin_batch(p, lane);
	return plait__batch_builder_begin_submission(p);
}

void plait__batch_builder_set_body(plait__batch_builder *p, uint32_t body)
{
	uint32_t region = p->plan->bodies[body].region;

	p->body = body;
	p->flights = PLAIT__BATCH_BUILDER_FLIGHTS;
	if (region != PLAIT__NONE && p->compiled->regions[region].ahead)
		p->flights *= p->compiled->regions[region].window;
}
