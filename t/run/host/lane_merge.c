/* SPDX-License-Identifier: MIT */
/*
 * Merged lanes of plans: every command is run once, in an order that the plan
 * allows, and no lane waits for ever.
 */
#include "run/host/lane_merge.h"

#include "plan/schedule/planner.h"
#include "lib/shapes.h"
#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 400, MOST_LANES = 5, WALKS = 4 };

/* Merged lanes of a body, interpreted one command at a time in random order. */
struct walk {
	const plait__plan *plan;
	const plait__lane_merge *merge;
	struct shape_random *random;
	uint32_t body;
	uint32_t *at;		/* by track: commands that it has passed */
	uint32_t *done;		/* by the plan's lane: how many */
	uint32_t total;		/* of all bodies */
	bool is_right;
};

static void must(struct walk *walk, bool right)
{
	walk->is_right = walk->is_right && right;
}

/* The plan allows the command to be done now: all before it on its lane and all
 * that it waits for are done. */
static void do_command(struct walk *walk, uint32_t command)
{
	const plait__plan *plan = walk->plan;
	const plait__plan_command *at = &plan->commands[command];

	must(walk, at->position == walk->done[at->lane]);
	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		must(walk, walk->done[plan->waits[i].lane] >
				plan->waits[i].position);
	walk->done[at->lane]++;
	walk->total++;
}

static uint32_t next_of(const struct walk *walk, uint32_t track)
{
	const plait__plan_track *at = &walk->merge->tracks[track];

	return walk->at[track] < at->count ?
	       walk->merge->commands[at->first + walk->at[track]] : PLAIT__NONE;
}

static bool is_region(const struct walk *walk, uint32_t command)
{
	uint32_t kind = walk->plan->commands[command].kind;

	return kind == PLAIT__CMD_REGION || kind == PLAIT__CMD_ENTER;
}

/* The merged waits of a track's next command are met. */
static bool can_go(const struct walk *walk, uint32_t track)
{
	const plait__lane_merge *merge = walk->merge;
	uint32_t entry = merge->tracks[track].first + walk->at[track];

	for (uint32_t i = merge->wait_first[entry];
	     i < merge->wait_first[entry + 1]; i++) {
		const plait__lane_merge_wait *wait = &merge->waits[i];

		if (!merge->awaited[merge->tracks[wait->track].first +
				    wait->position] ||
		    walk->at[wait->track] <= wait->position)
			return false;
	}
	return true;
}

/* Every lane of the region has come to it. */
static bool can_enter(const struct walk *walk, uint32_t region)
{
	const plait__lane_merge *merge = walk->merge;

	for (uint32_t i = merge->region_first[region];
	     i < merge->region_first[region + 1]; i++) {
		uint32_t track = plait__lane_merge_find_track(
			merge, walk->body, merge->region_lanes[i]);
		uint32_t command = track == PLAIT__NONE ? PLAIT__NONE :
				   next_of(walk, track);

		if (command == PLAIT__NONE || !is_region(walk, command) ||
		    walk->plan->commands[command].link != region ||
		    !can_go(walk, track))
			return false;
	}
	return true;
}

static void pass_region(struct walk *walk, uint32_t region)
{
	const plait__plan *plan = walk->plan;
	const plait__lane_merge *merge = walk->merge;
	const plait__plan_body *body = &plan->bodies[walk->body];
	uint32_t home = plan->regions[region].command;

	for (uint32_t i = merge->region_first[region];
	     i < merge->region_first[region + 1]; i++)
		walk->at[plait__lane_merge_find_track(
			merge, walk->body, merge->region_lanes[i])]++;
	do_command(walk, home);
	for (uint32_t i = 0; i < body->command_count; i++) {
		uint32_t command = body->command_first + i;

		if (command != home && is_region(walk, command) &&
		    plan->commands[command].link == region)
			do_command(walk, command);
	}
}

