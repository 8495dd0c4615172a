/* SPDX-License-Identifier: MIT */
/*
 * Assignment of many lanes to few.  The busiest lanes are placed first: each on
 * the new lane with the least work, or on one that still has room for it and
 * exchanges many more waits with it.
 */
#include "run/host/lane_affinity.h"

#include "base/alloc.h"

#include <stdlib.h>

/* A new lane has room up to an equal share of the work and a 64th. */
enum { SLACK = 64 };

/* Sort key: more work first, then the order of lanes. */
struct load {
	uint64_t work;
	uint32_t lane;
	uint32_t commands;
};

struct affinity {
	const plait__plan *plan;
	const plait_allocator *allocator;
	uint32_t lane_count;	/* new lanes */
	uint32_t *lane_of;
	struct load *loads;	/* by lane, then sorted */
	/* Lanes that a lane waits for or that wait for it, once per wait:
	 * links[link_first[lane] .. link_first[lane + 1]). */
	uint32_t *link_first;
	uint32_t *links;
	uint64_t *work;		/* by new lane */
	uint32_t *shared;	/* by new lane: links of the current lane */
	uint64_t room;
};

static int compare(const void *left, const void *right)
{
	const struct load *a = left, *b = right;

	if (a->work != b->work)
		return a->work > b->work ? -1 : 1;
	return (a->lane > b->lane) - (a->lane < b->lane);
}

/* ---- links ---- */

/* Called for both directions of each wait between two lanes. */
typedef void visit_link(struct affinity *a, uint32_t lane, uint32_t other);

/* Every stub waits for its region, whichever lanes are together. */
static void each_link(struct affinity *a, visit_link *visit)
{
	const plait__plan *plan = a->plan;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];

		if (at->kind == PLAIT__CMD_ENTER)
			continue;
		for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
			visit(a, at->lane, plan->waits[w].lane);
			visit(a, plan->waits[w].lane, at->lane);
		}
	}
}

static void count_link(struct affinity *a, uint32_t lane, uint32_t other)
{
	(void)other;
	a->link_first[lane + 1]++;
}

/* count_link has reserved the entry. */
static void put_link(struct affinity *a, uint32_t lane, uint32_t other)
{
	a->links[a->link_first[lane]++] = other;
}

/* Counting sort by lane. */
static void sort_links(struct affinity *a)
{
	uint32_t lanes = a->plan->lanes_count;

	each_link(a, count_link);
	for (uint32_t i = 0; i < lanes; i++)
		a->link_first[i + 1] += a->link_first[i];
	each_link(a, put_link);
	for (uint32_t i = lanes; i > 0; i--)
		a->link_first[i] = a->link_first[i - 1];
	a->link_first[0] = 0;
}

/* ---- placement ---- */

/* Commands count, too, so that lanes without cost are spread.  host_engine.c
 * asks for one new lane at least. */
static void weigh_lanes(struct affinity *a, const uint64_t *busy)
{
	const plait__plan *plan = a->plan;
	uint64_t total = 0;

	for (uint32_t i = 0; i < plan->lanes_count; i++)
		a->loads[i] = (struct load){ .lane = i, .work = 1 };
	for (uint32_t i = 0; i < plan->tracks_count; i++)
		a->loads[plan->tracks[i].lane].commands +=
			plan->tracks[i].count;
	for (uint32_t i = 0; i < plan->lanes_count; i++) {
		a->loads[i].work += a->loads[i].commands;
		if (__builtin_add_overflow(a->loads[i].work, busy[i],
					   &a->loads[i].work))
			a->loads[i].work = UINT64_MAX;
		if (__builtin_add_overflow(total, a->loads[i].work, &total))
			total = UINT64_MAX;
	}
	qsort(a->loads, plan->lanes_count, sizeof(*a->loads), compare);
	a->room = total / a->lane_count;
	a->room += a->room / SLACK;
}

