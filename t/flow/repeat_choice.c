/* SPDX-License-Identifier: MIT */
/* Repeats: the faster way is chosen, looked at again, and changed; rows of periods and the
 * runs for them. */
#include "lib/tap.h"

#include "flow/repeat/repeat_choice.h"
#include "flow/repeat/repeat_row.h"

enum { TASKS = 100, INTERVALS = 20000 };

static uint64_t seed = 1;

/* From 0 to 99. */
static uint64_t percent(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % 100;
}

/* Intervals whose tasks take so long each; of ten one takes ten times as long.  Returns how
 * many were plain. */
static uint32_t run(plait__repeat_choice *choice, uint32_t intervals,
		    uint64_t run_ns, uint64_t plain_ns)
{
	uint32_t plain = 0;

	for (uint32_t i = 0; i < intervals; i++) {
		bool is_plain = plait__repeat_choice_is_plain(choice);
		uint64_t ns = TASKS * (is_plain ? plain_ns : run_ns);

		plait__repeat_choice_add(choice, is_plain,
					 percent() < 10 ? 10 * ns : ns, TASKS);
		plain += is_plain;
	}
	return plain;
}

static void chooses(void)
{
	plait__repeat_choice choice = { .left = 0 };
	uint32_t plain = run(&choice, INTERVALS, 500, 1000);

	OK_THAT(plain < INTERVALS / 100, "%u of %d are plain", plain,
		INTERVALS);
	choice = (plait__repeat_choice){ .left = 0 };
	plain = run(&choice, INTERVALS, 1000, 500);
	OK_THAT(plain > INTERVALS - INTERVALS / 100, "%u of %d are plain",
		plain, INTERVALS);
}

/* Equal times: runs are not worth what they hold back. */
static void prefers_plain(void)
{
	plait__repeat_choice choice = { .left = 0 };

	OK(run(&choice, INTERVALS, 500, 500) > INTERVALS - INTERVALS / 100);
}

/* The tasks change: the next trial finds that out, and the one behind it comes soon. */
static void changes(void)
{
	const uint32_t most = PLAIT__REPEAT_MOST + 2 * PLAIT__REPEAT_TRIALS;
	plait__repeat_choice choice = { .left = 0 };
	uint32_t intervals = 0;

	(void)run(&choice, INTERVALS, 500, 1000);
	OK(!choice.is_plain);
	IS_UINT(choice.rest, PLAIT__REPEAT_MOST);
	for (; !choice.is_plain && intervals < most; intervals++)
		(void)run(&choice, 1, 1000, 500);
	OK(choice.is_plain);
	IS_UINT(choice.rest, PLAIT__REPEAT_LEAST);
}

/* A program whose intervals differ in turn: both kinds see all of them. */
static void is_fair(void)
{
	for (uint32_t cycle = 1; cycle <= 4; cycle *= 2) {
		plait__repeat_choice choice = { .left = 0 };
		uint64_t sums[2] = { 0, 0 };

		for (uint32_t i = 0; i < 2 * PLAIT__REPEAT_TRIALS; i++)
			sums[plait__repeat_choice_is_plain(&choice)] +=
				i % cycle;
		IS_UINT(sums[0], sums[1]);
	}
}

static void has_rows(void)
{
	plait__repeat_row row = { .now = 0 };

	row.now = 5;
	IS_UINT(plait__repeat_row_left(&row, 100), 0);
	plait__repeat_row_end(&row);
	plait__repeat_row_end(&row);
	IS_UINT(plait__repeat_row_left(&row, 100), 0);
	row.now = 20;
	plait__repeat_row_end(&row);
	row.now = 2;
	IS_UINT(plait__repeat_row_left(&row, 100), 3);
	row.now = 6;
	IS_UINT(plait__repeat_row_left(&row, 100), 0);
	row.now = 100;
	OK(plait__repeat_row_left(&row, 100) == PLAIT__REPEAT_ROW_ENDLESS);
}

/* Rows are steady when two in a row are equal, or none seem to come, or one goes on. */
static void are_steady(void)
{
	plait__repeat_row row = { .now = 16 };

	plait__repeat_row_end(&row);
	OK(!plait__repeat_row_is_steady(&row, 100));
	row.now = 20;
	plait__repeat_row_end(&row);
	OK(!plait__repeat_row_is_steady(&row, 100));
	row.now = 20;
	OK(!plait__repeat_row_is_steady(&row, 100));
	OK(plait__repeat_row_is_steady(&row, 20));
	plait__repeat_row_end(&row);
	OK(plait__repeat_row_is_steady(&row, 100));
	for (uint32_t i = 0; i < 8; i++) {
		row.now = 10 + i;
		plait__repeat_row_end(&row);
	}
	OK(plait__repeat_row_is_steady(&row, 100));
}

static void divides_rows(void)
{
	IS_UINT(plait__repeat_row_times(20, 32), 20);
	IS_UINT(plait__repeat_row_times(80, 32), 20);
	IS_UINT(plait__repeat_row_times(83, 32), 32);
	IS_UINT(plait__repeat_row_times(PLAIT__REPEAT_ROW_ENDLESS, 16), 16);
	IS_UINT(plait__repeat_row_times(0, 32), 0);
	IS_UINT(plait__repeat_row_times(7, 0), 0);
}

static const struct tap_scenario all[] = {
	{ "chooses", chooses },
	{ "prefers plain tasks", prefers_plain },
	{ "changes", changes },
	{ "is fair", is_fair },
	{ "has rows", has_rows },
	{ "are steady", are_steady },
	{ "divides rows", divides_rows },
};

TAP_MAIN(all)
