/* SPDX-License-Identifier: MIT */
/*
 * The items of a body: what can be submitted together, and behind what.
 *
 * Commands are taken in submission order.  A command belongs to the chunk of
 * those that it comes behind, on its lane or by a wait, if that is one chunk
 * (the first chunk of the body is behind nothing, and counts for nothing); if
 * they are several, to a chunk of its own behind all of them, which others
 * may join.  A region, and the end of a command of another backend, are items
 * that only a chunk behind them follows.  So items lead from lower to higher
 * numbers, and there are never more of them than commands and waits.
 *
 * What needs somebody else is begun by the host, so it is an item behind the
 * points of all that it comes behind.  Where it is the first command of its
 * lane in a body, what its lane has in front of the body is not seen from
 * there: a region around such a command *settles*, it comes behind points of
 * what all of its lanes have in front of it.
 *
 * A region that its device decides (compile_device_loops.c) is a command of a chunk.
 * Its bodies have no items.
 */
#include "run/queue/queue_engine.h"

#include "run/args/payload_util.h"

#include "base/alloc.h"

struct stage_builder {
	plait__queue_program *queued;
	const plait__plan *plan;
	uint32_t body;
	uint32_t base;		/* the chunk behind nothing */
	uint32_t *item_of;	/* per command; or none: not yet known */
	uint32_t *point_of;	/* per command: who waits for it, or none */
	uint32_t *last_on;	/* per lane: the item of its last command */
	uint32_t *next_commands;
	plait__vector edges;	/* the items before each item, in turn */
	plait__vector sources;	/* of the command that is looked at: items */
	uint32_t stamp;
	bool failed;
};

static void push(struct stage_builder *w, plait__vector *vector, uint32_t value)
{
	if (plait__vector_push(vector, &value, 1) == NULL)
		w->failed = true;
}

static plait__queue_stage *item_at(const struct stage_builder *w, uint32_t stage)
{
	return plait__queue_program_stage(w->queued, stage);
}

/* ---- items ---- */

/* Behind the sources. */
static uint32_t add_item(struct stage_builder *w, uint32_t kind, uint32_t link)
{
	const plait__queue_stage stage = {
		.kind = kind, .link = link, .body = w->body,
		.before = w->sources.count, .edge_first = w->edges.count,
		.behind = PLAIT__NONE, .first_command = PLAIT__NONE,
		.last_command = PLAIT__NONE,
	};

	if (plait__vector_push(&w->queued->items, &stage, 1) == NULL)
		w->failed = true;
	for (uint32_t i = 0; i < w->sources.count && !w->failed; i++)
		push(w, &w->edges, plait__queue_program_at(&w->sources, i));
	return w->queued->items.count - 1;
}

static void begin_sources(struct stage_builder *w)
{
	plait__vector_truncate(&w->sources, 0);
	w->stamp++;
}

static void add_source(struct stage_builder *w, uint32_t stage)
{
	if (w->failed || stage == PLAIT__NONE || stage == w->base ||
	    item_at(w, stage)->stamp == w->stamp)
		return;
	item_at(w, stage)->stamp = w->stamp;
	push(w, &w->sources, stage);
}

/* The host waits for a command: behind the item that submits it. */
static uint32_t point_for(struct stage_builder *w, uint32_t command)
{
	plait__vector sources = w->sources;
	uint32_t stamp = w->stamp;
	uint32_t stage;

	if (w->point_of[command] != PLAIT__NONE || w->failed)
		return w->point_of[command];
	plait__vector_init(&w->sources, sources.allocator, sizeof(uint32_t));
	if (w->item_of[command] != w->base)
		push(w, &w->sources, w->item_of[command]);
	stage = add_item(w, PLAIT__STAGE_POINT, command);
	plait__vector_fini(&w->sources);
	w->sources = sources;
	w->stamp = stamp;
	if (w->failed)
		return PLAIT__NONE;
	item_at(w, stage)->cell = w->queued->point_count++;
	w->point_of[command] = stage;
	return stage;
}

