/* SPDX-License-Identifier: MIT */
/*
 * Units of resources: random graphs whose nodes need units, with loops and
 * groups.  The check proves each plan; no simulated instant has more holders
 * than units; a plan with a unit moved to another holder is refused unless an
 * order shows that it is right.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "plan/schedule/plan_to_input.h"
#include "plan/simulate/simulate.h"
#include "base/alloc.h"
#include "lib/shapes.h"
#include "lib/tap.h"

enum { RESOURCES = 3, MOST_NEEDS = 400 };

static struct shape shape;
static plait__plan_resource resources[RESOURCES];
static plait__plan_hold needs[MOST_NEEDS];
static plait__plan *plan;
static plait_error error;

static const struct shape_draw several = {
	30, 60, 2, 200, 3, 150, 2, 300, 0, 5
};

static void add_needs(struct shape_random *random)
{
	uint32_t count = 0;

	for (uint32_t r = 0; r < RESOURCES; r++)
		resources[r] = (plait__plan_resource){
			.name = 0, .units = 2 + shape_below(random, 4)
		};
	for (uint32_t i = 0; i < shape.input.node_count; i++)
		for (uint32_t r = 0; r < RESOURCES && count < MOST_NEEDS; r++)
			/* One unit of a region and its nodes, in each of two
			 * loops: 2 units would do. */
			if (shape_below(random, 3) == 0)
				needs[count++] = (plait__plan_hold){
					i, r, PLAIT__NONE,
					shape.nodes[i].kind ==
							PLAIT__CMD_REGION ?
						0 : 1 + shape_below(random,
							resources[r].units)
				};
	/* Regions need nothing of their own. */
	for (uint32_t i = 0; i < count;)
		if (needs[i].count == 0)
			needs[i] = needs[--count];
		else
			i++;
	shape.input.tables.resources = resources;
	shape.input.tables.resources_count = RESOURCES;
	shape.input.tables.holds = needs;
	shape.input.tables.holds_count = count;
}

static void make(uint64_t seed, uint32_t policy, uint32_t mode, uint32_t lanes)
{
	const plait__input_options options = { .policy = policy, .mode = mode,
					       .lanes = lanes };
	struct shape_random random;

	error = (plait_error){ .size = sizeof(error) };
	shape_seed(&random, seed);
	shape_random(&shape, &several, &random);
	add_needs(&random);
	if (!IS_INT(plait__planner_run(&shape.input, &options, NULL, NULL,
				       &plan, &error), PLAIT_OK))
		NOTE("%s", error.text);
}

static void unmake(void)
{
	plait__plan_release(plan);
	plan = NULL;
	shape_fini(&shape);
}

static bool is_right(const plait__input *input)
{
	bool right = plait__check_plan(plan, input, 0, NULL, NULL, &error) ==
		     PLAIT_OK;

	if (!right)
		NOTE("%s", error.text);
	return right;
}

/* Returns the units of a resource in use at the start of a command of body 0,
 * as simulated. */
static uint32_t units_at(const plait__timeline *timeline, uint32_t command,
			 uint32_t resource)
{
	uint64_t now = timeline->spans[command].start;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < plan->holds_count; i++) {
		uint32_t c = plan->nodes[plan->holds[i].node].command;

		if (plan->holds[i].resource == resource &&
		    plan->nodes[plan->holds[i].node].body == 0 &&
		    timeline->spans[c].start <= now &&
		    timeline->spans[c].end > now)
			sum += plan->holds[i].count;
	}
	return sum;
}

static bool is_within(void)
{
	const plait__simulate_system system = { 0 };
	plait__timeline *timeline = NULL;
	bool within = true;

	if (!IS_INT(plait__simulate_plan(plan, &system, plait__alloc_default(),
					 &timeline, &error), PLAIT_OK))
		return false;
	for (uint32_t c = 0; c < plan->command_count; c++)
		for (uint32_t r = 0; r < RESOURCES; r++)
			if (plan->nodes[plan->commands[c].node].body == 0)
				within &= units_at(timeline, c, r) <=
					  resources[r].units;
	plait__simulate_release(timeline);
	return within;
}

/* The input of a plan has its units, and gives a plan with them. */
static bool replans(void)
{
	plait__plan_to_input rebuilt;
	plait__plan *other = NULL;
	bool good = plait__plan_to_input_init(&rebuilt, plan,
					      plait__alloc_default(),
					      &error) == PLAIT_OK;

	good = good && plait__planner_run(&rebuilt.input, NULL, NULL, NULL,
					  &other, &error) == PLAIT_OK &&
	       plait__check_plan(other, &rebuilt.input, 0, NULL, NULL,
				 &error) == PLAIT_OK &&
	       other->holds_count == plan->holds_count;
	if (!good)
		NOTE("%s", error.text);
	plait__plan_to_input_fini(&rebuilt);
	plait__plan_release(other);
	return good;
}

static void random_needs(void)
{
	uint64_t seed = tap_seed();
	uint32_t held = 0;

	for (uint32_t i = 0; i < 120; i++) {
		make(seed + i, i % 2, i / 2 % 2, i % 3 + 1);
		if (plan != NULL)
			held += plan->holds_count;
		OK_THAT(plan != NULL && is_right(&shape.input) &&
			is_right(NULL), "seed %llu: proved",
			(unsigned long long)(seed + i));
		OK_THAT(plan != NULL && is_within() && replans(),
			"seed %llu: within the units",
			(unsigned long long)(seed + i));
		unmake();
	}
	OK_THAT(held > 1000, "%u holds", held);
}