/* Returns true if the track's next command was done. */
static bool go_on(struct walk *walk, uint32_t track)
{
	uint32_t command = next_of(walk, track), link;

	if (command == PLAIT__NONE || !can_go(walk, track))
		return false;
	link = walk->plan->commands[command].link;
	if (is_region(walk, command)) {
		if (!can_enter(walk, link))
			return false;
		pass_region(walk, link);
		return true;
	}
	must(walk, walk->merge->position[command] == walk->at[track] &&
		   walk->merge->lane_of[walk->plan->commands[command].lane] ==
			   walk->merge->tracks[track].lane);
	do_command(walk, command);
	walk->at[track]++;
	return true;
}

static void walk_body(struct walk *walk)
{
	uint32_t first = walk->merge->track_first[walk->body];
	uint32_t count = walk->merge->track_first[walk->body + 1] - first;
	bool moved = true;

	memset(walk->done, 0, walk->plan->lanes_count * sizeof(*walk->done));
	while (moved && count > 0) {
		uint32_t start = shape_below(walk->random, count);

		moved = false;
		for (uint32_t i = 0; i < count && !moved; i++)
			moved = go_on(walk, first + (start + i) % count);
	}
}

/* A body has tracks on lanes of its region only, and the home lane is the
 * merged one. */
static bool fits_region(const plait__plan *plan, const plait__lane_merge *merge,
			uint32_t body)
{
	uint32_t region = plan->bodies[body].region;
	bool fits = true;

	if (region == PLAIT__NONE)
		return true;
	for (uint32_t t = merge->track_first[body];
	     t < merge->track_first[body + 1]; t++) {
		uint32_t i = merge->region_first[region];

		while (i < merge->region_first[region + 1] &&
		       merge->region_lanes[i] != merge->tracks[t].lane)
			i++;
		fits = fits && i < merge->region_first[region + 1];
	}
	return fits && merge->region_lanes[merge->region_first[region]] ==
		merge->lane_of[plan->commands[plan->regions[region].command]
			       .lane];
}

static bool walks(const plait__plan *plan, const plait__lane_merge *merge,
		  struct shape_random *random)
{
	struct walk walk = { .plan = plan, .merge = merge, .random = random,
			     .is_right = true };

	walk.at = calloc(merge->tracks_count + 1, sizeof(*walk.at));
	walk.done = calloc(plan->lanes_count + 1, sizeof(*walk.done));
	if (walk.at == NULL || walk.done == NULL)
		abort();
	for (uint32_t b = 0; b < plan->bodies_count; b++) {
		walk.body = b;
		walk_body(&walk);
		must(&walk, fits_region(plan, merge, b));
	}
	free(walk.at);
	free(walk.done);
	return walk.total == plan->command_count && walk.is_right;
}

static bool folds(const plait__plan *plan, uint32_t lanes,
		  struct shape_random *random)
{
	plait_error error = { .size = sizeof(error) };
	plait__lane_merge merge;
	bool good = plait__lane_merge_make(&merge, plan, lanes, &plan->allocator,
					   &error) == PLAIT_OK;

	if (!good)
		return false;
	good = merge.lane_count == (lanes < plan->lanes_count ?
				    lanes : plan->lanes_count);
	for (uint32_t i = 0; i < WALKS; i++)
		good = good && walks(plan, &merge, random);
	plait__lane_merge_free(&merge, plan, &plan->allocator);
	return good;
}

/* Every second one has regions. */
static plait__plan *random_plan(uint64_t seed, struct shape_random *random,
				uint32_t *out_lanes)
{
	const struct shape_draw draw = {
		.nodes = 40, .p = 20 + (uint32_t)(seed % 7) * 20, .devices = 1,
		.regions = seed % 2 == 0 ? 150 : 0, .depth = 3, .max_cost = 20,
	};
	plait__input_options options = { 0 };
	struct shape shape;
	plait__plan *plan = NULL;

	shape_seed(random, seed);
	shape_random(&shape, &draw, random);
	/* Many that take no time begin at once. */
	for (uint32_t i = 0; i < shape.input.node_count; i++)
		if (shape_below(random, 3) == 0)
			shape.nodes[i].cost = 0;
	options.lanes = 2 + shape_below(random, 12);
	options.policy = shape_below(random, 2);
	options.hop_cost = shape_below(random, 3);
	(void)plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
				 NULL);
	*out_lanes = 1 + shape_below(random, MOST_LANES);
	shape_fini(&shape);
	return plan;
}

