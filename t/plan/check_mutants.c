/* SPDX-License-Identifier: MIT */
/*
 * Mutants for the check: correct plans are broken in one place, and the check
 * must report it.  A wait dropped or weakened, commands exchanged on a lane,
 * scratch merged, slots used again, a stub or an exit lost, an index out of
 * range.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

static struct shape shape;
static plait__plan *plan;

static void make(uint64_t seed, uint32_t policy, uint32_t mode, uint32_t lanes,
		 const struct shape_draw *draw)
{
	plait__input_options options = { 0 };
	struct shape_random random;
	uint32_t i;

	shape_seed(&random, seed);
	shape_random(&shape, draw, &random);
	for (i = 0; i < draw->devices; i++)
		shape.devices[i].flags = PLAIT__DEVICE_ASYNC;
	options.policy = policy;
	options.mode = mode;
	options.lanes = lanes;
	if (plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
			       NULL) != PLAIT_OK)
		plan = NULL;
}

static void unmake(void)
{
	plait__plan_release(plan);
	plan = NULL;
	shape_fini(&shape);
}

static bool is_caught_by(const char *text)
{
	plait_error error = { 0 };

	return plait__check_plan(plan, &shape.input, 0, NULL, NULL, &error) ==
	       PLAIT_E_INVALID && strstr(error.text, text) != NULL;
}

/* Mistakes that show only in the times of execution are not caught. */
static bool is_caught(void)
{
	return is_caught_by("") && !is_caught_by("makespan");
}

static bool is_right(void)
{
	return plait__check_plan(plan, &shape.input, 0, NULL, NULL, NULL) ==
	       PLAIT_OK;
}

static const struct shape_draw plain = { 40, 80, 1, 0, 0, 0, 0, 0, 0, 3 };
static const struct shape_draw several = {
	40, 80, 3, 250, 3, 120, 2, 600, 0, 3
};

/* Every wait of a plan without redundant ones is needed. */
static void weakened_waits(const struct shape_draw *draw, uint32_t policy,
			   const char *name)
{
	uint64_t seed = tap_seed();
	uint32_t i, w, caught = 0, tried = 0;

	for (i = 0; i < 50; i++) {
		make(seed + i, policy, 0, policy ? 0 : 3, draw);
		for (w = 0; plan != NULL && w < plan->waits_count; w++) {
			uint32_t position = plan->waits[w].position;

			if (position == 0)
				continue;
			/* The one before it on that lane: newer is needed. */
			plan->waits[w].position--;
			tried++;
			caught += is_caught();
			plan->waits[w].position = position;
		}
		OK_THAT(plan != NULL && is_right(), "right again");
		unmake();
	}
	OK_THAT(tried > 100 && caught == tried,
		"%s: %u of %u weakened waits are caught", name, caught, tried);
}

static void drop_wait(uint32_t w)
{
	uint32_t c;

	memmove(&plan->waits[w], &plan->waits[w + 1],
		(plan->waits_count - w - 1) * sizeof(*plan->waits));
	plan->waits_count--;
	for (c = 0; c <= plan->command_count; c++)
		plan->commands[c].wait_first -=
			plan->commands[c].wait_first > w;
}

static void dropped_waits(const struct shape_draw *draw, uint32_t policy,
			  const char *name)
{
	uint64_t seed = tap_seed();
	uint32_t i, w, count, caught = 0, tried = 0;

	for (i = 0; i < 20; i++) {
		make(seed + i, policy, 0, policy ? 0 : 3, draw);
		count = plan != NULL ? plan->waits_count : 0;
		unmake();
		for (w = 0; w < count; w++) {
			make(seed + i, policy, 0, policy ? 0 : 3, draw);
			drop_wait(w);
			tried++;
			caught += is_caught();
			/* As it was allocated. */
			plan->waits_count++;
			unmake();
		}
	}
	OK_THAT(tried > 100 && caught == tried,
		"%s: %u of %u dropped waits are caught", name, caught, tried);
}

