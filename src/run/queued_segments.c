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
 */
#include "run/queued.h"

#include "run/words.h"

#include "base/alloc.h"
#include "object/built.h"
#include "sys/env.h"

/* Fewer than that are not worth it; PLAIT_SEGMENTS says how many, 0 none. */
enum { USUAL_FEWEST = 4 };

/* Commands of one device and depth. */
struct group {
	plait__device *device;
	uint32_t work;		/* commands that do something */
	uint32_t count;
	uint32_t last;		/* command */
	uint32_t segment;	/* or none: too small */
};

struct freezer {
	plait__queued *queued;
	const plait__plan *plan;
	uint32_t *next_commands;
	uint64_t fewest;
	/* Per command. */
	uint32_t *chunk_of;
	uint32_t *depth;
	uint32_t *group_of;
	plait__vector order;	/* uint32_t: the chunk's, by depth */
	plait__vector starts;	/* uint32_t: by depth, in order */
	plait__vector groups;
	bool failed;
};

static void push(struct freezer *f, plait__vector *vector, const void *item)
{
	if (!f->failed && plait__vector_push(vector, item, 1) == NULL)
		f->failed = true;
}

static void push_number(struct freezer *f, plait__vector *vector,
			uint32_t number)
{
	push(f, vector, &number);
}

/* ---- what can be frozen ---- */

static bool is_here(const struct freezer *f, const plait__device *device,
		    const plait__plan_arg *arg)
{
	const plait__buffer *buffer = (const plait__buffer *)
		f->queued->program->frozen->buffers[arg->index];

	return buffer->device == device;
}

static bool can_freeze_payload(const struct freezer *f, uint32_t command,
			       const plait__device *device)
{
	const plait__frozen *frozen = f->queued->program->frozen;
	const plait__plan_payload *payload = plait__words_payload(f->plan,
								  command);
	const plait__plan_arg *args = &f->plan->args[payload->arg_first];

	switch (f->plan->commands[command].kind) {
	case PLAIT__CMD_LAUNCH:
		return plait__built_find((const plait__kernel *)
					 frozen->kernels[payload->kernel],
					 device) != NULL;
	case PLAIT__CMD_COPY:
		return payload->bytes > 0 && is_here(f, device, &args[0]) &&
		       is_here(f, device, &args[1]);
	case PLAIT__CMD_FILL:
		return payload->bytes > 0 && is_here(f, device, &args[0]);
	default:
		return false;
	}
}

/* Null: no segment holds it. */
static plait__device *frozen_on(const struct freezer *f, uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[command];
	plait__device *device = f->queued->lanes[at->lane].device;

	if ((plait__device_facts(device)->capabilities &
	     PLAIT_CAP_SEGMENT) == 0 || (at->flags & PLAIT__CMD_MEMBER) != 0)
		return NULL;
	if (at->kind == PLAIT__CMD_EMPTY)
		return device;
	return plait__words_payload(f->plan, command) != NULL &&
	       can_freeze_payload(f, command, device) ? device : NULL;
}

/* ---- depth ---- */

static uint32_t body_of(const struct freezer *f, uint32_t command)
{
	return f->plan->nodes[f->plan->commands[command].node].body;
}

static void deepen(struct freezer *f, uint32_t before, uint32_t command)
{
	const plait__device *device = frozen_on(f, command);
	uint32_t depth;

	if (f->chunk_of[before] != f->chunk_of[command])
		return;
	depth = f->depth[before] +
		(device == NULL || frozen_on(f, before) != device);
	if (depth > f->depth[command])
		f->depth[command] = depth;
}

static void find_depth(struct freezer *f, uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[command];

	if (at->position > 0)
		deepen(f, command - 1, command);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		deepen(f, plait__plan_find_command(
				f->plan, body_of(f, command),
				f->plan->waits[i].lane,
				f->plan->waits[i].position), command);
}

