/* SPDX-License-Identifier: MIT */
/*
 * plait/placement.h - policies for the devices and lanes of launches of flows.
 *
 * A launch that is not split gets a device, by `choose` of its flow, then one of
 * the lanes of that device, which are queues, by `parent` and `lane`.  Its parents
 * are the launches that it comes behind and that are not done.  A device is
 * good if its memory has more than `threshold` (per mille; 0: 100) of the bytes
 * that the task accesses.  `device_lanes` are the queues for launches of each
 * device, at most 8; 0: 1.  Durations are `cost` of the tasks, or
 * measured (`history`); those of copies are in `links`, told by the devices, or
 * assumed.
 *
 * Example:
 *
 *     plait_flow_desc desc = { .size = sizeof(desc), .devices = &device,
 *                              .device_count = 1, .device_lanes = 2,
 *                              .choose = PLAIT_CHOOSE_MIN_SIZE,
 *                              .parent = PLAIT_PARENT_DISJOINT };
 *     plait_flow_create(context, &desc, &flow, &error);
 */
#ifndef PLAIT_PLACEMENT_H
#define PLAIT_PLACEMENT_H

#include "plait/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Policy for the device of a launch; pieces of a split launch have theirs. */
typedef uint32_t plait_device_choice;
enum {
	/* The one that is predicted to finish it first; of those within 1.05
	 * of that, the one with most of its bytes. */
	PLAIT_CHOOSE_EARLIEST = 0,
	/* The first one that runs its kernel. */
	PLAIT_CHOOSE_SINGLE = 1,
	/* In turn. */
	PLAIT_CHOOSE_ROUND_ROBIN = 2,
	/* The one with the fewest lanes that are not done. */
	PLAIT_CHOOSE_STREAM_AWARE = 3,
	/* Of the good ones that with most of the bytes; if there is none, as
	 * the following, in turn. */
	PLAIT_CHOOSE_MIN_SIZE = 4,
	/* Of the good ones that with the least time of moves, over the best
	 * links. */
	PLAIT_CHOOSE_MINMIN_TIME = 5,
	/* The same, over the worst links. */
	PLAIT_CHOOSE_MINMAX_TIME = 6
};

/* Policy for the lane of a launch, after its parents. */
typedef uint32_t plait_parent_choice;
enum {
	/* Of the device, the one that can start it first. */
	PLAIT_PARENT_BEST = 0,
	/* Of the first parent, whatever its device. */
	PLAIT_PARENT_SAME = 1,
	/* Of the first parent whose lane no other child has. */
	PLAIT_PARENT_DISJOINT = 2,
	/* The same, among the parents on the device, which is chosen before. */
	PLAIT_PARENT_EARLY_DISJOINT = 3,
	/* The same; the device is one of those of such parents. */
	PLAIT_PARENT_DEVICE_DISJOINT = 4
};

/* Policy for the lane of a launch that gets none of a parent. */
typedef uint32_t plait_lane_choice;
enum {
	/* An idle one; else one that is not in use yet; else the one that is
	 * free first. */
	PLAIT_LANE_REUSE = 0,
	/* A new one, which shares a queue with others if there are more than
	 * queues. */
	PLAIT_LANE_ALWAYS_NEW = 1
};

#ifdef __cplusplus
}
#endif

#endif