static void waits(void)
{
	weakened_waits(&plain, PLAIT__POLICY_BOUNDED, "bounded");
	weakened_waits(&plain, PLAIT__POLICY_WIDEST, "widest");
	weakened_waits(&several, PLAIT__POLICY_BOUNDED, "several devices");
	dropped_waits(&plain, PLAIT__POLICY_BOUNDED, "bounded");
	dropped_waits(&plain, PLAIT__POLICY_WIDEST, "widest");
	dropped_waits(&several, PLAIT__POLICY_BOUNDED, "several devices");
}

/* Two neighbours of a lane are exchanged, with all their fields but their node:
 * caught whenever an edge joins them, on one lane only their order. */
static void swapped_commands(void)
{
	uint64_t seed = tap_seed();
	uint32_t i, c, e, tried = 0, caught = 0;

	for (i = 0; i < 50; i++) {
		make(seed + i, 0, 0, 2, &plain);
		for (c = 0; plan != NULL && c + 1 < plan->command_count; c++) {
			plait__plan_command *a = &plan->commands[c];
			uint32_t m = a[0].node, n = a[1].node;

			for (e = 0; e < shape.input.edge_count; e++)
				if (shape.edges[e].before == m &&
				    shape.edges[e].after == n)
					break;
			if (a[0].lane != a[1].lane ||
			    e == shape.input.edge_count)
				continue;
			a[0].node = n;
			a[1].node = m;
			plan->nodes[m].command = c + 1;
			plan->nodes[n].command = c;
			tried++;
			caught += is_caught();
			a[0].node = m;
			a[1].node = n;
			plan->nodes[m].command = c;
			plan->nodes[n].command = c + 1;
		}
		unmake();
	}
	OK_THAT(tried > 50 && caught == tried,
		"%u of %u swapped commands are caught", caught, tried);
}

/* Two commands at one place in the arena, unless something orders them. */
static void merged_scratch(uint32_t mode)
{
	static const struct shape_draw draw = {
		40, 40, 1, 0, 0, 0, 0, 900, 0, 3
	};
	uint64_t seed = tap_seed();
	uint32_t i, a, b, tried = 0, caught = 0;

	for (i = 0; i < 20; i++) {
		make(seed + i, PLAIT__POLICY_BOUNDED, mode, 3, &draw);
		for (a = 0; plan != NULL && a < plan->scratch_count; a++) {
			uint64_t offset = plan->scratch[a].offset;

			for (b = 0; b < plan->scratch_count; b++) {
				if (plan->scratch[b].offset == offset)
					continue;
				plan->scratch[a].offset =
					plan->scratch[b].offset;
				tried++;
				caught += is_caught();
				plan->scratch[a].offset = offset;
			}
		}
		unmake();
	}
	/* Some pairs are ordered: then it is no error. */
	NOTE("mode %u: %u of %u merged places are caught", mode, caught,
	     tried);
	OK(caught * 2 > tried);
}

static void scratch(void)
{
	merged_scratch(PLAIT__MODE_STRICT);
	merged_scratch(PLAIT__MODE_HELPED);
}

/* ---- one change each, on one plan with everything ---- */

static void later_order(void)
{
	uint32_t c = plan->order[0];

	plan->order[0] = plan->order[plan->bodies[0].command_count - 1];
	plan->order[plan->bodies[0].command_count - 1] = c;
}

