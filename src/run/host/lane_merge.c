/* SPDX-License-Identifier: MIT */
/* Mapping of many lanes to few; see lane_merge.h. */
#include "run/host/lane_merge.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plan/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

/* Sort key.  Commands: simulated start, then submission order.  A command's
 * predecessors, and those before it on its lane, have lesser keys: they begin
 * no later, and the submission order has them first.  Lanes: busy time. */
struct place {
	uint64_t start;
	uint32_t rank;
	uint32_t command;
};

struct merger {
	plait__lane_merge *merge;
	const plait__plan *plan;
	const plait_allocator *allocator;
	plait__timeline *timeline;
	struct place *places;	/* of all lanes, then of all commands */
	uint64_t *busy;		/* by new lane */
};

bool plait__lane_merge_applies(const plait__plan *plan)
{
	return plan->regions_count == 0 && plan->lanes_count > 1;
}

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* ---- assignment of lanes ---- */

/* The new lane with the least work. */
static uint32_t find_idlest(const struct merger *f)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < f->merge->lane_count; i++)
		if (f->busy[i] < f->busy[best])
			best = i;
	return best;
}

/* Assign the busiest lanes first. */
static void choose_lanes(struct merger *f)
{
	uint32_t count = f->plan->lanes_count, lane, to;

	for (uint32_t i = 0; i < count; i++)
		f->places[i] = (struct place){
			.start = f->timeline->lane_busy[i], .rank = i,
		};
	qsort(f->places, count, sizeof(*f->places), compare);
	for (uint32_t i = count; i-- > 0;) {
		lane = f->places[i].rank;
		to = find_idlest(f);
		f->merge->lane_of[lane] = to;
		/* One more, so that lanes without cost are spread, too. */
		f->busy[to] += f->timeline->lane_busy[lane] + 1;
	}
}

/* ---- order ---- */

static void sort_commands(struct merger *f)
{
	for (uint32_t i = 0; i < f->plan->command_count; i++) {
		uint32_t command = f->plan->order[i];

		f->places[i] = (struct place){
			.start = f->timeline->spans[command].start,
			.rank = i, .command = command,
		};
	}
	qsort(f->places, f->plan->command_count, sizeof(*f->places), compare);
}

static uint32_t lane_of(const struct merger *f, uint32_t command)
{
	return f->merge->lane_of[f->plan->commands[command].lane];
}

/* Counting sort by new lane; `first` of a lane is the place of its next
 * command. */
static void deal_commands(struct merger *f)
{
	plait__lane_merge *merge = f->merge;
	uint32_t count = f->plan->command_count;

	for (uint32_t i = 0; i < count; i++)
		merge->first[lane_of(f, i) + 1]++;
	for (uint32_t i = 0; i < merge->lane_count; i++)
		merge->first[i + 1] += merge->first[i];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t command = f->places[i].command;
		uint32_t lane = lane_of(f, command);

		merge->position[command] = merge->first[lane]++;
		merge->commands[merge->position[command]] = command;
	}
	memmove(merge->first + 1, merge->first,
		merge->lane_count * sizeof(*merge->first));
	merge->first[0] = 0;
	for (uint32_t i = 0; i < count; i++)
		merge->position[i] -= merge->first[lane_of(f, i)];
}

/* ---- construction ---- */

static uint64_t places_count(const plait__plan *plan)
{
	return plan->command_count > plan->lanes_count ? plan->command_count :
							 plan->lanes_count;
}

static void *table(const struct merger *f, uint64_t count, uint64_t each)
{
	/* One entry more: an empty table would be null. */
	return plait__alloc_array(f->allocator, count + 1, each);
}

static bool make_tables(struct merger *f)
{
	const plait__plan *plan = f->plan;
	plait__lane_merge *merge = f->merge;

	merge->lane_of = table(f, plan->lanes_count, sizeof(*merge->lane_of));
	merge->first = table(f, plan->lanes_count, sizeof(*merge->first));
	merge->commands = table(f, plan->command_count,
				sizeof(*merge->commands));
	merge->position = table(f, plan->command_count,
				sizeof(*merge->position));
	f->places = table(f, places_count(plan), sizeof(*f->places));
	f->busy = table(f, plan->lanes_count, sizeof(*f->busy));
	return merge->lane_of != NULL && merge->first != NULL &&
	       merge->commands != NULL && merge->position != NULL &&
	       f->places != NULL && f->busy != NULL;
}

static void free_work(struct merger *f)
{
	const plait__plan *plan = f->plan;

	plait__free(f->allocator, f->places,
		    (places_count(plan) + 1) * sizeof(*f->places));
	plait__free(f->allocator, f->busy,
		    (plan->lanes_count + 1ull) * sizeof(*f->busy));
	plait__simulate_release(f->timeline);
}

plait_status plait__lane_merge_make(plait__lane_merge *merge,
				    const plait__plan *plan,
				    uint32_t lane_count,
				    const plait_allocator *allocator,
				    plait_error *error)
{
	const plait__simulate_system system = { .hop_cost = plan->hop_cost };
	struct merger f = { .merge = merge, .plan = plan,
			    .allocator = allocator };
	plait_status status = plait__simulate_plan(plan, &system, allocator,
						   &f.timeline, error);

	memset(merge, 0, sizeof(*merge));
	merge->lane_count = lane_count < plan->lanes_count ? lane_count :
							    plan->lanes_count;
	if (status == PLAIT_OK && !make_tables(&f))
		status = plait__fail(error, PLAIT_E_NOMEM, "no memory to make "
				     "a plan ready to run");
	if (status == PLAIT_OK) {
		choose_lanes(&f);
		sort_commands(&f);
		deal_commands(&f);
	}
	free_work(&f);
	if (status != PLAIT_OK)
		plait__lane_merge_free(merge, plan, allocator);
	return status;
}

void plait__lane_merge_free(plait__lane_merge *merge, const plait__plan *plan,
			    const plait_allocator *allocator)
{
	uint64_t lanes = plan->lanes_count + 1ull;
	uint64_t commands = plan->command_count + 1ull;

	plait__free(allocator, merge->lane_of, lanes * sizeof(*merge->lane_of));
	plait__free(allocator, merge->first, lanes * sizeof(*merge->first));
	plait__free(allocator, merge->commands,
		    commands * sizeof(*merge->commands));
	plait__free(allocator, merge->position,
		    commands * sizeof(*merge->position));
	memset(merge, 0, sizeof(*merge));
}
