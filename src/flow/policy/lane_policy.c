/* SPDX-License-Identifier: MIT */
/* Policies for new lanes; see lane_policy.h. */
#include "flow/policy/lane_policy.h"

/* Lanes of a device: how many, and the first ones of a kind. */
struct census {
	uint32_t count, busy;
	uint32_t idle;		/* or PLAIT__LANE_NEW */
	uint32_t free_first;	/* likewise */
};

static struct census count_lanes(const plait__lane_request *request,
				 uint32_t device)
{
	struct census census = { 0, 0, PLAIT__LANE_NEW, PLAIT__LANE_NEW };

	for (uint32_t i = 0; i < request->lane_count; i++) {
		const plait__policy_lane *lane = &request->lanes[i];

		if (lane->device != device)
			continue;
		census.count++;
		census.busy += lane->busy;
		if (!lane->busy && census.idle == PLAIT__LANE_NEW)
			census.idle = i;
		if (census.free_first == PLAIT__LANE_NEW ||
		    lane->free_ns < request->lanes[census.free_first].free_ns)
			census.free_first = i;
	}
	return census;
}

plait__lane_choice plait__lane_policy_choose(const plait__lane_request *request,
					     uint32_t device)
{
	struct census census = count_lanes(request, device);
	plait__lane_choice choice = {
		.lane = PLAIT__LANE_NEW,
		.reason = PLAIT__LANE_REASON_NEW,
		.lane_count = census.count,
		.busy_count = census.busy,
	};

	if (request->policy == PLAIT__LANE_ALWAYS_NEW)
		return choice;
	if (census.idle != PLAIT__LANE_NEW) {
		choice.lane = census.idle;
		choice.reason = PLAIT__LANE_REASON_IDLE;
	} else if (request->limit > 0 && census.count >= request->limit) {
		choice.lane = census.free_first;
		choice.reason = PLAIT__LANE_REASON_FREE_FIRST;
		choice.free_ns = request->lanes[choice.lane].free_ns;
	}
	return choice;
}