/* How many commands are how deep, then where the first of them is. */
static void count_depth(struct freezer *f, uint32_t depth)
{
	while (!f->failed && f->starts.count <= depth + 1)
		push_number(f, &f->starts, 0);
	if (!f->failed)
		((uint32_t *)f->starts.items)[depth + 1]++;
}

static void sort_chunk(struct freezer *f, uint32_t first)
{
	uint32_t count = 0, *starts, *order;

	plait__vector_cut(&f->starts, 0);
	for (uint32_t c = first; c != PLAIT__NONE && !f->failed;
	     c = f->next_commands[c]) {
		count_depth(f, f->depth[c]);
		count++;
	}
	plait__vector_cut(&f->order, 0);
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

static struct group *group_at(const struct freezer *f, uint32_t group)
{
	return (struct group *)f->groups.items + group;
}

/* Of the groups from `first` on, which are of this depth. */
static uint32_t find_group(struct freezer *f, uint32_t first,
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

static void find_groups(struct freezer *f)
{
	uint32_t first = 0, depth = 0;

	plait__vector_cut(&f->groups, 0);
	for (uint32_t i = 0; i < f->order.count && !f->failed; i++) {
		uint32_t c = plait__queued_at(&f->order, i);
		plait__device *device = frozen_on(f, c);
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
		group->count++;
		group->work += plait__queued_has_work(f->plan, c);
		group->last = c;
	}
}

/* True: some of them are large enough. */
static bool make_segments(struct freezer *f)
{
	plait__vector *segments = &f->queued->segments;
	bool some = false;

	for (uint32_t i = 0; i < f->groups.count && !f->failed; i++) {
		struct group *group = group_at(f, i);
		const plait__queued_segment segment = {
			.last = group->last,
			.lane = f->plan->commands[group->last].lane,
			.member_first = f->queued->members.count,
		};

		if (group->work < f->fewest)
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

/* Those that are in no segment come one by one. */
static void add_member(struct freezer *f, uint32_t command)
{
	plait__queued *queued = f->queued;
	uint32_t number = group_at(f, f->group_of[command])->segment;
	plait__queued_segment *segment =
		(plait__queued_segment *)queued->segments.items + number;

	queued->segment_of[command] = number;
	queued->member_index[command] = segment->member_count;
	((uint32_t *)queued->members.items)[segment->member_first +
					    segment->member_count++] = command;
	/* One by one they are in the queue of its lane, too. */
	queued->lanes[segment->lane].commands++;
}

static void append(struct freezer *f, plait__queued_item *item,
		   uint32_t command)
{
	f->next_commands[command] = PLAIT__NONE;
	if (item->first_command == PLAIT__NONE)
		item->first_command = command;
	else
		f->next_commands[item->last_command] = command;
	item->last_command = command;
}

/* The chunk's list has each segment once, as its last command. */
static void link_chunk(struct freezer *f, plait__queued_item *item)
{
	item->first_command = PLAIT__NONE;
	for (uint32_t i = 0; i < f->order.count; i++) {
		uint32_t c = plait__queued_at(&f->order, i);
		uint32_t group = f->group_of[c];

		if (group == PLAIT__NONE ||
		    group_at(f, group)->segment == PLAIT__NONE) {
			append(f, item, c);
			continue;
		}
		add_member(f, c);
		if (group_at(f, group)->last == c)
			append(f, item, c);
	}
}

static void freeze_chunk(struct freezer *f, uint32_t number)
{
	plait__queued_item *item = plait__queued_item_at(f->queued, number);

	for (uint32_t c = item->first_command; c != PLAIT__NONE;
	     c = f->next_commands[c]) {
		f->chunk_of[c] = number;
		find_depth(f, c);
	}
	sort_chunk(f, item->first_command);
	find_groups(f);
	if (make_segments(f) && !f->failed)
		link_chunk(f, item);
}

/* ---- edges ---- */

static void add_edge(struct freezer *f, uint32_t number, uint32_t before)
{
	if (f->queued->segment_of[before] == number)
		push_number(f, &f->queued->edges,
			    f->queued->member_index[before]);
}

static void find_edges(struct freezer *f, uint32_t number)
{
	plait__queued *queued = f->queued;
	plait__queued_segment *segment =
		(plait__queued_segment *)queued->segments.items + number;
	uint32_t first = queued->edges.count;

	segment->edge_first = first;
	segment->start_first = queued->edge_starts.count;
	for (uint32_t i = 0; i < segment->member_count; i++) {
		uint32_t c = plait__queued_at(&queued->members,
					      segment->member_first + i);
		const plait__plan_command *at = &f->plan->commands[c];

		push_number(f, &queued->edge_starts,
			    queued->edges.count - first);
		if (at->position > 0)
			add_edge(f, number, c - 1);
		for (uint32_t w = at->wait_first; w < at[1].wait_first; w++)
			if (f->plan->waits[w].lane != at->lane)
				add_edge(f, number, plait__plan_find_command(
						f->plan, body_of(f, c),
						f->plan->waits[w].lane,
						f->plan->waits[w].position));
	}
	push_number(f, &queued->edge_starts, queued->edges.count - first);
}

/* ---- all of it ---- */

static bool wants_segments(const plait__queued *queued, uint64_t *out_fewest)
{
	uint32_t some = 0;

	/* What cannot be understood is as if it were not there. */
	if (plait__env_query_number("PLAIT_SEGMENTS", UINT32_MAX,
				    out_fewest) <= 0)
		*out_fewest = USUAL_FEWEST;
	for (uint32_t i = 0; i < queued->program->plan->lanes_count; i++)
		some |= plait__device_facts(queued->lanes[i].device)
				->capabilities;
	/* Each command of a recorded run is told by itself. */
	return *out_fewest > 0 && !queued->records &&
	       (some & PLAIT_CAP_SEGMENT) != 0;
}

static uint32_t *new_table(struct freezer *f)
{
	uint32_t count = f->plan->command_count;
	uint32_t *table = plait__alloc_array(
		plait__program_allocator(f->queued->program), count,
		sizeof(*table));

	f->failed = f->failed || (table == NULL && count > 0);
	return table;
}

static void free_table(const struct freezer *f, uint32_t *table)
{
	plait__free(plait__program_allocator(f->queued->program), table,
		    f->plan->command_count * sizeof(*table));
}

static void freeze_all(struct freezer *f)
{
	for (uint32_t i = 0; i < f->plan->command_count; i++) {
		f->chunk_of[i] = PLAIT__NONE;
		f->queued->segment_of[i] = PLAIT__NONE;
	}
	for (uint32_t i = 0; i < f->queued->items.count && !f->failed; i++)
		if (plait__queued_item_at(f->queued, i)->kind ==
		    PLAIT__ITEM_CHUNK)
			freeze_chunk(f, i);
	for (uint32_t i = 0; i < f->queued->segments.count && !f->failed; i++)
		find_edges(f, i);
}

bool plait__queued_find_segments(plait__queued *queued,
				 uint32_t *next_commands)
{
	const plait_allocator *allocator =
		plait__program_allocator(queued->program);
	struct freezer f = { .queued = queued,
			     .plan = queued->program->plan,
			     .next_commands = next_commands };

	if (!wants_segments(queued, &f.fewest))
		return true;
	plait__vector_init(&f.order, allocator, sizeof(uint32_t));
	plait__vector_init(&f.starts, allocator, sizeof(uint32_t));
	plait__vector_init(&f.groups, allocator, sizeof(struct group));
	queued->segment_of = new_table(&f);
	queued->member_index = new_table(&f);
	f.chunk_of = new_table(&f);
	f.depth = new_table(&f);
	f.group_of = new_table(&f);
	if (!f.failed)
		freeze_all(&f);
	plait__vector_fini(&f.order);
	plait__vector_fini(&f.starts);
	plait__vector_fini(&f.groups);
	free_table(&f, f.chunk_of);
	free_table(&f, f.depth);
	free_table(&f, f.group_of);
	return !f.failed;
}
