/* SPDX-License-Identifier: MIT */
/* Compiler from a plan to lane programs: the steps of each lane, and the
 * progress words by which lanes synchronize.  call_op.c makes the
 * operations. */
#include "run/host/lane_compiler.h"

#include "run/host/lane_bodies.h"

#include "run/host/call_op.h"
#include "run/args/payload_util.h"
#include "run/external/coroutine_command.h"
#include "run/external/external_command.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum {
	/* Alignment of the words that one lane writes: two cache lines, since
	 * machines prefetch lines in pairs. */
	LANE_WORDS = 16
};

/* ---- words ---- */

static uint32_t round_up(uint32_t words)
{
	return (words + LANE_WORDS - 1) / LANE_WORDS * LANE_WORDS;
}

/* The visit of a lane in a region, which exists. */
static uint32_t find_visit(const plait__lane_compiler *c, uint32_t region,
			   uint32_t lane)
{
	uint32_t first, count, i = 0;
	const uint32_t *lanes =
		plait__lane_bodies_region_lanes(c, region, &first, &count);

	while (!c->serial && lanes[i] != lane)
		i++;
	return first + i;
}

static void place_regions(plait__lane_compiler *c)
{
	plait__lane_program *compiled = c->compiled;

	for (uint32_t r = 0; r < c->plan->regions_count; r++) {
		const plait__plan_region *region = &c->plan->regions[r];
		plait__lane_region *info = &compiled->regions[r];
		uint32_t command = region->command, first, count;

		(void)plait__lane_bodies_region_lanes(c, r, &first, &count);
		info->home = plait__lane_bodies_home(c, r);
		info->shared = !c->serial && count > 1;
		info->outer = c->plan->bodies[c->plan->nodes[
			c->plan->commands[command].node].body].region;
		info->function = plait__program_predicate(c->program, r);
		info->asks_owner = plait__external_matches(c->program, command);
		for (uint32_t i = 0; i < count; i++) {
			plait__visit *visit = &compiled->visits[first + i];

			visit->region = r;
			visit->kind = region->kind;
			visit->body_count = region->body_count;
			visit->row = compiled->row_count;
			compiled->row_count += region->body_count;
		}
	}
	for (uint32_t i = 0; i < compiled->row_count; i++)
		compiled->rows[i] = PLAIT__NONE;
}

/* Words of a lane: parked_count, decisions and counters in `progress`, then the
 * words in `local`. */
static void begin_lane(plait__lane_compiler *c, uint32_t lane)
{
	plait__lane_program *compiled = c->compiled;

	c->lane = lane;
	compiled->progress_count = round_up(compiled->progress_count);
	compiled->local_count = round_up(compiled->local_count) + 1;
	compiled->lanes[lane].parked_count = compiled->progress_count++;
	compiled->lanes[lane].part = PLAIT__NONE;
}

/* ---- steps ---- */

static void *push(plait__lane_compiler *c, plait__vector *vector,
		  const void *item)
{
	void *pushed = plait__vector_push(vector, item, 1);

	if (pushed == NULL)
		c->failed = true;
	return pushed;
}

/* The caller has seen that the push of a step did not fail. */
static plait__step *last_step(const plait__lane_compiler *c)
{
	return plait__vector_at(&c->compiled->steps,
				c->compiled->steps.count - 1);
}

static void begin_step(plait__lane_compiler *c, uint32_t kind, uint32_t done,
		       uint32_t command)
{
	const plait__step step = {
		.kind = kind,
		.part = c->part,
		.wait_first = c->compiled->waits.count,
		.op_first = c->compiled->ops.count,
		.cell_first = c->compiled->cells.count,
		.done = done,
		.hosts = 1,
		.command = command,
	};

	(void)push(c, &c->compiled->steps, &step);
}

/* The word in `local` that caches a progress word on this lane.  0 stands for
 * none: begin_lane skips the first word. */
static uint32_t find_seen(plait__lane_compiler *c, uint32_t word)
{
	if (c->seen_of[word] == 0) {
		c->seen_of[word] = c->compiled->local_count++;
		(void)push(c, &c->seen_words, &word);
	}
	return c->seen_of[word];
}

