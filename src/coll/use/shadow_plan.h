/* SPDX-License-Identifier: MIT */
/*
 * Shadow of a schedule: a plan and a timeline that draw as the schedule does.
 * Ranks are devices, lanes lanes, steps commands; messages and waits are waits.
 * The timeline has the first tile, in ns.  A shadow is never run.
 */
#ifndef PLAIT_SRC_COLL_USE_SHADOW_PLAN_H
#define PLAIT_SRC_COLL_USE_SHADOW_PLAN_H

#include "coll/price/price.h"
#include "plan/simulate/simulate.h"

typedef struct plait__shadow_plan {
	plait__plan *plan;
	plait__timeline *timeline;
	const char **lane_names; /* by lane: "ch 0 <3 >1" */
	char *lane_texts;
} plait__shadow_plan;

/* Make the shadow of a proved schedule and its price.  Returns PLAIT_E_NOMEM
 * without memory; fini in both cases. */
plait_status plait__shadow_plan_make(plait__shadow_plan *shadow,
				     const plait__schedule *schedule,
				     const plait__price *price,
				     plait_error *error);
void plait__shadow_plan_fini(plait__shadow_plan *shadow,
			     const plait__schedule *schedule);

#endif
