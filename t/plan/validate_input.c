/* SPDX-License-Identifier: MIT */
/*
 * Invalid input of the planner: each mistake is an error that names the mistake
 * and its place, and changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

static void fails_with(const plait__input *input,
		       const plait__input_options *options,
		       plait_status status, const char *text)
{
	plait_error error = { 0 };
	plait__plan *plan = (plait__plan *)&error;

	IS_INT(plait__planner_run(input, options, NULL, NULL, &plan, &error),
	       status);
	OK(plan == NULL);
	HAS_STR(error.text, text);
}

static void cycles(void)
{
	struct shape s;

	shape_init(&s, 1);
	shape_parse(&s, "a>b>c>d b>x");
	shape_edge(&s, shape_find(&s, "c"), shape_find(&s, "b"));
	fails_with(&s.input, NULL, PLAIT_E_INVALID,
		   "cycle: node 1 'b' -> node 2 'c' -> node 1 'b'");
	shape_fini(&s);

	shape_init(&s, 1);
	shape_parse(&s, "a>b");
	shape_edge(&s, 1, 1);
	fails_with(&s.input, NULL, PLAIT_E_INVALID,
		   "cycle: node 1 'b' -> node 1 'b'");
	shape_fini(&s);

	/* A long one is named as far as there is room. */
	shape_chain(&s, 100000);
	shape_edge(&s, 99999, 0);
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "...");
	shape_fini(&s);
}

static void edges(void)
{
	struct shape s;

	shape_init(&s, 1);
	shape_parse(&s, "a>b");
	shape_edge(&s, 0, 7);
	fails_with(&s.input, NULL, PLAIT_E_INVALID,
		   "edge 1: from node 0 to node 7, but there are 2 nodes");
	shape_fini(&s);
}

static void nodes(void)
{
	static const uint32_t same[2] = { 0, 0 }, far[2] = { 0, 9 };
	struct shape s;

	shape_init(&s, 1);
	shape_parse(&s, "a>b");
	s.nodes[1].device = 3;
	fails_with(&s.input, NULL, PLAIT_E_INVALID,
		   "node 1 'b': there is no device 3");
	s.nodes[1].device = 0;
	s.nodes[1].device_count = 0;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "needs a device");
	s.nodes[1].device_count = 1;
	s.nodes[1].kind = PLAIT__CMD_BARRIER_STUB;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "cannot be planned");
	s.nodes[1].kind = PLAIT__CMD_SEND;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "cannot be planned");
	s.nodes[1].kind = PLAIT__CMD_LAUNCH;
	s.nodes[1].link = 4;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "there is no payload 4");
	s.nodes[1].link = PLAIT__NONE;
	s.nodes[1].access_count = 1;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "accesses");
	s.nodes[1].access_count = 0;
	shape_multi(&s, same, 2, PLAIT__MEANING_GROUP, "m");
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "names twice device 0");
	shape_fini(&s);

	shape_init(&s, 2);
	shape_multi(&s, far, 2, PLAIT__MEANING_BARRIER, "m");
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "there is no device 9");
	s.nodes[0].meaning = 7;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "unknown meaning 7");
	s.nodes[0].meaning = 0;
	s.nodes[0].device = 9;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "device set");
	shape_fini(&s);

	shape_init(&s, 1);
	s.input.device_count = 0;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "no device");
	shape_fini(&s);
}

static void costs(void)
{
	plait__input_options options = { 0 };
	struct shape s;
	plait__plan *plan;
	uint32_t i;

	shape_chain(&s, 3);
	s.nodes[1].cost = UINT64_MAX;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "node 1");
	s.nodes[0].cost = s.nodes[1].cost = INT64_MAX / 2;
	s.nodes[2].cost = 2;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "add up to more than");
	s.nodes[2].cost = 1;
	OK(plait__planner_run(&s.input, NULL, NULL, NULL, &plan, NULL) ==
	   PLAIT_OK);
	IS_UINT(plan == NULL ? 0 : plan->makespan, INT64_MAX);
	plait__plan_release(plan);
	options.hop_cost = UINT64_MAX;
	fails_with(&s.input, &options, PLAIT_E_INVALID, "add up to more than");
	/* Zero is a cost like others. */
	for (i = 0; i < 3; i++)
		s.nodes[i].cost = 0;
	OK(plait__planner_run(&s.input, NULL, NULL, NULL, &plan, NULL) ==
	   PLAIT_OK);
	plait__plan_release(plan);
	shape_fini(&s);
}

static void regions(void)
{
	plait__input_scope scopes[2] = {
		{ 0, 2, PLAIT__NONE, 0 }, { 2, 2, 0, 0 }
	};
	plait__input_region region = {
		PLAIT__REGION_CASE, 1, 1, 1, PLAIT__NONE, 0
	};
	struct shape s;

	shape_init(&s, 1);
	shape_parse(&s, "a>w x>y");
	s.nodes[1].kind = PLAIT__CMD_REGION;
	s.nodes[1].link = 0;
	s.input.regions = &region;
	s.input.region_count = 1;
	s.input.scopes = scopes;
	s.input.scope_count = 2;
	region.scope_count = 0;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "region does not contain it");
	s.input.scope_count = 1;
	scopes[0].node_count = 4;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "a case needs a branch");
	region.kind = PLAIT__REGION_DO;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "a loop has one body");
	region.scope_count = 1;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "there is no body 1");
	s.input.scope_count = 2;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "in another body too");
	scopes[0].node_count = 1;
	scopes[1].node_first = 1;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "must come after");
	scopes[0].node_count = 2;
	scopes[1].node_first = 2;
	scopes[1].node_count = 1;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "it is in no body");
	scopes[1].node_count = 2;
	shape_edge(&s, 0, 2);
	fails_with(&s.input, NULL, PLAIT_E_INVALID,
		   "edge from node 0 'a' to node 2 'x' crosses the border");
	s.input.edge_count--;
	region.kind = PLAIT__REGION_REPEAT + 1;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "unknown kind of region");
	region.kind = PLAIT__REGION_WHILE;
	region.predicate = 3;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "no payload 3");
	region.predicate = PLAIT__NONE;
	region.node = 0;
	fails_with(&s.input, NULL, PLAIT_E_INVALID, "not its node");
	shape_fini(&s);
}

