/* SPDX-License-Identifier: MIT */
/*
 * A plan with more lanes than there are processors to run them: some lanes
 * become one, by when the schedule says that their commands begin.  So nobody
 * waits for a thread that has no processor.  Lanes that become one keep their
 * order, and all that become so respect one order of everything: what the
 * plan waits for is waited for here, or done before.
 *
 * Only of plans without regions, whose commands all lie in body 0.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_MERGE_H
#define PLAIT_SRC_RUN_HOST_LANE_MERGE_H

#include "plan/plan.h"

#include <stdbool.h>

typedef struct plait__lane_merge {
	uint32_t lane_count;
	uint32_t *lane_of;	/* by the plan's lane */
	uint32_t *first;	/* by lane, and one more: in `commands` */
	uint32_t *commands;	/* by lane, then as they run */
	uint32_t *position;	/* by command: which one of its lane it is */
} plait__lane_merge;

bool plait__lane_merge_applies(const plait__plan *plan);

/* Onto at most `lane_count` lanes, 1 or more.  PLAIT_E_NOMEM: there is nothing
 * to free. */
plait_status plait__lane_merge_make(plait__lane_merge *merge, const plait__plan *plan,
				    uint32_t lane_count,
				    const plait_allocator *allocator,
				    plait_error *error);
void plait__lane_merge_free(plait__lane_merge *merge, const plait__plan *plan,
			    const plait_allocator *allocator);

/* How many commands a lane has. */
static inline uint32_t plait__lane_merge_count(const plait__lane_merge *merge,
					       uint32_t lane)
{
	return merge->first[lane + 1] - merge->first[lane];
}

#endif