static void twice_in_order(void) { plan->order[1] = plan->order[0]; }
static void far_order(void) { plan->order[0] = UINT32_MAX; }
static void lost_exit(void) { plan->bodies[0].exit_count--; }
static void far_exit(void) { plan->exits[0].position = UINT32_MAX; }
static void far_exits(void) { plan->bodies[0].exit_first = UINT32_MAX; }
static void far_wait(void) { plan->waits[0].lane = UINT32_MAX; }
static void far_point(void) { plan->waits[0].position = UINT32_MAX; }
static void far_waits(void) { plan->commands[3].wait_first = UINT32_MAX; }
static void far_pred(void) { plan->preds[0] = UINT32_MAX; }
static void far_node(void) { plan->commands[0].node = UINT32_MAX; }
static void far_lane(void) { plan->tracks[0].lane = UINT32_MAX; }
static void far_device(void) { plan->lanes[0].device = UINT32_MAX; }
static void far_kind(void) { plan->commands[0].kind = 255; }
static void far_mode(void) { plan->mode = 7; }
static void far_track(void) { plan->tracks[0].count = UINT32_MAX; }
static void far_body(void) { plan->bodies[0].command_count = UINT32_MAX; }
static void far_region(void) { plan->regions[0].command = UINT32_MAX; }
static void far_bodies(void) { plan->regions[0].body_first = UINT32_MAX; }
static void no_bodies(void) { plan->regions[0].body_count = 0; }
static void far_lanes(void) { plan->regions[0].lane_count = UINT32_MAX; }
/* The region keeps the number of its lanes, but they are not its own. */
static void shared_lanes(void)
{
	plait__plan_region *last = &plan->regions[plan->regions_count - 1];

	last->lane_first = plan->regions_count > 1 ? 0 : 1;
}
static void same_lanes(void)
{
	plan->region_lanes[1] = plan->region_lanes[0];
}
static void outer_body(void) { plan->bodies[1].region = UINT32_MAX; }
static void wrong_signal(void) { plan->waits[0].signal ^= 1; }
static void one_slot(void)
{
	uint32_t i;

	for (i = 0; i < plan->waits_count; i++)
		plan->waits[i].signal = 0;
	for (i = 0; i < plan->command_count; i++)
		if (plan->commands[i].signal != PLAIT__NONE)
			plan->commands[i].signal = 0;
}
static void shared_slots(void)
{
	plan->bodies[1].signal_first = plan->bodies[0].signal_first;
}
static void lost_command(void) { plan->nodes[0].command = PLAIT__NONE; }
static void other_command(void)
{
	plan->nodes[0].command = plan->nodes[1].command;
}
static void over_limit(void) { plan->devices[0].lane_limit = 1; }
static void one_segment(void)
{
	uint32_t i, first = PLAIT__NONE, device;

	for (i = 0; i < plan->bodies[0].command_count; i++) {
		uint32_t *segment = &plan->segment_of[i];

		if (*segment == PLAIT__NONE)
			continue;
		device = plan->lanes[plan->commands[i].lane].device;
		if (first == PLAIT__NONE)
			first = *segment;
		if (device != plan->segments[first].device ||
		    *segment == first)
			continue;
		plan->segments[*segment].command_count--;
		*segment = first;
		plan->segments[first].command_count++;
	}
}
static void far_segment(void)
{
	uint32_t i = 0;

	while (plan->segment_of[i] == PLAIT__NONE)
		i++;
	plan->segment_of[i] = UINT32_MAX - 1;
}
static void few_segments(void) { plan->segment_of_count--; }
static void far_scratch(void) { plan->scratch[0].offset = UINT64_MAX - 4; }
static void far_payload(void)
{
	uint32_t i = 0;

	while (plan->commands[i].kind != PLAIT__CMD_LAUNCH)
		i++;
	plan->commands[i].link = 77;
}
static void no_member(void)
{
	uint32_t i;

	for (i = 0; i < plan->command_count; i++)
		plan->commands[i].flags &= (uint8_t)~PLAIT__CMD_MEMBER;
}
static void no_join(void)
{
	uint32_t i = 0;

	while (plan->commands[i].kind != PLAIT__CMD_BARRIER_STUB)
		i++;
	plan->commands[i].kind = PLAIT__CMD_LAUNCH;
}
static void no_enter(void)
{
	uint32_t i = 0;

	while (plan->commands[i].kind != PLAIT__CMD_ENTER)
		i++;
	plan->commands[i].kind = PLAIT__CMD_BARRIER_STUB;
	plan->commands[i].link = PLAIT__NONE;
}