/* Wait for the command at `position` of a track of another lane.  The progress
 * words of other lanes' parts are assigned later, so the index of the track
 * stands for the word until resolve_waits. */
static void push_wait(plait__lane_compiler *c, uint32_t track,
		      uint32_t position)
{
	const plait__plan_track *at = plait__lane_bodies_track(c, track);
	plait__step_wait wait = {
		.word = track, .lane = at->lane, .stride = at->count,
		.position = position + 1, .seen = find_seen(c, track),
		.command = at->first + position,
	};

	if (c->merge != NULL)
		wait.command = c->merge->commands[wait.command];
	if (!c->failed && push(c, &c->compiled->waits, &wait) != NULL)
		last_step(c)->wait_count++;
}

/* Waits and exits stay within the body, in which each lane has one track. */
static void add_wait(plait__lane_compiler *c, uint32_t lane, uint32_t position)
{
	if (!c->serial && !c->failed && lane != c->lane)
		push_wait(c, plait__plan_find_track(c->plan, c->body, lane),
			  position);
}

/* Those of the current entry. */
static void add_merged_waits(plait__lane_compiler *c)
{
	const plait__lane_merge *merge = c->merge;

	for (uint32_t i = merge->wait_first[c->entry];
	     i < merge->wait_first[c->entry + 1]; i++)
		push_wait(c, merge->waits[i].track, merge->waits[i].position);
}

/* A stub waits for its region's command before it is done, not before it serves
 * the bodies; the decision to leave is that wait. */
static bool is_of_own_region(const plait__lane_compiler *c,
			     const plait__plan_command *at,
			     const plait__plan_wait *wait)
{
	const plait__plan_command *home;

	if (at->kind != PLAIT__CMD_ENTER)
		return false;
	home = &c->plan->commands[c->plan->regions[at->link].command];
	return wait->lane == home->lane && wait->position == home->position;
}

static void add_waits_of(plait__lane_compiler *c, uint32_t command)
{
	const plait__plan_command *at = &c->plan->commands[command];

	if (c->merge != NULL) {
		add_merged_waits(c);
		return;
	}
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		if (!is_of_own_region(c, at, &c->plan->waits[i]))
			add_wait(c, c->plan->waits[i].lane,
				 c->plan->waits[i].position);
}

static void add_cells(plait__lane_compiler *c, uint32_t first,
			  uint32_t last)
{
	const plait__frame_layout *layout = &c->program->layout;

	for (uint32_t i = first; i < last && !c->failed; i++)
		if (push(c, &c->compiled->cells, &layout->cells[i]) !=
		    NULL)
			last_step(c)->cell_count++;
}

static void add_op(plait__lane_compiler *c, uint32_t command)
{
	const uint32_t *cells = c->program->layout.cell_first;
	plait__call_op op;

	plait__call_op_make(c->program, NULL, command, &op);
	if (!c->failed && push(c, &c->compiled->ops, &op) != NULL)
		last_step(c)->op_count++;
	if (!c->failed)
		last_step(c)->hosts &= op.is_host;
	add_cells(c, cells[command], cells[command + 1]);
}

static void add_visit(plait__lane_compiler *c, uint32_t command, uint32_t done)
{
	const plait__plan_command *at = &c->plan->commands[command];
	const uint32_t *cells = c->program->layout.predicate_cells;
	bool home = at->kind == PLAIT__CMD_REGION;
	uint32_t visit = find_visit(c, at->link, c->lane);

	if (c->serial && !home)
		return;
	begin_step(c, home ? PLAIT__STEP_REGION : PLAIT__STEP_ENTER, done,
		   command);
	add_waits_of(c, command);
	if (c->failed)
		return;
	last_step(c)->link = visit;
	if (home)
		add_cells(c, cells[at->link], cells[at->link + 1]);
	if (home && c->compiled->regions[at->link].asks_owner)
		c->compiled->lanes[c->lane].external |= PLAIT__EXTERNAL_SUBMITS;
	c->compiled->visits[visit].step = c->compiled->steps.count - 1;
	c->compiled->visits[visit].seen = c->compiled->local_count++;
}