static void count_shared(struct affinity *a, uint32_t lane)
{
	for (uint32_t i = 0; i < a->lane_count; i++)
		a->shared[i] = 0;
	for (uint32_t i = a->link_first[lane]; i < a->link_first[lane + 1];
	     i++) {
		uint32_t to = a->lane_of[a->links[i]];

		if (to != PLAIT__NONE)
			a->shared[to]++;
	}
}

static bool has_room(const struct affinity *a, uint32_t to, uint64_t work)
{
	return a->work[to] <= a->room && work <= a->room - a->work[to];
}

/* Few waits are not worth lanes that are less even: they must be as many as the
 * lane's commands. */
static uint32_t find_place(const struct affinity *a, const struct load *load)
{
	uint32_t idlest = 0, best = PLAIT__NONE;

	for (uint32_t i = 0; i < a->lane_count; i++) {
		if (a->work[i] < a->work[idlest])
			idlest = i;
		if (has_room(a, i, load->work) &&
		    (best == PLAIT__NONE || a->shared[i] > a->shared[best]))
			best = i;
	}
	return best != PLAIT__NONE && a->shared[best] >=
	       (uint64_t)a->shared[idlest] + load->commands ? best : idlest;
}

static void place_lanes(struct affinity *a)
{
	for (uint32_t i = 0; i < a->plan->lanes_count; i++)
		a->lane_of[i] = PLAIT__NONE;
	for (uint32_t i = 0; i < a->plan->lanes_count; i++) {
		const struct load *load = &a->loads[i];
		uint32_t to;

		count_shared(a, load->lane);
		to = find_place(a, load);
		a->lane_of[load->lane] = to;
		if (__builtin_add_overflow(a->work[to], load->work,
					   &a->work[to]))
			a->work[to] = UINT64_MAX;
	}
}

/* ---- memory ---- */

/* One entry more: an empty table would be null. */
static uint64_t bytes_of(uint64_t count, uint64_t each)
{
	return (count + 1) * each;
}

static bool make_tables(struct affinity *a)
{
	uint64_t lanes = a->plan->lanes_count;

	a->loads = plait__alloc(a->allocator,
				bytes_of(lanes, sizeof(*a->loads)));
	a->link_first = plait__alloc(a->allocator,
				     bytes_of(lanes, sizeof(*a->link_first)));
	a->links = plait__alloc(a->allocator, bytes_of(2ull *
				a->plan->waits_count, sizeof(*a->links)));
	a->work = plait__alloc(a->allocator,
			       bytes_of(a->lane_count, sizeof(*a->work)));
	a->shared = plait__alloc(a->allocator,
				 bytes_of(a->lane_count, sizeof(*a->shared)));
	return a->loads != NULL && a->link_first != NULL && a->links != NULL &&
	       a->work != NULL && a->shared != NULL;
}

static void free_tables(struct affinity *a)
{
	uint64_t lanes = a->plan->lanes_count;

	plait__free(a->allocator, a->loads, bytes_of(lanes, sizeof(*a->loads)));
	plait__free(a->allocator, a->link_first,
		    bytes_of(lanes, sizeof(*a->link_first)));
	plait__free(a->allocator, a->links, bytes_of(2ull *
		    a->plan->waits_count, sizeof(*a->links)));
	plait__free(a->allocator, a->work,
		    bytes_of(a->lane_count, sizeof(*a->work)));
	plait__free(a->allocator, a->shared,
		    bytes_of(a->lane_count, sizeof(*a->shared)));
}

bool plait__lane_affinity_assign(const plait__plan *plan, const uint64_t *busy,
				 uint32_t lane_count, uint32_t *lane_of,
				 const plait_allocator *allocator)
{
	struct affinity a = { .plan = plan, .allocator = allocator,
			      .lane_count = lane_count, .lane_of = lane_of };
	bool made = make_tables(&a);

	if (made) {
		sort_links(&a);
		weigh_lanes(&a, busy);
		place_lanes(&a);
	}
	free_tables(&a);
	return made;
}
