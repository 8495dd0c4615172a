/* SPDX-License-Identifier: MIT */
/* Batches of regions: their predicates, waits and emissions; see
 * region_batches.h. */
#include "run/queue/region_batches.h"

#include "run/args/loop_count.h"
#include "run/args/payload_util.h"

/* Evaluate the predicate of a region on its home lane, unless it has none or
 * the owner of an inbox does. */
static void add_predicate(plait__batch_builder *p,
			  plait__queue_submission *submission, uint32_t region)
{
	if (p->compiled->regions[region].owner_decides ||
	    (p->plan->regions[region].kind == PLAIT__REGION_REPEAT &&
	     !plait__loop_count_is_word(p->plan, region)))
		return;
	plait__batch_builder_add_work(p, submission,
				      p->plan->command_count + region);
}

/* Batches that enter a region: its stubs wait, then the home lane waits and
 * evaluates the predicate; a `do` loop does not evaluate it first. */
void plait__region_batches_pack_enter(plait__batch_builder *p, uint32_t number)
{
	const plait__plan_region *region = &p->plan->regions[number];
	plait__queue_region *out = &p->compiled->regions[number];
	plait__queue_submission *submission;

	plait__batch_builder_set_body(p, out->outer_body);
	out->enter_first = p->compiled->batches.count;
	for (uint32_t i = 0; i < out->order_count; i++) {
		uint32_t stub = p->plan->order[out->order_first + i];

		if (stub == region->command)
			continue;
		plait__batch_builder_find_waits(p, stub);
		if (p->marks.count == 0)
			continue;
		submission = plait__batch_builder_single(
			p, p->plan->commands[stub].lane);
		if (submission != NULL)
			plait__batch_builder_add_waits(p, submission);
	}
	submission = plait__batch_builder_single(p, out->home);
	if (submission != NULL) {
		plait__batch_builder_find_waits(p, region->command);
		plait__batch_builder_add_waits(p, submission);
		submission->mark =
			plait__queue_program_region_mark(p->plan, number);
		if (region->kind != PLAIT__REGION_DO)
			add_predicate(p, submission, number);
	}
	out->enter_count = p->compiled->batches.count - out->enter_first;
}

/* Batches of the other lanes before each iteration of a repeat that is
 * submitted ahead: they wait for the region's mark. */
void plait__region_batches_pack_gates(plait__batch_builder *p, uint32_t number)
{
	const plait__plan_region *region = &p->plan->regions[number];
	plait__queue_region *out = &p->compiled->regions[number];
	plait__queue_submission *submission;

	plait__batch_builder_set_body(p, region->body_first);
	out->gate_first = p->compiled->batches.count;
	for (uint32_t i = 1; out->ahead && i < region->lane_count; i++) {
		submission = plait__batch_builder_single(
			p, p->plan->region_lanes[region->lane_first + i]);
		if (submission != NULL)
			plait__batch_builder_add_wait(
				p, submission,
				plait__queue_program_region_mark(p->plan,
								 number));
	}
	out->gate_count = p->compiled->batches.count - out->gate_first;
}

/* Batches that leave a region: they emit the marks of its commands.  The host
 * has seen the end of its last body, unless that was submitted ahead: then the
 * other lanes wait for it. */
void plait__region_batches_pack_leave(plait__batch_builder *p, uint32_t number)
{
	plait__queue_region *out = &p->compiled->regions[number];
	plait__queue_submission *submission;

	plait__batch_builder_set_body(p, out->outer_body);
	out->leave_first = p->compiled->batches.count;
	for (uint32_t i = 0; i < out->order_count; i++) {
		uint32_t command = p->plan->order[out->order_first + i];
		uint32_t lane = p->plan->commands[command].lane;
		bool waits = out->ahead && lane != out->home;

		if (!p->awaited[command] && !waits)
			continue;
		submission = plait__batch_builder_single(p, lane);
		if (submission == NULL)
			continue;
		if (waits)
			plait__batch_builder_add_wait(
				p, submission,
				plait__queue_program_region_mark(p->plan,
								 number));
		if (p->awaited[command])
			submission->mark = command;
	}
	out->leave_count = p->compiled->batches.count - out->leave_first;
}

/*
 * Find the waits of a region's home lane at the end of a body: the exits of the
 * other lanes.  The home lane's own last command needs no wait in general.  It
 * may be in a segment that runs on another lane; then the segment's last
 * command is on that lane, and later in submission order.  Its successors (the
 * rest of that lane, commands that wait for its end, and so on up to an exit)
 * are later still: so none of them is on the home lane, and that exit is waited
 * for.
 */
static void find_ends(plait__batch_builder *p, const plait__plan_body *body,
		      uint32_t home)
{
	plait__vector_truncate(&p->marks, 0);
	p->stamp++;
	for (uint32_t i = 0; i < body->exit_count; i++) {
		const plait__plan_exit *exit =
			&p->plan->exits[body->exit_first + i];
		uint32_t last = plait__batch_builder_find_before(
			p, exit->lane, exit->position);
		uint32_t lane = plait__queue_program_lane(p->compiled, last);

		if (exit->lane != home && lane != home &&
		    plait__batch_builder_is_of_port(p, lane, home) &&
		    !plait__payload_is_external(p->plan, last))
			plait__batch_builder_note_mark(
				p,
				plait__queue_program_mark(p->compiled, last));
	}
}

/* Batch at the end of a body: the home lane waits for the exits; a loop then
 * evaluates its predicate again. */
void plait__region_batches_pack_end(plait__batch_builder *p, uint32_t number)
{
	const plait__plan_body *body = &p->plan->bodies[number];
	const plait__plan_region *region = &p->plan->regions[body->region];
	uint32_t home = p->compiled->regions[body->region].home;
	plait__queue_submission *submission;

	plait__batch_builder_set_body(p, number);
	p->compiled->bodies[number].end = p->compiled->batches.count;
	submission = plait__batch_builder_single(p, home);
	if (submission == NULL)
		return;
	find_ends(p, body, home);
	plait__batch_builder_add_waits(p, submission);
	submission->mark =
		plait__queue_program_region_mark(p->plan, body->region);
	if (region->kind != PLAIT__REGION_CASE &&
	    region->kind != PLAIT__REGION_REPEAT)
		add_predicate(p, submission, body->region);
}
