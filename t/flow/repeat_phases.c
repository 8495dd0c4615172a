/* SPDX-License-Identifier: MIT */
/* Repeats that a flow finds: runs of several periods, trials against plain tasks, rests of
 * the search.  Tasks, failure, life: flow_repeats.c. */
#include "counted_stretches.h"

/* Rows of four periods: each run has four.  The failure tells so. */
static void has_longer_runs(void)
{
	enum { ROW = 4, ROWS = 8 };

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!open_repeats(&flow_settings[s], 512))
			continue;
		for (uint32_t i = 0; i < ROWS; i++) {
			repeat(ROW);
			IS_INT(wait_task(0), PLAIT_OK);
		}
		check_calls(ROWS * ROW, 0);
		OK(count_repeated() > ROWS * ROW * STRETCH / 2);
		/* No run was cut short for a longer one. */
		IS_UINT(count_repeated() % STRETCH, 0);
		counters[3].result = 5;
		repeat(ROW);
		IS_INT(wait_task(0), PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "80 repeated tasks");
		/* Fewer periods than expected. */
		memset(counters, 0, sizeof(counters));
		for (uint32_t i = 0; i < ROWS; i++) {
			repeat(1);
			IS_INT(wait_task(0), PLAIT_OK);
		}
		check_calls(ROWS, 0);
		close_repeats();
	}
}

/* Each task runs once, whatever the trials choose; some intervals are plain. */
static void is_judged(void)
{
	enum { INTERVALS = 400 };

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t tasks;

		if (!open_repeats(&flow_settings[s], 256))
			continue;
		for (uint32_t i = 0; i < INTERVALS; i++) {
			submit_tasks(STRETCH);
			IS_INT(wait_task(0), PLAIT_OK);
		}
		check_calls(INTERVALS, 0);
		tasks = count_repeated();
		OK(tasks >= 40 * STRETCH && tasks % STRETCH == 0);
		OK(tasks <= (INTERVALS - 8) * STRETCH);
		close_repeats();
	}
}

/* Tasks that do not repeat end the search for a while; then it finds those that do. */
static void rests(void)
{
	enum { OTHERS = 10000, MANY = 1000 };
	static struct counter others[OTHERS];

	if (!open_repeats(&flow_settings[0], 256))
		return;
	for (uint32_t i = 0; i < OTHERS; i++)
		call_task("other", count_call, &others[i], NULL, 0);
	repeat(LOOPS);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(count_repeated(), 0);
	repeat(MANY);
	IS_INT(wait_task(0), PLAIT_OK);
	OK(count_repeated() > 0);
	check_calls(LOOPS + MANY, 0);
	close_repeats();
}

static const struct tap_scenario all[] = {
	{ "has longer runs", has_longer_runs },
	{ "is judged", is_judged },
	{ "rests", rests },
};

TAP_MAIN(all)
