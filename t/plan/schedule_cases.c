/* SPDX-License-Identifier: MIT */
/*
 * Small graphs with an obvious best schedule, as facts: the lane of each
 * command, and the waits.  Each case is a question that static schedulers are
 * known to answer, some of them badly; where plait decides otherwise the case
 * says why.
 *
 * Written as "a b|c: c<a": lanes from 0, then the waits, "c waits for a".
 */
#include <stdio.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

static const char *name_of(const plait__plan *plan, uint32_t command)
{
	return plait__plan_node_label(plan, plan->commands[command].node);
}

static void add(char *text, size_t size, const char *format, const char *a,
		const char *b)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, format, a, b);
}

/* A stub is written with a plus. */
static void describe(const plait__plan *plan, uint32_t body, char *text,
		     size_t size)
{
	const plait__plan_body *b = &plan->bodies[body];
	uint32_t t, c, i, end = b->command_first + b->command_count;

	text[0] = '\0';
	for (t = b->track_first; t < b->track_first + b->track_count; t++)
		for (i = 0; i < plan->tracks[t].count; i++) {
			c = plan->tracks[t].first + i;
			if (i == 0 && t > b->track_first)
				add(text, size, "%s%s", "|", "");
			add(text, size, "%s%s", i > 0 ? " " : "",
			    name_of(plan, c));
			if (plan->commands[c].kind == PLAIT__CMD_BARRIER_STUB ||
			    plan->commands[c].kind == PLAIT__CMD_ENTER)
				add(text, size, "%s%s", "+", "");
		}
	for (i = b->command_first; i < end; i++) {
		uint32_t w;

		c = plan->order[i];
		for (w = plan->commands[c].wait_first;
		     w < plan->commands[c + 1].wait_first; w++)
			add(text, size, strchr(text, ':') == NULL ?
			    ": %s<%s" : " %s<%s", name_of(plan, c),
			    name_of(plan, plait__plan_find_command(
				    plan, body, plan->waits[w].lane,
				    plan->waits[w].position)));
	}
}

static plait__plan *make(const struct shape *shape, uint32_t policy,
			 uint32_t lanes)
{
	plait__input_options options = { 0 };
	plait_error error = { 0 };
	plait__check_report report;
	plait__plan *plan = NULL;

	options.policy = policy;
	options.lanes = lanes;
	if (!OK_THAT(plait__planner_run(&shape->input, &options, NULL, NULL,
					&plan, &error) == PLAIT_OK,
		     "it is planned"))
		NOTE("%s", error.text);
	else if (!OK_THAT(plait__check_plan(plan, &shape->input,
					    PLAIT__CHECK_REDUNDANT, NULL,
					    &report, &error) == PLAIT_OK &&
			  report.redundant_waits == 0, "the plan is right"))
		NOTE("%s", error.text);
	return plan;
}

static void expect(const struct shape *shape, uint32_t policy, uint32_t lanes,
		   const char *want, uint32_t signals)
{
	plait__plan *plan = make(shape, policy, lanes);
	char text[1024];

	if (plan == NULL)
		return;
	describe(plan, 0, text, sizeof(text));
	IS_STR(text, want);
	IS_UINT(plan->signal_count, signals);
	plait__plan_release(plan);
}

enum { BOUNDED = PLAIT__POLICY_BOUNDED, WIDEST = PLAIT__POLICY_WIDEST };

static void parse(struct shape *shape, uint32_t devices, const char *text)
{
	shape_init(shape, devices);
	shape_parse(shape, text);
}

static void on(struct shape *shape, const char *label, uint32_t device)
{
	shape->nodes[shape_find(shape, label)].device = device;
}

/* Case 1.  Three sources, two joins; mul3 is on the lane that is free.  (Of two
 * lanes a known scheduler puts it behind mul2, which costs another wait.) */
