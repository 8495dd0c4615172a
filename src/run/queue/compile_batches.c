/* SPDX-License-Identifier: MIT */
/*
 * What is submitted, and in how many calls.  A chunk's commands are taken in
 * submission order; each lane collects its own for as long as nobody needs
 * what one of them emits: then they are a batch.  So a wait is never submitted
 * before what it waits for, and a lane is called as rarely as may be.
 */
#include "run/queue/queue_engine.h"

#include "run/args/payload_util.h"

#include "base/alloc.h"

struct batch_builder {
	plait__queue_program *queued;
	const plait__plan *plan;
	const uint32_t *next_commands; /* of the same chunk */
	uint32_t body;
	/* Per lane, what it has collected; per command, what comes next. */
	uint32_t *first;
	uint32_t *last;
	uint32_t *next;
	uint8_t *packed;	/* per command: it lies in a batch */
	uint8_t *awaited;	/* per command: its mark is waited for */
	plait__vector touched;	/* lanes that may have collected something */
	plait__vector marks;	/* what the command in hand waits for */
	plait__vector spare;	/* of the same kind */
	uint32_t *stamps;	/* per command: when it was put there */
	uint32_t stamp;
	uint32_t waits;		/* where those of the stretch begin */
	bool failed;
};

static void *push(struct batch_builder *p, plait__vector *vector, const void *stage)
{
	void *pushed = p->failed ? NULL : plait__vector_push(vector, stage, 1);

	p->failed = p->failed || pushed == NULL;
	return pushed;
}

/* ---- stretches ---- */

static plait__queue_submission *begin_stretch(struct batch_builder *p)
{
	const plait__queue_submission submission = {
		.wait_first = p->queued->waits.count,
		.work_first = p->queued->work.count,
		.mark = PLAIT__NONE, .segment = PLAIT__NONE,
	};
	plait__vector *batches = &p->queued->batches;
	plait__queue_submission *pushed = push(p, &p->queued->submissions,
					       &submission);

	if (pushed != NULL)
		((plait__queue_batch *)plait__vector_at(
			batches, batches->count - 1))->submission_count++;
	return pushed;
}

static void begin_batch(struct batch_builder *p, uint32_t lane)
{
	const plait__queue_batch batch = {
		.lane = lane, .submission_first = p->queued->submissions.count,
	};

	(void)push(p, &p->queued->batches, &batch);
}

static void add_wait(struct batch_builder *p, plait__queue_submission *submission,
		     uint32_t mark)
{
	if (push(p, &p->queued->waits, &mark) != NULL)
		submission->wait_count++;
}

static void add_work(struct batch_builder *p, plait__queue_submission *submission,
		     uint32_t what)
{
	plait__vector *batches = &p->queued->batches;

	if (push(p, &p->queued->work, &what) == NULL)
		return;
	submission->work_count++;
	if (what < p->plan->command_count &&
	    plait__launch_variants_may_change(p->queued, what))
		((plait__queue_batch *)plait__vector_at(
			batches, batches->count - 1))->binds = true;
}

static bool is_of_port(const struct batch_builder *p, uint32_t lane, uint32_t other)
{
	return p->queued->lanes[lane].port == p->queued->lanes[other].port;
}

static uint32_t find_before(const struct batch_builder *p, uint32_t lane,
			    uint32_t position)
{
	return plait__plan_find_command(p->plan, p->body, lane, position);
}

/* What a queue has to wait for; not what its own order or the host sees to,
 * nor what was over before, nor, for a stub, its own region. */
static bool is_waited(const struct batch_builder *p, uint32_t command,
		      uint32_t before)
{
	const plait__plan_command *at = &p->plan->commands[command];
	uint32_t lane = plait__queue_program_lane(p->queued, command);
	uint32_t other = plait__queue_program_lane(p->queued, before);

	if (lane == other || !is_of_port(p, lane, other) ||
	    plait__payload_is_external(p->plan, before))
		return false;
	return at->kind != PLAIT__CMD_ENTER ||
	       p->plan->regions[at->link].command != before;
}

