/* SPDX-License-Identifier: MIT */
/*
 * Stages of a body, a dependency graph.
 *
 * Commands are taken in submission order.  If all predecessors of a command, on
 * its lane or by a wait, are in one chunk, the command joins that chunk.  The
 * first chunk of the body has no predecessors and does not count.  If the
 * predecessors are in several stages, the command begins a chunk behind all of
 * them, which others may join.  A region and a completion point end a chunk:
 * the commands behind them are in others.  So edges lead from lower to higher numbers,
 * and there are never more stages than commands and waits.
 *
 * The host begins an external command, so its stage follows the completion
 * points of all its predecessors.  If it is the first command of its lane in a
 * body, the predecessors of the lane outside the body are not visible there:
 * all regions that enclose such a command *drain their lanes*, they follow the
 * completion points of what precedes them on each of their lanes.
 *
 * The host reads the values that a launch takes from memory of the program when
 * it submits the launch, so its chunk follows the completion points, too.  Nodes
 * before the regions around it are complete: the host has decided these.
 *
 * A region on a device (compile_device_loops.c) is a command of a chunk.  Its
 * bodies have no stages.
 */
#include "run/queue/compile_stages.h"

#include "run/args/payload_util.h"

#include "base/alloc.h"

struct stage_builder {
	plait__queue_program *compiled;
	const plait__plan *plan;
	uint32_t body;
	uint32_t base;		/* the first chunk of the body */
	uint32_t *stage_of; /* per command; or none: not placed yet */
	uint32_t *point_of;	/* per command: its completion point, or none */
	uint32_t *last_on;	/* per lane: the stage of its last command */
	uint32_t *next_commands;
	plait__vector edges;	/* the predecessors of each stage */
	plait__vector sources;	/* predecessors of the command at hand:
				 * stages */
	uint32_t stamp;
	bool failed;
};

static void push(struct stage_builder *b, plait__vector *vector, uint32_t value)
{
	if (plait__vector_push(vector, &value, 1) == NULL)
		b->failed = true;
}

static plait__queue_stage *stage_at(const struct stage_builder *b,
				    uint32_t stage)
{
	return plait__queue_program_stage(b->compiled, stage);
}

/* ---- stages ---- */

/* Add a stage behind the sources. */
static uint32_t add_stage(struct stage_builder *b, uint32_t kind, uint32_t link)
{
	const plait__queue_stage stage = {
		.kind = kind,
		.link = link,
		.body = b->body,
		.predecessors = b->sources.count,
		.edge_first = b->edges.count,
		.following_chunk = PLAIT__NONE,
		.first_command = PLAIT__NONE,
		.last_command = PLAIT__NONE,
	};

	if (plait__vector_push(&b->compiled->stages, &stage, 1) == NULL)
		b->failed = true;
	for (uint32_t i = 0; i < b->sources.count && !b->failed; i++)
		push(b, &b->edges, plait__queue_program_at(&b->sources, i));
	return b->compiled->stages.count - 1;
}

static void begin_sources(struct stage_builder *b)
{
	plait__vector_truncate(&b->sources, 0);
	b->stamp++;
}

static void add_source(struct stage_builder *b, uint32_t stage)
{
	if (b->failed || stage == PLAIT__NONE || stage == b->base ||
	    stage_at(b, stage)->stamp == b->stamp)
		return;
	stage_at(b, stage)->stamp = b->stamp;
	push(b, &b->sources, stage);
}

/* The completion point of a command, behind the stage that submits it.  Keeps
 * the sources and the stamp of the command at hand. */
static uint32_t point_for(struct stage_builder *b, uint32_t command)
{
	plait__vector sources = b->sources;
	uint32_t stamp = b->stamp;
	uint32_t stage;

	if (b->point_of[command] != PLAIT__NONE || b->failed)
		return b->point_of[command];
	plait__vector_init(&b->sources, sources.allocator, sizeof(uint32_t));
	if (b->stage_of[command] != b->base)
		push(b, &b->sources, b->stage_of[command]);
	stage = add_stage(b, PLAIT__STAGE_POINT, command);
	plait__vector_fini(&b->sources);
	b->sources = sources;
	b->stamp = stamp;
	if (b->failed)
		return PLAIT__NONE;
	stage_at(b, stage)->listener = b->compiled->point_count++;
	b->point_of[command] = stage;
	return stage;
}