static void random_graphs(void)
{
	uint64_t seed = tap_seed();
	uint32_t merged = 0, bad = 0, regions = 0;

	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct shape_random random;
		uint32_t lanes;
		plait__plan *plan = random_plan(seed * 1000003 + i, &random,
						&lanes);

		if (plan == NULL || !folds(plan, lanes, &random)) {
			if (bad++ == 0)
				NOTE("the first that is wrong: %u", i);
		} else if (lanes < plan->lanes_count) {
			merged++;
			regions += plan->regions_count > 0;
		}
		plait__plan_release(plan);
	}
	IS_INT(bad, 0);
	OK_THAT(merged > GRAPHS / 4 && regions > GRAPHS / 16,
		"%u plans of %u had more lanes, %u of them regions", merged,
		GRAPHS, regions);
}

/* Four lanes, two of which have much to do: not on the same one. */
static void spread(void)
{
	plait__input_options options = { .lanes = 4 };
	plait_error error = { .size = sizeof(error) };
	struct shape shape;
	plait__plan *plan = NULL;
	plait__lane_merge merge;
	uint64_t busy[2] = { 0, 0 };

	shape_init(&shape, 1);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t node = shape_node(&shape, 0, NULL);

		shape.nodes[node].cost = i % 2 == 0 ? 100 : 10;
	}
	if (OK(plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
				  &error) == PLAIT_OK) &&
	    IS_INT(plan->lanes_count, 4) &&
	    OK(plait__lane_merge_make(&merge, plan, 2, &plan->allocator, &error) ==
	       PLAIT_OK)) {
		for (uint32_t i = 0; i < 4; i++)
			busy[merge.lane_of[plan->commands[i].lane]] +=
				plan->commands[i].cost;
		IS_INT(busy[0], 110);
		IS_INT(busy[1], 110);
		plait__lane_merge_free(&merge, plan, &plan->allocator);
	}
	plait__plan_release(plan);
	shape_fini(&shape);
}

/* Two pairs of lanes that wait for each other: each pair on one lane. */
static void pairs_stay(void)
{
	plait__input_options options = { .lanes = 4 };
	plait_error error = { .size = sizeof(error) };
	struct shape shape;
	plait__plan *plan = NULL;
	plait__lane_merge merge;

	shape_init(&shape, 1);
	/* Lanes 0 and 2, 1 and 3, in steps. */
	for (uint32_t i = 0; i < 16; i++) {
		(void)shape_node(&shape, 0, NULL);
		shape.nodes[i].cost = 10;
		if (i < 4)
			continue;
		shape_edge(&shape, i - 4, i);
		shape_edge(&shape, i / 4 * 4 - 4 + (i + 2) % 4, i);
	}
	if (OK(plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
				  &error) == PLAIT_OK) &&
	    IS_INT(plan->lanes_count, 4) &&
	    OK(plait__lane_merge_make(&merge, plan, 2, &plan->allocator, &error) ==
	       PLAIT_OK)) {
		IS_INT(merge.wait_first[plan->command_count], 0);
		IS_INT(merge.tracks[0].count, 8);
		plait__lane_merge_free(&merge, plan, &plan->allocator);
	}
	plait__plan_release(plan);
	shape_fini(&shape);
}

static const struct tap_scenario all[] = {
	{ "random graphs", random_graphs },
	{ "spread", spread },
	{ "pairs stay together", pairs_stay },
};
TAP_MAIN(all)
