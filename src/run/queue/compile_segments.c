/* SPDX-License-Identifier: MIT */
/*
 * Which commands are frozen together.  Within a chunk, the depth of a command
 * is the most changes of a path to it: between devices, or past something that
 * no segment holds.  Commands of one device and depth are a segment: a path
 * that left it would come back deeper.  So a segment comes behind all that any
 * of its commands does, runs in the queue of one of its lanes, and is one
 * command to everybody else; its mark is that of its last command.
 *
 * In order of depth, then, a chunk's segments and other commands are in an
 * order that can be submitted.
 *
 * A region that its device decides is a command of its segment, which comes
 * behind what it and its stubs come behind, and all its bodies' commands, behind
 * each other, lie right behind it.  Its stubs are it.
 */
#include "run/queue/queue_engine.h"

#include "base/alloc.h"

/* Commands of one device and depth. */
struct group {
	plait__device *device;
	uint32_t work;		/* commands that do something */
	uint32_t count;
	uint32_t regions;	/* of the chunk's body */
	uint32_t last;		/* command */
	uint32_t segment;	/* or none: too small */
};

struct segment_builder {
	plait__queue_program *queued;
	const plait__plan *plan;
	uint32_t *next_commands;
	/* Per command. */
	uint32_t *chunk_of;
	uint32_t *depth;
	uint32_t *group_of;
	uint32_t *behind;	/* the newest one that has an edge from it */
	plait__vector order;	/* uint32_t: the chunk's, by depth */
	plait__vector starts;	/* uint32_t: by depth, in order */
	plait__vector groups;
	plait__vector inner;	/* uint32_t: regions, to be laid out */
	bool failed;
};

static void push(struct segment_builder *f, plait__vector *vector, const void *stage)
{
	if (!f->failed && plait__vector_push(vector, stage, 1) == NULL)
		f->failed = true;
}

static void push_number(struct segment_builder *f, plait__vector *vector,
			uint32_t number)
{
	push(f, vector, &number);
}

/* ---- depth ---- */

static uint32_t body_of(const struct segment_builder *f, uint32_t command)
{
	return f->plan->nodes[f->plan->commands[command].node].body;
}

static void deepen(struct segment_builder *f, uint32_t before, uint32_t command)
{
	const plait__device *device = plait__compile_segment_device(f->queued,
								    command);
	uint32_t depth;

	if (f->chunk_of[before] != f->chunk_of[command])
		return;
	depth = f->depth[before] +
		(device == NULL ||
		 plait__compile_segment_device(f->queued, before) != device);
	if (depth > f->depth[command])
		f->depth[command] = depth;
}

static uint32_t find_before(const struct segment_builder *f, uint32_t command,
			    const plait__plan_wait *wait)
{
	return plait__plan_find_command(f->plan, body_of(f, command),
					wait->lane, wait->position);
}

/* By what `stub` comes behind, which is `command` or a stub of it. */
static void find_depth_by(struct segment_builder *f, uint32_t stub, uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[stub];

	if (at->position > 0)
		deepen(f, stub - 1, command);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		uint32_t before = find_before(f, stub, &f->plan->waits[i]);

		if (before != command)
			deepen(f, before, command);
	}
}

/* Null: it is not one that has stubs here. */
static const plait__queue_region *frozen_region(const struct segment_builder *f,
						uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[command];

	return at->kind == PLAIT__CMD_REGION &&
	       f->queued->regions[at->link].frozen ?
	       &f->queued->regions[at->link] : NULL;
}

static void find_depth(struct segment_builder *f, uint32_t command)
{
	const plait__queue_region *region = frozen_region(f, command);
	const plait__plan_command *at = &f->plan->commands[command];

	if (at->kind == PLAIT__CMD_ENTER) {
		f->depth[command] = f->depth[
			f->plan->regions[at->link].command];
		return;
	}
	if (region == NULL)
		find_depth_by(f, command, command);
	for (uint32_t i = 0; region != NULL && i < region->order_count; i++)
		find_depth_by(f, f->plan->order[region->order_first + i],
			      command);
}

