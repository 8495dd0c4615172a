/* SPDX-License-Identifier: MIT */
/* Mapping of many lanes to few; see lane_merge.h. */
#include "run/host/lane_merge.h"

#include "run/host/lane_affinity.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plan/simulate/simulate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sort key of a command: no less than those of its predecessors, then its place
 * in the submission order. */
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
	uint64_t *start;	/* by command: `start` of its place */
	struct place *places;	/* of the commands of the current body */
	uint32_t *on_lane;	/* by lane: commands of the current body; then
				 * the track */
	/* Like region_lanes: the command of the region there, or none. */
	uint32_t *region_commands;
	uint32_t *alike;	/* by command: the next one that was merged
				 * with it, or none */
	uint32_t *waited_by;	/* by track: the last track that waits for
				 * it, and one */
	uint32_t *waited;	/* by track: the greatest position of these
				 * waits */
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static uint32_t lane_of(const struct merger *f, uint32_t command)
{
	return f->merge->lane_of[f->plan->commands[command].lane];
}

/* ---- regions ---- */

static bool has_lane(const struct merger *f, uint32_t region, uint32_t lane,
		     uint32_t end)
{
	for (uint32_t i = f->merge->region_first[region]; i < end; i++)
		if (f->merge->region_lanes[i] == lane)
			return true;
	return false;
}

/* Fill the lanes of each region, without repetition; the first is the home
 * lane, as in the plan.  region_commands is none until find_main finds a stub
 * there. */
static void list_region_lanes(struct merger *f)
{
	const plait__plan *plan = f->plan;
	plait__lane_merge *merge = f->merge;
	uint32_t count = 0;

	for (uint32_t r = 0; r < plan->regions_count; r++) {
		const plait__plan_region *region = &plan->regions[r];

		merge->region_first[r] = count;
		for (uint32_t i = 0; i < region->lane_count; i++) {
			uint32_t lane = merge->lane_of[
				plan->region_lanes[region->lane_first + i]];

			if (has_lane(f, r, lane, count))
				continue;
			f->region_commands[count] = i == 0 ? region->command :
							     PLAIT__NONE;
			merge->region_lanes[count++] = lane;
		}
	}
	merge->region_first[plan->regions_count] = count;
}

/* Returns the command that stands for `command`: another one for a stub on a
 * lane that already has the region's command or a stub.  Called in the order of
 * f->places, in which the region's command precedes its stubs. */
static uint32_t find_main(struct merger *f, uint32_t command)
{
	const plait__plan_command *at = &f->plan->commands[command];
	uint32_t i;

	if (at->kind != PLAIT__CMD_ENTER)
		return command;
	i = f->merge->region_first[at->link];
	while (f->merge->region_lanes[i] != lane_of(f, command))
		i++;
	if (f->region_commands[i] == PLAIT__NONE)
		f->region_commands[i] = command;
	return f->region_commands[i];
}

/* ---- order ---- */

/* The simulated start, or the latest start of a predecessor.  Predecessors have
 * theirs, as the submission order is topological; the stub of a region
 * has 0. */
static uint64_t find_start(const struct merger *f, uint32_t body,
			   uint32_t command)
{
	const plait__plan *plan = f->plan;
	const plait__plan_command *at = &plan->commands[command];
	uint64_t start = f->timeline->spans[command].start;

	if (at->position > 0 && f->start[command - 1] > start)
		start = f->start[command - 1];
	for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
		uint32_t before = plait__plan_find_command(
			plan, body, plan->waits[w].lane,
			plan->waits[w].position);

		if (f->start[before] > start)
			start = f->start[before];
	}
	return start;
}

/* Returns the end of the stretch of the submission order that begins at `first`:
 * a region with its stubs, or one command. */
static uint32_t find_stretch(const struct merger *f, uint32_t first,
			     uint32_t end)
{
	const plait__plan *plan = f->plan;
	const plait__plan_command *at = &plan->commands[plan->order[first]];
	uint32_t i = first + 1;

	while (at->kind == PLAIT__CMD_REGION && i < end &&
	       plan->commands[plan->order[i]].node == at->node)
		i++;
	return i;
}

/* A region and its stubs start together. */
static void find_starts(struct merger *f, uint32_t body)
{
	const uint32_t *order = f->plan->order;
	uint32_t first = f->plan->bodies[body].command_first;
	uint32_t end = first + f->plan->bodies[body].command_count, next;

	for (; first < end; first = next) {
		uint64_t latest = 0;

		next = find_stretch(f, first, end);
		for (uint32_t i = first; i < next; i++) {
			uint64_t start = find_start(f, body, order[i]);

			latest = start > latest ? start : latest;
		}
		for (uint32_t i = first; i < next; i++)
			f->start[order[i]] = latest;
	}
}

static void sort_commands(struct merger *f, uint32_t b)
{
	const plait__plan_body *body = &f->plan->bodies[b];

	find_starts(f, b);
	for (uint32_t i = 0; i < body->command_count; i++) {
		uint32_t command = f->plan->order[body->command_first + i];

		f->places[i] = (struct place){
			.start = f->start[command], .rank = i,
			.command = command,
		};
	}
	if (body->command_count > 0)
		qsort(f->places, body->command_count, sizeof(*f->places),
		      compare);
}

