/* SPDX-License-Identifier: MIT */
/*
 * Sequential interpreter of mazes: the walk visits one spot after the other,
 * without lanes.  The history of a spot is a moment: when the last predecessor
 * ended, and whether all of them were run.  That is enough to check a run that
 * failed: each executed spot ran after all of its predecessors, and none of
 * those failed.  With a trace the moment is a vector clock, too: how many steps
 * of each lane precede it.
 */
#include "maze.h"

#include <string.h>

struct moment {
	uint64_t end;
	bool sound;	/* all of it ran, and did not fail */
	uint32_t steps[MAZE_LANES];
};

struct walk {
	struct maze *maze;
	const struct maze_world *world;
	struct maze_report *report;
	struct maze_trace *trace;	/* or null */
	enum maze_extent extent;
	uint64_t numbers[MAZE_SPOTS][2];
	uint32_t visits[MAZE_SPOTS];
	/* Per region: the iteration, and behind it how many there were. */
	uint64_t iterations[MAZE_SPOTS];
	struct moment moments[MAZE_SPOTS];
};

static void join(struct moment *moment, struct moment other)
{
	if (moment->end < other.end)
		moment->end = other.end;
	moment->sound = moment->sound && other.sound;
	for (uint32_t i = 0; i < MAZE_LANES; i++)
		if (moment->steps[i] < other.steps[i])
			moment->steps[i] = other.steps[i];
}

static void blame(struct walk *walk, const struct maze_spot *spot,
		  uint32_t turn, const char *wrong)
{
	if (walk->report->wrong != NULL)
		return;
	walk->report->wrong = wrong;
	walk->report->spot = spot->number;
	walk->report->turn = turn;
}

/* ---- the recording of the run ---- */

/* The iteration of the innermost loop around the body; 0 when there is none. */
static uint64_t iteration_in(const struct walk *walk, uint32_t body)
{
	const struct maze *maze = walk->maze;
	uint32_t region;

	while ((region = maze->bodies[body].region) != MAZE_NONE) {
		if (maze->spots[region].kind != MAZE_CASE)
			return walk->iterations[region];
		body = maze->spots[region].body;
	}
	return 0;
}

/* If the whole moment precedes the step, the step joins it. */
static void follow_step(struct walk *walk, const struct maze_spot *spot,
			const struct maze_step *step, uint64_t iteration,
			struct moment *moment)
{
	if (step->iteration != iteration)
		blame(walk, spot, step->index,
		      "was recorded with another iteration");
	for (uint32_t i = 0; i < MAZE_LANES; i++)
		if (maze_trace_known(walk->trace, step, i) < moment->steps[i])
			blame(walk, spot, step->index,
			      "was recorded before all before it ended");
	if (moment->steps[step->lane] <= step->index)
		moment->steps[step->lane] = step->index + 1;
}

/* Returns whether there is one. */
static bool follow_command(struct walk *walk, const struct maze_spot *spot,
			   struct moment *moment)
{
	const struct maze_step *step;

	if (walk->trace == NULL)
		return true;
	step = maze_trace_next(walk->trace, spot->number,
			       PLAIT_RECORD_COMMAND);
	if (step != NULL)
		follow_step(walk, spot, step, iteration_in(walk, spot->body),
			    moment);
	return step != NULL;
}

/* Stopped runs leave their regions sooner or later. */
static void follow_decision(struct walk *walk, const struct maze_spot *spot,
			    uint64_t choice, struct moment *moment)
{
	const struct maze_step *step;
	uint64_t iteration = spot->kind == MAZE_CASE ?
			     iteration_in(walk, spot->body) :
			     walk->iterations[spot->number];

	if (walk->trace == NULL || walk->extent != MAZE_WHOLE)
		return;
	step = maze_trace_next(walk->trace, spot->number,
			       PLAIT_RECORD_DECISION);
	if (step == NULL || step->other != choice)
		blame(walk, spot, (uint32_t)iteration,
		      "has another decision recorded, or none");
	else
		follow_step(walk, spot, step, iteration, moment);
}

/* ---- spots ---- */

static uint64_t innermost_iteration(const struct walk *walk, uint32_t body)
{
	const struct maze *maze = walk->maze;
	uint32_t region = maze->bodies[body].region;

	while (maze->spots[region].kind == MAZE_CASE)
		region = maze->bodies[maze->spots[region].body].region;
	return walk->iterations[region];
}

/* A buffer, or if that is none the one of its rotation, `ahead` iterations from
 * the current one. */
