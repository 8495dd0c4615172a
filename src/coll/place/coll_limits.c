/* SPDX-License-Identifier: MIT */
/* Limits of the executors: the smaller one where their files differ. */
#include "coll/place/placement.h"

#include "base/error.h"

static void limit_fifo(uint32_t target, uint32_t protocol,
		       plait__placement_limits *out, uint64_t *slot_bytes)
{
	out->depth = 8;
	if (protocol == PLAIT__PROTOCOL_LL) {
		*slot_bytes = 32 << 10;
	} else if (protocol == PLAIT__PROTOCOL_LL128) {
		*slot_bytes = 576000;
	} else {
		out->depth = 2;
		*slot_bytes = target == PLAIT__TARGET_PLAIT ? 256 << 10 :
							      2 << 20;
	}
}

void plait__limits_of(uint32_t target, uint32_t protocol,
		      plait__placement_limits *out, uint64_t *slot_bytes)
{
	*out = (plait__placement_limits){
		.channels = 32, .lanes = 127, .steps = 64, .count = 71,
		.offset = INT16_MAX, .lanes_per_channel = 32,
		.single_wait = 1,
	};
	if (target == PLAIT__TARGET_MSCCL) {
		out->steps = 256;
	} else if (target == PLAIT__TARGET_RCCL) {
		out->channels = 128;
		out->lanes = 64;
	} else if (target == PLAIT__TARGET_PLAIT) {
		*out = (plait__placement_limits){
			.channels = 1 << 16, .lanes = 1 << 24,
			.steps = UINT32_MAX, .offset = UINT32_MAX,
			.lanes_per_channel = UINT32_MAX,
		};
	}
	limit_fifo(target, protocol, out, slot_bytes);
}

/* ---- check ---- */

/* Check offsets and the number of steps; waits that become steps count. */
static plait_status check_lane(const plait__schedule *schedule, uint32_t number,
			       const plait__placement_limits *limits,
			       plait_error *error)
{
	const plait__coll_lane *lane = &schedule->lanes[number];
	uint64_t steps = lane->step_count;

	for (uint64_t i = 0; i < lane->step_count; i++) {
		const plait__coll_step *step =
			&schedule->steps[lane->first_step + i];

		if (limits->single_wait && step->wait_count > 1)
			steps += step->wait_count - 1;
		if (step->source > limits->offset ||
		    step->target > limits->offset)
			return plait__fail(error, PLAIT_E_INVALID,
					   "rank %u: chunk %u; the target "
					   "allows chunks up to %u; use fewer "
					   "chunks or instances", lane->rank,
					   step->source > step->target ?
						   step->source : step->target,
					   limits->offset);
	}
	if (steps <= limits->steps)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "rank %u lane %u: %llu steps, waits included; the "
			   "target allows %u; use fewer chunks, or more "
			   "channels or ways", lane->rank,
			   number - schedule->ranks[lane->rank].first_lane,
			   (unsigned long long)steps, limits->steps);
}

/* Returns how many lanes of a rank send, or receive, on a channel, whichever is
 * more. */
static uint32_t count_lanes(const plait__schedule *schedule,
			    const plait__coll_rank *rank, uint32_t channel)
{
	uint32_t sends = 0, receives = 0;

	for (uint32_t i = 0; i < rank->lane_count; i++) {
		const plait__coll_lane *lane =
			&schedule->lanes[rank->first_lane + i];

		if (lane->channel != channel)
			continue;
		sends += lane->send_peer >= 0;
		receives += lane->recv_peer >= 0;
	}
	return sends > receives ? sends : receives;
}

static plait_status check_rank(const plait__schedule *schedule, uint32_t number,
			       const plait__placement_limits *limits,
			       plait_error *error)
{
	const plait__coll_rank *rank = &schedule->ranks[number];

	if (rank->lane_count > limits->lanes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u: %u lanes; at most %u are allowed; "
				   "use fewer channels, ways or instances",
				   number, rank->lane_count, limits->lanes);
	if (rank->lane_count <= limits->lanes_per_channel)
		return PLAIT_OK;
	for (uint32_t i = 0; i < schedule->channel_count; i++)
		if (count_lanes(schedule, rank, i) > limits->lanes_per_channel)
			return plait__fail(error, PLAIT_E_INVALID,
					   "rank %u: %u lanes of channel %u; "
					   "the target allows %u; give some "
					   "operations another channel", number,
					   count_lanes(schedule, rank, i), i,
					   limits->lanes_per_channel);
	return PLAIT_OK;
}

plait_status plait__limits_check(const plait__schedule *schedule,
				 const plait__placement_limits *limits,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < schedule->rank_count;
	     i++)
		status = check_rank(schedule, i, limits, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < schedule->lane_count;
	     i++)
		status = check_lane(schedule, i, limits, error);
	return status;
}