/* ---- tracks ---- */

/* `next` is the end of the tracks before in `commands`.  deal_commands has
 * counted commands in `on_lane`; afterwards it has the index of each lane's
 * track. */
static void open_tracks(struct merger *f, uint32_t body, uint32_t next)
{
	plait__lane_merge *merge = f->merge;

	merge->track_first[body] = merge->tracks_count;
	for (uint32_t i = 0; i < merge->lane_count; i++) {
		uint32_t count = f->on_lane[i];

		f->on_lane[i] = merge->tracks_count;
		if (count == 0 && body > 0)
			continue;
		merge->tracks[merge->tracks_count++] = (plait__plan_track){
			.lane = i, .first = next,
		};
		next += count;
	}
	merge->track_first[body + 1] = merge->tracks_count;
}

/* A stub comes after the command that stands for it, which has its position. */
static void append(struct merger *f, uint32_t command)
{
	plait__lane_merge *merge = f->merge;
	uint32_t main = find_main(f, command);
	plait__plan_track *track =
		&merge->tracks[f->on_lane[lane_of(f, command)]];

	if (main != command) {
		merge->position[command] = merge->position[main];
		f->alike[command] = f->alike[main];
		f->alike[main] = command;
		return;
	}
	f->alike[command] = PLAIT__NONE;
	merge->position[command] = track->count;
	merge->commands[track->first + track->count++] = command;
}

/* Deal the sorted commands of a body to its tracks.  Returns the end of these in
 * `commands`. */
static uint32_t deal_commands(struct merger *f, uint32_t body, uint32_t next)
{
	uint32_t count = f->plan->bodies[body].command_count;
	uint32_t mains = 0;

	memset(f->on_lane, 0, f->merge->lane_count * sizeof(*f->on_lane));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t command = f->places[i].command;

		if (find_main(f, command) != command)
			continue;
		f->on_lane[lane_of(f, command)]++;
		mains++;
	}
	open_tracks(f, body, next);
	for (uint32_t i = 0; i < count; i++)
		append(f, f->places[i].command);
	return next + mains;
}

/* ---- waits ---- */

/* The waits of `entry` so far lie behind wait_first[entry]. */
static void put_wait(struct merger *f, uint32_t entry, uint32_t count,
		     const plait__lane_merge_wait *wait)
{
	plait__lane_merge_wait *waits = f->merge->waits;

	for (uint32_t i = f->merge->wait_first[entry]; i < count; i++)
		if (waits[i].track == wait->track) {
			waits[i] = *wait;
			return;
		}
	waits[count] = *wait;
	f->merge->wait_first[entry + 1] = count + 1;
}

/* A stub waits for its region's command in another way. */
static bool is_of_region(const struct merger *f, uint32_t command,
			 uint32_t before)
{
	const plait__plan_command *at = &f->plan->commands[command];

	return at->kind == PLAIT__CMD_ENTER &&
	       f->plan->regions[at->link].command == before;
}

/* `before` is in the body, so its lane has a track there. */
static void add_wait(struct merger *f, uint32_t body, uint32_t track,
		     uint32_t entry, uint32_t before)
{
	plait__lane_merge *merge = f->merge;
	const plait__lane_merge_wait wait = {
		.track = plait__lane_merge_find_track(merge, body,
						      lane_of(f, before)),
		.position = merge->position[before],
	};

	if (wait.track == track ||
	    (f->waited_by[wait.track] == track + 1 &&
	     f->waited[wait.track] >= wait.position))
		return;
	f->waited_by[wait.track] = track + 1;
	f->waited[wait.track] = wait.position;
	put_wait(f, entry, merge->wait_first[entry + 1], &wait);
}

/* Add the waits of a merged command and of all that it took over, but those
 * that earlier entries of the track imply. */
static void add_waits(struct merger *f, uint32_t body, uint32_t track,
		      uint32_t entry)
{
	const plait__plan *plan = f->plan;
	uint32_t command = f->merge->commands[entry];

	f->merge->wait_first[entry + 1] = f->merge->wait_first[entry];
	for (; command != PLAIT__NONE; command = f->alike[command]) {
		const plait__plan_command *at = &plan->commands[command];

		for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
			uint32_t before = plait__plan_find_command(
				plan, body, plan->waits[w].lane,
				plan->waits[w].position);

			if (!is_of_region(f, command, before))
				add_wait(f, body, track, entry, before);
		}
	}
}

static void find_waits(struct merger *f, uint32_t body)
{
	plait__lane_merge *merge = f->merge;

	for (uint32_t t = merge->track_first[body];
	     t < merge->track_first[body + 1]; t++) {
		const plait__plan_track *track = &merge->tracks[t];

		for (uint32_t i = 0; i < track->count; i++)
			add_waits(f, body, t, track->first + i);
	}
}

/* All bodies have their waits; `entries` is the number of merged commands. */
static void mark_awaited(struct merger *f, uint32_t entries)
{
	plait__lane_merge *merge = f->merge;

	for (uint32_t i = 0; i < merge->wait_first[entries]; i++)
		merge->awaited[merge->tracks[merge->waits[i].track].first +
			       merge->waits[i].position] = 1;
}

