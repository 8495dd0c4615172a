/* SPDX-License-Identifier: MIT */
/* Short runs of repetitions; see short_run.h. */
#include "flow/short_run.h"

#include "base/error.h"
#include "sys/clock.h"

enum {
	/* A run that takes one thread longer is submitted to a queue, which
	 * costs some microseconds, and shared by several threads. */
	SHORT_NS = 20000,
	LONG_NS = 1000000,
	SLOW_RUNS = 3
};

static void count_time(plait__repetition *again, uint64_t ns)
{
	if (ns > LONG_NS)
		again->slow_runs = SLOW_RUNS;
	else if (ns > SHORT_NS)
		again->slow_runs++;
	else
		again->slow_runs = 0;
}

plait_status plait__short_run_call(plait__repetition *again, plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;
	uint64_t begin;

	if (again == NULL || again->slow_runs >= SLOW_RUNS)
		return PLAIT_PENDING;
	begin = plait__clock_now_ns();
	status = plait_plan_call(again->plan, NULL, &again->run, &why);
	if (status == PLAIT_E_BUSY)
		return PLAIT_PENDING;
	/* The plan has what waits for others. */
	if (status == PLAIT_E_DEADLOCK) {
		again->slow_runs = SLOW_RUNS;
		return PLAIT_PENDING;
	}
	count_time(again, plait__clock_now_ns() - begin);
	if (status != PLAIT_OK)
		plait__fail_origin(error, status, why.origin, "failed: %s",
				   why.text);
	return status;
}