static void partial_plans(void)
{
	plait__input_options options = { 0 };
	uint32_t list[1] = { 9 };
	struct shape s, other;
	plait__plan *whole;

	shape_chain(&s, 4);
	options.sources = list;
	options.source_count = 1;
	fails_with(&s.input, &options, PLAIT_E_INVALID, "source 0");
	options.sources = NULL;
	shape_chain(&other, 3);
	OK(plait__planner_run(&other.input, NULL, NULL, NULL, &whole, NULL) ==
	   PLAIT_OK);
	options.whole = whole;
	fails_with(&s.input, &options, PLAIT_E_INVALID, "does not fit");
	plait__plan_release(whole);
	shape_fini(&other);
	shape_fini(&s);
}

/* Gives one field of a node, scope, region or edge another number. */
static void spoil(struct shape *s, struct shape_random *random)
{
	uint32_t n = shape_below(random, 12), last = s->input.scope_count - 1;
	uint32_t v = shape_below(random, 2) ? UINT32_MAX
					    : shape_below(random, 40);

	switch (shape_below(random, 12)) {
	case 0: s->nodes[n].device = v; break;
	case 1: s->nodes[n].device_count = (uint16_t)v; break;
	case 2: s->nodes[n].kind = (uint8_t)v; break;
	case 3: s->nodes[n].link = v; break;
	case 4: s->nodes[n].access_first = v; break;
	case 5: s->scopes[0].node_count = v; break;
	case 6: s->scopes[last].node_first = v; break;
	case 7: s->scopes[last].region = v; break;
	case 8: if (s->input.region_count > 0)
			s->regions[0].scope_first = v;
		break;
	case 9: if (s->input.region_count > 0)
			s->regions[0].scope_count = v;
		break;
	case 10: s->nodes[n].label = v; break;
	default: if (s->input.edge_count > 0)
			s->edges[0].before = v;
	}
}

/* Random numbers for everything that is an index. */
/* Commands that cannot run at the same time share scratch, of any size. */
static void scratch(void)
{
	plait__input_options options = { .lanes = 2,
					 .policy = PLAIT__POLICY_BOUNDED };
	struct shape s;
	plait__plan *plan;

	for (uint32_t i = 0; i < 4; i++) {
		options.mode = i % 2 == 0 ? PLAIT__MODE_STRICT :
					    PLAIT__MODE_HELPED;
		shape_init(&s, 1);
		shape_parse(&s, i < 2 ? "a>c b>c a>d" : "a>b");
		s.nodes[0].scratch_bytes = s.nodes[1].scratch_bytes =
			INT64_MAX / 2 + 1;
		if (i < 2) {
			fails_with(&s.input, &options, PLAIT_E_INVALID,
				   "the scratch of all nodes is more than");
		} else {
			OK(plait__planner_run(&s.input, &options, NULL, NULL,
					      &plan, NULL) == PLAIT_OK);
			IS_UINT(plan == NULL ? 0 :
				plan->devices[0].scratch_bytes,
				UINT64_C(1) << 62);
			plait__plan_release(plan);
		}
		shape_fini(&s);
	}
}

static void garbage(void)
{
	uint64_t seed = tap_seed();
	struct shape_draw draw = { 12, 80, 3, 250, 3, 200, 2, 300, 3, 3 };
	struct shape_random random;
	uint32_t i, k, planned = 0;

	for (i = 0; i < 20000; i++) {
		plait__input_options options = { 0 };
		plait_error error = { 0 };
		plait__plan *plan = NULL;
		struct shape s;

		shape_seed(&random, seed + i);
		shape_random(&s, &draw, &random);
		for (k = 0; k < 1 + i % 3; k++)
			spoil(&s, &random);
		options.lanes = 2;
		options.mode = i % 2;
		if (plait__planner_run(&s.input, &options, NULL, NULL, &plan,
				       &error) == PLAIT_OK) {
			planned++;
			if (plait__check_plan(plan, &s.input, 0, NULL, NULL,
					      &error) != PLAIT_OK &&
			    strstr(error.text, "both use ") == NULL)
				OK_THAT(false, "seed=%llu: %s",
					(unsigned long long)(seed + i),
					error.text);
		} else if (error.text[0] == '\0' || plan != NULL) {
			OK_THAT(false, "an error without words");
		}
		plait__plan_release(plan);
		shape_fini(&s);
	}
	NOTE("%u of 20000 were fine all the same", planned);
	OK(planned > 1000);
}

static const struct tap_scenario all[] = {
	{ "cycles", cycles },
	{ "edges", edges },
	{ "nodes", nodes },
	{ "costs", costs },
	{ "regions", regions },
	{ "partial plans", partial_plans },
	{ "scratch", scratch },
	{ "garbage", garbage },
};

TAP_MAIN(all)
