/* SPDX-License-Identifier: MIT */
/* Predicted next uses; see reuse.h. */
#include "flow/memory/reuse.h"

enum { MISSES_ALL = 1 << 16, MISSES_MOST = 3 * MISSES_ALL / 10, MEAN_OF = 64 };

void plait__reuse_tick(plait__reuse_clock *clock)
{
	clock->now++;
}

/* The gap that is expected next; 0: none is known. */
static uint64_t predict(const plait__reuse *reuse)
{
	return reuse->gaps[1] != 0 ? reuse->gaps[1] : reuse->gaps[0];
}

/* A prediction is right within a quarter of the larger one. */
static bool is_right(uint64_t predicted, uint64_t gap)
{
	uint64_t larger = predicted > gap ? predicted : gap;
	uint64_t smaller = predicted > gap ? gap : predicted;

	return larger - smaller <= larger / 4;
}

static void judge(plait__reuse_clock *clock, uint64_t predicted, uint64_t gap)
{
	clock->misses -= clock->misses / MEAN_OF;
	if (predicted != 0 && !is_right(predicted, gap))
		clock->misses += MISSES_ALL / MEAN_OF;
}

void plait__reuse_note(plait__reuse_clock *clock, plait__reuse *reuse)
{
	uint64_t gap = clock->now - reuse->last;

	/* Launches in a row are one use. */
	if (reuse->last != 0 && gap > 1) {
		judge(clock, predict(reuse), gap);
		reuse->gaps[1] = reuse->gaps[0];
		reuse->gaps[0] = gap;
		if (reuse->was_evicted)
			clock->load_gap = gap;
	}
	reuse->last = clock->now;
	reuse->was_evicted = false;
}

uint64_t plait__reuse_gain(const plait__reuse_clock *clock,
			   const plait__reuse *reuse, bool is_saved)
{
	const bool is_regular = clock->misses < MISSES_MOST;
	const uint64_t age = clock->now - reuse->last;
	uint64_t gap = predict(reuse);

	if (gap == 0)
		gap = clock->load_gap;
	if (gap > age)
		gap -= age;
	else
		gap = age + 1 + (is_regular ? clock->load_gap : 0);
	/* The last bit: of equal ones the one that need not be saved. */
	return 2 * (is_saved && !is_regular ? 2 * gap : gap) + is_saved;
}
