/* SPDX-License-Identifier: MIT */
/* Runs of stretches that a flow finds: threads that call them, and their times.  Numbers,
 * interruptions, failure: flow_repeats.c; room, functions: found_limits.c. */
#include "found_stretches.h"

#include <pthread.h>
#include <time.h>

/* Runs that were awaited at once, before one is reserved. */
enum { EXPECTED = 4 };

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

/* Plain ones, until the stretch is found: its tasks have no order. */
static void await_plain(void)
{
	for (uint32_t i = 0; i < KNOWN; i++) {
		(void)submit_timed(STRETCH);
		IS_INT(wait_task(0), PLAIT_OK);
	}
}

/* ---- the thread that calls a run ---- */

enum { CALLED_RUNS = 10 };

/* Returns true if no run took so long that the next ones are not called. */
static bool run_called_ones(void)
{
	enum { FIRST = 2 };
	bool is_short;

	if (!open_timed(0))
		return true;
	await_plain();
	IS_UINT(count_stretches(), 1);
	IS_UINT(find_it()->times.called.count, 0);
	await_timed(CALLED_RUNS);
	is_short = find_it()->times.called.ns <= PLAIT__RUN_LONG_NS &&
		   find_it()->times.called.count > 0;
	if (is_short) {
		IS_UINT(find_it()->times.alone.count, FIRST);
		IS_UINT(find_it()->times.called.count, CALLED_RUNS - FIRST);
	}
	IS_UINT(find_it()->awaited, EXPECTED);
	IS_UINT(count_repeated(), CALLED_RUNS * STRETCH);
	for (int i = 0; i < STRETCH; i++)
		OK(pthread_equal(timed[i].thread, waiting));
	close_repeats();
	return is_short;
}

/* Without workers the waiting thread calls the runs, each of them. */
static void called_ones(void)
{
	uint64_t since = 0;
	bool is_short = false;

	while (!is_short && !tap_late(&since))
		is_short = run_called_ones();
	OK(is_short);
}

/* A wait with a time limit, or for another task behind the run, calls none. */
static void uncalled_ones(void)
{
	enum { RUNS = 10 };

	if (!open_timed(0))
		return;
	await_plain();
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
	uint64_t reserved, number;

	if (!open_timed(1))
		return;
	await_plain();
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t since = 0;

		for (uint32_t run = 0; run < EXPECTED; run++) {
			reserved = at_load_relaxed_u64(
				&flow_object()->lanes.reserved);
			number = submit_timed(STRETCH);
			IS_UINT(at_load_relaxed_u64(
					&flow_object()->lanes.reserved),
				reserved);
			IS_INT(wait_task(number), PLAIT_OK);
		}
		__atomic_store_n(&others, 0, __ATOMIC_SEQ_CST);
		number = submit_timed(STRETCH);
		IS_UINT(at_load_relaxed_u64(&flow_object()->lanes.reserved),
			number - STRETCH + 1);
		while (__atomic_load_n(&others, __ATOMIC_SEQ_CST) < STRETCH &&
		       !tap_late(&since))
			pause_a_little();
		IS_UINT(__atomic_load_n(&others, __ATOMIC_SEQ_CST), STRETCH);
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
	await_plain();
	await_timed(2);
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

	/* As many threads as the flow has, also with one processor. */
	setenv("PLAIT_LANES", "0", 1);
	tap_brief();
	while (!has_met && !tap_late(&since))
		has_met = meets_another();
	tap_verbose();
	unsetenv("PLAIT_LANES");
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
		await_plain();
		await_timed(4);
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
	await_plain();
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

static const struct tap_scenario all[] = {
	{ "runs that the waiting thread calls", called_ones },
	{ "runs that it does not call", uncalled_ones },
	{ "runs that are reserved", reserved_ones },
	{ "runs by several threads", called_by_several },
	{ "short runs", short_ones },
	{ "times of whole runs", times_of_whole_ones },
};

TAP_MAIN(all)