static bool has_waits(const plait__lane_compiler *c, uint32_t command)
{
	const plait__plan_command *at = &c->plan->commands[command];

	if (c->merge != NULL)
		return c->merge->wait_first[c->entry + 1] >
		       c->merge->wait_first[c->entry];
	return !c->serial && at[1].wait_first > at->wait_first;
}

static bool is_awaited(const plait__lane_compiler *c, uint32_t command)
{
	if (c->merge != NULL)
		return c->merge->awaited[c->entry] != 0;
	return !c->serial && (c->plan->commands[command].flags &
			      PLAIT__CMD_AWAITED) != 0;
}

/* A step takes further commands until its lane has to wait, or another lane
 * waits for a command of it. */
static void add_command(plait__lane_compiler *c, uint32_t command,
			uint32_t done, bool *open)
{
	const plait__plan_command *at = &c->plan->commands[command];

	if (at->kind == PLAIT__CMD_REGION || at->kind == PLAIT__CMD_ENTER) {
		add_visit(c, command, done);
		*open = false;
		return;
	}
	if (plait__external_matches(c->program, command)) {
		bool suspends = plait__coroutine_command_matches(c->program,
								 command);

		c->compiled->lanes[c->lane].external |=
			at->kind == PLAIT__CMD_WAIT || suspends ?
				PLAIT__EXTERNAL_WAITS :
				PLAIT__EXTERNAL_SUBMITS;
		begin_step(c, suspends ? PLAIT__STEP_COROUTINE :
					 PLAIT__STEP_EXTERNAL, done, command);
		if (!c->failed && suspends)
			last_step(c)->link = plait__coroutine_command_is_bound(
						     c->program, command) ?
						     PLAIT__COROUTINE_BOUND :
						     PLAIT__COROUTINE_UNBOUND;
		add_waits_of(c, command);
		add_op(c, command);
		*open = false;
		return;
	}
	if (!*open || has_waits(c, command)) {
		begin_step(c, PLAIT__STEP_RUN, done, command);
		add_waits_of(c, command);
	}
	add_op(c, command);
	if (!c->failed)
		last_step(c)->done = done;
	*open = !is_awaited(c, command);
}

/* The last of the exits on each other lane. */
static void add_merged_exits(plait__lane_compiler *c,
			     const plait__plan_body *body)
{
	const plait__lane_merge *merge = c->merge;

	for (uint32_t t = merge->track_first[c->body];
	     t < merge->track_first[c->body + 1]; t++) {
		uint32_t last = 0;
		bool found = false;

		for (uint32_t i = 0; i < body->exit_count; i++) {
			const plait__plan_exit *exit =
				&c->plan->exits[body->exit_first + i];
			uint32_t at;

			if (merge->lane_of[exit->lane] != merge->tracks[t].lane)
				continue;
			at = merge->position[plait__plan_find_command(
				c->plan, c->body, exit->lane, exit->position)];
			found = true;
			last = at > last ? at : last;
		}
		if (found && merge->tracks[t].lane != c->lane)
			push_wait(c, t, last);
	}
}

static void add_exits(plait__lane_compiler *c, const plait__plan_body *body)
{
	if (c->merge != NULL) {
		add_merged_exits(c, body);
		return;
	}
	for (uint32_t i = 0; i < body->exit_count; i++) {
		const plait__plan_exit *exit =
			&c->plan->exits[body->exit_first + i];

		add_wait(c, exit->lane, exit->position);
	}
}

static void end_part(plait__lane_compiler *c, uint32_t done)
{
	uint32_t region = c->plan->bodies[c->body].region;
	bool home;

	if (region == PLAIT__NONE) {
		begin_step(c, PLAIT__STEP_DONE, done, PLAIT__NONE);
		return;
	}
	home = c->lane == plait__lane_bodies_home(c, region);
	begin_step(c, home ? PLAIT__STEP_END : PLAIT__STEP_BACK, done,
		   c->plan->regions[region].command);
	if (c->failed)
		return;
	last_step(c)->link = find_visit(c, region, c->lane);
	if (home)
		add_exits(c, &c->plan->bodies[c->body]);
}

