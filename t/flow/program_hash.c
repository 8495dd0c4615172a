/* SPDX-License-Identifier: MIT */
/* Hash of a program: horizons, and the first task that differs. */
#include "lib/tap.h"

#include "flow/rank/program_hash.h"

#include <stdio.h>
#include <string.h>

enum { PERIOD = 8 };

static plait__program_hash one, other;

static void begin(void)
{
	memset(&one, 0, sizeof(one));
	memset(&other, 0, sizeof(other));
	plait__program_hash_init(&one, PERIOD);
	plait__program_hash_init(&other, PERIOD);
}

/* Add a task to one of them; returns its horizon if that is over. */
static const plait__horizon *add(plait__program_hash *hash, uint64_t task,
				 bool is_changed)
{
	char label[32];

	snprintf(label, sizeof(label), "task %llu", (unsigned long long)task);
	return plait__program_hash_add(
		hash, plait__program_hash_mix(task, is_changed), label);
}

static void ends_horizons(void)
{
	uint32_t over = 0;

	begin();
	for (uint64_t i = 1; i <= 100 * PERIOD; i++) {
		const plait__horizon *horizon = add(&one, i, false);

		if (horizon == NULL)
			continue;
		over++;
		OK(i % PERIOD == 0 && horizon->number == i / PERIOD &&
		   horizon->count == PERIOD && horizon->end == 0);
		IS_PTR(plait__program_hash_find(&one, horizon->number),
		       horizon);
	}
	IS_UINT(over, 100);
	OK(plait__program_hash_find(&one, 101) == NULL);
	OK(plait__program_hash_find(&one, 0) == NULL);
	OK(plait__program_hash_find(&one, 100 - PLAIT__HORIZON_KEPT) == NULL);
	OK(plait__program_hash_find(&one, 95) != NULL);
	IS_STR(plait__program_hash_label(&one, 95, 3), "task 756");
}

static void finds_the_first_difference(void)
{
	for (uint32_t at = 0; at < 2 * PERIOD; at++) {
		begin();
		for (uint32_t i = 0; i < 2 * PERIOD; i++) {
			(void)add(&one, i, false);
			(void)add(&other, i, i == at);
		}
		for (uint64_t h = 1; h <= 2; h++)
			IS_UINT(plait__program_hash_differ(
					&one, plait__program_hash_find(&one, h),
					plait__program_hash_find(&other, h)),
				h == at / PERIOD + 1 ? at % PERIOD :
				h == 1 ? PLAIT__HORIZON_TASKS : 0);
	}
}

static void compares_with_an_end(void)
{
	plait__horizon last;

	begin();
	for (uint32_t i = 0; i < PERIOD; i++)
		(void)add(&one, i, false);
	for (uint32_t i = 0; i < 3; i++)
		(void)add(&other, i, false);
	last = plait__program_hash_end(&other, PLAIT__HORIZON_LAST);
	OK(last.end != 0 && last.count == 3 && last.number == 1);
	IS_UINT(plait__program_hash_differ(
			&one, plait__program_hash_find(&one, 1),
					   &last), 3);
	for (uint32_t i = 3; i < PERIOD; i++)
		(void)add(&other, i, false);
	last = plait__program_hash_end(&other, PLAIT__HORIZON_LAST);
	OK(last.end != 0 && last.count == 0 && last.number == 2);
}

/* A part of a horizon that a rank tells of while it submits: tasks that one of the
 * two does not have yet are no difference. */
static void compares_parts(void)
{
	plait__horizon part;

	begin();
	for (uint32_t i = 0; i < 5; i++)
		(void)add(&one, i, i == 4);
	for (uint32_t i = 0; i < 3; i++)
		(void)add(&other, i, false);
	part = plait__program_hash_end(&other, 0);
	IS_UINT(plait__program_hash_differ(
			&one, plait__program_hash_kept(&one, 1),
					   &part), PLAIT__HORIZON_TASKS);
	OK(!plait__program_hash_newest_differs(
		&one, plait__program_hash_kept(&one, 1), &part));
	part.end = PLAIT__HORIZON_LAST;
	IS_UINT(plait__program_hash_differ(
			&one, plait__program_hash_kept(&one, 1),
					   &part), 3);
	OK(plait__program_hash_newest_differs(
		&one, plait__program_hash_kept(&one, 1), &part));
	for (uint32_t i = 3; i < 6; i++)
		(void)add(&other, i, false);
	part = plait__program_hash_end(&other, PLAIT__HORIZON_LEFT);
	OK(part.end == PLAIT__HORIZON_LEFT);
	IS_UINT(plait__program_hash_differ(
			&one, plait__program_hash_kept(&one, 1),
					   &part), 4);
	OK(plait__program_hash_newest_differs(
		&one, plait__program_hash_kept(&one, 1), &part));
	OK(plait__program_hash_kept(&one, 2) == NULL);
}

/* A rank whose process ends submits no more. */
static void compares_with_one_that_left(void)
{
	plait__horizon left;

	begin();
	for (uint32_t i = 0; i < 4; i++)
		(void)add(&one, i, false);
	for (uint32_t i = 0; i < 3; i++)
		(void)add(&other, i, false);
	left = plait__program_hash_end(&other, PLAIT__HORIZON_LEFT);
	IS_UINT(plait__program_hash_differ(
			&one, plait__program_hash_kept(&one, 1),
					   &left), 3);
	OK(plait__program_hash_newest_differs(
		&one, plait__program_hash_kept(&one, 1), &left));
	IS_UINT(plait__program_hash_differ(
			&other, plait__program_hash_kept(&other, 1),
					   &left), PLAIT__HORIZON_TASKS);
}

/* Words that are equal when they are cut: the hash up to the newest task is whole. */
static void compares_all_bits(void)
{
	plait__horizon last;

	for (uint32_t more = 0; more <= 3; more++) {
		begin();
		for (uint32_t i = 0; i < 4; i++) {
			(void)plait__program_hash_add(&one, i == 2 ? 1 : i, "");
			(void)plait__program_hash_add(
				&other, i == 2 ? UINT64_C(1) << 16 : i, "");
		}
		last = plait__program_hash_end(&other, PLAIT__HORIZON_LAST);
		OK(plait__program_hash_newest_differs(
			&one, plait__program_hash_kept(&one, 1), &last));
		for (uint32_t i = 0; i < more; i++)
			(void)plait__program_hash_add(&one, i, "");
		IS_UINT(plait__program_hash_differ(
				&one, plait__program_hash_kept(&one, 1), &last),
			3);
		last = plait__program_hash_end(&one, 0);
		IS_UINT(plait__program_hash_differ(
				&other, plait__program_hash_kept(&other, 1),
				&last),
			more == 0 ? 3 : PLAIT__HORIZON_TASKS);
	}
}

/* Tasks in another order, or one more, are another program. */
static void mixes_order(void)
{
	begin();
	(void)add(&one, 1, false);
	(void)add(&one, 2, false);
	(void)add(&other, 2, false);
	(void)add(&other, 1, false);
	OK(one.hash != other.hash);
}

static const struct tap_scenario all[] = {
	{ "ends horizons", ends_horizons },
	{ "finds the first difference", finds_the_first_difference },
	{ "compares with an end", compares_with_an_end },
	{ "compares parts", compares_parts },
	{ "compares with one that left", compares_with_one_that_left },
	{ "compares all bits", compares_all_bits },
	{ "mixes order", mixes_order },
};

TAP_MAIN(all)
