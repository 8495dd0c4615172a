/* SPDX-License-Identifier: MIT */
/*
 * Launches that repeat, on owner maps that a memo changes, and on others that are
 * planned each time: both have the same versions, whatever other tasks come between.
 */
#include "lib/tap.h"

#include "flow/access/front_access.h"
#include "flow/rank/owner_memo.h"
#include "flow/rank/task_ranks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 24, TALL = 3, RANKS = 4, DATA = 2, LAUNCHES = 3, STEPS = 80 };
enum { WITH_MEMO, PLANNED, SETS };

static const plait_box whole = { { 0, 0, 0 }, { WIDE, TALL, 1 } };

static plait__coherence maps[SETS][DATA];
static plait__owner_memo memos[LAUNCHES];
static plait__vector room, transfers;
static uint64_t state;
static uint32_t newest, hits; /* task; replays */

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void begin(void)
{
	const plait_allocator *allocator = plait__alloc_default();

	newest = 0;
	plait__vector_init(&room, allocator, sizeof(plait__version));
	plait__vector_init(&transfers, allocator, sizeof(plait__rank_transfer));
	for (int s = 0; s < SETS; s++)
		for (int d = 0; d < DATA; d++)
			OK(plait__task_ranks_init(&maps[s][d], allocator,
						  &whole, RANKS));
	for (int k = 0; k < LAUNCHES; k++)
		plait__owner_memo_init(&memos[k], allocator);
}

static void end(void)
{
	for (int s = 0; s < SETS; s++)
		for (int d = 0; d < DATA; d++)
			plait__coherence_fini(&maps[s][d]);
	for (int k = 0; k < LAUNCHES; k++)
		plait__owner_memo_fini(&memos[k]);
	plait__vector_fini(&room);
	plait__vector_fini(&transfers);
}

static void run(int set, const plait_box *from, const plait_box *to, int source,
		uint32_t rank, uint32_t number)
{
	const plait__rank_access accesses[] = {
		{ &maps[set][source], &whole, *from, 8, PLAIT__ACCESS_READS },
		{ &maps[set][1 - source], &whole, *to, 8,
		  PLAIT__ACCESS_WRITES },
	};
	const plait__rank_task task = { rank, RANKS, number };

	plait__vector_truncate(&transfers, 0);
	OK(plait__task_ranks_run(accesses, 2, &task, &room, &transfers));
}

/* The pieces of a launch, each with its neighbours: columns of one data to the other;
 * the last launch goes back in half of the rows. */
static void plan(int set, int launch, uint32_t base)
{
	const uint64_t part = WIDE / RANKS;

	for (uint32_t r = 0; r < RANKS; r++) {
		plait_box to = { { r * part, 0, 0 },
				 { (r + 1) * part, launch == 2 ? 1 : TALL, 1 } };
		plait_box from = to;

		from.low[0] -= r > 0;
		from.high[0] += r + 1 < RANKS;
		run(set, &from, &to, launch % 2, r, base + 1 + r);
	}
	for (int d = 0; d < DATA; d++)
		plait__owner_memo_settle(&maps[set][d]);
}

/* As planning, but from the memo if it has the state. */
static void plan_or_replay(int launch)
{
	plait__owner_memo *memo = &memos[launch];

	if (plait__owner_memo_replay(memo, newest)) {
		hits++;
		return;
	}
	plait__owner_memo_restart(memo);
	for (int d = 0; d < DATA; d++)
		OK(plait__owner_memo_add(memo, &maps[WITH_MEMO][d]));
	plan(WITH_MEMO, launch, newest);
	OK(plait__owner_memo_end(memo, newest, RANKS));
}

static bool are_equal(const plait__coherence *one, const plait__coherence *other)
{
	return one->join_at == other->join_at &&
	       one->versions.count == other->versions.count &&
	       memcmp(one->versions.items, other->versions.items,
		      one->versions.count * sizeof(plait__version)) == 0;
}

static void launch(int which)
{
	plan_or_replay(which);
	plan(PLANNED, which, newest);
	newest += RANKS;
	for (int d = 0; d < DATA; d++)
		OK(are_equal(&maps[WITH_MEMO][d], &maps[PLANNED][d]));
}

