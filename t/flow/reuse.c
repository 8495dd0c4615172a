/* SPDX-License-Identifier: MIT */
/*
 * Predicted next uses, beside the optimum: a model of one memory runs programs of
 * tasks, evicts by the predictions, by LRU, and by the next use that the program
 * really has (Belady), and counts what it loads and saves.
 */
#include "lib/tap.h"

#include "flow/memory/reuse.h"

#include <stdlib.h>
#include <string.h>

enum { USES = 4, MOST_TASKS = 8192, MOST_DATA = 512 };

/* A task: data that it reads, and behind them one that it changes. */
struct task {
	int count;
	int data[USES];
};

static struct task program[MOST_TASKS];
static int tasks;

static uint64_t state;

static int below(int limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int)(state % (uint64_t)limit);
}

static void add(int count, int a, int b, int c, int d)
{
	if (tasks == MOST_TASKS)
		abort();
	program[tasks++] = (struct task){ count, { a, b, c, d } };
}

/* ---- the memory ---- */

enum policy { PREDICTED, LRU, BELADY };

static struct datum {
	plait__reuse reuse;
	bool is_here;
	bool is_dirty;
} data[MOST_DATA];

static plait__reuse_clock reuse_clock;
static int here, moved;

static bool uses(const struct task *task, int d)
{
	for (int i = 0; i < task->count; i++)
		if (task->data[i] == d)
			return true;
	return false;
}

static uint64_t next_use(int t, int d)
{
	while (++t < tasks)
		if (uses(&program[t], d))
			break;
	return (uint64_t)t;
}

static uint64_t gain(enum policy policy, int t, int d)
{
	const struct datum *at = &data[d];

	switch (policy) {
	case PREDICTED:
		return plait__reuse_gain(&reuse_clock, &at->reuse,
					 !at->is_dirty);
	case LRU:
		return UINT64_MAX - at->reuse.last;
	default:
		return 2 * next_use(t, d) + !at->is_dirty;
	}
}

static bool can_go(int t, int d)
{
	return data[d].is_here && !uses(&program[t], d);
}

static int choose(enum policy policy, int t)
{
	uint64_t largest = 0;
	int best = -1;

	for (int d = 0; d < MOST_DATA; d++)
		if (can_go(t, d) && gain(policy, t, d) > largest)
			largest = gain(policy, t, d);
	for (int d = 0; d < MOST_DATA; d++) {
		if (!can_go(t, d) ||
		    (policy == PREDICTED ?
			     !plait__reuse_is_large(gain(policy, t, d),
						    largest) :
			     gain(policy, t, d) != largest))
			continue;
		if (best < 0 || data[d].reuse.last < data[best].reuse.last)
			best = d;
	}
	return best;
}

static void evict(int d)
{
	moved += data[d].is_dirty;
	data[d].is_here = data[d].is_dirty = false;
	data[d].reuse.was_evicted = true;
	here--;
}

static void run_task(enum policy policy, int t, int capacity)
{
	const struct task *task = &program[t];

	plait__reuse_tick(&reuse_clock);
	for (int i = 0; i < task->count; i++) {
		struct datum *at = &data[task->data[i]];

		if (at->is_here)
			continue;
		while (here == capacity)
			evict(choose(policy, t));
		at->is_here = true;
		here++;
		moved++;
	}
	for (int i = 0; i < task->count; i++)
		plait__reuse_note(&reuse_clock, &data[task->data[i]].reuse);
	data[task->data[task->count - 1]].is_dirty = true;
}

/* Returns how many data are loaded and saved. */
static int run(enum policy policy, int capacity)
{
	memset(data, 0, sizeof(data));
	reuse_clock = (plait__reuse_clock){ 0 };
	here = moved = 0;
	for (int t = 0; t < tasks; t++)
		run_task(policy, t, capacity);
	for (int d = 0; d < MOST_DATA; d++)
		moved += data[d].is_dirty;
	return moved;
}

/* At most `most` hundredths of the optimum. */
static void compare(const char *name, int capacity, int most)
{
	int optimum = run(BELADY, capacity), lru = run(LRU, capacity);
	int predicted = run(PREDICTED, capacity);

	OK_THAT(100 * (long)predicted <= most * (long)optimum,
		"%s: %d moves, LRU %d, the optimum %d", name, predicted, lru,
		optimum);
	NOTE("%s in %d: %.2f of the optimum, LRU %.2f", name, capacity,
	     (double)predicted / optimum, (double)lru / optimum);
	tasks = 0;
}