/* ---- predecessors of a command ---- */

/* A stub waits for its region's command, of which it is a part. */
static bool is_own_region(const struct stage_builder *b, uint32_t command,
			  uint32_t before)
{
	const plait__plan_command *at = &b->plan->commands[command];

	return at->kind == PLAIT__CMD_ENTER &&
	       b->plan->regions[at->link].command == before;
}

static bool is_external(const struct stage_builder *b, uint32_t command)
{
	return plait__payload_is_external(b->plan, command);
}

/* Predecessors come earlier in the submission order, so they are placed. */
static void add_sources_of(struct stage_builder *b, uint32_t command)
{
	const plait__plan_command *at = &b->plan->commands[command];
	const plait__queue_lane *lanes = b->compiled->lanes;

	add_source(b, b->last_on[at->lane]);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		const plait__plan_wait *wait = &b->plan->waits[i];
		uint32_t before = plait__plan_find_command(
			b->plan, b->body, wait->lane, wait->position);

		if (is_own_region(b, command, before))
			continue;
		if (lanes[wait->lane].port == lanes[at->lane].port ||
		    is_external(b, before))
			add_source(b, b->stage_of[before]);
		else
			add_source(b, point_for(b, before));
	}
}

static void place(struct stage_builder *b, uint32_t command, uint32_t stage)
{
	b->stage_of[command] = stage;
	b->last_on[b->plan->commands[command].lane] = stage;
}

/* Let the source be the completion of a command, as the host sees it.  The
 * command is placed. */
static void add_end_of(struct stage_builder *b, uint32_t command)
{
	if (stage_at(b, b->stage_of[command])->kind == PLAIT__STAGE_CHUNK)
		add_source(b, point_for(b, command));
	else
		add_source(b, b->stage_of[command]);
}

/* Likewise of the preceding command of its lane. */
static void add_end_before(struct stage_builder *b, uint32_t command)
{
	if (!b->failed && b->plan->commands[command].position > 0)
		add_end_of(b, command - 1);
}

/* Likewise of all predecessors. */
static void add_ends_before(struct stage_builder *b, uint32_t command)
{
	const plait__plan_command *at = &b->plan->commands[command];
	uint32_t before;

	add_end_before(b, command);
	for (uint32_t i = at->wait_first; i < at[1].wait_first && !b->failed;
	     i++) {
		before = plait__plan_find_command(b->plan, b->body,
						  b->plan->waits[i].lane,
						  b->plan->waits[i].position);
		add_end_of(b, before);
	}
}

static void add_external(struct stage_builder *b, uint32_t command)
{
	uint32_t stage;

	begin_sources(b);
	add_ends_before(b, command);
	if (b->failed)
		return;
	stage = add_stage(b, PLAIT__STAGE_EXTERNAL, command);
	if (!b->failed)
		place(b, command, stage);
}

/* ---- chunks ---- */

/* The chunk directly behind the stage alone, or the stage if it is a chunk. */
static uint32_t chunk_behind(struct stage_builder *b, uint32_t stage)
{
	uint32_t chunk = stage_at(b, stage)->following_chunk;

	if (stage_at(b, stage)->kind == PLAIT__STAGE_CHUNK)
		return stage;
	if (chunk != PLAIT__NONE)
		return chunk;
	chunk = add_stage(b, PLAIT__STAGE_CHUNK, PLAIT__NONE);
	if (!b->failed)
		stage_at(b, stage)->following_chunk = chunk;
	return chunk;
}

/* Returns true if `chunk`, one of the sources, follows all others of them. */
static bool covers(const struct stage_builder *b, uint32_t chunk)
{
	const plait__queue_stage *stage = stage_at(b, chunk);
	uint32_t found = 1;

	/* The search must not cost more than a chunk. */
	if (stage->kind != PLAIT__STAGE_CHUNK ||
	    stage->predecessors + 1 < b->sources.count ||
	    stage->predecessors > 2 * b->sources.count + 8)
		return false;
	for (uint32_t i = 0; i < stage->predecessors; i++)
		found += stage_at(b, plait__queue_program_at(
					     &b->edges, stage->edge_first + i))
				 ->stamp == b->stamp;
	return found == b->sources.count;
}

