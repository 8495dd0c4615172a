/* SPDX-License-Identifier: MIT */
/* Epochs of fixed flows; see flow_fixed.h. */
#include "flow/flow_fixed.h"

#include "plait/plan.h"

#include "flow/run_times.h"

/* Several threads are worth it if they take 1/8 less, as in run_times.c. */
enum { LEAST_GAIN = 8 };

bool plait__flow_fixed_begin_epoch(plait__flow *flow)
{
	plait__window_settle(&flow->window);
	if (flow->window.settled < flow->window.newest ||
	    flow->epoch == flow->window.newest)
		return false;
	flow->epoch = flow->window.newest;
	return true;
}

/* 0: unknown. */
static uint64_t predict(plait_plan *plan)
{
	plait_plan_info info = { .size = sizeof(info) };

	return plait_plan_query(plan, &info, NULL) == PLAIT_OK ? info.makespan :
								 0;
}

bool plait__flow_fixed_shares(plait_plan *shared, plait_plan *alone)
{
	uint64_t least = predict(alone);

	return least > PLAIT__RUN_SHORT_NS &&
	       predict(shared) < least - least / LEAST_GAIN;
}
