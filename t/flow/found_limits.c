/* SPDX-License-Identifier: MIT */
/* Stretches that a flow finds, and what stands in their way: room, submissions by functions,
 * more stretches than are kept.  Their runs: found_runs.c. */
#include "found_stretches.h"

#include <sched.h>

/* ---- back-pressure ---- */

enum { WINDOW = 128, TRIES = 2 * WINDOW / STRETCH * STRETCH };

static int32_t gate; /* not 0: `hold` returns */

static int32_t hold(void *user_data)
{
	(void)user_data;
	while (__atomic_load_n(&gate, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	return 0;
}

/* Task i of the stretch, without a wait for room; counts in expected[i]. */
static bool try_task(uint32_t i, uint64_t *expected)
{
	const plait_access access =
		access_of(line, PLAIT_ACCESS_READ_WRITE, &boxes[i]);
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = count_call, .user_data = &counters[i],
		.accesses = &access, .access_count = 1,
		.flags = PLAIT_TASK_NO_WAIT,
	};
	plait_task number = 0;
	plait_status status;

	boxes[i] = (plait_box){ { i, 0, 0 }, { i + 1, 1, 1 } };
	status = plait_flow_submit(flow, &desc, &number, &flow_rig.error);
	OK_THAT(status == (number != 0 ? PLAIT_OK : PLAIT_E_BUSY), "%d %s",
		status, flow_rig.error.text);
	expected[i] += number != 0;
	return number != 0;
}

/* So many stretches, without a wait for room. */
static void try_stretches(uint32_t loops, uint64_t *expected, uint32_t *refused)
{
	for (uint32_t i = 0; i < loops * STRETCH; i++)
		*refused += !try_task(i % STRETCH, expected);
}

/* A submission that is refused for room is no task, and all others are run once: parts of
 * runs, plain tasks, and those behind. */
static void refused_for_room(void)
{
	const struct flow_setting setting = { 1, 2 };
	uint64_t expected[STRETCH] = { 0 }, before, firsts;
	uint32_t refused = 0, wrong = 0;

	if (!open_repeats(&setting, WINDOW))
		return;
	tap_brief();
	for (uint32_t i = 0; i < KNOWN + 2; i++) {
		try_stretches(1, expected, &refused);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	IS_UINT(refused, 0);
	IS_UINT(count_repeated(), 2 * STRETCH);
	for (uint32_t round = 0; round < 3; round++) {
		const plait_access all =
			access_of(line, PLAIT_ACCESS_READ_WRITE, NULL);

		__atomic_store_n(&gate, 0, __ATOMIC_RELEASE);
		(void)call_task("hold", hold, NULL, &all, 1);
		before = count_repeated();
		firsts = expected[0];
		refused = 0;
		try_stretches(TRIES / STRETCH, expected, &refused);
		OK(refused > 0);
		OK(count_repeated() >= before + 2 * STRETCH);
		/* Of runs, and a plain one, for which there is still room. */
		IS_UINT(expected[0] - firsts, WINDOW / STRETCH + 1);
		__atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	before = count_repeated();
	refused = 0;
	for (uint32_t i = 0; i < 3; i++) {
		try_stretches(1, expected, &refused);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	IS_UINT(refused, 0);
	OK(count_repeated() > before);
	tap_verbose();
	for (uint32_t i = 0; i < STRETCH; i++)
		wrong += counters[i].calls != expected[i];
	IS_UINT(wrong, 0);
	close_repeats();
}

/* ---- a full window ---- */

enum { LAUNCHES = 16, MOST_LAUNCHES = 100 };

static int32_t run_nothing(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* Tasks that differ in what they ignore are no period. */
static int32_t ignore(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_kernel *new_nothing(void)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = run_nothing,
					 .signature = "nothing(i: u64)" };
	plait_kernel *kernel = NULL;

	OK(plait_kernel_create(flow_rig.context, &desc, &kernel,
			       &flow_rig.error) == PLAIT_OK);
	return kernel;
}

/* Launches and fills that repeat, until the flow finds them or has no room.  Returns how many
 * it took. */
static uint32_t launch_until_found(plait_kernel *kernel)
{
	uint32_t count = 0;
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK && count < MOST_LAUNCHES &&
	       count_stretches() == 0) {
		uint64_t i = count % LAUNCHES;
		const plait_argument arguments[] = { PLAIT_VALUE(i) };
		const plait_task_desc launch = {
			.size = sizeof(launch), .kind = PLAIT_TASK_LAUNCH,
			.kernel = kernel, .launch = PLAIT_ITEMS(1),
			.arguments = arguments, .argument_count = 1,
			.flags = PLAIT_TASK_NO_WAIT,
		};
		const plait_task_desc fill = {
			.size = sizeof(fill), .kind = PLAIT_TASK_FILL,
			.target = line, .pattern = i,
			.flags = PLAIT_TASK_NO_WAIT,
		};

		status = plait_flow_submit(flow, i % 2 == 0 ? &launch : &fill,
					   NULL, NULL);
		count += status == PLAIT_OK;
	}
	return count;
}

/* The same behind so many other tasks, none of which is done. */
static uint32_t launch_behind(uint32_t fillers, bool *found)
{
	const struct flow_setting setting = { 1, 2 };
	plait_kernel *kernel;
	uint32_t count;

	*found = false;
	if (!open_repeats(&setting, WINDOW))
		return 0;
	kernel = new_nothing();
	__atomic_store_n(&gate, 0, __ATOMIC_RELEASE);
	if (fillers > 0)
		(void)call_task("hold", hold, NULL, NULL, 0);
	for (uintptr_t i = 1; i < fillers; i++)
		(void)call_task("filler", ignore, (void *)i, NULL, 0);
	/* The search counts from the last query. */
	IS_UINT(count_repeated(), 0);
	count = launch_until_found(kernel);
	*found = count_stretches() > 0;
	__atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
	(void)plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL);
	plait_kernel_release(kernel);
	close_repeats();
	return count;
}

/* A stretch is made of the task that fills the window, too. */
static void found_without_room(void)
{
	uint32_t needed, count, missed = 0, last = 0;
	bool found;

	tap_brief();
	needed = launch_behind(0, &found);
	OK(found);
	for (uint32_t fillers = WINDOW - needed - 8; fillers < WINDOW - needed + 4;
	     fillers++) {
		count = launch_behind(fillers, &found);
		NOTE("%u fillers, %u of %u launches", fillers, count, needed);
		missed += count >= needed && !found;
		last += count < needed;
	}
	tap_verbose();
	IS_UINT(missed, 0);
	/* The window was full before. */
	OK(last > 0);
}

/* ---- tasks of functions ---- */

enum { SUBMITTER = 5, INNER_LOOPS = 60 };

static uint32_t inner_calls, inner_failures; /* atomic */
static plait_data *inner_data;
static uint64_t inner_value; /* guarded by inner_data */

static int32_t count_inner(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&inner_calls, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int32_t add_inner(void *user_data)
{
	(void)user_data;
	inner_value++;
	return 0;
}

/* A function of a stretch submits two tasks, of which one needs data. */
static int32_t submit_inner(void *user_data)
{
	const plait_access access =
		access_of(inner_data, PLAIT_ACCESS_READ_WRITE, NULL);
	const plait_task_desc descs[] = {
		{ .size = sizeof(descs[0]), .kind = PLAIT_TASK_CALL,
		  .function = count_inner },
		{ .size = sizeof(descs[0]), .kind = PLAIT_TASK_CALL,
		  .function = add_inner, .accesses = &access,
		  .access_count = 1 },
	};

	for (int i = 0; i < 2; i++)
		if (plait_flow_submit(flow, &descs[i], NULL, NULL) != PLAIT_OK)
			__atomic_add_fetch(&inner_failures, 1,
					   __ATOMIC_SEQ_CST);
	return count_call(user_data);
}

static void submit_outer(void)
{
	for (uint32_t i = 0; i < STRETCH; i++) {
		const plait_access access =
			access_of(line, PLAIT_ACCESS_READ_WRITE, &boxes[i]);

		boxes[i] = (plait_box){ { i, 0, 0 }, { i + 1, 1, 1 } };
		numbers[i] = call_task("outer", i == SUBMITTER ? submit_inner :
								 count_call,
				       &counters[i], &access, 1);
	}
}

/* Each task is run once, those that a function submits too: while tasks of a run are held,
 * and behind it.  `waits`: behind each stretch. */
static void submit_inside(const struct flow_setting *setting, bool waits)
{
	uint64_t since = 0;

	if (!open_repeats(setting, 4096))
		return;
	inner_data = new_data(0, 0, 0, 0, 0, "inner");
	inner_calls = inner_failures = 0;
	inner_value = 0;
	tap_brief();
	for (uint32_t i = 0; i < INNER_LOOPS; i++) {
		submit_outer();
		if (waits)
			IS_INT(wait_task(0), PLAIT_OK);
	}
	/* The newest tasks may be submitted during a wait. */
	while (__atomic_load_n(&inner_calls, __ATOMIC_SEQ_CST) < INNER_LOOPS &&
	       !tap_late(&since))
		IS_INT(wait_task(0), PLAIT_OK);
	for (int i = 0; i < 2; i++)
		IS_INT(wait_task(0), PLAIT_OK);
	tap_verbose();
	check_calls(INNER_LOOPS, 0);
	IS_UINT(inner_failures, 0);
	IS_UINT(inner_calls, INNER_LOOPS);
	IS_UINT(inner_value, INNER_LOOPS);
	/* Without workers they come during the wait, where a stretch has ended. */
	if (waits && setting->workers == 0)
		OK(count_repeated() >= INNER_LOOPS / 2 * STRETCH);
	plait_data_release(inner_data);
	close_repeats();
}

static void tasks_of_functions(void)
{
	for (size_t s = 0; s < 2 * FLOW_SETTINGS; s++)
		submit_inside(&flow_settings[s / 2], s % 2 == 0);
}

static uint32_t asks; /* atomic: the function submits */

/* Submit the first task of the stretch, and wait until another thread has run it: a
 * function that has no flow to call waits so. */
static int32_t ask_first(void *user_data)
{
	const plait_task_desc first = { .size = sizeof(first),
					.kind = PLAIT_TASK_CALL,
					.function = count_inner };
	uint32_t before = __atomic_load_n(&inner_calls, __ATOMIC_SEQ_CST);
	uint64_t since = 0;
	bool done;

	(void)user_data;
	if (!__atomic_load_n(&asks, __ATOMIC_SEQ_CST))
		return 0;
	done = plait_flow_submit(flow, &first, NULL, NULL) == PLAIT_OK;
	while (done && __atomic_load_n(&inner_calls, __ATOMIC_SEQ_CST) ==
			       before) {
		pause_a_little();
		done = !tap_late(&since);
	}
	return done ? 0 : 5;
}

static void submit_asking(void)
{
	(void)call_task("first", count_inner, NULL, NULL, 0);
	(void)call_task("asks", ask_first, NULL, NULL, 0);
	for (uint32_t i = 2; i < STRETCH; i++)
		(void)call_task("other", count_call, &counters[i], NULL, 0);
}

/* A task that a function submits is not held, also if a stretch begins so. */
static void first_task_of_a_function(void)
{
	const struct flow_setting setting = { 2, 3 };
	enum { ASKED = 3 };

	if (!open_repeats(&setting, 256))
		return;
	inner_calls = 0;
	for (uint32_t i = 0; i < KNOWN + ASKED; i++) {
		__atomic_store_n(&asks, i >= KNOWN, __ATOMIC_SEQ_CST);
		submit_asking();
		IS_INT(wait_task(0), PLAIT_OK);
	}
	__atomic_store_n(&asks, 0, __ATOMIC_SEQ_CST);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(count_repeated(), ASKED * STRETCH);
	IS_UINT(inner_calls, KNOWN + 2 * ASKED);
	close_repeats();
}

/* ---- many stretches ---- */

/* Stretches that differ in what their functions get. */
static void many_stretches(void)
{
	enum { MORE = PLAIT__REPEATS_STRETCHES + 3 };
	static struct counter own[MORE][STRETCH];
	uint64_t before, wrong = 0;

	memset(own, 0, sizeof(own));
	if (!open_repeats(&flow_settings[0], 256))
		return;
	for (uint32_t k = 0; k < MORE; k++) {
		before = count_repeated();
		for (uint32_t loop = 0; loop < LOOPS; loop++) {
			for (uint32_t i = 0; i < STRETCH; i++)
				call_task("own", count_call, &own[k][i], NULL,
					  0);
			IS_INT(wait_task(0), PLAIT_OK);
		}
		if (k < PLAIT__REPEATS_STRETCHES)
			OK(count_repeated() > before);
		else
			IS_UINT(count_repeated(), before);
	}
	IS_UINT(count_stretches(), PLAIT__REPEATS_STRETCHES);
	/* The first one is still found. */
	before = count_repeated();
	for (uint32_t i = 0; i < STRETCH; i++)
		call_task("own", count_call, &own[0][i], NULL, 0);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(count_repeated(), before + STRETCH);
	for (uint32_t k = 0; k < MORE; k++)
		for (uint32_t i = 0; i < STRETCH; i++)
			wrong += own[k][i].calls != LOOPS + (k == 0);
	IS_UINT(wrong, 0);
	close_repeats();
}

static const struct tap_scenario all[] = {
	{ "refused for room", refused_for_room },
	{ "found without room", found_without_room },
	{ "tasks of functions", tasks_of_functions },
	{ "a first task of a function", first_task_of_a_function },
	{ "many stretches", many_stretches },
};

TAP_MAIN(all)