static void two_sums(void)
{
	struct shape s;

	parse(&s, 1, "mul1>mulc mul2>mulc mulc>muld mul3>muld");
	expect(&s, WIDEST, 0, "mul1 mulc muld|mul2|mul3: mulc<mul2 muld<mul3", 2);
	expect(&s, BOUNDED, 2, "mul1 mul3 muld|mul2 mulc: mulc<mul1 muld<mulc", 1);
	expect(&s, BOUNDED, 1, "mul1 mul2 mul3 mulc muld", 0);
	shape_fini(&s);
}

/* Case 2.  exp may have the lane of sum: sum is done long before.  (One slot,
 * where a known scheduler has three.) */
static void recycled_lane(void)
{
	struct shape s;

	parse(&s, 1, "mul>div sum>div div>log div>exp log>sum1 exp>sum1");
	expect(&s, WIDEST, 0, "mul div log sum1|sum exp: div<sum exp<div sum1<exp", 1);
	shape_fini(&s);
}

/* Case 5.  With a limit too: a lane per branch, the join on the first. */
static void diamond(void)
{
	struct shape s;

	parse(&s, 1, "n1>n2 n1>n3 n2>n4 n3>n4");
	expect(&s, WIDEST, 0, "n1 n2 n4|n3: n3<n1 n4<n3", 1);
	expect(&s, BOUNDED, 2, "n1 n2 n4|n3: n3<n1 n4<n3", 1);
	shape_fini(&s);
}

/* Case 6.  One slot serves four emissions.  (Four of them elsewhere.) */
static void two_diamonds(void)
{
	struct shape s;

	parse(&s, 1, "a>b a>c b>j c>j j>d j>e d>z e>z");
	expect(&s, WIDEST, 0, "a b j d z|c e: c<a j<c e<j z<e", 1);
	shape_fini(&s);
}

/* Case 7.  Edges that others imply cost nothing. */
static void redundant_edges(void)
{
	struct shape s;

	parse(&s, 1, "a>b b>c c>d a>c a>d");
	expect(&s, WIDEST, 0, "a b c d", 0);
	shape_fini(&s);
}

/*
 * Case 11.  Three lanes, two each, and z waits once per foreign lane: four
 * waits and two slots.  (A known scheduler puts d, e and f on one lane behind
 * b, and has z wait for each of them.)
 */
static void six_wide(void)
{
	struct shape s;

	parse(&s, 1, "s>a s>b s>c s>d s>e s>f a>z b>z c>z d>z e>z f>z");
	expect(&s, WIDEST, 0,
	       "s a z|b|c|d|e|f: b<s c<s d<s e<s f<s z<f z<e z<d z<c z<b", 5);
	expect(&s, BOUNDED, 3, "s a d z|b e|c f: b<s c<s z<f z<e", 2);
	expect(&s, WIDEST, 3, "s a d z|b e|c f: b<s c<s z<f z<e", 2);
	shape_fini(&s);
}

/* Case 12.  The dearer branch stays on the lane of a, whichever is first.  (By
 * insertion order, the short one would.) */
static void long_branch(void)
{
	struct shape s;

	parse(&s, 1, "a>short a>l1 l1>l2 l2>l3 l3>z short>z");
	expect(&s, WIDEST, 0, "a l1 l2 l3 z|short: short<a z<short", 1);
	expect(&s, BOUNDED, 2, "a l1 l2 l3 z|short: short<a z<short", 1);
	shape_fini(&s);
	parse(&s, 1, "a>l1 a>short l1>l2 l2>l3 l3>z short>z");
	expect(&s, WIDEST, 0, "a l1 l2 l3 z|short: short<a z<short", 1);
	shape_fini(&s);
}

/*
 * Case 12.  Of two successors that are worth the same the one that runs the
 * same kernel stays: it may use the workspace again.  (By insertion order, prod
 * would.)
 */
static void same_kernel(void)
{
	struct shape s;
	uint32_t i;

	parse(&s, 1, "sum0>prod sum0>sum1");
	for (i = 0; i < 3; i++)
		s.nodes[i].affinity = i == 1 ? 2 : 1;
	expect(&s, WIDEST, 0, "sum0 sum1|prod: prod<sum0", 1);
	shape_fini(&s);
}

