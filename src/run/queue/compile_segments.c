/* SPDX-License-Identifier: MIT */
/*
 * Segments of a chunk: convex sets of commands of one place, which a backend
 * makes device graphs of.  A place is a device, or a lane of a device that runs
 * segments in order.
 *
 * The depth of a command is the maximum number of changes on a path to it
 * within the chunk: between places, or across a command that no segment may
 * contain.  Commands of one place and one depth are a segment.  It is convex,
 * as a path that leaves it would come back with a larger depth.  A segment
 * waits for all predecessors of its commands, runs in the queue of one of its
 * lanes and is one command to all others; its mark is that of its last
 * command.  In order of depth, the segments and the other commands of a chunk
 * are topologically sorted.
 *
 * A region on a device is a command of its segment: it waits for the
 * predecessors of its command and of its stubs, and the commands of all its
 * bodies, one body after the other, directly follow it in the list of members.
 * Its stubs are no members.
 */
#include "run/queue/compile_segments.h"

#include "run/queue/compile_device_loops.h"
#include "run/queue/queue_command.h"

#include "base/alloc.h"

/* Commands of one place and depth: a candidate for a segment. */
struct group {
	const void *place;
	uint32_t work;		/* commands with work */
	uint32_t count;
	uint32_t regions;	/* regions of the chunk's body */
	uint32_t last;		/* command */
	uint32_t segment;	/* or none: below min_commands */
};

struct segment_builder {
	plait__queue_program *compiled;
	const plait__plan *plan;
	uint32_t *next_commands;
	/* Per command. */
	uint32_t *chunk_of;
	uint32_t *depth;
	uint32_t *group_of;
	uint32_t *behind;	/* latest command with an edge from it */
	plait__vector order;	/* uint32_t: commands of the chunk, by depth */
	plait__vector starts;	/* uint32_t: per depth, where it begins in
				 * `order` */
	plait__vector groups;
	plait__vector inner;	/* uint32_t: regions with bodies that are not
				 * members yet */
	bool failed;
};

static void push(struct segment_builder *b, plait__vector *vector,
		 const void *stage)
{
	if (!b->failed && plait__vector_push(vector, stage, 1) == NULL)
		b->failed = true;
}

static void push_number(struct segment_builder *b, plait__vector *vector,
			uint32_t number)
{
	push(b, vector, &number);
}

/* ---- depth ---- */

static uint32_t body_of(const struct segment_builder *b, uint32_t command)
{
	return b->plan->nodes[b->plan->commands[command].node].body;
}

/* `before` precedes the command in submission order, so its depth is final. */
static void raise_depth(struct segment_builder *b, uint32_t before,
			uint32_t command)
{
	const void *place = plait__compile_segment_place(b->compiled, command);
	uint32_t depth;

	if (b->chunk_of[before] != b->chunk_of[command])
		return;
	depth = b->depth[before] +
		(place == NULL ||
		 plait__compile_segment_place(b->compiled, before) != place);
	if (depth > b->depth[command])
		b->depth[command] = depth;
}

static uint32_t find_before(const struct segment_builder *b, uint32_t command,
			    const plait__plan_wait *wait)
{
	return plait__plan_find_command(b->plan, body_of(b, command),
					wait->lane, wait->position);
}

/* Raise the depth of `command` by the predecessors of `stub`, which is the
 * command or a stub of it. */
static void find_depth_by(struct segment_builder *b, uint32_t stub,
			  uint32_t command)
{
	const plait__plan_command *at = &b->plan->commands[stub];

	if (at->position > 0)
		raise_depth(b, stub - 1, command);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		uint32_t before = find_before(b, stub, &b->plan->waits[i]);

		if (before != command)
			raise_depth(b, before, command);
	}
}

/* The region on a device that a command is; null: none. */
static const plait__queue_region *device_region(const struct segment_builder *b,
						uint32_t command)
{
	const plait__plan_command *at = &b->plan->commands[command];

	return at->kind == PLAIT__CMD_REGION &&
			       b->compiled->regions[at->link].on_device ?
		       &b->compiled->regions[at->link] :
		       NULL;
}

/* A stub follows its region in the chunk, as compile_stages.c has placed them:
 * the depth of the region is final. */
static void find_depth(struct segment_builder *b, uint32_t command)
{
	const plait__queue_region *region = device_region(b, command);
	const plait__plan_command *at = &b->plan->commands[command];

	if (at->kind == PLAIT__CMD_ENTER) {
		b->depth[command] =
			b->depth[b->plan->regions[at->link].command];
		return;
	}
	if (region == NULL)
		find_depth_by(b, command, command);
	for (uint32_t i = 0; region != NULL && i < region->order_count; i++)
		find_depth_by(b, b->plan->order[region->order_first + i],
			      command);
}

