/* SPDX-License-Identifier: MIT */
/* Times of the runs of a repetition; see run_times.h. */
#include "flow/run_times.h"

enum {
	/* Runs by one thread before their time decides for several. */
	FIRST_RUNS = 2,
	/* An estimate of 0 grows, too. */
	LEAST_STEP_NS = 1000,
	/* Several threads are worth it if they take 1/8 less. */
	LEAST_GAIN = 8,
	/* One of so many called runs is timed, once they are judged. */
	CALLS_PER_TIME = 8
};

void plait__run_time_add(plait__run_time *time, uint64_t ns)
{
	uint64_t most = 2 * time->ns + LEAST_STEP_NS;

	if (time->count == 0 || ns < time->ns)
		time->ns = ns;
	else /* preempted, if it is more */
		time->ns += ((ns < most ? ns : most) - time->ns) / 8;
	if (time->count < PLAIT__RUN_TRIALS)
		time->count++;
}

static bool is_judged(const plait__run_time *time)
{
	return time->count >= PLAIT__RUN_TRIALS;
}

static bool is_long(const plait__run_time *time)
{
	return time->ns > PLAIT__RUN_LONG_NS;
}

bool plait__run_times_is_due(plait__run_times *times, plait__run_way way)
{
	return way != PLAIT__RUN_CALLED || !is_judged(&times->called) ||
	       is_long(&times->called) ||
	       ++times->untimed % CALLS_PER_TIME == 0;
}

bool plait__run_times_are_for_several(plait__run_times *times)
{
	const plait__run_time *alone = &times->alone, *called = &times->called;

	if (is_judged(called) &&
	    called->ns >= alone->ns - alone->ns / LEAST_GAIN)
		times->has_lost = true;
	return !times->has_lost && alone->count >= FIRST_RUNS &&
	       alone->ns > PLAIT__RUN_SHORT_NS;
}

static bool is_for_one(plait__run_times *times)
{
	const plait__run_time *alone = &times->alone, *shared = &times->shared;
	uint32_t phase;
	bool faster;

	if (alone->ns <= PLAIT__RUN_SHORT_NS || alone->count < FIRST_RUNS ||
	    (alone->ns <= PLAIT__RUN_LONG_NS && !is_judged(alone)))
		return true;
	if (!is_judged(shared))
		return false;
	faster = alone->ns - alone->ns / LEAST_GAIN <= shared->ns;
	phase = times->runs++ % PLAIT__RUN_PERIOD;
	if (phase < PLAIT__RUN_PERIOD - PLAIT__RUN_TRIALS)
		return faster;
	if (phase == PLAIT__RUN_PERIOD - PLAIT__RUN_TRIALS)
		times->tries_alone = !faster;
	else if (alone->ns > PLAIT__RUN_LONG_NS)
		times->tries_alone = false;
	return times->tries_alone;
}

/* Returns true if the waiting thread calls the plan, which chooses between one thread and
 * several by its own times: no other way is faster.  A call that became long is tried
 * once per period. */
static bool is_called(plait__run_times *times)
{
	if (times->alone.count < FIRST_RUNS || is_long(&times->alone))
		return false;
	return !is_long(&times->called) ||
	       ++times->refused % PLAIT__RUN_PERIOD == 0;
}

plait__run_way plait__run_times_choose(plait__run_times *times, bool by_waiter)
{
	if (times->must_share)
		return PLAIT__RUN_SHARED;
	if (times->is_fixed)
		return PLAIT__RUN_ALONE;
	if (by_waiter && is_called(times))
		return PLAIT__RUN_CALLED;
	return is_for_one(times) ? PLAIT__RUN_ALONE : PLAIT__RUN_SHARED;
}
