/* SPDX-License-Identifier: MIT */
/* Marks of a task with many predecessors: their bound against their count. */
#include "lib/tap.h"

#include "flow/commit.h"

#include <inttypes.h>

enum { SMALL = 400, TRIES = 200000 };

/* Marks of the groups of one kind in a round; replaces the count of these. */
static uint64_t mark_groups(uint64_t *count)
{
	uint64_t marks = *count / PLAIT__OP_PREDS +
			 (*count % PLAIT__OP_PREDS > 1);

	*count = (*count + PLAIT__OP_PREDS - 1) / PLAIT__OP_PREDS;
	return marks;
}

/* The marks that so many predecessors of the two kinds get. */
static uint64_t count_marks(uint64_t true_ones, uint64_t others)
{
	uint64_t marks = 0;

	while (true_ones + others > PLAIT__OP_PREDS)
		marks += mark_groups(&true_ones) + mark_groups(&others);
	return marks;
}

static bool is_bounded(uint64_t true_ones, uint64_t others)
{
	uint64_t marks = count_marks(true_ones, others);
	uint64_t bound = plait__commit_marks(true_ones + others);

	return marks <= bound ||
	       !OK_THAT(false, "%" PRIu64 " true ones, %" PRIu64 " others: "
			"%" PRIu64 " marks, at most %" PRIu64, true_ones,
			others, marks, bound);
}

static void few(void)
{
	for (uint64_t t = 0; t < SMALL; t++)
		for (uint64_t f = 0; f < SMALL; f++)
			if (!is_bounded(t, f))
				return;
	IS_UINT(plait__commit_marks(PLAIT__OP_PREDS), 0);
	IS_UINT(plait__commit_marks(PLAIT__OP_PREDS + 1), 3);
}

/* Groups that are not full in each round. */
static void many(void)
{
	OK(is_bounded(11112, 111112));
	OK(is_bounded(511112, 411112));
	OK(is_bounded(411112, 511112));
	OK(is_bounded(1 << 20, 0));
}

static void windows(void)
{
	uint64_t state = tap_seed();

	for (int i = 0; i < TRIES; i++) {
		uint64_t t, f;

		state = state * UINT64_C(6364136223846793005) + 1;
		t = (state >> 40) % PLAIT__WINDOW_MOST;
		f = (state >> 20) % (PLAIT__WINDOW_MOST - t);
		if (!is_bounded(t, f))
			return;
	}
	OK(true);
}

static const struct tap_scenario all[] = {
	{ "few predecessors", few },
	{ "many predecessors", many },
	{ "windows of predecessors", windows },
};

TAP_MAIN(all)