/* Count the commands per depth; sort_chunk turns counts into positions. */
static void count_depth(struct segment_builder *b, uint32_t depth)
{
	while (!b->failed && b->starts.count <= depth + 1)
		push_number(b, &b->starts, 0);
	if (!b->failed)
		((uint32_t *)b->starts.items)[depth + 1]++;
}

/* Fill b->order with the commands of the chunk that begins with `first`, by
 * depth (counting sort); count_depth extends b->starts. */
static void sort_chunk(struct segment_builder *b, uint32_t first)
{
	uint32_t count = 0, *starts, *order;

	plait__vector_truncate(&b->starts, 0);
	for (uint32_t c = first; c != PLAIT__NONE && !b->failed;
	     c = b->next_commands[c]) {
		count_depth(b, b->depth[c]);
		count++;
	}
	plait__vector_truncate(&b->order, 0);
	order = b->failed ? NULL : plait__vector_extend(&b->order, count);
	b->failed = b->failed || order == NULL;
	if (b->failed)
		return;
	starts = b->starts.items;
	for (uint32_t i = 1; i < b->starts.count; i++)
		starts[i] += starts[i - 1];
	for (uint32_t c = first; c != PLAIT__NONE; c = b->next_commands[c])
		order[starts[b->depth[c]]++] = c;
}

/* ---- groups ---- */

static struct group *group_at(const struct segment_builder *b, uint32_t group)
{
	return (struct group *)b->groups.items + group;
}

/* The group of a place among those from `first` on, which have one depth. */
static uint32_t find_group(struct segment_builder *b, uint32_t first,
			   const void *place)
{
	const struct group group = { .place = place,
				     .segment = PLAIT__NONE };

	for (uint32_t i = first; i < b->groups.count; i++)
		if (group_at(b, i)->place == place)
			return i;
	push(b, &b->groups, &group);
	return b->groups.count - 1;
}

static void count_in(const struct segment_builder *b, struct group *group,
		     uint32_t command)
{
	const plait__queue_region *region = device_region(b, command);

	group->last = command;
	if (b->plan->commands[command].kind == PLAIT__CMD_ENTER)
		return;
	group->count++;
	group->work += plait__queue_command_has_work(b->plan, command);
	if (region == NULL)
		return;
	group->count += region->inner_count;
	group->regions++;
}

/* Put the commands of b->order into groups: one per depth and place.
 * `group_of` is none for a command that no segment may have. */
static void find_groups(struct segment_builder *b)
{
	uint32_t first = 0, depth = 0;

	plait__vector_truncate(&b->groups, 0);
	for (uint32_t i = 0; i < b->order.count && !b->failed; i++) {
		uint32_t c = plait__queue_program_at(&b->order, i);
		const void *place =
			plait__compile_segment_place(b->compiled, c);
		struct group *group;

		if (b->depth[c] != depth)
			first = b->groups.count;
		depth = b->depth[c];
		b->group_of[c] = PLAIT__NONE;
		if (place == NULL)
			continue;
		b->group_of[c] = find_group(b, first, place);
		if (b->failed)
			return;
		group = group_at(b, b->group_of[c]);
		count_in(b, group, c);
	}
}

/* Make segments of the groups that are large enough.  Returns true if there are
 * any. */
static bool make_segments(struct segment_builder *b)
{
	plait__vector *segments = &b->compiled->segments;
	bool some = false;

	for (uint32_t i = 0; i < b->groups.count && !b->failed; i++) {
		struct group *group = group_at(b, i);
		const plait__queue_segment segment = {
			.last = group->last,
			.lane = b->plan->commands[group->last].lane,
			.member_first = b->compiled->members.count,
			.regions = group->regions,
		};

		/* A region on a device has to be in a segment, however
		 * small. */
		if (group->work < b->compiled->min_commands &&
		    group->regions == 0)
			continue;
		some = true;
		group->segment = segments->count;
		push(b, segments, &segment);
		/* Members are filled in by link_chunk. */
		if (!b->failed &&
		    plait__vector_push(&b->compiled->members, NULL,
				       group->count) == NULL)
			b->failed = true;
	}
	return some;
}

