/* SPDX-License-Identifier: MIT */
/* Choice between runs and plain tasks; see repeat_choice.h. */
#include "flow/repeat/repeat_choice.h"

enum {
	TRIALS = PLAIT__REPEAT_TRIALS,
	SCALE = 64,
	/* Runs are chosen if they take 1/32 less: they hold tasks back. */
	LEAST_GAIN = 32
};

/* Intervals in the order A B B A B A A B: neither a drift nor a program that alternates
 * favours a kind. */
static bool is_plain_trial(uint32_t i)
{
	return ((i ^ i >> 1 ^ i >> 2) & 1) != 0;
}

bool plait__repeat_choice_is_plain(plait__repeat_choice *choice)
{
	if (choice->left == 0)
		return is_plain_trial(choice->begun++);
	choice->left--;
	return choice->is_plain;
}

/* Insert the newest time, so that they are sorted. */
static void insert(uint64_t *times, uint32_t count, uint64_t time)
{
	for (; count > 0 && times[count - 1] > time; count--)
		times[count] = times[count - 1];
	times[count] = time;
}

/* The lower quartile: a thread that was preempted makes an interval longer. */
static uint64_t time_of(const plait__repeat_choice *choice, bool is_plain)
{
	return choice->times[is_plain][(TRIALS - 1) / 4];
}

static void judge(plait__repeat_choice *choice)
{
	uint64_t runs = time_of(choice, false), plain = time_of(choice, true);
	bool is_plain = runs > plain - plain / LEAST_GAIN;

	if (choice->rest == 0 || is_plain != choice->is_plain)
		choice->rest = PLAIT__REPEAT_LEAST;
	else if (choice->rest < PLAIT__REPEAT_MOST)
		choice->rest *= 2;
	choice->is_plain = is_plain;
	choice->left = choice->rest;
	choice->begun = choice->counts[0] = choice->counts[1] = 0;
}

void plait__repeat_choice_add(plait__repeat_choice *choice, bool is_plain,
			      uint64_t ns, uint64_t tasks)
{
	uint32_t *count = &choice->counts[is_plain];

	if (choice->left != 0 || *count == TRIALS)
		return;
	insert(choice->times[is_plain], (*count)++, ns * SCALE / tasks);
	if (choice->counts[0] == TRIALS && choice->counts[1] == TRIALS)
		judge(choice);
}