static uint32_t find_chunk(struct stage_builder *b)
{
	uint32_t newest = 0;

	if (b->sources.count == 0)
		return b->base;
	if (b->sources.count == 1)
		return chunk_behind(b, plait__queue_program_at(&b->sources, 0));
	for (uint32_t i = 0; i < b->sources.count; i++)
		if (plait__queue_program_at(&b->sources, i) > newest)
			newest = plait__queue_program_at(&b->sources, i);
	return covers(b, newest) ?
		       newest :
		       add_stage(b, PLAIT__STAGE_CHUNK, PLAIT__NONE);
}

static void join_chunk(struct stage_builder *b, uint32_t command,
		       uint32_t chunk)
{
	plait__queue_stage *stage = stage_at(b, chunk);

	b->next_commands[command] = PLAIT__NONE;
	if (stage->first_command == PLAIT__NONE)
		stage->first_command = command;
	else
		b->next_commands[stage->last_command] = command;
	stage->last_command = command;
}

static void add_command(struct stage_builder *b, uint32_t command)
{
	uint32_t chunk;

	begin_sources(b);
	if (plait__payload_has_host_value(b->plan, command))
		add_ends_before(b, command);
	else
		add_sources_of(b, command);
	if (b->failed)
		return;
	chunk = find_chunk(b);
	if (b->failed)
		return;
	join_chunk(b, command, chunk);
	place(b, command, chunk);
}

/* Place a region on a device like a command, with its stubs in the same chunk.
 * The caller has begun the sources. */
static void join_region(struct stage_builder *b, const uint32_t *commands,
			uint32_t count)
{
	uint32_t chunk;

	for (uint32_t i = 0; i < count; i++)
		add_sources_of(b, commands[i]);
	chunk = b->failed ? PLAIT__NONE : find_chunk(b);
	for (uint32_t i = 0; i < count && !b->failed; i++) {
		join_chunk(b, commands[i], chunk);
		place(b, commands[i], chunk);
	}
}

/* Place a region that the host decides, with its stubs.  The caller has begun
 * the sources. */
static void place_region(struct stage_builder *b, uint32_t region,
			 const uint32_t *commands, uint32_t count)
{
	uint32_t stage;

	for (uint32_t i = 0; i < count; i++) {
		add_sources_of(b, commands[i]);
		if (b->compiled->regions[region].drains_lanes)
			add_end_before(b, commands[i]);
	}
	if (b->failed)
		return;
	stage = add_stage(b, PLAIT__STAGE_REGION, region);
	if (b->failed)
		return;
	b->compiled->regions[region].stage = stage;
	for (uint32_t i = 0; i < count; i++)
		place(b, commands[i], stage);
}

/* Add a region and its stubs, which are adjacent in the order.  Returns their
 * number. */
static uint32_t add_region(struct stage_builder *b, const uint32_t *commands,
			   uint32_t most)
{
	uint32_t region = b->plan->commands[commands[0]].link;
	uint32_t count = b->plan->regions[region].lane_count;

	if (count > most)
		count = most;
	b->compiled->regions[region].order_first =
		(uint32_t)(commands - b->plan->order);
	b->compiled->regions[region].order_count = count;
	begin_sources(b);
	if (b->compiled->regions[region].on_device)
		join_region(b, commands, count);
	else
		place_region(b, region, commands, count);
	return count;
}

/* ---- bodies ---- */

/* Exits of a body that the region's home lane cannot wait for. */
static void add_exits(struct stage_builder *b, const plait__plan_body *body)
{
	const plait__queue_lane *lanes = b->compiled->lanes;
	uint32_t home;

	if (body->region == PLAIT__NONE)
		return;
	home = b->compiled->regions[body->region].home;
	for (uint32_t i = 0; i < body->exit_count && !b->failed; i++) {
		const plait__plan_exit *exit =
			&b->plan->exits[body->exit_first + i];
		uint32_t command = plait__plan_find_command(
			b->plan, b->body, exit->lane, exit->position);

		if (lanes[exit->lane].port != lanes[home].port &&
		    !is_external(b, command))
			(void)point_for(b, command);
	}
}