static uint32_t buffer_of(const struct walk *walk,
			  const struct maze_spot *spot, uint32_t buffer,
			  uint32_t ahead)
{
	const struct maze *maze = walk->maze;
	const struct maze_rotation *rotation;
	uint32_t loop;

	if (buffer != MAZE_NONE)
		return buffer;
	rotation = &maze->rotations[spot->rotation];
	loop = maze->bodies[rotation->body].region;
	return maze_turn_buffer(rotation, walk->iterations[loop] + ahead);
}

/* The buffer that a spot with a function reads, or none. */
static uint32_t read_buffer(const struct walk *walk,
			    const struct maze_spot *spot)
{
	if (spot->kind == MAZE_TURN)
		return buffer_of(walk, spot, MAZE_NONE, 0);
	if (spot->kind != MAZE_LOOK)
		return MAZE_NONE;
	return buffer_of(walk, spot, spot->rotation == MAZE_NONE ?
			 spot->buffer : MAZE_NONE, 0);
}

static void set_content(struct walk *walk, uint32_t buffer, uint64_t number,
			bool vague)
{
	walk->maze->contents[buffer] = number;
	walk->maze->vague[buffer] = vague;
}

/* A stopped run may have ended before it; then what it would have written is
 * written, or not.  A function reads other buffers behind their writers only. */
static void move_content(struct walk *walk, const struct maze_spot *spot)
{
	uint32_t to = buffer_of(walk, spot, spot->buffer, 1), from;
	bool vague = walk->extent != MAZE_WHOLE && spot->buffer == MAZE_NONE;

	if (spot->kind == MAZE_FILL) {
		set_content(walk, to, spot->number + 1, vague);
		return;
	}
	from = buffer_of(walk, spot, spot->source, 0);
	set_content(walk, to, walk->maze->contents[from],
		    vague || walk->maze->vague[from]);
}

/* Its region's word, which SET has set for the visit that comes next. */
static uint64_t word_of(const struct walk *walk, const struct maze_spot *spot)
{
	const struct maze_spot *region = &walk->maze->spots[spot->region];
	uint32_t visit = walk->visits[region->number];

	if (spot->kind == MAZE_SET)
		return maze_count(region, visit);
	return maze_count(region, visit - 1) -
	       walk->iterations[region->number] - 1;
}

/* The inputs of a spot that other spots did not leave. */
static uint64_t extra_of(struct walk *walk, const struct maze_spot *spot)
{
	switch (spot->kind) {
	case MAZE_NUMBER:
		return innermost_iteration(walk, spot->body);
	case MAZE_VALUE:
		return walk->world->salt;
	case MAZE_SIZE:
		return walk->world->size;
	case MAZE_TURN:
	case MAZE_LOOK:
		return walk->maze->contents[read_buffer(walk, spot)];
	case MAZE_SET:
	case MAZE_LOWER:
		return word_of(walk, spot);
	default:
		return 0;
	}
}

static void check_entry(struct walk *walk, const struct maze_spot *spot,
			uint32_t turn, struct moment before)
{
	const struct maze_entry *entry =
		&walk->world->entries[spot->number][turn];
	uint64_t number = maze_number(spot, walk->numbers, turn,
				      extra_of(walk, spot));
	uint32_t from = read_buffer(walk, spot);
	bool vague = from != MAZE_NONE && walk->maze->vague[from];

	if (!before.sound)
		blame(walk, spot, turn, "ran though not all before it did");
	else if (entry->begin <= before.end)
		blame(walk, spot, turn, "began before all before it ended");
	else if (entry->number != number && !vague)
		blame(walk, spot, turn, "found what it must not find");
	walk->numbers[spot->number][turn & 1] = entry->number;
	if (spot->kind == MAZE_TURN)
		set_content(walk, buffer_of(walk, spot, spot->buffer, 1),
			    entry->number, false);
	walk->report->ran++;
}

static struct moment walk_function(struct walk *walk,
				   const struct maze_spot *spot,
				   struct moment before)
{
	const struct maze_world *world = walk->world;
	uint32_t n = spot->number;
	uint32_t turn = walk->report->times[n]++;
	bool burns = world->action != MAZE_GOES_ON && world->fuse == n &&
		     world->fuse_turn == turn;

	walk->report->entries++;
	if (turn < world->times[n]) {
		check_entry(walk, spot, turn, before);
		before.end = world->entries[n][turn].end;
		before.sound = !burns;
		return before;
	}
	if (burns && walk->extent == MAZE_TO_FUSE)
		blame(walk, spot, turn, "did not run, and nothing was to stop it");
	if (walk->extent == MAZE_WHOLE)
		blame(walk, spot, turn, "did not run");
	before.sound = false;
	return before;
}

