/* SPDX-License-Identifier: MIT */
/*
 * Packs the commands of chunks, and the predicates and emissions of regions,
 * into batches: consecutive submissions of one lane, given to the backend in
 * one call.  The commands of a chunk are taken in submission order.  Each lane
 * collects commands until another lane needs a mark of one of them; the
 * collected commands are then a batch.  So an emission is submitted before
 * every wait for it, and backends are called as rarely as possible.
 */
#include "run/queue/compile_batches.h"

#include "run/queue/compile_marks.h"
#include "run/queue/queue_command.h"

#include "run/args/loop_count.h"
#include "run/args/payload_util.h"

#include "base/alloc.h"

struct batch_builder {
	plait__queue_program *compiled;
	const plait__plan *plan;
	const uint32_t *next_commands; /* links those of a chunk */
	uint32_t body;
	/* Per lane, the list of collected commands; per command, the next
	 * one. */
	uint32_t *first;
	uint32_t *last;
	uint32_t *next;
	uint8_t *packed;	/* per command: it is in a batch */
	uint8_t *awaited;	/* per command: it emits its mark */
	plait__vector touched;	/* lanes that may have a list */
	plait__vector marks;	/* that the command at hand waits for */
	plait__vector spare;	/* swapped with `marks` */
	uint32_t *stamps;	/* per command: newest `stamp` in marks */
	uint32_t stamp;
	uint32_t flights;	/* of batches that are packed now */
	bool failed;
};

static void *push(struct batch_builder *p, plait__vector *vector,
		  const void *stage)
{
	void *pushed = p->failed ? NULL : plait__vector_push(vector, stage, 1);

	p->failed = p->failed || pushed == NULL;
	return pushed;
}

/* ---- submissions ---- */

static plait__queue_submission *begin_submission(struct batch_builder *p)
{
	const plait__queue_submission submission = {
		.wait_first = p->compiled->waits.count,
		.work_first = p->compiled->work.count,
		.mark = PLAIT__NONE,
		.segment = PLAIT__NONE,
	};
	plait__vector *batches = &p->compiled->batches;
	plait__queue_submission *pushed =
		push(p, &p->compiled->submissions, &submission);

	if (pushed != NULL)
		((plait__queue_batch *)plait__vector_at(batches,
							batches->count - 1))
			->submission_count++;
	return pushed;
}

static void begin_batch(struct batch_builder *p, uint32_t lane)
{
	const plait__queue_batch batch = {
		.lane = lane,
		.submission_first = p->compiled->submissions.count,
		.flights = p->flights,
	};

	(void)push(p, &p->compiled->batches, &batch);
}

static void add_wait(struct batch_builder *p,
		     plait__queue_submission *submission, uint32_t mark)
{
	if (push(p, &p->compiled->waits, &mark) != NULL)
		submission->wait_count++;
}

static void add_work(struct batch_builder *p,
		     plait__queue_submission *submission, uint32_t work)
{
	plait__vector *batches = &p->compiled->batches;

	if (push(p, &p->compiled->work, &work) == NULL)
		return;
	submission->work_count++;
	if (work < p->plan->command_count &&
	    plait__queue_command_may_change(p->compiled, work))
		((plait__queue_batch *)plait__vector_at(batches,
							batches->count - 1))
			->binds = true;
}

static bool is_of_port(const struct batch_builder *p, uint32_t lane,
		       uint32_t other)
{
	return p->compiled->lanes[lane].port == p->compiled->lanes[other].port;
}

static uint32_t find_before(const struct batch_builder *p, uint32_t lane,
			    uint32_t position)
{
	return plait__plan_find_command(p->plan, p->body, lane, position);
}

/* Returns true if a queue has to wait for `before`.  The order of a lane's own
 * queue needs no wait, nor does a command that the host awaits, nor, for a
 * stub, the command of its own region. */
static bool needs_wait(const struct batch_builder *p, uint32_t command,
		       uint32_t before)
{
	const plait__plan_command *at = &p->plan->commands[command];
	uint32_t lane = plait__queue_program_lane(p->compiled, command);
	uint32_t other = plait__queue_program_lane(p->compiled, before);

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

/* Note the waits of a command, and its lane predecessor if one of the two runs
 * on another lane, in a segment. */
static void note_waits(struct batch_builder *p, uint32_t command)
{
	const plait__plan_command *at = &p->plan->commands[command];

	if (at->position > 0 && needs_wait(p, command, command - 1))
		note_mark(p,
			  plait__queue_program_mark(p->compiled, command - 1));
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		const plait__plan_wait *wait = &p->plan->waits[i];
		uint32_t before = find_before(p, wait->lane, wait->position);

		if (wait->lane != at->lane && needs_wait(p, command, before))
			note_mark(p, plait__queue_program_mark(p->compiled,
							       before));
	}
}