static plait__queue_segment *segment_at(const struct segment_builder *b,
					uint32_t number)
{
	return (plait__queue_segment *)b->compiled->segments.items + number;
}

/* A stub comes after its region, which has its index. */
static void put_member(struct segment_builder *b, uint32_t number,
		       uint32_t index, uint32_t command)
{
	plait__queue_program *compiled = b->compiled;
	const plait__plan_command *at = &b->plan->commands[command];

	compiled->segment_of[command] = number;
	if (at->kind == PLAIT__CMD_ENTER) {
		compiled->member_index[command] =
			compiled->member_index[b->plan->regions[at->link]
						       .command];
		return;
	}
	compiled->member_index[command] = index;
	((uint32_t *)compiled->members
		 .items)[segment_at(b, number)->member_first + index] = command;
	if (at->kind == PLAIT__CMD_REGION)
		push_number(b, &b->inner, at->link);
}

/* The number of members that a command is. */
static uint32_t count_members(const struct segment_builder *b, uint32_t command)
{
	const plait__queue_region *region = device_region(b, command);

	if (b->plan->commands[command].kind == PLAIT__CMD_ENTER)
		return 0;
	return region != NULL ? 1 + region->inner_count : 1;
}

/* make_segments has reserved room for the members of all bodies. */
static void lay_body_out(struct segment_builder *b, uint32_t number,
			 uint32_t body, uint32_t index)
{
	const plait__plan_body *at = &b->plan->bodies[body];

	for (uint32_t i = 0; i < at->command_count && !b->failed; i++) {
		uint32_t command = b->plan->order[at->command_first + i];

		put_member(b, number, index, command);
		index += count_members(b, command);
	}
}

/* Put the commands of all bodies of a region behind it, and of regions in
 * them. */
static void lay_out(struct segment_builder *b, uint32_t number)
{
	for (uint32_t i = 0; i < b->inner.count && !b->failed; i++) {
		const plait__plan_region *region =
			&b->plan->regions[plait__queue_program_at(&b->inner,
								  i)];
		uint32_t index = b->compiled->member_index[region->command] + 1;

		for (uint32_t k = 0; k < region->body_count; k++) {
			lay_body_out(b, number, region->body_first + k, index);
			index += b->compiled->body_work[region->body_first + k];
		}
	}
	plait__vector_truncate(&b->inner, 0);
}

/* Add the next member of a segment.  The command has a group that is a
 * segment. */
static void add_member(struct segment_builder *b, uint32_t command)
{
	uint32_t number = group_at(b, b->group_of[command])->segment;
	plait__queue_segment *segment = segment_at(b, number);

	put_member(b, number, segment->member_count, command);
	segment->member_count += count_members(b, command);
	lay_out(b, number);
}

static void append(struct segment_builder *b, plait__queue_stage *stage,
		   uint32_t command)
{
	b->next_commands[command] = PLAIT__NONE;
	if (stage->first_command == PLAIT__NONE)
		stage->first_command = command;
	else
		b->next_commands[stage->last_command] = command;
	stage->last_command = command;
}

/* Link the chunk's commands by depth, with each segment once, as its last
 * command. */
static void link_chunk(struct segment_builder *b, plait__queue_stage *stage)
{
	stage->first_command = PLAIT__NONE;
	for (uint32_t i = 0; i < b->order.count; i++) {
		uint32_t c = plait__queue_program_at(&b->order, i);
		uint32_t group = b->group_of[c];

		if (group == PLAIT__NONE ||
		    group_at(b, group)->segment == PLAIT__NONE) {
			append(b, stage, c);
			continue;
		}
		add_member(b, c);
		if (group_at(b, group)->last == c)
			append(b, stage, c);
	}
}

static void segment_chunk(struct segment_builder *b, uint32_t number)
{
	plait__queue_stage *stage =
		plait__queue_program_stage(b->compiled, number);

	for (uint32_t c = stage->first_command; c != PLAIT__NONE;
	     c = b->next_commands[c]) {
		b->chunk_of[c] = number;
		find_depth(b, c);
	}
	sort_chunk(b, stage->first_command);
	find_groups(b);
	if (make_segments(b) && !b->failed)
		link_chunk(b, stage);
}

/* ---- edges ---- */

/* The command of the region of a stub; other commands themselves. */
static uint32_t whole_of(const struct segment_builder *b, uint32_t command)
{
	const plait__plan_command *at = &b->plan->commands[command];

	return at->kind == PLAIT__CMD_ENTER ?
		       b->plan->regions[at->link].command :
		       command;
}