/* ---- construction ---- */

/* Returns the next table of a block, with one entry more; null while the block
 * is null, to count its bytes. */
static void *take(char *block, uint64_t *bytes, uint64_t count, uint64_t each)
{
	uint64_t at = *bytes;

	*bytes += ((count + 1) * each + 7) / 8 * 8;
	return block != NULL ? block + at : NULL;
}

/* Body 0 has a track on every lane; beyond that a merged plan has no more of
 * anything than the plan.  Returns the bytes of the block. */
static uint64_t carve(plait__lane_merge *m, const plait__plan *plan,
		      char *block)
{
	uint64_t tracks = (uint64_t)plan->tracks_count + plan->lanes_count;
	uint64_t commands = plan->command_count, bytes = 0;

	m->block = block;
	m->lane_of = take(block, &bytes, plan->lanes_count, sizeof(uint32_t));
	m->tracks = take(block, &bytes, tracks, sizeof(*m->tracks));
	m->track_first = take(block, &bytes, plan->bodies_count,
			      sizeof(uint32_t));
	m->commands = take(block, &bytes, commands, sizeof(uint32_t));
	m->position = take(block, &bytes, commands, sizeof(uint32_t));
	m->wait_first = take(block, &bytes, commands, sizeof(uint32_t));
	m->waits = take(block, &bytes, plan->waits_count, sizeof(*m->waits));
	m->awaited = take(block, &bytes, commands, 1);
	m->region_first = take(block, &bytes, plan->regions_count,
			       sizeof(uint32_t));
	m->region_lanes = take(block, &bytes, plan->region_lanes_count,
			       sizeof(uint32_t));
	return bytes;
}

static uint64_t carve_work(struct merger *f, char *block)
{
	const plait__plan *plan = f->plan;
	uint64_t tracks = (uint64_t)plan->tracks_count + plan->lanes_count;
	uint64_t commands = plan->command_count, bytes = 0;

	f->start = take(block, &bytes, commands, sizeof(*f->start));
	f->places = take(block, &bytes, commands, sizeof(*f->places));
	f->on_lane = take(block, &bytes, plan->lanes_count, sizeof(uint32_t));
	f->region_commands = take(block, &bytes, plan->region_lanes_count,
				  sizeof(uint32_t));
	f->alike = take(block, &bytes, commands, sizeof(uint32_t));
	f->waited_by = take(block, &bytes, tracks, sizeof(uint32_t));
	f->waited = take(block, &bytes, tracks, sizeof(uint32_t));
	return bytes;
}

static void merge_all(struct merger *f)
{
	uint32_t next = 0;

	list_region_lanes(f);
	for (uint32_t b = 0; b < f->plan->bodies_count; b++) {
		sort_commands(f, b);
		next = deal_commands(f, b, next);
		find_waits(f, b);
	}
	mark_awaited(f, next);
}

/* Simulate the plan, assign the lanes by their work in the simulation, then
 * merge. */
static plait_status fill(struct merger *f, plait_error *error)
{
	const plait__simulate_system system = { .hop_cost = f->plan->hop_cost };
	uint64_t bytes = carve_work(f, NULL);
	char *work = plait__alloc(f->allocator, bytes);
	bool made = work != NULL;
	plait_status status;

	status = plait__simulate_plan(f->plan, &system, f->allocator,
				      &f->timeline, error);
	if (status == PLAIT_OK && made)
		made = plait__lane_affinity_assign(
			f->plan, f->timeline->lane_busy, f->merge->lane_count,
			f->merge->lane_of, f->allocator);
	if (status == PLAIT_OK && !made)
		status = plait__fail(error, PLAIT_E_NOMEM, "no memory to make "
				     "a plan ready to run");
	if (status == PLAIT_OK) {
		(void)carve_work(f, work);
		merge_all(f);
	}
	plait__simulate_release(f->timeline);
	plait__free(f->allocator, work, bytes);
	return status;
}

plait_status plait__lane_merge_make(plait__lane_merge *merge,
				    const plait__plan *plan,
				    uint32_t lane_count,
				    const plait_allocator *allocator,
				    plait_error *error)
{
	struct merger f = { .merge = merge, .plan = plan,
			    .allocator = allocator };
	plait_status status;

	memset(merge, 0, sizeof(*merge));
	(void)carve(merge, plan, plait__alloc(allocator,
					      carve(merge, plan, NULL)));
	if (merge->block == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory to make "
				   "a plan ready to run");
	merge->lane_count = lane_count < plan->lanes_count ? lane_count :
							    plan->lanes_count;
	status = fill(&f, error);
	if (status != PLAIT_OK)
		plait__lane_merge_free(merge, plan, allocator);
	return status;
}

void plait__lane_merge_free(plait__lane_merge *merge, const plait__plan *plan,
			    const plait_allocator *allocator)
{
	plait__lane_merge empty;

	plait__free(allocator, merge->block, carve(&empty, plan, NULL));
	memset(merge, 0, sizeof(*merge));
}
