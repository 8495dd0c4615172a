/* SPDX-License-Identifier: MIT */
/* Runs of repetitions that a thread calls; see short_run.h. */
#include "flow/short_run.h"

#include "base/error.h"
#include "pool/callback_scope.h"
#include "run/api/start.h"
#include "sys/clock.h"

static plait_status share(plait__repetition *again)
{
	again->times.begin_ns = plait__clock_now_ns();
	return PLAIT_PENDING;
}

static plait_plan *find_plan(const plait__repetition *again, plait__run_way way)
{
	return way == PLAIT__RUN_ALONE && again->alone != NULL ? again->alone :
								 again->plan;
}

plait_status plait__short_run_call(plait__repetition *again,
				   plait__run_end *end, plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait__run_way way;
	plait_status status;
	uint64_t begin;

	if (again == NULL)
		return PLAIT_PENDING;
	way = plait__run_times_choose(&again->times,
				      !plait__callback_scope_is_active());
	if (way == PLAIT__RUN_SHARED)
		return share(again);
	begin = plait__clock_now_ns();
	status = plait__start_call(find_plan(again, way), &again->run, end,
				   &why);
	/* The plan has functions of owners, and was not begun. */
	again->times.must_share = status == PLAIT_E_DEADLOCK;
	if (status == PLAIT_E_BUSY || status == PLAIT_E_DEADLOCK)
		return share(again);
	plait__run_time_add(way == PLAIT__RUN_CALLED ? &again->times.called :
						       &again->times.alone,
			    plait__clock_now_ns() - begin);
	if (status != PLAIT_OK)
		plait__fail_origin(error, status, why.origin, "failed: %s",
				   why.text);
	return status;
}

void plait__short_run_end_shared(plait__repetition *again)
{
	if (again != NULL)
		plait__run_time_add(&again->times.shared,
				    plait__clock_now_ns() -
					    again->times.begin_ns);
}