static void note_mark(struct batch_builder *p, uint32_t mark)
{
	if (p->failed || p->stamps[mark] == p->stamp)
		return;
	p->stamps[mark] = p->stamp;
	(void)push(p, &p->marks, &mark);
}

/* By its waits; and, where one of the two runs elsewhere, by its lane. */
static void note_waits(struct batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];

	if (at->position > 0 && is_waited(p, command, command - 1))
		note_mark(p, plait__queue_program_mark(p->queued, command - 1));
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		const plait__plan_wait *wait = &p->plan->waits[i];
		uint32_t before = find_before(p, wait->lane, wait->position);

		if (wait->lane != at->lane && is_waited(p, command, before))
			note_mark(p, plait__queue_program_mark(p->queued, before));
	}
}

/* Its lane may still be at what is in front of the body. */
static bool has_arrival(const struct batch_builder *p, uint32_t command)
{
	return p->plan->commands[command].position == 0 && p->body != 0 &&
	       plait__queue_program_lane(p->queued, command) !=
		       p->plan->commands[command].lane;
}

/* A region has its stubs beside it. */
static void note_member(struct batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];
	const uint32_t *all = &command, *end = all + 1;

	if (at->kind == PLAIT__CMD_REGION) {
		all = p->plan->order + p->queued->regions[at->link].order_first;
		end = all + p->queued->regions[at->link].order_count;
	}
	for (; all < end; all++) {
		note_waits(p, *all);
		/* It is not emitted else: the segment has its last's. */
		if (has_arrival(p, *all))
			note_mark(p, *all);
	}
}

static void note_segment(struct batch_builder *p,
			 const plait__queue_segment *segment)
{
	for (uint32_t i = 0; i < segment->member_count; i++) {
		uint32_t member = plait__queue_program_at(
			&p->queued->members, segment->member_first + i);

		/* In a body it comes behind what its region does. */
		if (p->plan->nodes[p->plan->commands[member].node].body ==
		    p->body)
			note_member(p, member);
	}
}

/* What a command waits for, or the segment whose last it is. */
static void find_waits(struct batch_builder *p, uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(p->queued, command);

	plait__vector_truncate(&p->marks, 0);
	p->stamp++;
	if (segment == NULL)
		note_waits(p, command);
	else
		note_segment(p, segment);
}

static void add_waits(struct batch_builder *p, plait__queue_submission *submission)
{
	for (uint32_t i = 0; i < p->marks.count; i++)
		add_wait(p, submission, plait__queue_program_at(&p->marks, i));
}

/* ---- chunks ---- */

static void add_segment(struct batch_builder *p, plait__queue_submission *submission,
			plait__queue_segment *segment)
{
	plait__vector *batches = &p->queued->batches;

	submission->segment = p->queued->segment_of[segment->last];
	segment->submission = p->queued->submissions.count - 1;
	for (uint32_t i = 0; i < segment->member_count; i++)
		add_work(p, submission, plait__queue_program_at(
				&p->queued->members,
				segment->member_first + i));
	((plait__queue_batch *)plait__vector_at(
		batches, batches->count - 1))->has_segments = true;
}

/* Behind a segment comes another stretch. */
static bool is_last(const struct batch_builder *p, uint32_t command)
{
	return p->awaited[command] ||
	       plait__queue_program_segment(p->queued, command) != NULL;
}

static void pack_command(struct batch_builder *p, uint32_t command,
			 plait__queue_submission **submission)
{
	plait__queue_segment *segment =
		plait__queue_program_segment(p->queued, command);

	find_waits(p, command);
	if (*submission == NULL || p->marks.count > 0 || segment != NULL)
		*submission = begin_stretch(p);
	if (p->failed)
		return;
	add_waits(p, *submission);
	if (segment != NULL)
		add_segment(p, *submission, segment);
	else if (plait__translate_has_work(p->plan, command))
		add_work(p, *submission, command);
	p->packed[command] = 1;
	if (p->awaited[command])
		(*submission)->mark = command;
	if (is_last(p, command))
		*submission = NULL;
}

