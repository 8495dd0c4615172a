/* SPDX-License-Identifier: MIT */
/*
 * Merged lanes of plans: every command is run once, in an order that the plan
 * allows, and no lane waits for ever.
 */
#include "run/host/lane_merge.h"

#include "plan/schedule/planner.h"
#include "lib/shapes.h"
#include "lib/tap.h"

enum { GRAPHS = 400, MOST_LANES = 5, MOST_NODES = 60 };

/* Lanes, interpreted one after the other as far as each can go. */
struct walk {
	const plait__plan *plan;
	const plait__lane_merge *merge;
	uint32_t at[MOST_LANES];	/* by lane */
	uint32_t done[MOST_NODES];	/* by the plan's lane: how many */
	uint32_t total;
	bool lanes_keep_order;
};

static bool can_go(const struct walk *walk, uint32_t command)
{
	const plait__plan_command *at = &walk->plan->commands[command];

	for (uint32_t i = at->wait_first; i < at[1].wait_first; i++)
		if (walk->done[walk->plan->waits[i].lane] <=
		    walk->plan->waits[i].position)
			return false;
	return true;
}

static bool go_on(struct walk *walk, uint32_t lane)
{
	const plait__lane_merge *merge = walk->merge;
	uint32_t before = walk->at[lane];

	while (walk->at[lane] < plait__lane_merge_count(merge, lane)) {
		uint32_t command = merge->commands[merge->first[lane] +
						   walk->at[lane]];
		const plait__plan_command *what =
			&walk->plan->commands[command];

		if (!can_go(walk, command))
			break;
		walk->lanes_keep_order = walk->lanes_keep_order &&
			what->position == walk->done[what->lane] &&
			merge->position[command] == walk->at[lane] &&
			merge->lane_of[what->lane] == lane;
		walk->done[what->lane]++;
		walk->at[lane]++;
		walk->total++;
	}
	return walk->at[lane] > before;
}

static bool walks(const plait__plan *plan, const plait__lane_merge *merge)
{
	struct walk walk = { .plan = plan, .merge = merge,
			     .lanes_keep_order = true };
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < merge->lane_count; i++)
			moved = go_on(&walk, i) || moved;
	}
	return walk.total == plan->command_count && walk.lanes_keep_order;
}

static bool folds(const plait__plan *plan, uint32_t lanes)
{
	plait_error error = { .size = sizeof(error) };
	plait__lane_merge merge;
	bool good = plait__lane_merge_make(&merge, plan, lanes, &plan->allocator,
					   &error) == PLAIT_OK;

	if (!good)
		return false;
	good = merge.lane_count == (lanes < plan->lanes_count ?
				    lanes : plan->lanes_count) &&
	       walks(plan, &merge);
	plait__lane_merge_free(&merge, plan, &plan->allocator);
	return good;
}

static plait__plan *random_plan(uint64_t seed, uint32_t *out_lanes)
{
	plait__input_options options = { 0 };
	struct shape_random random;
	struct shape shape;
	plait__plan *plan = NULL;

	shape_seed(&random, seed);
	shape_dag(&shape, MOST_NODES, 20 + shape_below(&random, 200), 20,
		  &random);
	/* Many that take no time begin at once. */
	for (uint32_t i = 0; i < shape.input.node_count; i++)
		if (shape_below(&random, 3) == 0)
			shape.nodes[i].cost = 0;
	options.lanes = 2 + shape_below(&random, 12);
	options.policy = shape_below(&random, 2);
	options.hop_cost = shape_below(&random, 3);
	(void)plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
				 NULL);
	*out_lanes = 1 + shape_below(&random, MOST_LANES);
	shape_fini(&shape);
	return plan;
}

static void random_graphs(void)
{
	uint64_t seed = tap_seed();
	uint32_t merged = 0, bad = 0;

	for (uint32_t i = 0; i < GRAPHS; i++) {
		uint32_t lanes;
		plait__plan *plan = random_plan(seed * 1000003 + i, &lanes);

		if (plan == NULL || !folds(plan, lanes)) {
			if (bad++ == 0)
				NOTE("the first that is wrong: %u", i);
		} else {
			merged += lanes < plan->lanes_count;
		}
		plait__plan_release(plan);
	}
	IS_INT(bad, 0);
	OK_THAT(merged > GRAPHS / 4, "%u plans of %u had more lanes", merged,
		GRAPHS);
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

static const struct tap_scenario all[] = {
	{ "random graphs", random_graphs },
	{ "spread", spread },
};
TAP_MAIN(all)
