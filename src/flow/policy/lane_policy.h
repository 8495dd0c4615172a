/* SPDX-License-Identifier: MIT */
/* Policies for a lane that no predecessor gives: an idle one, a new one, or the
 * one that is free first. */
#ifndef PLAIT_SRC_FLOW_POLICY_LANE_POLICY_H
#define PLAIT_SRC_FLOW_POLICY_LANE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAIT__LANE_REUSE,
	PLAIT__LANE_ALWAYS_NEW,
	PLAIT__LANE_POLICIES
};

/* In place of an index: the caller creates a lane. */
#define PLAIT__LANE_NEW UINT32_MAX

typedef struct plait__policy_lane {
	uint32_t device;
	bool busy;		/* its last op is not known to be done */
	uint64_t free_ns;	/* predicted */
} plait__policy_lane;

typedef struct plait__lane_request {
	uint32_t policy;	/* PLAIT__LANE_... */
	uint32_t limit;		/* lanes per device; 0: none. ALWAYS_NEW has
				 * none */
	const plait__policy_lane *lanes;
	uint32_t lane_count;
	uint32_t reserved0;
} plait__lane_request;

enum {
	PLAIT__LANE_REASON_PARENT,	/* the lane of a predecessor */
	PLAIT__LANE_REASON_IDLE,
	PLAIT__LANE_REASON_NEW,
	PLAIT__LANE_REASON_FREE_FIRST,	/* none is idle; the limit is reached */
	PLAIT__LANE_REASON_START_FIRST	/* can start the task first */
};

typedef struct plait__lane_choice {
	uint32_t lane;		/* or PLAIT__LANE_NEW */
	uint32_t reason;	/* PLAIT__LANE_REASON_... */
	uint32_t lane_count;	/* lanes of the device */
	uint32_t busy_count;	/* of them */
	uint64_t free_ns;	/* of the lane; 0: now */
} plait__lane_choice;

plait__lane_choice plait__lane_policy_choose(const plait__lane_request *request,
					     uint32_t device);

#endif