/* A task of another kind. */
static void disturb(void)
{
	uint64_t a = below(WIDE), b = below(WIDE);
	const plait_box box = { { a < b ? a : b, below(TALL), 0 },
				{ (a < b ? b : a) + 1, TALL, 1 } };
	uint32_t rank = (uint32_t)below(RANKS + 1);
	int source = (int)below(DATA);

	if (rank == RANKS)
		rank = PLAIT__TASK_RANKS_ALL;
	newest++;
	for (int s = 0; s < SETS; s++)
		run(s, &box, &box, source, rank, newest);
}

static void replays_what_repeats(void)
{
	begin();
	hits = 0;
	for (int i = 0; i < 20; i++)
		launch(i % 2);
	/* The first ones of each are not as the later ones. */
	OK_THAT(hits >= 12, "%u hits", hits);
	end();
}

static void is_as_planned(void)
{
	state = tap_seed() * UINT64_C(0x9e3779b97f4a7c15) | 1;
	hits = 0;
	for (int round = 0; round < 20; round++) {
		begin();
		for (int i = 0; i < STEPS; i++) {
			if (below(12) == 0)
				disturb();
			launch(below(8) == 0 ? 2 : i % 2);
		}
		end();
	}
	OK_THAT(hits > 0, "%u hits", hits);
}

/* All ranks write both data, in so many tasks of equal rows. */
static void write_all(uint64_t tasks)
{
	for (uint64_t i = 0; i < 2 * tasks; i++) {
		const uint64_t part = TALL / tasks, k = i % tasks;
		const plait_box box = { { 0, k * part, 0 },
					{ WIDE, (k + 1) * part, 1 } };

		newest++;
		for (int s = 0; s < SETS; s++)
			run(s, &box, &box, i < tasks, PLAIT__TASK_RANKS_ALL,
			    newest);
	}
	for (int s = 0; s < SETS; s++)
		for (int d = 0; d < DATA; d++)
			plait__owner_memo_settle(&maps[s][d]);
}

/* The same boxes and ranks, but what several tasks wrote one has written now. */
static void compares_writers(void)
{
	begin();
	write_all(TALL);
	launch(1);
	write_all(TALL);
	hits = 0;
	launch(1);
	IS_UINT(hits, 1);
	write_all(1);
	launch(1);
	IS_UINT(hits, 1);
	write_all(TALL);
	launch(1);
	end();
}

/* One element more than a map may have versions, each of a task. */
static void passes_over_many_versions(void)
{
	enum { MOST = PLAIT__OWNER_MEMO_MOST };
	const plait_allocator *allocator = plait__alloc_default();
	const plait_box all = { { 0, 0, 0 }, { MOST + 1, 1, 1 } };
	plait__version before[MOST + 1];
	plait__owner_memo memo;
	plait__coherence map;

	plait__owner_memo_init(&memo, allocator);
	OK(plait__task_ranks_init(&map, allocator, &all, RANKS));
	/* From the last one on, which is not the order of a settled map. */
	for (uint32_t i = 0; i <= MOST; i++) {
		const plait_box box = { { MOST - i, 0, 0 },
					{ MOST - i + 1, 1, 1 } };

		plait__coherence_write(&map, &box, i + 1, i % RANKS);
		if (i + 2 != MOST)
			continue;
		plait__owner_memo_restart(&memo);
		OK(plait__owner_memo_add(&memo, &map));
	}
	IS_UINT(map.versions.count, MOST + 1);
	memcpy(before, map.versions.items, sizeof(before));
	plait__owner_memo_restart(&memo);
	OK(!plait__owner_memo_add(&memo, &map));
	plait__owner_memo_settle(&map);
	OK(memcmp(before, map.versions.items, sizeof(before)) == 0);
	plait__coherence_fini(&map);
	plait__owner_memo_fini(&memo);
}

static const struct tap_scenario all_scenarios[] = {
	{ "replays what repeats", replays_what_repeats },
	{ "is as planned", is_as_planned },
	{ "compares writers", compares_writers },
	{ "passes over many versions", passes_over_many_versions },
};

TAP_MAIN(all_scenarios)