/* ---- sweeps ---- */

static void sweep(int count, int times, bool turns)
{
	for (int k = 0; k < times; k++)
		for (int i = 0; i < count; i++)
			add(1, turns && k % 2 != 0 ? count - 1 - i : i, 0, 0,
			    0);
}

/* Two arrays in turn: each element from three of the other one. */
static void stencil(int count, int times)
{
	for (int k = 0; k < times; k++) {
		const int from = k % 2 != 0 ? count : 0, to = count - from;

		for (int i = 0; i < count; i++) {
			const int before = from + (i > 0 ? i - 1 : i + 1);
			const int after = from + (i + 1 < count ? i + 1 :
								  i - 1);

			add(4, before, from + i, after, to + i);
		}
	}
}

static void sweeps(void)
{
	sweep(16, 20, false);
	compare("a sweep of 16", 4, 110);
	sweep(64, 20, false);
	compare("a sweep of 64", 16, 110);
	sweep(64, 20, false);
	compare("a sweep of 64", 60, 110);
	sweep(16, 10, false);
	compare("ten sweeps of 16", 12, 130);
	sweep(64, 20, true);
	compare("back and forth over 64", 16, 105);
	sweep(64, 6, false);
	sweep(64, 6, true);
	compare("forward, then back and forth", 16, 110);
	stencil(32, 20);
	compare("a stencil of 64", 16, 115);
	stencil(32, 20);
	compare("a stencil of 64", 32, 125);
}

/* The best order by hand of a sweep turns at each end. */
static void by_hand(void)
{
	int hand, forward;

	sweep(64, 20, true);
	hand = run(BELADY, 16);
	tasks = 0;
	sweep(64, 20, false);
	forward = run(PREDICTED, 16);
	tasks = 0;
	OK_THAT(10 * forward <= 13 * hand, "%d moves, by hand %d", forward,
		hand);
}

/* ---- matrices ---- */

static void multiply(int n, bool outer)
{
	const int b = n * n, c = 2 * n * n;

	for (int x = 0; x < n; x++)
		for (int y = 0; y < n; y++)
			for (int z = 0; z < n; z++) {
				const int i = outer ? y : x;
				const int j = outer ? z : y;
				const int k = outer ? x : z;

				add(3, i * n + k, b + k * n + j, c + i * n + j,
				    0);
			}
}

static void factor(int n)
{
	for (int k = 0; k < n; k++) {
		add(1, k * n + k, 0, 0, 0);
		for (int i = k + 1; i < n; i++)
			add(2, k * n + k, i * n + k, 0, 0);
		for (int i = k + 1; i < n; i++) {
			for (int j = k + 1; j < i; j++)
				add(3, i * n + k, j * n + k, i * n + j, 0);
			add(2, i * n + k, i * n + i, 0, 0);
		}
	}
}

static void matrices(void)
{
	multiply(8, false);
	compare("a product, 192 tiles", 48, 130);
	multiply(8, false);
	compare("a product, 192 tiles", 24, 130);
	multiply(8, true);
	compare("a product by outer ones", 48, 130);
	multiply(12, false);
	compare("a product, 432 tiles", 108, 130);
	factor(12);
	compare("Cholesky, 78 tiles", 20, 130);
	factor(16);
	compare("Cholesky, 136 tiles", 34, 130);
}

/* ---- no order ---- */

/* Of ten uses `hot` are of one data in eight. */
static void choose_at_random(int count, int times, int hot)
{
	for (int t = 0; t < times; t++) {
		int from = below(below(10) < hot ? count / 8 : count);
		int to = below(below(10) < hot ? count / 8 : count);

		if (from == to)
			add(1, to, 0, 0, 0);
		else
			add(2, from, to, 0, 0);
	}
}

/* No policy knows the future here: it is not worse than LRU. */
static void at_random(void)
{
	state = tap_seed() + 1;
	for (int hot = 0; hot <= 9; hot += 3) {
		int lru, predicted;

		choose_at_random(64, 3000, hot);
		lru = run(LRU, 16);
		predicted = run(PREDICTED, 16);
		OK_THAT(100 * predicted <= 105 * lru, "%d moves, LRU %d",
			predicted, lru);
		NOTE("random, %d of 10 hot: %d moves, LRU %d", hot, predicted,
		     lru);
		tasks = 0;
	}
}

static const struct tap_scenario all[] = {
	{ "sweeps", sweeps },
	{ "by hand", by_hand },
	{ "matrices", matrices },
	{ "at random", at_random },
};

TAP_MAIN(all)