/* Returns true if the lane of a segment member may still be at commands that
 * precede the body. */
static bool has_arrival(const struct batch_builder *p, uint32_t command)
{
	return p->plan->commands[command].position == 0 && p->body != 0 &&
	       plait__queue_program_lane(p->compiled, command) !=
		       p->plan->commands[command].lane;
}

/* A region waits for what its stubs wait for, too. */
static void note_member(struct batch_builder *p, uint32_t command)
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
			note_mark(p, *all);
	}
}

static void note_segment(struct batch_builder *p,
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
static void find_waits(struct batch_builder *p, uint32_t command)
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

static void add_waits(struct batch_builder *p,
		      plait__queue_submission *submission)
{
	for (uint32_t i = 0; i < p->marks.count; i++)
		add_wait(p, submission, plait__queue_program_at(&p->marks, i));
}

/* ---- chunks ---- */

static void add_segment(struct batch_builder *p,
			plait__queue_submission *submission,
			plait__queue_segment *segment)
{
	plait__vector *batches = &p->compiled->batches;

	submission->segment = p->compiled->segment_of[segment->last];
	segment->submission = p->compiled->submissions.count - 1;
	for (uint32_t i = 0; i < segment->member_count; i++)
		add_work(p, submission,
			 plait__queue_program_at(&p->compiled->members,
						 segment->member_first + i));
	((plait__queue_batch *)plait__vector_at(batches, batches->count - 1))
		->has_segments = true;
}

/* Commands that follow a segment are in another submission. */
static bool is_last(const struct batch_builder *p, uint32_t command)
{
	return p->awaited[command] ||
	       plait__queue_program_segment(p->compiled, command) != NULL;
}

static void pack_command(struct batch_builder *p, uint32_t command,
			 plait__queue_submission **submission)
{
	plait__queue_segment *segment =
		plait__queue_program_segment(p->compiled, command);

	find_waits(p, command);
	if (*submission == NULL || p->marks.count > 0 || segment != NULL)
		*submission = begin_submission(p);
	if (p->failed)
		return;
	add_waits(p, *submission);
	if (segment != NULL)
		add_segment(p, *submission, segment);
	else if (plait__queue_command_has_work(p->plan, command))
		add_work(p, *submission, command);
	p->packed[command] = 1;
	if (p->awaited[command])
		(*submission)->mark = command;
	if (is_last(p, command))
		*submission = NULL;
}

/* Make a batch of what a lane has collected. */
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

/* Begin a batch of one submission; null without memory. */
static plait__queue_submission *pack_single(struct batch_builder *p,
					    uint32_t lane)
{
	begin_batch(p, lane);
	return begin_submission(p);
}

/* Pack the batches that a command waits for. */
static void pack_before(struct batch_builder *p, uint32_t command)
{
	plait__vector needed;

	find_waits(p, command);
	/* Packing another command overwrites p->marks. */
	needed = p->marks;
	p->marks = p->spare;
	p->spare = needed;
	for (uint32_t i = 0; i < needed.count && !p->failed; i++) {
		uint32_t mark = plait__queue_program_at(&needed, i);
		plait__queue_submission *arrival;

		if (plait__queue_program_mark(p->compiled, mark) == mark) {
			if (!p->packed[mark])
				pack(p, p->plan->commands[mark].lane);
			continue;
		}
		arrival = pack_single(p, p->plan->commands[mark].lane);
		if (arrival != NULL)
			arrival->mark = mark;
	}
}

/* Returns true for a segment that decides regions.  It is a batch of its own,
 * as the segment fallback may have to replace it. */
static bool has_regions(const struct batch_builder *p, uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(p->compiled, command);

	return segment != NULL && segment->regions > 0;
}

static void collect(struct batch_builder *p, uint32_t command)
{
	uint32_t lane = plait__queue_program_lane(p->compiled, command);
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

/* A batch is in flight at most once, but for the predicate and the emissions of
 * a region, whose last ones may be complete and not yet counted as such; and
 * for a body that is submitted ahead, in two windows. */
enum { FLIGHTS = 2 };

static void set_body(struct batch_builder *p, uint32_t body)
{
	uint32_t region = p->plan->bodies[body].region;

	p->body = body;
	p->flights = FLIGHTS;
	if (region != PLAIT__NONE && p->compiled->regions[region].ahead)
		p->flights *= p->compiled->regions[region].window;
}

static void pack_chunk(struct batch_builder *p, plait__queue_stage *stage)
{
	set_body(p, stage->body);
	stage->batch_first = p->compiled->batches.count;
	for (uint32_t command = stage->first_command;
	     command != PLAIT__NONE && !p->failed;
	     command = p->next_commands[command])
		collect(p, command);
	for (uint32_t i = 0; i < p->touched.count && !p->failed; i++)
		pack(p, plait__queue_program_at(&p->touched, i));
	plait__vector_truncate(&p->touched, 0);
	stage->batch_count = p->compiled->batches.count - stage->batch_first;
}

/* ---- regions ---- */

/* Evaluate the predicate of a region on its home lane, unless it has none or the
 * owner of an inbox does. */
static void add_predicate(struct batch_builder *p,
			  plait__queue_submission *submission, uint32_t region)
{
	if (p->compiled->regions[region].owner_decides ||
	    (p->plan->regions[region].kind == PLAIT__REGION_REPEAT &&
	     !plait__loop_count_is_word(p->plan, region)))
		return;
	add_work(p, submission, p->plan->command_count + region);
}

/* Batches that enter a region: its stubs wait, then the home lane waits and
 * evaluates the predicate; a `do` loop does not evaluate it first. */
static void pack_enter(struct batch_builder *p, uint32_t number)
{
	const plait__plan_region *region = &p->plan->regions[number];
	plait__queue_region *out = &p->compiled->regions[number];
	plait__queue_submission *submission;

	set_body(p, out->outer_body);
	out->enter_first = p->compiled->batches.count;
	for (uint32_t i = 0; i < out->order_count; i++) {
		uint32_t stub = p->plan->order[out->order_first + i];

		if (stub == region->command)
			continue;
		find_waits(p, stub);
		if (p->marks.count == 0)
			continue;
		submission = pack_single(p, p->plan->commands[stub].lane);
		if (submission != NULL)
			add_waits(p, submission);
	}
	submission = pack_single(p, out->home);
	if (submission != NULL) {
		find_waits(p, region->command);
		add_waits(p, submission);
		submission->mark =
			plait__queue_program_region_mark(p->plan, number);
		if (region->kind != PLAIT__REGION_DO)
			add_predicate(p, submission, number);
	}
	out->enter_count = p->compiled->batches.count - out->enter_first;
}

/* Batches of the other lanes before each iteration of a repeat that is submitted
 * ahead: they wait for the region's mark. */
static void pack_gates(struct batch_builder *p, uint32_t number)
{
	const plait__plan_region *region = &p->plan->regions[number];
	plait__queue_region *out = &p->compiled->regions[number];
	plait__queue_submission *submission;

	set_body(p, region->body_first);
	out->gate_first = p->compiled->batches.count;
	for (uint32_t i = 1; out->ahead && i < region->lane_count; i++) {
		submission = pack_single(p, p->plan->region_lanes[
						    region->lane_first + i]);
		if (submission != NULL)
			add_wait(p, submission,
				 plait__queue_program_region_mark(p->plan,
								  number));
	}
	out->gate_count = p->compiled->batches.count - out->gate_first;
}

/* Batches that leave a region: they emit the marks of its commands.  The host
 * has seen the end of its last body, unless that was submitted ahead: then the
 * other lanes wait for it. */
static void pack_leave(struct batch_builder *p, uint32_t number)
{
	plait__queue_region *out = &p->compiled->regions[number];
	plait__queue_submission *submission;

	set_body(p, out->outer_body);
	out->leave_first = p->compiled->batches.count;
	for (uint32_t i = 0; i < out->order_count; i++) {
		uint32_t command = p->plan->order[out->order_first + i];
		uint32_t lane = p->plan->commands[command].lane;
		bool waits = out->ahead && lane != out->home;

		if (!p->awaited[command] && !waits)
			continue;
		submission = pack_single(p, lane);
		if (submission == NULL)
			continue;
		if (waits)
			add_wait(p, submission,
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
static void find_ends(struct batch_builder *p, const plait__plan_body *body,
		      uint32_t home)
{
	plait__vector_truncate(&p->marks, 0);
	p->stamp++;
	for (uint32_t i = 0; i < body->exit_count; i++) {
		const plait__plan_exit *exit =
			&p->plan->exits[body->exit_first + i];
		uint32_t last = find_before(p, exit->lane, exit->position);
		uint32_t lane = plait__queue_program_lane(p->compiled, last);

		if (exit->lane != home && lane != home &&
		    is_of_port(p, lane, home) &&
		    !plait__payload_is_external(p->plan, last))
			note_mark(p,
				  plait__queue_program_mark(p->compiled, last));
	}
}

/* Batch at the end of a body: the home lane waits for the exits; a loop then
 * evaluates its predicate again. */
static void pack_end(struct batch_builder *p, uint32_t number)
{
	const plait__plan_body *body = &p->plan->bodies[number];
	const plait__plan_region *region = &p->plan->regions[body->region];
	uint32_t home = p->compiled->regions[body->region].home;
	plait__queue_submission *submission;

	set_body(p, number);
	p->compiled->bodies[number].end = p->compiled->batches.count;
	submission = pack_single(p, home);
	if (submission == NULL)
		return;
	find_ends(p, body, home);
	add_waits(p, submission);
	submission->mark =
		plait__queue_program_region_mark(p->plan, body->region);
	if (region->kind != PLAIT__REGION_CASE &&
	    region->kind != PLAIT__REGION_REPEAT)
		add_predicate(p, submission, body->region);
}

/* Reserve room for the work of a window of a flat repeat. */
static void place_room(struct batch_builder *p, uint32_t number)
{
	plait__queue_region *out = &p->compiled->regions[number];
	const plait__queue_stage *stage;
	uint32_t work = 0;

	if (!out->flat || p->failed)
		return;
	stage = plait__queue_program_stage(
		p->compiled,
		p->compiled->bodies[p->plan->regions[number].body_first]
			.stage_first);
	for (uint32_t i = 0; i < stage->batch_count; i++) {
		const plait__queue_batch *batch = plait__vector_at(
			&p->compiled->batches, stage->batch_first + i);

		for (uint32_t k = 0; k < batch->submission_count; k++)
			work += ((const plait__queue_submission *)
					 plait__vector_at(
						 &p->compiled->submissions,
						 batch->submission_first + k))
					->work_count;
	}
	out->room = p->compiled->repeat_work;
	p->compiled->repeat_work += work * out->window;
}

/* ---- the end of a run ---- */

/* Final batch of a lane.  The first lane of a port waits for all lanes of that
 * port, so its mark is the end of the port. */
static void pack_final(struct batch_builder *p, uint32_t lane)
{
	const plait__queue_program *compiled = p->compiled;
	const plait__queue_port *port =
		&compiled->ports[compiled->lanes[lane].port];
	plait__queue_submission *submission;

	compiled->lanes[lane].final = compiled->batches.count;
	submission = pack_single(p, lane);
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

static void pack_all(struct batch_builder *p)
{
	const plait__plan *plan = p->plan;

	/* Regions and stubs emit their marks when the region is left, before
	 * any command that waits for them is packed. */
	for (uint32_t i = 0; i < plan->command_count; i++)
		p->packed[i] =
			plait__queue_program_is_region(p->compiled, i, false);
	plait__compile_marks(p->compiled, p->awaited);
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		p->first[i] = PLAIT__NONE;
	for (uint32_t i = 0; i < p->compiled->stages.count && !p->failed; i++) {
		plait__queue_stage *stage =
			plait__queue_program_stage(p->compiled, i);

		if (stage->kind == PLAIT__STAGE_CHUNK)
			pack_chunk(p, stage);
	}
	for (uint32_t i = 0; i < plan->regions_count && !p->failed; i++)
		if (!p->compiled->regions[i].on_device) {
			pack_enter(p, i);
			pack_gates(p, i);
			pack_leave(p, i);
			place_room(p, i);
		}
	for (uint32_t i = 1; i < plan->bodies_count && !p->failed; i++)
		if (!plait__queue_program_is_device_body(p->compiled, i))
			pack_end(p, i);
	for (uint32_t i = 0; i < plan->lanes_count && !p->failed; i++)
		pack_final(p, i);
}

static void *new_table(struct batch_builder *p, uint64_t count, uint64_t each)
{
	void *table = plait__alloc_array(
		plait__program_allocator(p->compiled->program), count, each);

	p->failed = p->failed || (table == NULL && count > 0);
	return table;
}

bool plait__compile_batches(plait__queue_program *compiled,
			    const uint32_t *next_commands)
{
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);
	struct batch_builder p = { .compiled = compiled,
				   .plan = plan,
				   .flights = FLIGHTS,
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