/* Case 3.  Two devices with independent chains. */
static void two_chains(void)
{
	struct shape s;

	parse(&s, 2, "mul0>sc00>sc01 mul1>sc10>sc11");
	on(&s, "mul1", 1);
	on(&s, "sc10", 1);
	on(&s, "sc11", 1);
	expect(&s, WIDEST, 0, "mul0 sc00 sc01|mul1 sc10 sc11", 0);
	shape_fini(&s);
}

static uint32_t both(struct shape *s, uint8_t meaning, const char *label)
{
	static const uint32_t devices[2] = { 0, 1 };

	return shape_multi(s, devices, 2, meaning, label);
}

/*
 * Case 4.  The meaning of `noop` is stated, not guessed.  `first`: it runs on
 * the first device, and waits for the other chain there.  `barrier`: a stub on
 * the other device too.  `group`: both members wait for both chains; without
 * these waits a member would start before its preds.  Lane 0 is the longer
 * chain's.
 */
static void join_on_two(uint8_t meaning, const char *want, uint32_t signals)
{
	struct shape s;
	uint32_t noop;

	parse(&s, 2, "mul0 mul1>sc10>sc11");
	on(&s, "mul1", 1);
	on(&s, "sc10", 1);
	on(&s, "sc11", 1);
	noop = both(&s, meaning, "noop");
	shape_edge(&s, shape_find(&s, "mul0"), noop);
	shape_edge(&s, shape_find(&s, "sc11"), noop);
	expect(&s, WIDEST, 0, want, signals);
	shape_fini(&s);
}

static void joins(void)
{
	join_on_two(PLAIT__MEANING_FIRST, "mul1 sc10 sc11|mul0 noop: noop<sc11", 1);
	join_on_two(PLAIT__MEANING_BARRIER,
	       "mul1 sc10 sc11 noop+|mul0 noop: noop<sc11 noop<noop", 1);
	join_on_two(PLAIT__MEANING_GROUP,
	       "mul1 sc10 sc11 noop|mul0 noop: noop<sc11 noop<mul0", 2);
}

/*
 * Case 8.  A barrier takes one wait where successors of `first` take one each;
 * a group needs the waits between its members' lanes, for each member is a
 * command.
 */
static void data_parallel(uint8_t meaning, const char *want, uint32_t signals)
{
	struct shape s;
	uint32_t ar;

	parse(&s, 2, "fw0>bw0 fw1>bw1 up0 up1");
	on(&s, "fw1", 1);
	on(&s, "bw1", 1);
	on(&s, "up1", 1);
	ar = both(&s, meaning, "ar");
	shape_edge(&s, shape_find(&s, "bw0"), ar);
	shape_edge(&s, shape_find(&s, "bw1"), ar);
	shape_edge(&s, ar, shape_find(&s, "up0"));
	shape_edge(&s, ar, shape_find(&s, "up1"));
	expect(&s, WIDEST, 0, want, signals);
	shape_fini(&s);
}

static void all_reduce(void)
{
	data_parallel(PLAIT__MEANING_FIRST,
	       "fw0 bw0 ar up0|fw1 bw1 up1: ar<bw1 up1<ar", 1);
	data_parallel(PLAIT__MEANING_BARRIER,
	       "fw0 bw0 ar up0|fw1 bw1 ar+ up1: ar<bw1 ar<ar", 1);
	data_parallel(PLAIT__MEANING_GROUP,
	       "fw0 bw0 ar up0|fw1 bw1 ar up1: ar<bw1 ar<bw0 up0<ar up1<ar", 2);
}

/* Case 9.  The member on device 1 waits for p, which runs on device 0, and c0
 * waits for that member: other schedulers miss these waits. */
