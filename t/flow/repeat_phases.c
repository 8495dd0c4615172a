/* SPDX-License-Identifier: MIT */
/* Repeats that a flow finds: runs of several periods, trials against plain tasks, rests of
 * the search.  Tasks, failure, life: flow_repeats.c. */
#include "flows.h"

enum { STRETCH = 20, LOOPS = 12 };

static struct counter {
	uint64_t calls;
	int32_t result;
} counters[STRETCH];
static plait_data *line;
static plait_box boxes[STRETCH];
static plait_task numbers[STRETCH];

static int32_t count_call(void *user_data)
{
	struct counter *counter = user_data;

	counter->calls++;
	return counter->result;
}

static bool open_repeats(const struct flow_setting *setting, uint32_t window)
{
	memset(counters, 0, sizeof(counters));
	flow_flags = PLAIT_FLOW_REPEATS;
	if (!open_flow(setting, window))
		return false;
	line = new_data(1, STRETCH, 0, 0, 8, "line");
	return true;
}

static void close_repeats(void)
{
	plait_data_release(line);
	close_flow();
}

/* Task i writes element i, and reads the one before it. */
static plait_status submit_task(uint32_t i, plait_task *out)
{
	const plait_access accesses[] = {
		access_of(line, PLAIT_ACCESS_WRITE, &boxes[i]),
		access_of(line, PLAIT_ACCESS_READ, &boxes[i > 0 ? i - 1 : 0]),
	};
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = count_call, .user_data = &counters[i],
		.accesses = accesses, .access_count = i > 0 ? 2 : 1,
	};

	boxes[i] = (plait_box){ { i, 0, 0 }, { i + 1, 1, 1 } };
	return plait_flow_submit(flow, &desc, out, &flow_rig.error);
}

static void submit_tasks(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		OK_THAT(submit_task(i, &numbers[i]) == PLAIT_OK, "submit: %s",
			flow_rig.error.text);
}

/* As many whole stretches; from the sixth on they are runs. */
static void repeat(uint32_t loops)
{
	for (uint32_t loop = 0; loop < loops; loop++)
		submit_tasks(STRETCH);
}

static void check_calls(uint64_t loops, uint32_t more)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < STRETCH; i++)
		wrong += counters[i].calls != loops + (i < more);
	IS_UINT(wrong, 0);
}

static uint64_t repeated(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	return info.repeated;
}

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
		OK(repeated() > ROWS * ROW * STRETCH / 2);
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
		tasks = repeated();
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
	IS_UINT(repeated(), 0);
	repeat(MANY);
	IS_INT(wait_task(0), PLAIT_OK);
	OK(repeated() > 0);
	check_calls(LOOPS + MANY, 0);
	close_repeats();
}

static const struct tap_scenario all[] = {
	{ "has longer runs", has_longer_runs },
	{ "is judged", is_judged },
	{ "rests", rests },
};

TAP_MAIN(all)
