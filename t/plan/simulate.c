/* SPDX-License-Identifier: MIT */
/* The predicted timeline of plans: small ones by hand, random ones by their
 * laws. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/store/planner_view.h"
#include "graph/text/parser.h"
#include "plan/check/check.h"
#include "render/render.h"
#include "plan/simulate/simulate.h"
#include "lib/shapes.h"
#include "lib/tap.h"

static plait__timeline *simulate(const struct shape *shape, uint32_t policy,
				 uint32_t lanes, uint64_t hop,
				 const plait__simulate_system *system,
				 plait__plan **out)
{
	plait__input_options options = { 0 };
	plait__timeline *timeline = NULL;

	options.policy = policy;
	options.lanes = lanes;
	options.hop_cost = hop;
	*out = NULL;
	OK_THAT(plait__planner_run(&shape->input, &options, NULL, NULL, out,
				   NULL) == PLAIT_OK &&
		plait__simulate_plan(*out, system, NULL, &timeline, NULL) ==
		PLAIT_OK, "it is planned and simulated");
	return timeline;
}

static void diamond(void)
{
	plait__simulate_system system = { 0 };
	struct shape s;
	plait__plan *plan;
	plait__timeline *t;

	shape_init(&s, 1);
	shape_parse(&s, "a>b>d a>c>d");
	s.nodes[shape_find(&s, "b")].cost = 5;
	s.nodes[shape_find(&s, "c")].scratch_bytes = 100;
	s.nodes[shape_find(&s, "b")].scratch_bytes = 40;
	s.nodes[shape_find(&s, "d")].scratch_bytes = 120;
	t = simulate(&s, PLAIT__POLICY_BOUNDED, 2, 0, NULL, &plan);
	if (t == NULL)
		return;
	IS_UINT(t->makespan, 7);
	IS_UINT(t->critical_count, 3);
	IS_UINT(t->critical_cost, 7);
	IS_UINT(t->lane_busy[0], 7);
	IS_UINT(t->lane_busy[1], 1);
	IS_UINT(t->memory_peak, 140);
	plait__simulate_release(t);
	/* Another lane's progress is seen later: 1, 2 (hop), 3, not 1 more. */
	system.hop_cost = 2;
	OK(plait__simulate_plan(plan, &system, NULL, &t, NULL) == PLAIT_OK);
	IS_UINT(t->makespan, 7);
	plait__simulate_release(t);
	system.hop_cost = 10;
	system.start_cost = 3;
	OK(plait__simulate_plan(plan, &system, NULL, &t, NULL) == PLAIT_OK);
	IS_UINT(t->makespan, 1 + 10 + 1 + 10 + 1);
	IS_UINT(t->critical_count, 3);
	plait__simulate_release(t);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* A copy costs as much as its bytes, in addition to its node's cost. */