/* Make the stages of a body; the first one, `base`, is a chunk without
 * predecessors that may stay empty. */
static void add_body(struct stage_builder *b, uint32_t number)
{
	const plait__plan_body *body = &b->plan->bodies[number];
	/* Null in a plan without commands. */
	const uint32_t *order = body->command_count == 0 ? NULL :
				b->plan->order + body->command_first;

	b->body = number;
	for (uint32_t i = 0; i < body->track_count; i++)
		b->last_on[b->plan->tracks[body->track_first + i].lane] =
			PLAIT__NONE;
	begin_sources(b);
	b->base = PLAIT__NONE;
	b->base = add_stage(b, PLAIT__STAGE_CHUNK, PLAIT__NONE);
	b->compiled->bodies[number].stage_first = b->base;
	for (uint32_t i = 0; i < body->command_count && !b->failed;) {
		if (b->plan->commands[order[i]].kind == PLAIT__CMD_REGION) {
			i += add_region(b, order + i, body->command_count - i);
			continue;
		}
		if (is_external(b, order[i]))
			add_external(b, order[i++]);
		else
			add_command(b, order[i++]);
	}
	add_exits(b, body);
	b->compiled->bodies[number].stage_count =
		b->compiled->stages.count - b->base;
}

/* Turn lists of predecessors into lists of successors.  All stages have their
 * predecessors. */
static void invert_edges(struct stage_builder *b)
{
	plait__vector *stages = &b->compiled->stages;
	uint32_t first = 0;
	uint32_t *successors;

	for (uint32_t i = 0; i < b->edges.count; i++)
		stage_at(b, plait__queue_program_at(&b->edges, i))
			->successor_count++;
	for (uint32_t i = 0; i < stages->count; i++) {
		stage_at(b, i)->successor_first = first;
		first += stage_at(b, i)->successor_count;
		stage_at(b, i)->successor_count = 0;
	}
	if (first > 0 &&
	    plait__vector_push(&b->compiled->successors, NULL, first) == NULL) {
		b->failed = true;
		return;
	}
	successors = b->compiled->successors.items;
	for (uint32_t i = 0; i < stages->count; i++) {
		const plait__queue_stage *stage = stage_at(b, i);

		for (uint32_t e = 0; e < stage->predecessors; e++) {
			plait__queue_stage *before = stage_at(
				b, plait__queue_program_at(
					   &b->edges, stage->edge_first + e));

			successors[before->successor_first +
				   before->successor_count++] = i;
		}
	}
}

static uint32_t *new_table(struct stage_builder *b, uint64_t count)
{
	uint32_t *table = plait__alloc_array(
		plait__program_allocator(b->compiled->program), count,
		sizeof(*table));

	b->failed = b->failed || (table == NULL && count > 0);
	for (uint64_t i = 0; table != NULL && i < count; i++)
		table[i] = PLAIT__NONE;
	return table;
}

static void free_table(const struct stage_builder *b, uint32_t *table,
		       uint64_t count)
{
	plait__free(plait__program_allocator(b->compiled->program), table,
		    count * sizeof(*table));
}

bool plait__compile_stages(plait__queue_program *compiled,
			   uint32_t **next_commands)
{
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);
	struct stage_builder b = { .compiled = compiled, .plan = plan };

	plait__vector_init(&b.edges, allocator, sizeof(uint32_t));
	plait__vector_init(&b.sources, allocator, sizeof(uint32_t));
	b.stage_of = new_table(&b, plan->command_count);
	b.point_of = new_table(&b, plan->command_count);
	b.last_on = new_table(&b, plan->lanes_count);
	b.next_commands = new_table(&b, plan->command_count);
	for (uint32_t i = 0; i < plan->bodies_count && !b.failed; i++)
		if (!plait__queue_program_is_device_body(compiled, i))
			add_body(&b, i);
	if (!b.failed)
		invert_edges(&b);
	plait__vector_fini(&b.edges);
	plait__vector_fini(&b.sources);
	free_table(&b, b.stage_of, plan->command_count);
	free_table(&b, b.point_of, plan->command_count);
	free_table(&b, b.last_on, plan->lanes_count);
	*next_commands = b.next_commands;
	return !b.failed;
}