/* A spot must have been recorded as often as it ran. */
static struct moment walk_stamp(struct walk *walk, const struct maze_spot *spot,
				struct moment before)
{
	uint32_t turn = walk->report->times[spot->number];
	struct moment after = walk_function(walk, spot, before);

	if (follow_command(walk, spot, &after) !=
		    (turn < walk->world->times[spot->number]) &&
	    walk->trace != NULL)
		blame(walk, spot, turn, "ran, or was recorded, only");
	return after;
}

static struct moment walk_leaf(struct walk *walk, const struct maze_spot *spot,
			       struct moment before)
{
	if (maze_stamps(spot))
		return walk_stamp(walk, spot, before);
	if (spot->kind == MAZE_FILL || spot->kind == MAZE_COPY)
		move_content(walk, spot);
	if (!follow_command(walk, spot, &before)) {
		before.sound = false;
		if (walk->extent == MAZE_WHOLE)
			blame(walk, spot, 0, "was not recorded");
	}
	return before;
}

/* ---- regions ---- */

static struct moment walk_body(struct walk *walk, uint32_t body,
			       struct moment from);

static struct moment decide(struct walk *walk, const struct maze_spot *spot,
			    uint64_t choice, struct moment moment)
{
	if (!spot->by_word)
		moment = walk_function(walk, spot, moment);
	follow_decision(walk, spot, choice, &moment);
	return moment;
}

static struct moment walk_loop(struct walk *walk, const struct maze_spot *spot,
			       struct moment moment)
{
	uint64_t *i = &walk->iterations[spot->number];
	uint32_t count = maze_count(spot, walk->visits[spot->number]++);

	*i = 0;
	if (spot->kind == MAZE_WHILE)
		moment = decide(walk, spot, *i < count ? 0 : UINT64_MAX,
				moment);
	else
		follow_decision(walk, spot, 0, &moment);
	while (*i < count) {
		moment = walk_body(walk, spot->bodies[0], moment);
		++*i;
		walk->report->iterations++;
		moment = decide(walk, spot, *i < count ? 0 : UINT64_MAX,
				moment);
	}
	return moment;
}

static struct moment walk_region(struct walk *walk,
				 const struct maze_spot *spot,
				 struct moment moment)
{
	uint32_t branch;

	if (spot->kind != MAZE_CASE)
		return walk_loop(walk, spot, moment);
	branch = maze_count(spot, walk->visits[spot->number]++);
	if (branch == spot->branches)
		return decide(walk, spot, UINT64_MAX, moment);
	moment = decide(walk, spot, branch, moment);
	moment = walk_body(walk, spot->bodies[branch], moment);
	follow_decision(walk, spot, UINT64_MAX, &moment);
	return moment;
}

static struct moment walk_body(struct walk *walk, uint32_t body,
			       struct moment from)
{
	struct moment all = from;
	uint64_t left = walk->maze->bodies[body].spots;

	for (; left != 0; left &= left - 1) {
		uint32_t n = (uint32_t)__builtin_ctzll(left);
		const struct maze_spot *spot = &walk->maze->spots[n];
		struct moment before = from;

		for (uint32_t i = 0; i < spot->after_count; i++)
			join(&before, walk->moments[spot->after[i]]);
		walk->moments[n] = spot->branches > 0 ?
				   walk_region(walk, spot, before) :
				   walk_leaf(walk, spot, before);
		join(&all, walk->moments[n]);
	}
	return all;
}

void maze_walk(struct maze *maze, const struct maze_world *world,
	       enum maze_extent extent, struct maze_trace *trace,
	       struct maze_report *report)
{
	static __thread struct walk walk;
	const struct moment start = { .sound = true };

	memset(&walk, 0, sizeof(walk));
	memset(report, 0, sizeof(*report));
	walk.maze = maze;
	walk.world = world;
	walk.report = report;
	walk.extent = extent;
	walk.trace = trace;
	(void)walk_body(&walk, 0, start);
	for (uint32_t i = 0; i < maze->spot_count; i++) {
		if (world->times[i] > report->times[i])
			blame(&walk, &maze->spots[i], world->times[i],
			      "ran too often");
		if (trace != NULL && maze_trace_next(trace, i,
						     PLAIT_RECORD_COMMAND))
			blame(&walk, &maze->spots[i], world->times[i],
			      "was recorded too often");
	}
	if (world->broken)
		blame(&walk, &maze->spots[0], 0, "saw what cannot be");
}
