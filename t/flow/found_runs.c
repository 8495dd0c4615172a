/* SPDX-License-Identifier: MIT */
/* Runs of stretches that a flow finds: threads that call them, their times, and what may
 * stand in their way.  Numbers, interruptions, failure: flow_repeats.c. */
#include "flow/flow.h"
#include "flow/repeats_state.h"

#include "counted_stretches.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

/* Whole stretches until runs come, and runs before one is reserved. */
enum { KNOWN = 6, EXPECTED = 4 };

static plait__flow *flow_object(void)
{
	return plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
}

/* The first stretch that the flow has found. */
static plait__repetition *find_it(void)
{
	plait__repetition *again = NULL;

	plait__flow_lock(flow_object());
	if (flow_object()->repeats->count > 0)
		again = flow_object()->repeats->stretches[0]->again;
	plait__flow_unlock(flow_object());
	return again;
}

static uint32_t count_stretches(void)
{
	uint32_t count;

	plait__flow_lock(flow_object());
	count = flow_object()->repeats->count;
	plait__flow_unlock(flow_object());
	return count;
}

/* ---- tasks that take time ---- */

/* Functions of a stretch; checked by the thread that waits. */
static struct timed {
	uint64_t ns; /* at least */
	pthread_t thread;
	bool meets; /* wait a little for another thread */
} timed[STRETCH];

static uint32_t others; /* atomic: functions on other threads than `waiting` */
static pthread_t waiting;

enum { MEETING_PAUSES = 500 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int32_t take_time(void *user_data)
{
	struct timed *task = user_data;
	const uint64_t end_ns = task->ns != 0 ? now_ns() + task->ns : 0;

	task->thread = pthread_self();
	if (!pthread_equal(task->thread, waiting))
		__atomic_add_fetch(&others, 1, __ATOMIC_SEQ_CST);
	else
		for (int i = 0; task->meets && i < MEETING_PAUSES; i++) {
			if (__atomic_load_n(&others, __ATOMIC_SEQ_CST) != 0)
				break;
			pause_a_little();
		}
	while (end_ns != 0 && now_ns() < end_ns)
		;
	return 0;
}

static bool open_timed(uint32_t workers)
{
	const struct flow_setting setting = { workers, 2 };

	memset(timed, 0, sizeof(timed));
	waiting = pthread_self();
	__atomic_store_n(&others, 0, __ATOMIC_SEQ_CST);
	return open_repeats(&setting, 256);
}

static plait_task submit_timed(uint32_t count)
{
	plait_task task = 0;

	for (uint32_t i = 0; i < count; i++)
		task = call_task("timed", take_time, &timed[i], NULL, 0);
	return task;
}

static void await_timed(uint32_t runs)
{
	for (uint32_t i = 0; i < runs; i++)
		IS_INT(wait_task(submit_timed(STRETCH)), PLAIT_OK);
}

/* ---- the thread that calls a run ---- */

/* Without workers the waiting thread calls the runs, each of them. */
static void called_ones(void)
{
	enum { RUNS = 10, FIRST = 2 };

	if (!open_timed(0))
		return;
	await_timed(KNOWN);
	IS_UINT(count_stretches(), 1);
	IS_UINT(find_it()->times.called.count, 0);
	await_timed(RUNS);
	IS_UINT(find_it()->times.alone.count, FIRST);
	IS_UINT(find_it()->times.called.count, RUNS - FIRST);
	IS_UINT(find_it()->awaited, EXPECTED);
	IS_UINT(count_repeated(), RUNS * STRETCH);
	for (int i = 0; i < STRETCH; i++)
		OK(pthread_equal(timed[i].thread, waiting));
	close_repeats();
}

/* A wait with a time limit, or for another task behind the run, calls none. */
static void uncalled_ones(void)
{
	enum { RUNS = 10 };

	if (!open_timed(0))
		return;
	await_timed(KNOWN);
	for (uint32_t i = 0; i < RUNS; i++) {
		(void)submit_timed(STRETCH);
		IS_INT(plait_flow_wait(flow, 0, UINT64_C(200000000000), NULL),
		       PLAIT_OK);
	}
	for (uint32_t i = 0; i < RUNS; i++) {
		(void)submit_timed(STRETCH);
		(void)call_task("other", return_it, NULL, NULL, 0);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	IS_UINT(count_repeated(), 2 * RUNS * STRETCH);
	IS_UINT(find_it()->times.called.count, 0);
	IS_UINT(find_it()->awaited, 0);
	close_repeats();
}

/* A run is reserved once the last ones were awaited at once.  If no thread waits, a worker
 * runs it. */
static void reserved_ones(void)
{
	uint64_t since = 0, reserved, number;

	if (!open_timed(1))
		return;
	await_timed(KNOWN);
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t run = 0; run < EXPECTED; run++) {
			reserved = at_load_relaxed_u64(
				&flow_object()->lanes.reserved);
			number = submit_timed(STRETCH);
			IS_UINT(at_load_relaxed_u64(
					&flow_object()->lanes.reserved),
				reserved);
			IS_INT(wait_task(number), PLAIT_OK);
		}
		number = submit_timed(STRETCH);
		IS_UINT(at_load_relaxed_u64(&flow_object()->lanes.reserved),
			number - STRETCH + 1);
		__atomic_store_n(&others, 0, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&others, __ATOMIC_SEQ_CST) < STRETCH &&
		       !tap_late(&since))
			pause_a_little();
		for (int t = 0; t < STRETCH; t++)
			OK(!pthread_equal(timed[t].thread, waiting));
		/* The next run finds that the one before was not awaited. */
		(void)submit_timed(STRETCH);
		IS_UINT(find_it()->awaited, 0);
		IS_INT(plait_flow_wait(flow, 0, UINT64_C(200000000000), NULL),
		       PLAIT_OK);
	}
	close_repeats();
}