/* How many commands are how deep, then where the first of them is. */
static void count_depth(struct segment_builder *f, uint32_t depth)
{
	while (!f->failed && f->starts.count <= depth + 1)
		push_number(f, &f->starts, 0);
	if (!f->failed)
		((uint32_t *)f->starts.items)[depth + 1]++;
}

static void sort_chunk(struct segment_builder *f, uint32_t first)
{
	uint32_t count = 0, *starts, *order;

	plait__vector_truncate(&f->starts, 0);
	for (uint32_t c = first; c != PLAIT__NONE && !f->failed;
	     c = f->next_commands[c]) {
		count_depth(f, f->depth[c]);
		count++;
	}
	plait__vector_truncate(&f->order, 0);
	order = f->failed ? NULL : plait__vector_extend(&f->order, count);
	f->failed = f->failed || order == NULL;
	if (f->failed)
		return;
	starts = f->starts.items;
	for (uint32_t i = 1; i < f->starts.count; i++)
		starts[i] += starts[i - 1];
	for (uint32_t c = first; c != PLAIT__NONE; c = f->next_commands[c])
		order[starts[f->depth[c]]++] = c;
}

/* ---- groups ---- */

static struct group *group_at(const struct segment_builder *f, uint32_t group)
{
	return (struct group *)f->groups.items + group;
}

/* Of the groups from `first` on, which are of this depth. */
static uint32_t find_group(struct segment_builder *f, uint32_t first,
			   plait__device *device)
{
	const struct group group = { .device = device,
				     .segment = PLAIT__NONE };

	for (uint32_t i = first; i < f->groups.count; i++)
		if (group_at(f, i)->device == device)
			return i;
	push(f, &f->groups, &group);
	return f->groups.count - 1;
}

static void count_in(const struct segment_builder *f, struct group *group,
		     uint32_t command)
{
	const plait__queue_region *region = frozen_region(f, command);

	group->last = command;
	if (f->plan->commands[command].kind == PLAIT__CMD_ENTER)
		return;
	group->count++;
	group->work += plait__translate_has_work(f->plan, command);
	if (region == NULL)
		return;
	group->count += region->inside;
	group->regions++;
}

static void find_groups(struct segment_builder *f)
{
	uint32_t first = 0, depth = 0;

	plait__vector_truncate(&f->groups, 0);
	for (uint32_t i = 0; i < f->order.count && !f->failed; i++) {
		uint32_t c = plait__queue_program_at(&f->order, i);
		plait__device *device = plait__compile_segment_device(f->queued, c);
		struct group *group;

		if (f->depth[c] != depth)
			first = f->groups.count;
		depth = f->depth[c];
		f->group_of[c] = PLAIT__NONE;
		if (device == NULL)
			continue;
		f->group_of[c] = find_group(f, first, device);
		if (f->failed)
			return;
		group = group_at(f, f->group_of[c]);
		count_in(f, group, c);
	}
}

/* True: some of them are large enough. */
static bool make_segments(struct segment_builder *f)
{
	plait__vector *segments = &f->queued->segments;
	bool some = false;

	for (uint32_t i = 0; i < f->groups.count && !f->failed; i++) {
		struct group *group = group_at(f, i);
		const plait__queue_segment segment = {
			.last = group->last,
			.lane = f->plan->commands[group->last].lane,
			.member_first = f->queued->members.count,
			.regions = group->regions,
		};

		/* What decides regions is a segment, and nothing else. */
		if (group->work < f->queued->min_commands && group->regions == 0)
			continue;
		some = true;
		group->segment = segments->count;
		push(f, segments, &segment);
		/* Their order comes with the commands. */
		if (!f->failed &&
		    plait__vector_push(&f->queued->members, NULL,
				       group->count) == NULL)
			f->failed = true;
	}
	return some;
}

static plait__queue_segment *segment_at(const struct segment_builder *f,
					uint32_t number)
{
	return (plait__queue_segment *)f->queued->segments.items + number;
}

