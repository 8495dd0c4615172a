/* SPDX-License-Identifier: MIT */
/* Runs of repetitions that a thread calls; see short_run.h. */
#include "flow/short_run.h"

#include "base/error.h"
#include "pool/callback_scope.h"
#include "run/api/start.h"
#include "sys/clock.h"

/* Runs of fewer tasks tell nothing about the time of all. */
static bool is_whole(const plait__repetition *again)
{
	return again->limit == UINT32_MAX;
}

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

/* Null: the run has nothing to say. */
static const plait_run_desc *find_desc(const plait__repetition *again)
{
	return again->run.binding_count != 0 || again->run.flags != 0 ?
		       &again->run : NULL;
}

/* A stretch, which has no key, has times of runs by one thread (`alone`): if they are
 * long, its plan need not find out by calls of both kinds what they say. */
static void choose_threads(plait__repetition *again)
{
	if (again->key != 0 || again->alone == NULL)
		return;
	again->run.flags &= ~(uint32_t)PLAIT_RUN_PARALLEL;
	if (plait__run_times_are_for_several(&again->times))
		again->run.flags |= PLAIT_RUN_PARALLEL;
}

static void add_time(plait__repetition *again, plait__run_way way,
		     uint64_t begin)
{
	plait__run_time_add(way == PLAIT__RUN_CALLED ? &again->times.called :
						       &again->times.alone,
			    plait__clock_now_ns() - begin);
}

plait_status plait__short_run_call(plait__repetition *again,
				   plait__run_end *end, plait_error *error)
{
	plait__run_way way;
	plait_status status;
	plait_error why;
	uint64_t begin;
	bool is_due;

	if (again == NULL)
		return PLAIT_PENDING;
	way = plait__run_times_choose(&again->times,
				      !plait__callback_scope_is_active());
	choose_threads(again);
	if (way == PLAIT__RUN_SHARED)
		return share(again);
	is_due = is_whole(again) && plait__run_times_is_due(&again->times, way);
	begin = is_due ? plait__clock_now_ns() : 0;
	plait__error_clear(&why);
	status = plait__start_call(find_plan(again, way), find_desc(again),
				   end, &why);
	/* The plan has functions of owners, and was not begun. */
	again->times.must_share = status == PLAIT_E_DEADLOCK;
	if (status == PLAIT_E_BUSY || status == PLAIT_E_DEADLOCK)
		return share(again);
	if (is_due)
		add_time(again, way, begin);
	if (status != PLAIT_OK)
		plait__fail_origin(error, status, why.origin, "failed: %s",
				   why.text);
	return status;
}

void plait__short_run_end_shared(plait__repetition *again)
{
	if (again != NULL && is_whole(again))
		plait__run_time_add(&again->times.shared,
				    plait__clock_now_ns() -
					    again->times.begin_ns);
}