#define SIN(name) { #name, name }
static const struct {
	const char *name;
	void (*commit)(void);
} sins[] = {
	SIN(later_order), SIN(twice_in_order), SIN(far_order), SIN(lost_exit),
	SIN(far_exit), SIN(far_exits), SIN(far_wait), SIN(far_point),
	SIN(far_waits), SIN(far_pred), SIN(far_node), SIN(far_lane),
	SIN(far_device), SIN(far_kind), SIN(far_mode), SIN(far_track),
	SIN(far_body), SIN(far_region), SIN(far_bodies), SIN(no_bodies), SIN(shared_lanes),
	SIN(far_lanes), SIN(same_lanes), SIN(outer_body), SIN(wrong_signal),
	SIN(one_slot), SIN(shared_slots), SIN(lost_command),
	SIN(other_command), SIN(over_limit), SIN(one_segment),
	SIN(far_segment), SIN(few_segments), SIN(far_scratch), SIN(far_payload), SIN(no_member),
	SIN(no_join), SIN(no_enter),
};

/* ---- the figures of a plan ---- */

static void long_body(void) { plan->bodies[1].makespan++; }
static void short_plan(void) { plan->makespan--; }
static void other_cost(void)
{
	uint32_t i = plan->command_count - 1;

	while (plan->commands[i].kind != PLAIT__CMD_LAUNCH)
		i--;
	plan->segments[plan->segment_of[i]].cost += 1000;
	plan->commands[i].cost += 1000;
}
static void dear_hops(void) { plan->hop_cost = 1000; }
static void more_turns(void) { plan->regions[0].times += 9; }
static void few_edges(void) { plan->edge_count = 5; }
static void many_edges(void) { plan->edge_count = 1u << 31; }
static void dear_segment(void) { plan->segments[0].cost++; }
static void more_slots(void)
{
	plan->signal_count = plan->command_count;
}
static void large_arena(void) { plan->devices[0].scratch_bytes += 256; }
static void unknown_wait(void)
{
	uint32_t i = 0;

	while (!(plan->commands[i].flags & PLAIT__CMD_AWAITED))
		i++;
	plan->commands[i].flags &= (uint8_t)~PLAIT__CMD_AWAITED;
}
static void other_begin(void) { plan->tracks[0].begins ^= 1; }
static void other_rank(void) { plan->lanes[0].rank = 1; }
static void reserved(void) { plan->bodies[0].reserved0 = 1; }

static const struct {
	const char *name;
	void (*commit)(void);
	const char *text;
} lies[] = {
	{ "long_body", long_body, "body 1: makespan" },
	{ "short_plan", short_plan, "plan: makespan" },
	{ "other_cost", other_cost, "makespan" },
	{ "dear_hops", dear_hops, "makespan" },
	{ "more_turns", more_turns, "body 0: makespan" },
	{ "few_edges", few_edges, "plan: 5 edges; " },
	{ "many_edges", many_edges, "plan: 2147483648 edges; " },
	{ "dear_segment", dear_segment, "segment 0: cost" },
	{ "more_slots", more_slots, "signal slots, but bodies have" },
	{ "large_arena", large_arena, "device 0: an arena of" },
	{ "unknown_wait", unknown_wait, "not marked as awaited" },
	{ "other_begin", other_begin, "track 0: `begins`" },
	{ "other_rank", other_rank, "lane 0: its rank" },
	{ "reserved", reserved, "body 0: a reserved field" },
};

static void each_lie(void)
{
	for (size_t i = 0; i < TAP_COUNT(lies); i++) {
		plait__plan kept;

		make(17, PLAIT__POLICY_BOUNDED, 0, 3, &several);
		if (!OK_THAT(plan != NULL && is_right(), "a plan"))
			return;
		kept = *plan;
		lies[i].commit();
		OK_THAT(is_caught_by(lies[i].text), "%s is caught",
			lies[i].name);
		*plan = kept;
		unmake();
	}
}