static void put_member(struct segment_builder *f, uint32_t number, uint32_t index,
		       uint32_t command)
{
	plait__queue_program *queued = f->queued;
	const plait__plan_command *at = &f->plan->commands[command];

	queued->segment_of[command] = number;
	if (at->kind == PLAIT__CMD_ENTER) {
		queued->member_index[command] = queued->member_index[
			f->plan->regions[at->link].command];
		return;
	}
	queued->member_index[command] = index;
	((uint32_t *)queued->members.items)[
		segment_at(f, number)->member_first + index] = command;
	if (at->kind == PLAIT__CMD_REGION)
		push_number(f, &f->inner, at->link);
}

/* How many members a command is. */
static uint32_t count_members(const struct segment_builder *f, uint32_t command)
{
	const plait__queue_region *region = frozen_region(f, command);

	if (f->plan->commands[command].kind == PLAIT__CMD_ENTER)
		return 0;
	return region != NULL ? 1 + region->inside : 1;
}

static void lay_body_out(struct segment_builder *f, uint32_t number, uint32_t body,
			 uint32_t index)
{
	const plait__plan_body *at = &f->plan->bodies[body];

	for (uint32_t i = 0; i < at->command_count && !f->failed; i++) {
		uint32_t command = f->plan->order[at->command_first + i];

		put_member(f, number, index, command);
		index += count_members(f, command);
	}
}

/* The bodies of all regions that were put, and of those in them. */
static void lay_out(struct segment_builder *f, uint32_t number)
{
	for (uint32_t i = 0; i < f->inner.count && !f->failed; i++) {
		const plait__plan_region *region = &f->plan->regions[
			plait__queue_program_at(&f->inner, i)];
		uint32_t index = f->queued->member_index[region->command] + 1;

		for (uint32_t b = 0; b < region->body_count; b++) {
			lay_body_out(f, number, region->body_first + b, index);
			index += f->queued->body_work[region->body_first + b];
		}
	}
	plait__vector_truncate(&f->inner, 0);
}

/* Those that are in no segment come one by one. */
static void add_member(struct segment_builder *f, uint32_t command)
{
	plait__queue_program *queued = f->queued;
	uint32_t number = group_at(f, f->group_of[command])->segment;
	plait__queue_segment *segment = segment_at(f, number);

	put_member(f, number, segment->member_count, command);
	segment->member_count += count_members(f, command);
	lay_out(f, number);
	/* One by one they are in the queue of its lane, too, and a question
	 * behind them. */
	queued->lanes[segment->lane].commands += count_members(f, command) + 1;
}

static void append(struct segment_builder *f, plait__queue_stage *stage,
		   uint32_t command)
{
	f->next_commands[command] = PLAIT__NONE;
	if (stage->first_command == PLAIT__NONE)
		stage->first_command = command;
	else
		f->next_commands[stage->last_command] = command;
	stage->last_command = command;
}

/* The chunk's list has each segment once, as its last command. */
static void link_chunk(struct segment_builder *f, plait__queue_stage *stage)
{
	stage->first_command = PLAIT__NONE;
	for (uint32_t i = 0; i < f->order.count; i++) {
		uint32_t c = plait__queue_program_at(&f->order, i);
		uint32_t group = f->group_of[c];

		if (group == PLAIT__NONE ||
		    group_at(f, group)->segment == PLAIT__NONE) {
			append(f, stage, c);
			continue;
		}
		add_member(f, c);
		if (group_at(f, group)->last == c)
			append(f, stage, c);
	}
}

static void freeze_chunk(struct segment_builder *f, uint32_t number)
{
	plait__queue_stage *stage = plait__queue_program_stage(f->queued, number);

	for (uint32_t c = stage->first_command; c != PLAIT__NONE;
	     c = f->next_commands[c]) {
		f->chunk_of[c] = number;
		find_depth(f, c);
	}
	sort_chunk(f, stage->first_command);
	find_groups(f);
	if (make_segments(f) && !f->failed)
		link_chunk(f, stage);
}

/* ---- edges ---- */

/* The command that a stub is part of. */
static uint32_t whole_of(const struct segment_builder *f, uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[command];

	return at->kind == PLAIT__CMD_ENTER ?
	       f->plan->regions[at->link].command : command;
}

/* None twice. */
static void add_edge(struct segment_builder *f, uint32_t number, uint32_t before,
		     uint32_t command)
{
	uint32_t whole = whole_of(f, before);

	if (f->queued->segment_of[whole] != number ||
	    f->behind[whole] == command)
		return;
	f->behind[whole] = command;
	push_number(f, &f->queued->edges, f->queued->member_index[whole]);
}