/* What a lane has collected becomes a batch. */
static void pack(struct batch_builder *p, uint32_t lane)
{
	plait__queue_submission *submission = NULL;
	uint32_t command = p->first[lane];

	if (command == PLAIT__NONE)
		return;
	p->first[lane] = PLAIT__NONE;
	begin_batch(p, lane);
	for (; command != PLAIT__NONE && !p->failed;
	     command = p->next[command])
		pack_command(p, command, &submission);
}

/* One stretch of its own; null when there is no memory. */
static plait__queue_submission *pack_one(struct batch_builder *p, uint32_t lane)
{
	begin_batch(p, lane);
	return begin_stretch(p);
}

/* What it waits for is submitted before. */
static void pack_before(struct batch_builder *p, uint32_t command)
{
	plait__vector needed;

	find_waits(p, command);
	/* Whoever is packed has marks of his own. */
	needed = p->marks;
	p->marks = p->spare;
	p->spare = needed;
	for (uint32_t i = 0; i < needed.count && !p->failed; i++) {
		uint32_t mark = plait__queue_program_at(&needed, i);
		plait__queue_submission *arrival;

		if (plait__queue_program_mark(p->queued, mark) == mark) {
			if (!p->packed[mark])
				pack(p, p->plan->commands[mark].lane);
			continue;
		}
		arrival = pack_one(p, p->plan->commands[mark].lane);
		if (arrival != NULL)
			arrival->mark = mark;
	}
}

/* It may have to be walked instead, so it is a batch of its own. */
static bool has_regions(const struct batch_builder *p, uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(p->queued, command);

	return segment != NULL && segment->regions > 0;
}

static void collect(struct batch_builder *p, uint32_t command)
{
	uint32_t lane = plait__queue_program_lane(p->queued, command);
	bool alone = has_regions(p, command);

	pack_before(p, command);
	if (alone)
		pack(p, lane);
	p->next[command] = PLAIT__NONE;
	if (p->first[lane] == PLAIT__NONE) {
		p->first[lane] = command;
		(void)push(p, &p->touched, &lane);
	} else {
		p->next[p->last[lane]] = command;
	}
	p->last[lane] = command;
	if (alone)
		pack(p, lane);
}

static void pack_chunk(struct batch_builder *p, plait__queue_stage *stage)
{
	p->body = stage->body;
	stage->batch_first = p->queued->batches.count;
	for (uint32_t command = stage->first_command;
	     command != PLAIT__NONE && !p->failed;
	     command = p->next_commands[command])
		collect(p, command);
	for (uint32_t i = 0; i < p->touched.count && !p->failed; i++)
		pack(p, plait__queue_program_at(&p->touched, i));
	plait__vector_truncate(&p->touched, 0);
	stage->batch_count = p->queued->batches.count - stage->batch_first;
}

/* ---- regions ---- */

/* Who asks: the region's predicate as work on its home lane, or the host. */
static void add_question(struct batch_builder *p, plait__queue_submission *submission,
			 uint32_t region)
{
	if (p->queued->regions[region].asks_owner)
		return;
	add_work(p, submission, p->plan->command_count + region);
}

/* The stubs wait, then the home lane, which asks; a `do` does not. */
static void pack_enter(struct batch_builder *p, uint32_t number)
{
	const plait__plan_region *region = &p->plan->regions[number];
	plait__queue_region *out = &p->queued->regions[number];
	plait__queue_submission *submission;

	p->body = out->outer_body;
	out->enter_first = p->queued->batches.count;
	for (uint32_t i = 0; i < out->order_count; i++) {
		uint32_t stub = p->plan->order[out->order_first + i];

		if (stub == region->command)
			continue;
		find_waits(p, stub);
		if (p->marks.count == 0)
			continue;
		submission = pack_one(p, p->plan->commands[stub].lane);
		if (submission != NULL)
			add_waits(p, submission);
	}
	submission = pack_one(p, out->home);
	if (submission != NULL) {
		find_waits(p, region->command);
		add_waits(p, submission);
		submission->mark = plait__queue_program_region_mark(p->plan, number);
		if (region->kind != PLAIT__REGION_DO)
			add_question(p, submission, number);
	}
	out->enter_count = p->queued->batches.count - out->enter_first;
}