/* Without the edges between holders a plan is refused.  Each hold in turn takes
 * the units of another one; where that is right, an order exists anyway. */
static void stolen_units(void)
{
	uint64_t seed = tap_seed();
	uint32_t tried = 0, caught = 0;

	for (uint32_t i = 0; i < 40; i++) {
		make(seed + i, PLAIT__POLICY_WIDEST, 0, 0);
		for (uint32_t h = 0; plan != NULL && h < plan->holds_count;
		     h++) {
			plait__plan_hold *hold = &plan->holds[h], old = *hold;

			if (old.count >= resources[old.resource].units)
				continue;
			hold->first = old.first > 0 ? 0 : 1;
			tried++;
			caught += plait__check_plan(plan, &shape.input, 0,
						    NULL, NULL, &error) ==
				  PLAIT_E_INVALID;
			*hold = old;
		}
		OK(plan != NULL && is_right(&shape.input));
		unmake();
	}
	OK_THAT(tried > 200 && caught > tried / 4, "%u of %u are caught",
		caught, tried);
}

static bool is_caught(const char *text)
{
	bool caught = plait__check_plan(plan, &shape.input, 0, NULL, NULL,
					&error) == PLAIT_E_INVALID &&
		      strstr(error.text, text) != NULL;

	if (!caught)
		NOTE("%s", error.text);
	return caught;
}

/* a and b need a unit, and nothing orders them. */
static void two_holders(void)
{
	error = (plait_error){ .size = sizeof(error) };
	shape_init(&shape, 1);
	(void)shape_node(&shape, 0, "a");
	(void)shape_node(&shape, 0, "b");
	shape.nodes[0].cost = shape.nodes[1].cost = 10;
	resources[0].units = 2;
	for (uint32_t i = 0; i < 2; i++)
		needs[i] = (plait__plan_hold){ i, 0, PLAIT__NONE, 1 };
	shape.input.tables.resources = resources;
	shape.input.tables.resources_count = 1;
	shape.input.tables.holds = needs;
	shape.input.tables.holds_count = 2;
}

static void each_lie(void)
{
	const plait__input_options options = { .lanes = 2 };

	two_holders();
	IS_INT(plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
				  &error), PLAIT_OK);
	IS_UINT(plan->makespan, 10);
	OK(is_right(&shape.input));
	plan->holds[1].first = 0;
	OK(is_caught("both hold one unit of a resource"));
	plan->holds[1].first = 2;
	OK(is_caught("hold 1: its resource or units do not exist"));
	plan->holds[1].first = 1;
	plan->holds[1].count = 0;
	OK(is_caught("hold 1: its resource or units do not exist"));
	plan->holds[1].count = 1;
	plan->holds[1].node = 2;
	OK(is_caught("hold 1: its node is not in the plan"));
	plan->holds[1].node = 0;
	OK(is_caught("it holds fewer units than it needs"));
	plan->holds[1] = plan->holds[0];
	OK(is_caught("hold 1: holds must ascend"));
	plan->holds[1] = (plait__plan_hold){ 1, 0, 1, 1 };
	plan->resources[0].units = 3;
	OK(is_caught("other units than in the graph"));
	plan->resources[0].units = 0;
	OK(is_caught("it has no units"));
	plan->resources[0].units = 2;
	OK(is_right(&shape.input));
	unmake();
}

/* One unit: one after the other; the order is by priority. */
static void one_unit(void)
{
	const plait__input_options options = { .lanes = 2 };

	two_holders();
	resources[0].units = 1;
	shape.nodes[1].priority = 3;
	IS_INT(plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
				  &error), PLAIT_OK);
	IS_UINT(plan->makespan, 20);
	IS_UINT(plan->commands[plan->order[0]].node, 1);
	IS_INT(plan->commands[plan->order[0]].priority, 3);
	OK(is_right(&shape.input));
	unmake();
}

static void bad_input(void)
{
	static const plait__plan_hold bad[] = {
		{ 2, 0, PLAIT__NONE, 1 }, { 0, 1, PLAIT__NONE, 1 },
		{ 0, 0, PLAIT__NONE, 0 }, { 0, 0, PLAIT__NONE, 3 },
		{ 0, 0, 0, 1 },
	};

	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		two_holders();
		needs[1] = bad[i];
		IS_INT(plait__planner_run(&shape.input, NULL, NULL, NULL,
					  &plan, &error), PLAIT_E_INVALID);
		HAS_STR(error.text, "hold 1");
		unmake();
	}
	two_holders();
	resources[0].units = PLAIT__RESOURCE_UNITS + 1;
	IS_INT(plait__planner_run(&shape.input, NULL, NULL, NULL, &plan,
				  &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "resource 0");
	unmake();
}

static const struct tap_scenario all[] = {
	{ "random needs", random_needs },
	{ "stolen units", stolen_units },
	{ "each lie", each_lie },
	{ "one unit", one_unit },
	{ "bad input", bad_input },
};

TAP_MAIN(all)