/* Add an edge, at most once. */
static void add_edge(struct segment_builder *b, uint32_t number,
		     uint32_t before, uint32_t command)
{
	uint32_t whole = whole_of(b, before);

	if (b->compiled->segment_of[whole] != number ||
	    b->behind[whole] == command)
		return;
	b->behind[whole] = command;
	push_number(b, &b->compiled->edges, b->compiled->member_index[whole]);
}

/* Edges of a command, or of one of its stubs. */
static void add_edges_of(struct segment_builder *b, uint32_t number,
			 uint32_t stub, uint32_t command)
{
	const plait__plan_command *at = &b->plan->commands[stub];

	if (at->position > 0)
		add_edge(b, number, stub - 1, command);
	for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
		uint32_t before;

		if (b->plan->waits[w].lane == at->lane)
			continue;
		before = find_before(b, stub, &b->plan->waits[w]);
		if (before != command)
			add_edge(b, number, before, command);
	}
}

static void add_edges(struct segment_builder *b, uint32_t number,
		      uint32_t command)
{
	const plait__queue_region *region = device_region(b, command);

	if (region == NULL)
		add_edges_of(b, number, command, command);
	for (uint32_t i = 0; region != NULL && i < region->order_count; i++)
		add_edges_of(b, number, b->plan->order[region->order_first + i],
			     command);
}

/* All segments are complete, so segment_of holds for each predecessor. */
static void find_edges(struct segment_builder *b, uint32_t number)
{
	plait__queue_program *compiled = b->compiled;
	plait__queue_segment *segment =
		(plait__queue_segment *)compiled->segments.items + number;
	uint32_t first = compiled->edges.count;

	segment->edge_first = first;
	segment->start_first = compiled->edge_starts.count;
	for (uint32_t i = 0; i < segment->member_count; i++) {
		push_number(b, &compiled->edge_starts,
			    compiled->edges.count - first);
		add_edges(b, number,
			  plait__queue_program_at(&compiled->members,
						  segment->member_first + i));
	}
	push_number(b, &compiled->edge_starts, compiled->edges.count - first);
}

/* ---- all of it ---- */

static uint32_t *new_table(struct segment_builder *b)
{
	uint32_t count = b->plan->command_count;
	uint32_t *table = plait__alloc_array(
		plait__program_allocator(b->compiled->program), count,
		sizeof(*table));

	b->failed = b->failed || (table == NULL && count > 0);
	return table;
}

static void free_table(const struct segment_builder *b, uint32_t *table)
{
	plait__free(plait__program_allocator(b->compiled->program), table,
		    b->plan->command_count * sizeof(*table));
}

static void find_segments(struct segment_builder *b)
{
	for (uint32_t i = 0; i < b->plan->command_count; i++) {
		b->chunk_of[i] = PLAIT__NONE;
		b->behind[i] = PLAIT__NONE;
		b->compiled->segment_of[i] = PLAIT__NONE;
	}
	for (uint32_t i = 0; i < b->compiled->stages.count && !b->failed; i++)
		if (plait__queue_program_stage(b->compiled, i)->kind ==
		    PLAIT__STAGE_CHUNK)
			segment_chunk(b, i);
	for (uint32_t i = 0; i < b->compiled->segments.count && !b->failed; i++)
		find_edges(b, i);
}

bool plait__compile_segments(plait__queue_program *compiled,
			     uint32_t *next_commands)
{
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);
	struct segment_builder b = { .compiled = compiled,
				     .plan = compiled->program->plan,
				     .next_commands = next_commands };

	if (compiled->min_commands == 0)
		return true;
	plait__vector_init(&b.order, allocator, sizeof(uint32_t));
	plait__vector_init(&b.starts, allocator, sizeof(uint32_t));
	plait__vector_init(&b.groups, allocator, sizeof(struct group));
	plait__vector_init(&b.inner, allocator, sizeof(uint32_t));
	compiled->segment_of = new_table(&b);
	compiled->member_index = new_table(&b);
	b.chunk_of = new_table(&b);
	b.depth = new_table(&b);
	b.group_of = new_table(&b);
	b.behind = new_table(&b);
	if (!b.failed)
		find_segments(&b);
	plait__vector_fini(&b.order);
	plait__vector_fini(&b.starts);
	plait__vector_fini(&b.groups);
	plait__vector_fini(&b.inner);
	free_table(&b, b.chunk_of);
	free_table(&b, b.depth);
	free_table(&b, b.group_of);
	free_table(&b, b.behind);
	return !b.failed;
}