/* ---- what a command comes behind ---- */

/* A stub waits for its region's command, of which it is a part. */
static bool is_own(const struct stage_builder *w, uint32_t command, uint32_t before)
{
	const plait__plan_command *at = &w->plan->commands[command];

	return at->kind == PLAIT__CMD_ENTER &&
	       w->plan->regions[at->link].command == before;
}

static bool is_outside(const struct stage_builder *w, uint32_t command)
{
	return plait__payload_is_external(w->plan, command);
}

static void add_sources_of(struct stage_builder *w, uint32_t command)
{
	const plait__plan_command *at = &w->plan->commands[command];
	const plait__queue_lane *lanes = w->queued->lanes;

	add_source(w, w->last_on[at->lane]);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++) {
		const plait__plan_wait *wait = &w->plan->waits[i];
		uint32_t before = plait__plan_find_command(
			w->plan, w->body, wait->lane, wait->position);

		if (is_own(w, command, before))
			continue;
		if (lanes[wait->lane].port == lanes[at->lane].port ||
		    is_outside(w, before))
			add_source(w, w->item_of[before]);
		else
			add_source(w, point_for(w, before));
	}
}

static void place(struct stage_builder *w, uint32_t command, uint32_t stage)
{
	w->item_of[command] = stage;
	w->last_on[w->plan->commands[command].lane] = stage;
}

/* Behind its end, as the host sees it. */
static void add_end_of(struct stage_builder *w, uint32_t command)
{
	if (item_at(w, w->item_of[command])->kind == PLAIT__STAGE_CHUNK)
		add_source(w, point_for(w, command));
	else
		add_source(w, w->item_of[command]);
}

/* What its lane has in front of it. */
static void add_end_before(struct stage_builder *w, uint32_t command)
{
	if (!w->failed && w->plan->commands[command].position > 0)
		add_end_of(w, command - 1);
}

static void add_outside(struct stage_builder *w, uint32_t command)
{
	const plait__plan_command *at = &w->plan->commands[command];
	uint32_t stage;

	begin_sources(w);
	add_end_before(w, command);
	for (uint32_t i = at->wait_first; i < at[1].wait_first && !w->failed;
	     i++)
		add_end_of(w, plait__plan_find_command(
				w->plan, w->body, w->plan->waits[i].lane,
				w->plan->waits[i].position));
	if (w->failed)
		return;
	stage = add_item(w, PLAIT__STAGE_EXTERNAL, command);
	if (!w->failed)
		place(w, command, stage);
}

/* ---- chunks ---- */

/* The chunk behind one item. */
static uint32_t chunk_behind(struct stage_builder *w, uint32_t stage)
{
	uint32_t chunk = item_at(w, stage)->behind;

	if (item_at(w, stage)->kind == PLAIT__STAGE_CHUNK)
		return stage;
	if (chunk != PLAIT__NONE)
		return chunk;
	chunk = add_item(w, PLAIT__STAGE_CHUNK, PLAIT__NONE);
	if (!w->failed)
		item_at(w, stage)->behind = chunk;
	return chunk;
}

/* Is `chunk`, one of the sources, behind all others of them? */
static bool covers(const struct stage_builder *w, uint32_t chunk)
{
	const plait__queue_stage *stage = item_at(w, chunk);
	uint32_t found = 1;

	/* Looking must not cost more than what it is for. */
	if (stage->kind != PLAIT__STAGE_CHUNK ||
	    stage->before + 1 < w->sources.count ||
	    stage->before > 2 * w->sources.count + 8)
		return false;
	for (uint32_t i = 0; i < stage->before; i++)
		found += item_at(w, plait__queue_program_at(
				&w->edges, stage->edge_first + i))->stamp ==
			 w->stamp;
	return found == w->sources.count;
}