static void broadcast(void)
{
	struct shape s;
	uint32_t bc;

	parse(&s, 2, "p c0 c1");
	on(&s, "c1", 1);
	bc = both(&s, PLAIT__MEANING_GROUP, "bc");
	shape_edge(&s, shape_find(&s, "p"), bc);
	shape_edge(&s, bc, shape_find(&s, "c0"));
	shape_edge(&s, bc, shape_find(&s, "c1"));
	expect(&s, WIDEST, 0, "p bc c0|bc c1: bc<p c0<bc c1<bc", 2);
	shape_fini(&s);
}

/* Case 10.  Lanes are numbered as they are needed. */
static void other_device_first(void)
{
	struct shape s;

	parse(&s, 2, "x1>a0>b0>c0");
	on(&s, "x1", 1);
	expect(&s, WIDEST, 0, "x1|a0 b0 c0: a0<x1", 1);
	shape_fini(&s);
}

/* ---- regions ---- */

static void add_scopes(struct shape *s, uint32_t kind, const char *label,
		       plait__input_scope *scopes, uint32_t count)
{
	static plait__input_region region;

	memset(&region, 0, sizeof(region));
	region.kind = kind;
	region.node = shape_find(s, label);
	region.scope_first = 1;
	region.scope_count = count - 1;
	region.predicate = PLAIT__NONE;
	region.times = 3;
	s->nodes[region.node].kind = PLAIT__CMD_REGION;
	s->nodes[region.node].link = 0;
	s->input.regions = &region;
	s->input.region_count = 1;
	s->input.scopes = scopes;
	s->input.scope_count = count;
}

/*
 * A loop is a command like others: it waits for commands on other lanes, and
 * they for it.  Its body has two lanes; the second one enters by a stub, and
 * the body is done when both are.
 */
