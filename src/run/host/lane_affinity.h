/* SPDX-License-Identifier: MIT */
/*
 * Assignment of a plan's lanes to fewer lanes: equal work, and few waits between
 * them.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_AFFINITY_H
#define PLAIT_SRC_RUN_HOST_LANE_AFFINITY_H

#include "plan/plan.h"

#include <stdbool.h>

/* Store the new lane, less than `lane_count` (1 or more), of each lane in
 * `lane_of`, which has one entry per lane of the plan.
 * `busy`: by lane, its work in a run.  Returns false without memory. */
bool plait__lane_affinity_assign(const plait__plan *plan, const uint64_t *busy,
				 uint32_t lane_count, uint32_t *lane_of,
				 const plait_allocator *allocator);

#endif
