/* SPDX-License-Identifier: MIT */
/*
 * Merging of lanes for a plan with more lanes than processors, so that no lane
 * waits for a thread that has no processor.  Merged lanes keep their commands'
 * order, by the schedule's start times: one order of all commands respects
 * every lane and every wait of the plan.
 *
 * Only for plans without regions, whose commands all lie in body 0.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_MERGE_H
#define PLAIT_SRC_RUN_HOST_LANE_MERGE_H

#include "plan/plan.h"

#include <stdbool.h>

typedef struct plait__lane_merge {
	uint32_t lane_count;
	uint32_t *lane_of;	/* by the plan's lane */
	uint32_t *first;	/* by lane, and one behind the last: index in
				 * `commands` */
	uint32_t *commands;	/* by lane, in their order */
	uint32_t *position;	/* by command: its index within its lane */
} plait__lane_merge;

bool plait__lane_merge_applies(const plait__plan *plan);

/* Merge onto at most `lane_count` lanes, 1 or more.  After PLAIT_E_NOMEM there
 * is nothing to free. */
plait_status plait__lane_merge_make(plait__lane_merge *merge,
				    const plait__plan *plan,
				    uint32_t lane_count,
				    const plait_allocator *allocator,
				    plait_error *error);
void plait__lane_merge_free(plait__lane_merge *merge, const plait__plan *plan,
			    const plait_allocator *allocator);

/* Number of commands of a lane. */
static inline uint32_t plait__lane_merge_count(const plait__lane_merge *merge,
					       uint32_t lane)
{
	return merge->first[lane + 1] - merge->first[lane];
}

#endif