/* Of a command, or of one of its stubs. */
static void add_edges_of(struct segment_builder *f, uint32_t number, uint32_t stub,
			 uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[stub];

	if (at->position > 0)
		add_edge(f, number, stub - 1, command);
	for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
		uint32_t before;

		if (f->plan->waits[w].lane == at->lane)
			continue;
		before = find_before(f, stub, &f->plan->waits[w]);
		if (before != command)
			add_edge(f, number, before, command);
	}
}

static void add_edges(struct segment_builder *f, uint32_t number, uint32_t command)
{
	const plait__queue_region *region = frozen_region(f, command);

	if (region == NULL)
		add_edges_of(f, number, command, command);
	for (uint32_t i = 0; region != NULL && i < region->order_count; i++)
		add_edges_of(f, number,
			     f->plan->order[region->order_first + i], command);
}

static void find_edges(struct segment_builder *f, uint32_t number)
{
	plait__queue_program *queued = f->queued;
	plait__queue_segment *segment =
		(plait__queue_segment *)queued->segments.items + number;
	uint32_t first = queued->edges.count;

	segment->edge_first = first;
	segment->start_first = queued->edge_starts.count;
	for (uint32_t i = 0; i < segment->member_count; i++) {
		push_number(f, &queued->edge_starts,
			    queued->edges.count - first);
		add_edges(f, number, plait__queue_program_at(
				&queued->members, segment->member_first + i));
	}
	push_number(f, &queued->edge_starts, queued->edges.count - first);
}

/* ---- all of it ---- */

static uint32_t *new_table(struct segment_builder *f)
{
	uint32_t count = f->plan->command_count;
	uint32_t *table = plait__alloc_array(
		plait__program_allocator(f->queued->program), count,
		sizeof(*table));

	f->failed = f->failed || (table == NULL && count > 0);
	return table;
}

static void free_table(const struct segment_builder *f, uint32_t *table)
{
	plait__free(plait__program_allocator(f->queued->program), table,
		    f->plan->command_count * sizeof(*table));
}

static void freeze_all(struct segment_builder *f)
{
	for (uint32_t i = 0; i < f->plan->command_count; i++) {
		f->chunk_of[i] = PLAIT__NONE;
		f->behind[i] = PLAIT__NONE;
		f->queued->segment_of[i] = PLAIT__NONE;
	}
	for (uint32_t i = 0; i < f->queued->items.count && !f->failed; i++)
		if (plait__queue_program_stage(f->queued, i)->kind ==
		    PLAIT__STAGE_CHUNK)
			freeze_chunk(f, i);
	for (uint32_t i = 0; i < f->queued->segments.count && !f->failed; i++)
		find_edges(f, i);
}

bool plait__compile_segments(plait__queue_program *queued,
			     uint32_t *next_commands)
{
	const plait_allocator *allocator =
		plait__program_allocator(queued->program);
	struct segment_builder f = { .queued = queued,
			     .plan = queued->program->plan,
			     .next_commands = next_commands };

	if (queued->min_commands == 0)
		return true;
	plait__vector_init(&f.order, allocator, sizeof(uint32_t));
	plait__vector_init(&f.starts, allocator, sizeof(uint32_t));
	plait__vector_init(&f.groups, allocator, sizeof(struct group));
	plait__vector_init(&f.inner, allocator, sizeof(uint32_t));
	queued->segment_of = new_table(&f);
	queued->member_index = new_table(&f);
	f.chunk_of = new_table(&f);
	f.depth = new_table(&f);
	f.group_of = new_table(&f);
	f.behind = new_table(&f);
	if (!f.failed)
		freeze_all(&f);
	plait__vector_fini(&f.order);
	plait__vector_fini(&f.starts);
	plait__vector_fini(&f.groups);
	plait__vector_fini(&f.inner);
	free_table(&f, f.chunk_of);
	free_table(&f, f.depth);
	free_table(&f, f.group_of);
	free_table(&f, f.behind);
	return !f.failed;
}