/* Returns true if a run by one thread took more than a short one may, and less than a long
 * one. */
static bool is_for_several(const plait__repetition *again)
{
	return again->times.alone.count >= 2 &&
	       again->times.alone.ns > PLAIT__RUN_SHORT_NS &&
	       again->times.alone.ns <= PLAIT__RUN_LONG_NS;
}

/* Tasks of a stretch wait for another thread, if the waiting one executes them: returns
 * true if that came.  A worker may be faster than the waiting thread, or late. */
static bool meets_another(void)
{
	enum { TRIES = 4 };
	bool has_met = false;

	if (!open_timed(2))
		return false;
	for (int i = 0; i < STRETCH; i++)
		timed[i].ns = 4000;
	await_timed(KNOWN + 2);
	for (int i = 0; i < TRIES && !has_met; i++) {
		const bool is_due = is_for_several(find_it());

		__atomic_store_n(&others, 0, __ATOMIC_SEQ_CST);
		timed[0].meets = is_due;
		await_timed(1);
		has_met = is_due && pthread_equal(timed[0].thread, waiting) &&
			  __atomic_load_n(&others, __ATOMIC_SEQ_CST) != 0;
		if (has_met)
			OK((find_it()->run.flags & PLAIT_RUN_PARALLEL) != 0);
	}
	close_repeats();
	return has_met;
}

/* A run of more than some microseconds, which the waiting thread calls, is executed by
 * several threads at once. */
static void called_by_several(void)
{
	uint64_t since = 0;
	bool has_met = false;

	tap_brief();
	while (!has_met && !tap_late(&since))
		has_met = meets_another();
	tap_verbose();
	OK(has_met);
}

/* A short run is for one. */
static void short_ones(void)
{
	uint64_t since = 0;
	bool is_short = false;

	while (!is_short && !tap_late(&since)) {
		if (!open_timed(0))
			return;
		await_timed(KNOWN + 4);
		is_short = find_it()->times.alone.ns < PLAIT__RUN_SHORT_NS;
		if (is_short)
			IS_UINT(find_it()->run.flags & PLAIT_RUN_PARALLEL, 0);
		close_repeats();
	}
	OK(is_short);
}

/* ---- times ---- */

/* Fewer tasks than the stretch has tell nothing about the time of all. */
static void times_of_whole_ones(void)
{
	enum { RUNS = 6, NS = 2 * PLAIT__RUN_LONG_NS };
	const plait__run_time *times[3];

	if (!open_timed(1))
		return;
	timed[STRETCH - 1].ns = NS;
	await_timed(KNOWN);
	for (uint32_t i = 0; i < RUNS; i++) {
		await_timed(1);
		(void)submit_timed(STRETCH / 2);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	IS_UINT(count_repeated(), RUNS * (STRETCH + STRETCH / 2));
	times[0] = &find_it()->times.alone;
	times[1] = &find_it()->times.shared;
	times[2] = &find_it()->times.called;
	IS_UINT(times[0]->count + times[1]->count + times[2]->count, RUNS);
	for (int i = 0; i < 3; i++)
		OK_THAT(times[i]->count == 0 || times[i]->ns >= NS,
			"%u runs take %llu ns", times[i]->count,
			(unsigned long long)times[i]->ns);
	close_repeats();
}

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

/* Whole stretches, as often as one has room, without a wait. */
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
	{ "runs that the waiting thread calls", called_ones },
	{ "runs that it does not call", uncalled_ones },
	{ "runs that are reserved", reserved_ones },
	{ "runs by several threads", called_by_several },
	{ "short runs", short_ones },
	{ "times of whole runs", times_of_whole_ones },
	{ "refused for room", refused_for_room },
	{ "found without room", found_without_room },
	{ "tasks of functions", tasks_of_functions },
	{ "a first task of a function", first_task_of_a_function },
	{ "many stretches", many_stretches },
};

TAP_MAIN(all)
