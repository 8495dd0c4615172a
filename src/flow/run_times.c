/* SPDX-License-Identifier: MIT */
/* Times of the runs of a repetition; see run_times.h. */
#include "flow/run_times.h"

void plait__run_time_add(plait__run_time *time, uint64_t ns)
{
	if (time->count == 0 || ns < time->ns)
		time->ns = ns;
	else
		time->ns += (ns - time->ns) / 8;
	if (time->count < PLAIT__RUN_TRIALS)
		time->count++;
}

static bool is_judged(const plait__run_time *time)
{
	return time->count >= PLAIT__RUN_TRIALS;
}

bool plait__run_times_choose_alone(plait__run_times *times)
{
	const plait__run_time *alone = &times->alone, *shared = &times->shared;
	uint32_t phase;
	bool faster;

	if (times->must_share)
		return false;
	if (alone->ns <= PLAIT__RUN_SHORT_NS ||
	    (alone->ns <= PLAIT__RUN_LONG_NS && !is_judged(alone)))
		return true;
	if (!is_judged(shared))
		return false;
	faster = alone->ns <= shared->ns;
	phase = times->runs++ % PLAIT__RUN_PERIOD;
	if (phase < PLAIT__RUN_PERIOD - PLAIT__RUN_TRIALS)
		return faster;
	if (phase == PLAIT__RUN_PERIOD - PLAIT__RUN_TRIALS)
		times->tries_alone = !faster;
	else if (alone->ns > PLAIT__RUN_LONG_NS)
		times->tries_alone = false;
	return times->tries_alone;
}
