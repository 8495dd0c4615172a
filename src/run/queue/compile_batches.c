/* SPDX-License-Identifier: MIT */
/*
 * Compiler pass for batches, consecutive submissions of one lane that the
 * backend gets in one call: of the commands of chunks, and of the predicates
 * and emissions of regions.  The commands of a chunk are taken in submission
 * order.  Each lane collects commands until another lane needs a mark of one of
 * them; the collected commands are then a batch.  So an emission is submitted
 * before every wait for it, and backends are called as rarely as possible.
 */
#include "run/queue/compile_batches.h"

#include "run/queue/batch_builder.h"
#include "run/queue/compile_marks.h"
#include "run/queue/queue_command.h"
#include "run/queue/region_batches.h"
#include "run/queue/repeat_room.h"

#include "base/alloc.h"

/* ---- chunks ---- */

/* The caller has just begun the submission, the last one. */
static void add_segment(plait__batch_builder *p,
			plait__queue_submission *submission,
			plait__queue_segment *segment)
{
	plait__vector *batches = &p->compiled->batches;

	submission->segment = p->compiled->segment_of[segment->last];
	segment->submission = p->compiled->submissions.count - 1;
	for (uint32_t i = 0; i < segment->member_count; i++)
		plait__batch_builder_add_work(p, submission,
			 plait__queue_program_at(&p->compiled->members,
						 segment->member_first + i));
	((plait__queue_batch *)plait__vector_at(batches, batches->count - 1))
		->has_segments = true;
}

/* Commands that follow a segment are in another submission. */
static bool is_last(const plait__batch_builder *p, uint32_t command)
{
	return p->awaited[command] ||
	       plait__queue_program_segment(p->compiled, command) != NULL;
}

/* Add a command to the batch that has been begun.  *submission: the open one,
 * or null; the command begins another if it waits or is a segment, and closes
 * it if a mark is emitted. */
static void pack_command(plait__batch_builder *p, uint32_t command,
			 plait__queue_submission **submission)
{
	plait__queue_segment *segment =
		plait__queue_program_segment(p->compiled, command);

	plait__batch_builder_find_waits(p, command);
	if (*submission == NULL || p->marks.count > 0 || segment != NULL)
		*submission = plait__batch_builder_begin_submission(p);
	if (p->failed)
		return;
	plait__batch_builder_add_waits(p, *submission);
	if (segment != NULL)
		add_segment(p, *submission, segment);
	else if (plait__queue_command_has_work(p->plan, command))
		plait__batch_builder_add_work(p, *submission, command);
	p->packed[command] = 1;
	if (p->awaited[command])
		(*submission)->mark = command;
	if (is_last(p, command))
		*submission = NULL;
}

/* Make a batch of what a lane has collected. */
static void pack(plait__batch_builder *p, uint32_t lane)
{
	plait__queue_submission *submission = NULL;
	uint32_t command = p->first[lane];

	if (command == PLAIT__NONE)
		return;
	p->first[lane] = PLAIT__NONE;
	plait__batch_builder_begin_batch(p, lane);
	for (; command != PLAIT__NONE && !p->failed;
	     command = p->next[command])
		pack_command(p, command, &submission);
}

/* Pack the batches that a command waits for.  Regions on the host count as
 * packed (pack_all): no chunk has them. */
static void pack_before(plait__batch_builder *p, uint32_t command)
{
	plait__vector needed;

	plait__batch_builder_find_waits(p, command);
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
		arrival = plait__batch_builder_single(p, p->plan->commands[mark].lane);
		if (arrival != NULL)
			arrival->mark = mark;
	}
}

/* Returns true for a segment that decides regions.  It is a batch of its own,
 * as the segment fallback may have to replace it. */
static bool has_regions(const plait__batch_builder *p, uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(p->compiled, command);

	return segment != NULL && segment->regions > 0;
}

/* Append a command of the chunk to the list of its lane, after the batches that
 * it waits for are packed.  A segment with regions is a batch of its own. */
static void collect(plait__batch_builder *p, uint32_t command)
{
	uint32_t lane = plait__queue_program_lane(p->compiled, command);
	bool alone = has_regions(p, command);

	pack_before(p, command);
	if (alone)
		pack(p, lane);
	p->next[command] = PLAIT__NONE;
	if (p->first[lane] == PLAIT__NONE) {
		p->first[lane] = command;
		(void)plait__batch_builder_push(p, &p->touched, &lane);
	} else {
		p->next[p->last[lane]] = command;
	}
	p->last[lane] = command;
	if (alone)
		pack(p, lane);
}

static void pack_chunk(plait__batch_builder *p, plait__queue_stage *stage)
{
	plait__batch_builder_set_body(p, stage->body);
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

/* ---- the end of a run ---- */

/* Final batch of a lane.  The first lane of a port waits for all lanes of that
 * port, so its mark is the end of the port. */
static void pack_final(plait__batch_builder *p, uint32_t lane)
{
	const plait__queue_program *compiled = p->compiled;
	const plait__queue_port *port =
		&compiled->ports[compiled->lanes[lane].port];
	plait__queue_submission *submission;

	compiled->lanes[lane].final = compiled->batches.count;
	submission = plait__batch_builder_single(p, lane);
	if (submission == NULL)
		return;
	submission->mark = plait__queue_program_lane_mark(p->plan, lane);
	if (port->lane != lane)
		return;
	for (uint32_t i = lane + 1; i < p->plan->lanes_count; i++)
		if (plait__batch_builder_is_of_port(p, i, lane))
			plait__batch_builder_add_wait(p, submission,
				 plait__queue_program_lane_mark(p->plan, i));
}

/* ---- all of it ---- */

/* Pack the chunks of all bodies, then the batches of regions on the host, of
 * ends of their bodies and of lanes. */
static void pack_all(plait__batch_builder *p)
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
			plait__region_batches_pack_enter(p, i);
			plait__region_batches_pack_gates(p, i);
			plait__region_batches_pack_leave(p, i);
			plait__repeat_room_place(p, i);
		}
	for (uint32_t i = 1; i < plan->bodies_count && !p->failed; i++)
		if (!plait__queue_program_is_device_body(p->compiled, i))
			plait__region_batches_pack_end(p, i);
	for (uint32_t i = 0; i < plan->lanes_count && !p->failed; i++)
		pack_final(p, i);
}

static void *new_table(plait__batch_builder *p, uint64_t count, uint64_t each)
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
	plait__batch_builder p = { .compiled = compiled,
				   .plan = plan,
				   .flights = PLAIT__BATCH_BUILDER_FLIGHTS,
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