/* List the commands of a part in order: of a track, or of the whole body. */
static const uint32_t *list_commands(plait__lane_compiler *c,
				     const plait__lane_body *lane_body,
				     uint32_t *out_count)
{
	const plait__plan_body *body = &c->plan->bodies[lane_body->body];
	const plait__plan_track *track;

	if (c->serial) {
		*out_count = body->command_count;
		/* A plan without commands has no array. */
		return body->command_count == 0 ?
			       c->list : c->plan->order + body->command_first;
	}
	*out_count = 0;
	if (lane_body->track == PLAIT__NONE)
		return c->list;
	track = plait__lane_bodies_track(c, lane_body->track);
	*out_count = track->count;
	if (c->merge != NULL)
		return c->merge->commands + track->first;
	for (uint32_t i = 0; i < track->count; i++)
		c->list[i] = track->first + i;
	return c->list;
}

/* Parts come in the order of c->lane_bodies, so their indices agree. */
static void begin_part(plait__lane_compiler *c,
		       const plait__lane_body *lane_body, uint32_t count)
{
	plait__lane_program *compiled = c->compiled;
	uint32_t region = c->plan->bodies[lane_body->body].region;
	const plait__part part = {
		.step = compiled->steps.count,
		.stride = count,
		.word = compiled->progress_count++,
		.epoch = compiled->local_count++,
		.body = lane_body->body,
	};
	plait__visit *visit;

	c->body = lane_body->body;
	c->part = compiled->parts.count;
	(void)push(c, &compiled->parts, &part);
	if (region == PLAIT__NONE) {
		compiled->lanes[lane_body->lane].part = c->part;
		return;
	}
	visit = &compiled->visits[find_visit(c, region, lane_body->lane)];
	compiled->rows[visit->row + lane_body->body -
		   c->plan->regions[region].body_first] = c->part;
}

/* The home lane of a region assigns the region's word in its first part. */
static void add_part(plait__lane_compiler *c, const plait__lane_body *lane_body)
{
	uint32_t count;
	const uint32_t *commands = list_commands(c, lane_body, &count);
	bool open = false;

	begin_part(c, lane_body, count);
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		const plait__plan_command *at = &c->plan->commands[commands[i]];

		if (c->merge != NULL)
			c->entry = (uint32_t)(&commands[i] -
					      c->merge->commands);
		if (at->kind == PLAIT__CMD_REGION)
			c->compiled->regions[at->link].word =
				c->compiled->progress_count++;
		add_command(c, commands[i], i + 1, &open);
	}
	end_part(c, count);
}

/* Replace tracks by the progress words of their parts.  All parts have their
 * words; `seen_of` is free for reuse. */
static void resolve_waits(plait__lane_compiler *c)
{
	plait__lane_program *compiled = c->compiled;
	uint32_t *word_of = c->seen_of;

	for (uint32_t i = 0; i < c->lane_body_count; i++) {
		const plait__part *part = plait__vector_at(&compiled->parts, i);

		if (c->lane_bodies[i].track != PLAIT__NONE)
			word_of[c->lane_bodies[i].track] = part->word;
	}
	for (uint32_t i = 0; i < compiled->waits.count; i++) {
		plait__step_wait *wait = plait__vector_at(&compiled->waits, i);

		wait->word = word_of[wait->word];
	}
}

static void compile_lanes(plait__lane_compiler *c)
{
	uint32_t next = 0;

	for (uint32_t lane = 0; lane < c->compiled->lane_count && !c->failed;
	     lane++) {
		begin_lane(c, lane);
		for (; next < c->lane_body_count && !c->failed &&
		     c->lane_bodies[next].lane == lane; next++)
			add_part(c, &c->lane_bodies[next]);
		for (uint32_t i = 0; i < c->seen_words.count; i++)
			c->seen_of[*(uint32_t *)plait__vector_at(
				&c->seen_words, i)] = 0;
		plait__vector_truncate(&c->seen_words, 0);
	}
	if (!c->failed)
		resolve_waits(c);
}

/* ---- tables ---- */

