/* SPDX-License-Identifier: MIT */
/*
 * Merging of lanes for a plan with more lanes than processors, so that no lane
 * waits for a thread that has no processor.  The merged plan has the bodies and
 * regions of the plan, with fewer tracks.
 *
 * Merged lanes keep their commands' order, by the schedule's start times: one
 * order of all commands of a body respects every lane and every wait of the
 * plan.  In that order a region and its stubs are adjacent.  A merged lane has
 * one command for all of those that it took over; the region's on its home lane,
 * else a stub.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_MERGE_H
#define PLAIT_SRC_RUN_HOST_LANE_MERGE_H

#include "plan/plan.h"

/* Wait for the command at `position` of another track of the body. */
typedef struct plait__lane_merge_wait {
	uint32_t track;
	uint32_t position;
} plait__lane_merge_wait;

typedef struct plait__lane_merge {
	uint32_t lane_count;
	uint32_t tracks_count;
	uint32_t *lane_of;	/* by the plan's lane */
	/* Ascending by body, then lane; `first` is an index in `commands`.
	 * Body 0 has a track on every lane. */
	plait__plan_track *tracks;
	uint32_t *track_first;	/* by body, and one behind the last */
	uint32_t *commands;	/* by track, in their order */
	uint32_t *position;	/* by command: its index within its track */
	/* Waits of commands[i] that no earlier wait of the track implies:
	 * waits[wait_first[i] .. wait_first[i + 1]). */
	uint32_t *wait_first;
	plait__lane_merge_wait *waits;
	uint8_t *awaited;	/* a wait names commands[i] */
	/* Lanes of each region, the home lane first:
	 * region_lanes[region_first[r] .. region_first[r + 1]). */
	uint32_t *region_first;
	uint32_t *region_lanes;
	void *block;		/* memory of all tables */
} plait__lane_merge;

/* Merge onto at most `lane_count` lanes, 1 or more.  After a failure there is
 * nothing to free: PLAIT_E_NOMEM, or what the simulation of the plan returns.
 * Needed only until the lanes are compiled. */
plait_status plait__lane_merge_make(plait__lane_merge *merge,
				    const plait__plan *plan,
				    uint32_t lane_count,
				    const plait_allocator *allocator,
				    plait_error *error);
void plait__lane_merge_free(plait__lane_merge *merge, const plait__plan *plan,
			    const plait_allocator *allocator);

/* Returns the track of `lane` in `body`, or PLAIT__NONE. */
static inline uint32_t
plait__lane_merge_find_track(const plait__lane_merge *merge, uint32_t body,
			     uint32_t lane)
{
	for (uint32_t i = merge->track_first[body];
	     i < merge->track_first[body + 1]; i++)
		if (merge->tracks[i].lane == lane)
			return i;
	return PLAIT__NONE;
}

#endif