/* A copy of every array, so that release can have its counts again. */
static void each_sin(void)
{
	size_t i;

	for (i = 0; i < TAP_COUNT(sins); i++) {
		plait__plan kept;

		make(17, PLAIT__POLICY_BOUNDED, 0, 3, &several);
		if (!OK_THAT(plan != NULL && is_right() &&
			     plan->regions_count > 0 &&
			     plan->scratch_count > 0 &&
			     plan->segments_count > 2 &&
			     plan->exits_count > 0,
			     "a plan with everything"))
			return;
		kept = *plan;
		sins[i].commit();
		OK_THAT(is_caught(), "%s is caught", sins[i].name);
		*plan = kept;
		unmake();
	}
}

/* Any byte of any array changed: caught or harmless, never a crash. */
static void any_byte(void)
{
	uint64_t seed = tap_seed();
	struct shape_random random;
	uint32_t i, caught = 0, count = 20000;

	shape_seed(&random, seed);
	make(17, PLAIT__POLICY_BOUNDED, 0, 3, &several);
	for (i = 0; plan != NULL && i < count; i++) {
#define COUNT(type, name) total += plan->name##_count * sizeof(type);
#define FLIP(type, name)						\
	if (at < plan->name##_count * sizeof(type)) {			\
		unsigned char *b = (unsigned char *)plan->name + at;	\
		unsigned char old = *b;					\
		*b ^= (unsigned char)(1 + shape_below(&random, 255));	\
		caught += is_caught();					\
		*b = old;						\
		continue;						\
	}								\
	at -= (uint32_t)(plan->name##_count * sizeof(type));
		uint32_t total = 0, at;

		PLAIT__PLAN_ARRAYS(COUNT)
		at = shape_below(&random, total);
		PLAIT__PLAN_ARRAYS(FLIP)
	}
	NOTE("%u of %u bytes matter", caught, count);
	OK(plan != NULL && is_right() && caught > count / 3);
	unmake();
}

/* Returns whether a path leads from a to b.  For few nodes. */
static bool leads(uint32_t a, uint32_t b)
{
	uint64_t reached = 1ull << a, before = 0;
	uint32_t e;

	while (before != reached) {
		before = reached;
		for (e = 0; e < shape.input.edge_count; e++)
			if (reached >> shape.edges[e].before & 1)
				reached |= 1ull << shape.edges[e].after;
	}
	return reached >> b & 1;
}

/* Accesses: edges between two users of one object left out of the graph. */
static void lost_edges(void)
{
	static const struct shape_draw draw = {
		12, 0, 1, 0, 0, 0, 0, 0, 3, 3
	};
	uint64_t seed = tap_seed();
	uint32_t i, e, tried = 0, caught = 0, lost = 0;

	for (i = 0; i < 200; i++) {
		make(seed + i, PLAIT__POLICY_WIDEST, 0, 0, &draw);
		e = plan != NULL ? shape.input.edge_count : 0;
		while (e-- > 0) {
			plait__input_edge old = shape.edges[e];
			plait__input_options options = { 0 };
			plait__plan *other = NULL;

			options.policy = PLAIT__POLICY_WIDEST;
			shape.edges[e] = shape.edges[--shape.input.edge_count];
			lost += !leads(old.before, old.after);
			if (plait__planner_run(&shape.input, &options, NULL,
					       NULL, &other, NULL) == PLAIT_OK) {
				tried++;
				caught += plait__check_plan(other,
					&shape.input, 0, NULL, NULL, NULL) ==
					PLAIT_E_INVALID;
			}
			plait__plan_release(other);
			shape.input.edge_count++;
			shape.edges[e] = old;
		}
		unmake();
	}
	/* Edges that others imply are no loss. */
	OK_THAT(tried > 100 && lost > 100 && caught == lost,
		"%u of %u edges are a loss, %u are caught", lost, tried,
		caught);
}

static const struct tap_scenario all[] = {
	{ "waits", waits },
	{ "swapped commands", swapped_commands },
	{ "scratch", scratch },
	{ "each sin", each_sin },
	{ "each lie", each_lie },
	{ "any byte", any_byte },
	{ "lost edges", lost_edges },
};

TAP_MAIN(all)