static uint64_t count_rows(const plait__plan *plan)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < plan->regions_count; i++)
		rows += (uint64_t)plan->regions[i].lane_count *
			plan->regions[i].body_count;
	return rows;
}

/* A table without entries is null. */
static void *table(plait__lane_compiler *c, uint64_t count, uint64_t each)
{
	void *block = plait__alloc_array(plait__program_allocator(c->program),
					 count, each);

	c->failed = c->failed || (block == NULL && count > 0);
	return block;
}

static uint64_t seen_count(const plait__lane_compiler *c)
{
	return c->merge != NULL ? c->merge->tracks_count :
				  c->plan->tracks_count;
}

static void make_tables(plait__lane_compiler *c)
{
	plait__lane_program *compiled = c->compiled;
	const plait__plan *plan = c->plan;
	const plait_allocator *allocator = plait__program_allocator(c->program);

	plait__vector_init(&compiled->steps, allocator, sizeof(plait__step));
	plait__vector_init(&compiled->ops, allocator, sizeof(plait__call_op));
	plait__vector_init(&compiled->waits, allocator,
			   sizeof(plait__step_wait));
	plait__vector_init(&compiled->cells, allocator,
			   sizeof(plait__loop_cell));
	plait__vector_init(&compiled->parts, allocator, sizeof(plait__part));
	plait__vector_init(&c->seen_words, allocator, sizeof(uint32_t));
	compiled->lanes =
		table(c, compiled->lane_count, sizeof(*compiled->lanes));
	compiled->regions = table(c, plan->regions_count,
				  sizeof(*compiled->regions));
	compiled->visits = table(c, plan->region_lanes_count,
				 sizeof(*compiled->visits));
	compiled->rows = table(c, count_rows(plan), sizeof(*compiled->rows));
	c->seen_of = table(c, seen_count(c), sizeof(*c->seen_of));
	c->list_capacity = plan->command_count;
	c->list = table(c, c->list_capacity, sizeof(*c->list));
}

static void free_work(plait__lane_compiler *c)
{
	const plait_allocator *allocator = plait__program_allocator(c->program);

	plait__vector_fini(&c->seen_words);
	plait__free(allocator, c->lane_bodies,
		    c->lane_body_count * sizeof(*c->lane_bodies));
	plait__free(allocator, c->seen_of,
		    seen_count(c) * sizeof(*c->seen_of));
	plait__free(allocator, c->list, c->list_capacity * sizeof(*c->list));
}

plait_status plait__lane_program_compile(plait__lane_program *compiled,
					 const plait__program *program,
					 bool serial,
					 const plait__lane_merge *merge,
					 plait_error *error)
{
	plait__lane_compiler c = {
		.compiled = compiled, .program = program, .plan = program->plan,
		.serial = serial, .merge = merge,
	};

	compiled->program = program;
	compiled->lane_count = serial ? 1 : merge != NULL ? merge->lane_count :
			   program->plan->lanes_count;
	make_tables(&c);
	if (!c.failed) {
		place_regions(&c);
		c.failed = !plait__lane_bodies_sort(&c);
	}
	if (!c.failed)
		compile_lanes(&c);
	free_work(&c);
	return !c.failed ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to make a plan ready to run");
}

void plait__lane_program_free(plait__lane_program *compiled)
{
	const plait_allocator *allocator;
	const plait__plan *plan;

	if (compiled->program == NULL)
		return;
	allocator = plait__program_allocator(compiled->program);
	plan = compiled->program->plan;
	plait__vector_fini(&compiled->steps);
	plait__vector_fini(&compiled->ops);
	plait__vector_fini(&compiled->waits);
	plait__vector_fini(&compiled->cells);
	plait__vector_fini(&compiled->parts);
	plait__free(allocator, compiled->lanes,
		    compiled->lane_count * sizeof(*compiled->lanes));
	plait__free(allocator, compiled->regions,
		    plan->regions_count * sizeof(*compiled->regions));
	plait__free(allocator, compiled->visits,
		    plan->region_lanes_count * sizeof(*compiled->visits));
	plait__free(allocator, compiled->rows,
		    count_rows(plan) * sizeof(*compiled->rows));
	memset(compiled, 0, sizeof(*compiled));
}