/* Who waits for the region waits for its commands. */
static void pack_leave(struct batch_builder *p, uint32_t number)
{
	plait__queue_region *out = &p->queued->regions[number];
	plait__queue_submission *submission;

	out->leave_first = p->queued->batches.count;
	for (uint32_t i = 0; i < out->order_count; i++) {
		uint32_t command = p->plan->order[out->order_first + i];

		if (!p->awaited[command])
			continue;
		submission = pack_one(p, p->plan->commands[command].lane);
		if (submission != NULL)
			submission->mark = command;
	}
	out->leave_count = p->queued->batches.count - out->leave_first;
}

/*
 * What the home lane of a region waits for at the end of a body: the exits of
 * other lanes.  Its own end needs no wait.  That may be in a segment which runs on
 * another lane; then the segment's last command is on that lane, and later in the
 * order of submission.  What follows from there, the rest of that lane and what
 * waits for its end, and so on up to an exit, is later still: so nothing of it is
 * on the home lane, and that exit is waited for.
 */
static void find_ends(struct batch_builder *p, const plait__plan_body *body,
		      uint32_t home)
{
	plait__vector_truncate(&p->marks, 0);
	p->stamp++;
	for (uint32_t i = 0; i < body->exit_count; i++) {
		const plait__plan_exit *exit =
			&p->plan->exits[body->exit_first + i];
		uint32_t last = find_before(p, exit->lane, exit->position);
		uint32_t lane = plait__queue_program_lane(p->queued, last);

		if (exit->lane != home && lane != home &&
		    is_of_port(p, lane, home) &&
		    !plait__payload_is_external(p->plan, last))
			note_mark(p, plait__queue_program_mark(p->queued, last));
	}
}

/* The home lane waits for all of the body; then a loop asks again. */
static void pack_end(struct batch_builder *p, uint32_t number)
{
	const plait__plan_body *body = &p->plan->bodies[number];
	const plait__plan_region *region = &p->plan->regions[body->region];
	uint32_t home = p->queued->regions[body->region].home;
	plait__queue_submission *submission;

	p->body = number;
	p->queued->bodies[number].end = p->queued->batches.count;
	submission = pack_one(p, home);
	if (submission == NULL)
		return;
	find_ends(p, body, home);
	add_waits(p, submission);
	submission->mark = plait__queue_program_region_mark(p->plan, body->region);
	if (region->kind != PLAIT__REGION_CASE)
		add_question(p, submission, body->region);
}

/* ---- the end of a run ---- */

/* The first lane of a port is through when all of its lanes are. */
static void pack_final(struct batch_builder *p, uint32_t lane)
{
	const plait__queue_program *queued = p->queued;
	const plait__queue_port *port =
		&queued->ports[queued->lanes[lane].port];
	plait__queue_submission *submission;

	queued->lanes[lane].final = queued->batches.count;
	submission = pack_one(p, lane);
	if (submission == NULL)
		return;
	submission->mark = plait__queue_program_lane_mark(p->plan, lane);
	if (port->lane != lane)
		return;
	for (uint32_t i = lane + 1; i < p->plan->lanes_count; i++)
		if (is_of_port(p, i, lane))
			add_wait(p, submission,
				 plait__queue_program_lane_mark(p->plan, i));
}

/* ---- all of it ---- */

/* The host waits for what stands in front of it on its lane. */
static bool is_begun_by_host(const struct batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];

	if (at->kind == PLAIT__CMD_REGION || at->kind == PLAIT__CMD_ENTER)
		return p->queued->regions[at->link].drains_lanes;
	return plait__payload_is_external(p->plan, command);
}

static void await(struct batch_builder *p, uint32_t command)
{
	p->awaited[plait__queue_program_mark(p->queued, command)] = 1;
}

/* A mark is emitted for whoever does not see it by the order of its lane. */
static void find_awaited_of(struct batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];

	if (plait__record_times_is_timed(p->queued, command))
		await(p, command);
	if (at->position > 0 &&
	    (is_begun_by_host(p, command) ||
	     plait__queue_program_lane(p->queued, command) !=
		     plait__queue_program_lane(p->queued, command - 1)))
		await(p, command - 1);
	for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
		const plait__plan_wait *wait = &p->plan->waits[w];

		if (wait->lane != at->lane)
			await(p, find_before(p, wait->lane, wait->position));
	}
}