static uint32_t find_chunk(struct stage_builder *w)
{
	uint32_t newest = 0;

	if (w->sources.count == 0)
		return w->base;
	if (w->sources.count == 1)
		return chunk_behind(w, plait__queue_program_at(&w->sources, 0));
	for (uint32_t i = 0; i < w->sources.count; i++)
		if (plait__queue_program_at(&w->sources, i) > newest)
			newest = plait__queue_program_at(&w->sources, i);
	return covers(w, newest) ? newest :
	       add_item(w, PLAIT__STAGE_CHUNK, PLAIT__NONE);
}

static void join_chunk(struct stage_builder *w, uint32_t command, uint32_t chunk)
{
	plait__queue_stage *stage = item_at(w, chunk);

	w->next_commands[command] = PLAIT__NONE;
	if (stage->first_command == PLAIT__NONE)
		stage->first_command = command;
	else
		w->next_commands[stage->last_command] = command;
	stage->last_command = command;
}

static void add_command(struct stage_builder *w, uint32_t command)
{
	uint32_t chunk;

	begin_sources(w);
	add_sources_of(w, command);
	if (w->failed)
		return;
	chunk = find_chunk(w);
	if (w->failed)
		return;
	join_chunk(w, command, chunk);
	place(w, command, chunk);
}

/* One that its device decides is a command like others, with its stubs where
 * it is. */
static void join_region(struct stage_builder *w, const uint32_t *commands,
			uint32_t count)
{
	uint32_t chunk;

	for (uint32_t i = 0; i < count; i++)
		add_sources_of(w, commands[i]);
	chunk = w->failed ? PLAIT__NONE : find_chunk(w);
	for (uint32_t i = 0; i < count && !w->failed; i++) {
		join_chunk(w, commands[i], chunk);
		place(w, commands[i], chunk);
	}
}

static void place_region(struct stage_builder *w, uint32_t region,
			 const uint32_t *commands, uint32_t count)
{
	uint32_t stage;

	for (uint32_t i = 0; i < count; i++) {
		add_sources_of(w, commands[i]);
		if (w->queued->regions[region].drains_lanes)
			add_end_before(w, commands[i]);
	}
	if (w->failed)
		return;
	stage = add_item(w, PLAIT__STAGE_REGION, region);
	if (w->failed)
		return;
	w->queued->regions[region].stage = stage;
	for (uint32_t i = 0; i < count; i++)
		place(w, commands[i], stage);
}

/* A region with its stubs, which lie side by side; how many they are. */
static uint32_t add_region(struct stage_builder *w, const uint32_t *commands,
			   uint32_t most)
{
	uint32_t region = w->plan->commands[commands[0]].link;
	uint32_t count = w->plan->regions[region].lane_count;

	if (count > most)
		count = most;
	w->queued->regions[region].order_first =
		(uint32_t)(commands - w->plan->order);
	w->queued->regions[region].order_count = count;
	begin_sources(w);
	if (w->queued->regions[region].frozen)
		join_region(w, commands, count);
	else
		place_region(w, region, commands, count);
	return count;
}

/* ---- bodies ---- */

/* What a region's home lane cannot wait for when a body ends. */
static void add_exits(struct stage_builder *w, const plait__plan_body *body)
{
	const plait__queue_lane *lanes = w->queued->lanes;
	uint32_t home;

	if (body->region == PLAIT__NONE)
		return;
	home = w->queued->regions[body->region].home;
	for (uint32_t i = 0; i < body->exit_count && !w->failed; i++) {
		const plait__plan_exit *exit =
			&w->plan->exits[body->exit_first + i];
		uint32_t command = plait__plan_find_command(
			w->plan, w->body, exit->lane, exit->position);

		if (lanes[exit->lane].port != lanes[home].port &&
		    !is_outside(w, command))
			(void)point_for(w, command);
	}
}