static void loop(void)
{
	plait__input_scope scopes[2] = {
		{ 0, 5, PLAIT__NONE, 0 }, { 5, 4, 0, 0 }
	};
	plait__plan *plan;
	struct shape s;
	char text[256];

	parse(&s, 1, "a>w b>w w>c w>d x>y p>z x>z");
	add_scopes(&s, PLAIT__REGION_DO, "w", scopes, 2);
	plan = make(&s, WIDEST, 0);
	if (plan == NULL)
		return;
	describe(plan, 0, text, sizeof(text));
	IS_STR(text, "a w c|b w+ d: w<b w<w");
	describe(plan, 1, text, sizeof(text));
	IS_STR(text, "x y|p z: z<x");
	IS_UINT(plan->bodies[1].exit_count, 2);
	IS_UINT(plan->regions[0].lane_count, 2);
	IS_UINT(plan->makespan, 1 + 3 * (2 + 1) + 1);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* Branches share lanes and slots: only one of them runs. */
static void branches(void)
{
	plait__input_scope scopes[3] = {
		{ 0, 2, PLAIT__NONE, 0 }, { 2, 3, 0, 0 }, { 5, 4, 0, 0 }
	};
	plait__plan *plan;
	struct shape s;
	char text[256];

	parse(&s, 1, "a>w k>m l>m p>q r>t");
	add_scopes(&s, PLAIT__REGION_CASE, "w", scopes, 3);
	plan = make(&s, BOUNDED, 2);
	if (plan == NULL)
		return;
	describe(plan, 0, text, sizeof(text));
	IS_STR(text, "a w|w+: w<w");
	describe(plan, 1, text, sizeof(text));
	IS_STR(text, "k m|l: m<l");
	describe(plan, 2, text, sizeof(text));
	IS_STR(text, "p q|r t");
	IS_UINT(plan->lanes_count, 2);
	IS_UINT(plan->bodies[1].signal_first, plan->bodies[2].signal_first);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* A body that uses another device than its region's has a stub there. */
static void far_body(void)
{
	plait__input_scope scopes[2] = {
		{ 0, 2, PLAIT__NONE, 0 }, { 2, 2, 0, 0 }
	};
	plait__plan *plan;
	struct shape s;
	char text[256];

	parse(&s, 2, "a>w x>y");
	on(&s, "x", 1);
	on(&s, "y", 1);
	add_scopes(&s, PLAIT__REGION_WHILE, "w", scopes, 2);
	plan = make(&s, WIDEST, 0);
	if (plan == NULL)
		return;
	describe(plan, 0, text, sizeof(text));
	IS_STR(text, "a w|w+: w<w");
	describe(plan, 1, text, sizeof(text));
	IS_STR(text, "x y");
	IS_UINT(plan->lanes[1].device, 1);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* An empty body, an empty graph. */
static void nothing(void)
{
	plait__input_scope scopes[2] = {
		{ 0, 2, PLAIT__NONE, 0 }, { 2, 0, 0, 0 }
	};
	plait__plan *plan;
	struct shape s;

	parse(&s, 1, "a>w");
	add_scopes(&s, PLAIT__REGION_WHILE, "w", scopes, 2);
	plan = make(&s, WIDEST, 0);
	OK(plan != NULL && plan->bodies[1].command_count == 0);
	plait__plan_release(plan);
	shape_fini(&s);
	shape_init(&s, 1);
	plan = make(&s, BOUNDED, 0);
	OK(plan != NULL && plan->command_count == 0 && plan->makespan == 0);
	plait__plan_release(plan);
	shape_fini(&s);
}

/* From chosen sources to chosen sinks, on the lanes of the whole. */
static void partial(void)
{
	plait__input_options options = { 0 };
	uint32_t sources[1], sinks[1];
	plait__plan *whole, *part = NULL;
	struct shape s;
	char text[256];

	parse(&s, 1, "a>b>c>d a>x>d x>y");
	whole = make(&s, WIDEST, 0);
	sources[0] = shape_find(&s, "b");
	sinks[0] = shape_find(&s, "d");
	options.policy = WIDEST;
	options.sources = sources;
	options.source_count = 1;
	options.sinks = sinks;
	options.sink_count = 1;
	options.whole = whole;
	OK(plait__planner_run(&s.input, &options, NULL, NULL, &part, NULL) ==
	   PLAIT_OK);
	if (part != NULL) {
		describe(part, 0, text, sizeof(text));
		IS_STR(text, "b c d");
		IS_UINT(part->lanes_count, whole->lanes_count);
		OK(plait__check_plan(part, &s.input, 0, NULL, NULL, NULL) ==
		   PLAIT_OK);
	}
	plait__plan_release(part);
	/* A request for fewer lanes than the whole has is an error. */
	options.policy = BOUNDED;
	options.lanes = 1;
	OK(plait__planner_run(&s.input, &options, NULL, NULL, &part, NULL) ==
	   PLAIT_OK);
	if (part != NULL)
		OK(plait__check_plan(part, &s.input, 0, NULL, NULL, NULL) ==
		   PLAIT_OK);
	plait__plan_release(part);
	options.policy = WIDEST;
	options.lanes = 0;
	sinks[0] = shape_find(&s, "y");
	sources[0] = shape_find(&s, "x");
	OK(plait__planner_run(&s.input, &options, NULL, NULL, &part, NULL) ==
	   PLAIT_OK);
	if (part != NULL) {
		IS_UINT(part->command_count, 2);
		IS_UINT(part->commands[0].lane, 1);
	}
	plait__plan_release(part);
	plait__plan_release(whole);
	shape_fini(&s);
}

static const struct tap_scenario all[] = {
	{ "two sums", two_sums },
	{ "a recycled lane", recycled_lane },
	{ "diamond", diamond },
	{ "two diamonds", two_diamonds },
	{ "redundant edges", redundant_edges },
	{ "six wide", six_wide },
	{ "the long branch", long_branch },
	{ "the same kernel", same_kernel },
	{ "two chains", two_chains },
	{ "joins on two devices", joins },
	{ "all-reduce", all_reduce },
	{ "broadcast", broadcast },
	{ "another device first", other_device_first },
	{ "a loop", loop },
	{ "branches", branches },
	{ "a body elsewhere", far_body },
	{ "nothing", nothing },
	{ "partial", partial },
};

TAP_MAIN(all)