static void find_awaited(struct batch_builder *p, uint32_t number)
{
	const plait__plan_body *body = &p->plan->bodies[number];
	uint32_t home = body->region != PLAIT__NONE ?
			p->queued->regions[body->region].home : PLAIT__NONE;

	p->body = number;
	for (uint32_t i = 0; i < body->command_count; i++)
		find_awaited_of(p, body->command_first + i);
	if (home == PLAIT__NONE)
		return;
	for (uint32_t i = 0; i < body->exit_count; i++) {
		const plait__plan_exit *exit =
			&p->plan->exits[body->exit_first + i];

		if (exit->lane != home)
			await(p, find_before(p, exit->lane, exit->position));
	}
}

static void pack_all(struct batch_builder *p)
{
	const plait__plan *plan = p->plan;

	/* Regions and stubs emit when they are left, which is before. */
	for (uint32_t i = 0; i < plan->command_count; i++)
		p->packed[i] = plait__queue_program_is_region(p->queued, i, false);
	for (uint32_t i = 0; i < plan->bodies_count; i++)
		if (!plait__queue_program_is_device_body(p->queued, i))
			find_awaited(p, i);
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		p->first[i] = PLAIT__NONE;
	for (uint32_t i = 0; i < p->queued->items.count && !p->failed; i++) {
		plait__queue_stage *stage = plait__queue_program_stage(p->queued, i);

		if (stage->kind == PLAIT__STAGE_CHUNK)
			pack_chunk(p, stage);
	}
	for (uint32_t i = 0; i < plan->regions_count && !p->failed; i++)
		if (!p->queued->regions[i].frozen) {
			pack_enter(p, i);
			pack_leave(p, i);
		}
	for (uint32_t i = 1; i < plan->bodies_count && !p->failed; i++)
		if (!plait__queue_program_is_device_body(p->queued, i))
			pack_end(p, i);
	for (uint32_t i = 0; i < plan->lanes_count && !p->failed; i++)
		pack_final(p, i);
}

static void *new_table(struct batch_builder *p, uint64_t count, uint64_t each)
{
	void *table = plait__alloc_array(
		plait__program_allocator(p->queued->program), count, each);

	p->failed = p->failed || (table == NULL && count > 0);
	return table;
}

bool plait__compile_batches(plait__queue_program *queued,
			    const uint32_t *next_commands)
{
	const plait__plan *plan = queued->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(queued->program);
	struct batch_builder p = { .queued = queued, .plan = plan,
			    .next_commands = next_commands };

	plait__vector_init(&p.touched, allocator, sizeof(uint32_t));
	plait__vector_init(&p.marks, allocator, sizeof(uint32_t));
	plait__vector_init(&p.spare, allocator, sizeof(uint32_t));
	p.stamps = new_table(&p, plan->command_count, sizeof(*p.stamps));
	p.first = new_table(&p, plan->lanes_count, sizeof(*p.first));
	p.last = new_table(&p, plan->lanes_count, sizeof(*p.last));
	p.next = new_table(&p, plan->command_count, sizeof(*p.next));
	p.packed = new_table(&p, plan->command_count, sizeof(*p.packed));
	p.awaited = new_table(&p, plan->command_count, sizeof(*p.awaited));
	if (!p.failed)
		pack_all(&p);
	plait__vector_fini(&p.touched);
	plait__vector_fini(&p.marks);
	plait__vector_fini(&p.spare);
	plait__free(allocator, p.stamps,
		    plan->command_count * sizeof(*p.stamps));
	plait__free(allocator, p.first,
		    plan->lanes_count * sizeof(*p.first));
	plait__free(allocator, p.last, plan->lanes_count * sizeof(*p.last));
	plait__free(allocator, p.next,
		    plan->command_count * sizeof(*p.next));
	plait__free(allocator, p.packed, plan->command_count);
	plait__free(allocator, p.awaited, plan->command_count);
	return !p.failed;
}