static void add_body(struct stage_builder *w, uint32_t number)
{
	const plait__plan_body *body = &w->plan->bodies[number];
	const uint32_t *order = w->plan->order + body->command_first;

	w->body = number;
	for (uint32_t i = 0; i < body->track_count; i++)
		w->last_on[w->plan->tracks[body->track_first + i].lane] =
			PLAIT__NONE;
	begin_sources(w);
	w->base = PLAIT__NONE;
	w->base = add_item(w, PLAIT__STAGE_CHUNK, PLAIT__NONE);
	w->queued->bodies[number].item_first = w->base;
	for (uint32_t i = 0; i < body->command_count && !w->failed;) {
		if (w->plan->commands[order[i]].kind == PLAIT__CMD_REGION) {
			i += add_region(w, order + i, body->command_count - i);
			continue;
		}
		if (is_outside(w, order[i]))
			add_outside(w, order[i++]);
		else
			add_command(w, order[i++]);
	}
	add_exits(w, body);
	w->queued->bodies[number].item_count =
		w->queued->items.count - w->base;
}

/* From who is before whom to who comes behind whom. */
static void turn_edges(struct stage_builder *w)
{
	plait__vector *items = &w->queued->items;
	uint32_t first = 0;
	uint32_t *nexts;

	for (uint32_t i = 0; i < w->edges.count; i++)
		item_at(w, plait__queue_program_at(&w->edges, i))->next_count++;
	for (uint32_t i = 0; i < items->count; i++) {
		item_at(w, i)->next_first = first;
		first += item_at(w, i)->next_count;
		item_at(w, i)->next_count = 0;
	}
	if (first > 0 && plait__vector_push(&w->queued->nexts, NULL, first) ==
				 NULL) {
		w->failed = true;
		return;
	}
	nexts = w->queued->nexts.items;
	for (uint32_t i = 0; i < items->count; i++) {
		const plait__queue_stage *stage = item_at(w, i);

		for (uint32_t e = 0; e < stage->before; e++) {
			plait__queue_stage *before = item_at(
				w, plait__queue_program_at(&w->edges,
							   stage->edge_first + e));

			nexts[before->next_first + before->next_count++] = i;
		}
	}
}

static uint32_t *new_table(struct stage_builder *w, uint64_t count)
{
	uint32_t *table = plait__alloc_array(
		plait__program_allocator(w->queued->program), count,
		sizeof(*table));

	w->failed = w->failed || (table == NULL && count > 0);
	for (uint64_t i = 0; table != NULL && i < count; i++)
		table[i] = PLAIT__NONE;
	return table;
}

static void free_table(const struct stage_builder *w, uint32_t *table, uint64_t count)
{
	plait__free(plait__program_allocator(w->queued->program), table,
		    count * sizeof(*table));
}

bool plait__compile_stages(plait__queue_program *queued, uint32_t **next_commands)
{
	const plait__plan *plan = queued->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(queued->program);
	struct stage_builder w = { .queued = queued, .plan = plan };

	plait__vector_init(&w.edges, allocator, sizeof(uint32_t));
	plait__vector_init(&w.sources, allocator, sizeof(uint32_t));
	w.item_of = new_table(&w, plan->command_count);
	w.point_of = new_table(&w, plan->command_count);
	w.last_on = new_table(&w, plan->lanes_count);
	w.next_commands = new_table(&w, plan->command_count);
	for (uint32_t b = 0; b < plan->bodies_count && !w.failed; b++)
		if (!plait__queue_program_is_device_body(queued, b))
			add_body(&w, b);
	if (!w.failed)
		turn_edges(&w);
	plait__vector_fini(&w.edges);
	plait__vector_fini(&w.sources);
	free_table(&w, w.item_of, plan->command_count);
	free_table(&w, w.point_of, plan->command_count);
	free_table(&w, w.last_on, plan->lanes_count);
	*next_commands = w.next_commands;
	return !w.failed;
}