static void copies(void)
{
	static const plait__plan_payload payload = {
		.kernel = PLAIT__NONE, .geometry = PLAIT__NONE,
		.object = PLAIT__NONE, .bytes = 4096
	};
	const plait__simulate_system system = {
		.copy_alpha = 10, .copy_beta = 512
	};
	struct shape s;
	plait__plan *plan;
	plait__timeline *t;

	shape_init(&s, 1);
	shape_parse(&s, "a>b");
	s.nodes[shape_find(&s, "b")].kind = PLAIT__CMD_COPY;
	s.nodes[shape_find(&s, "b")].link = 0;
	s.input.tables.payloads = &payload;
	s.input.tables.payloads_count = 1;
	t = simulate(&s, PLAIT__POLICY_BOUNDED, 1, 0, &system, &plan);
	if (t != NULL)
		IS_UINT(t->makespan, 1 + 1 + 10 + 4096 / 2);
	plait__simulate_release(t);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* A command that takes no time needs its memory all the same, in addition to
 * that of commands that run then. */
static void no_time(void)
{
	struct shape s;
	plait__plan *plan;
	plait__timeline *t;

	shape_init(&s, 1);
	shape_parse(&s, "a>b>c>d");
	for (int i = 0; i < 4; i++) {
		s.nodes[i].cost = i % 3 == 2 ? 4 : 0;
		s.nodes[i].scratch_bytes = i < 2 ? 100 : 50;
	}
	t = simulate(&s, PLAIT__POLICY_BOUNDED, 1, 0, NULL, &plan);
	if (t == NULL)
		return;
	IS_UINT(t->makespan, 4);
	IS_UINT(t->memory_peak, 150);
	plait__simulate_release(t);
	plait__plan_release(plan);
	s.nodes[2].cost = 0;
	t = simulate(&s, PLAIT__POLICY_BOUNDED, 1, 0, NULL, &plan);
	if (t == NULL)
		return;
	IS_UINT(t->makespan, 0);
	IS_UINT(t->memory_peak, 100);
	plait__simulate_release(t);
	plait__plan_release(plan);
	shape_fini(&s);
}

static void loop(void)
{
	plait__simulate_system system = { 0 };
	plait__input_scope scopes[2] = {
		{ 0, 3, PLAIT__NONE, 0 }, { 3, 2, 0, 0 }
	};
	plait__input_region region = {
		PLAIT__REGION_DO, 1, 1, 1, PLAIT__NONE, 4
	};
	struct shape s;
	plait__plan *plan;
	plait__timeline *t;

	shape_init(&s, 1);
	shape_parse(&s, "a>w>c x>y");
	s.nodes[1].kind = PLAIT__CMD_REGION;
	s.nodes[1].link = 0;
	s.nodes[1].cost = 0;
	s.input.regions = &region;
	s.input.region_count = 1;
	s.input.scopes = scopes;
	s.input.scope_count = 2;
	t = simulate(&s, PLAIT__POLICY_BOUNDED, 1, 0, NULL, &plan);
	if (t == NULL)
		return;
	IS_UINT(t->makespan, 1 + 4 * 2 + 1);
	IS_UINT(plan->makespan, t->makespan);
	IS_UINT(t->lane_busy[0], t->makespan);
	/* The body's spans are those of its first iteration. */
	IS_UINT(t->spans[plan->nodes[3].command].start, 1);
	IS_UINT(t->spans[plan->nodes[4].command].end, 3);
	plait__simulate_release(t);
	system.decision_cost = 1;
	OK(plait__simulate_plan(plan, &system, NULL, &t, NULL) == PLAIT_OK);
	IS_UINT(t->makespan, 1 + 4 * 3 + 1);
	plait__simulate_release(t);
	plait__plan_release(plan);
	region.times = UINT32_MAX;
	s.nodes[3].cost = 1ull << 60;
	OK(plait__planner_run(&s.input, NULL, NULL, NULL, &plan, NULL) ==
	   PLAIT_E_INVALID);
	shape_fini(&s);
}

static void measured(void)
{
	plait__simulate_system system = { 0 };
	uint64_t costs[3] = { UINT64_MAX, 7, 9 };
	struct shape s;
	plait__plan *plan;
	plait__timeline *t;

	shape_chain(&s, 3);
	t = simulate(&s, PLAIT__POLICY_BOUNDED, 1, 0, NULL, &plan);
	plait__simulate_release(t);
	system.costs = costs;
	OK(plan != NULL && plait__simulate_plan(plan, &system, NULL, &t,
						NULL) == PLAIT_OK);
	/* Times saturate. */
	IS_UINT(t->makespan, UINT64_MAX);
	plait__simulate_release(t);
	costs[0] = 4;
	OK(plan != NULL && plait__simulate_plan(plan, &system, NULL, &t,
						NULL) == PLAIT_OK);
	IS_UINT(t->makespan, 20);
	plait__simulate_release(t);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* Re-planning with measured costs is never worse than planning without, as
 * far as the simulation with these costs can tell, on the whole. */
static void random_graphs(void)
{
	uint64_t seed = tap_seed(), before = 0, after = 0;
	uint32_t i, wrong = 0, busy_wrong = 0;

	for (i = 0; i < 500; i++) {
		plait__input_options options = { 0 };
		plait__simulate_system system = { 0 };
		uint64_t costs[40], by_command[40], busy = 0, sum = 0;
		struct shape_random random;
		struct shape s;
		plait__plan *plan, *tuned;
		plait__timeline *t;
		uint32_t c;

		shape_seed(&random, seed + i);
		shape_dag(&s, 40, 60, 9, &random);
		options.policy = i % 2;
		options.lanes = i % 2 ? 0 : 3;
		if (plait__planner_run(&s.input, &options, NULL, NULL, &plan,
				       NULL) != PLAIT_OK ||
		    plait__simulate_plan(plan, NULL, NULL, &t, NULL) !=
		    PLAIT_OK)
			exit(1);
		wrong += t->makespan != plan->makespan;
		for (c = 0; c < 40; c++)
			sum += s.nodes[c].cost;
		for (c = 0; c < t->lane_count; c++)
			busy += t->lane_busy[c];
		busy_wrong += busy != sum;
		plait__simulate_release(t);

		for (c = 0; c < 40; c++)
			costs[c] = 1 + shape_below(&random, 50);
		for (c = 0; c < 40; c++)
			by_command[c] = costs[plan->commands[c].node];
		system.costs = by_command;
		plait__simulate_plan(plan, &system, NULL, &t, NULL);
		before += t->makespan;
		plait__simulate_release(t);
		options.costs = costs;
		if (plait__planner_run(&s.input, &options, NULL, NULL, &tuned,
				       NULL) != PLAIT_OK)
			exit(1);
		after += tuned->makespan;
		plait__plan_release(tuned);
		plait__plan_release(plan);
		shape_fini(&s);
	}
	OK_THAT(wrong == 0, "the makespan planned with is the one predicted");
	OK_THAT(busy_wrong == 0, "lanes are busy with all that costs");
	NOTE("measured costs: %llu before, %llu after planning again",
	     (unsigned long long)before, (unsigned long long)after);
	OK(after < before);
}

/* ---- the figures of a plan ---- */

/* Body by body; `options` says how it was planned. */
static bool is_stated(const plait__plan *plan,
		      const plait__input_options *options)
{
	const plait__simulate_system system = {
		.hop_cost = options->hop_cost
	};
	plait__timeline *t;
	bool same;

	if (plait__simulate_plan(plan, &system, NULL, &t, NULL) != PLAIT_OK)
		return false;
	same = t->makespan == plan->makespan;
	for (uint32_t b = 0; b < plan->bodies_count; b++)
		same = same && t->body_makespan[b] == plan->bodies[b].makespan;
	plait__simulate_release(t);
	return same;
}

/*
 * Returns whether the figures of the plan that `options` make of the shape
 * equal those of its simulation, and pass the check, which computes them
 * independently.
 */
static bool is_true(const struct shape *s, const plait__input_options *options,
		    plait__plan **out)
{
	plait_error error = { .size = sizeof(error) };

	if (plait__planner_run(&s->input, options, NULL, NULL, out, &error) ==
	    PLAIT_OK && is_stated(*out, options) &&
	    plait__check_plan(*out, NULL, 0, NULL, NULL, &error) == PLAIT_OK)
		return true;
	NOTE("policy %u, mode %u, %u lanes, hop %llu: %s", options->policy,
	     options->mode, options->lanes,
	     (unsigned long long)options->hop_cost, error.text);
	return false;
}

/* Figures of a whole, and of a part of it on the same lanes. */
static void stated(void)
{
	static const struct shape_draw draws[] = {
		{ 40, 80, 1, 0, 0, 0, 0, 0, 0, 9 },
		{ 40, 80, 3, 250, 3, 0, 0, 0, 0, 9 },
		{ 40, 80, 2, 200, 3, 120, 3, 300, 0, 9 },
	};
	uint64_t seed = tap_seed(), i;
	uint32_t untrue = 0, count = 600;

	for (i = 0; i < count; i++) {
		plait__input_options options = {
			.policy = i % 2, .mode = i / 2 % 2,
			.hop_cost = i % 5 * 3, .lanes = i % 7 % 4,
		};
		plait__plan *whole = NULL, *part = NULL;
		struct shape_random random;
		struct shape s;
		uint32_t sink;

		shape_seed(&random, seed + i);
		shape_random(&s, &draws[i % 3], &random);
		untrue += !is_true(&s, &options, &whole);
		sink = 20 + shape_below(&random, 20);
		options.whole = whole;
		options.sinks = &sink;
		options.sink_count = 1;
		untrue += whole == NULL || !is_true(&s, &options, &part);
		plait__plan_release(part);
		plait__plan_release(whole);
		shape_fini(&s);
	}
	OK_THAT(untrue == 0, "%u of %u plans and parts of plans say what "
		"their simulation does not", untrue, 2 * count);
}

/* A case of that many branches is seen when its work takes their square. */
static void many_branches(void)
{
	enum { BRANCHES = 60000 };
	static const char first[] = "case c take=59999\nnode a cost=7\n";
	static char text[sizeof(first) + BRANCHES * 7];
	plait__input_options options = { .lanes = 1 };
	plait__timeline *t = NULL;
	plait__plan *plan = NULL;
	plait__store *store;
	plait__input input;
	plait__text svg;
	size_t length = sizeof(first) - 1;

	memcpy(text, first, length);
	for (int i = 1; i < BRANCHES; i++, length += 7)
		memcpy(text + length, "branch\n", 7);
	memcpy(text + length, "end\n", 4);
	plait__text_init(&svg, plait__alloc_default());
	OK(plait__store_create(plait__alloc_default(), &store, NULL) ==
	   PLAIT_OK);
	OK(plait__parser_read(store, text, length + 4, "t", NULL) == PLAIT_OK);
	OK(plait__planner_view_init(store, &input, NULL) == PLAIT_OK);
	OK(plait__planner_run(&input, &options, NULL, NULL, &plan, NULL) ==
	   PLAIT_OK);
	if (plan != NULL && OK(plait__simulate_plan(plan, NULL, NULL, &t,
						    NULL) == PLAIT_OK)) {
		IS_UINT(t->makespan, 0);
		IS_UINT(t->lane_busy[0], 0);
		plait__schedule_svg(plan, t, &svg);
		OK(!svg.failed && svg.length > 0);
	}
	plait__simulate_release(t);
	plait__plan_release(plan);
	plait__text_fini(&svg);
	plait__planner_view_fini(store, &input);
	plait__store_destroy(store);
}

static const struct tap_scenario all[] = {
	{ "diamond", diamond },
	{ "copies", copies },
	{ "loop", loop },
	{ "no time", no_time },
	{ "measured", measured },
	{ "many branches", many_branches },
	{ "random graphs", random_graphs },
	{ "stated", stated },
};

TAP_MAIN(all)
