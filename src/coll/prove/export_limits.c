/* SPDX-License-Identifier: MIT */
/*
 * Limits of the MSCCL runtime, the Azure executor and RCCL: numbers of steps,
 * lanes and channels, and the ranges of their fields.
 */
#include "coll/prove/export_limits.h"

#include "coll/prove/proof_state.h"
#include "base/error.h"

#include <stddef.h>

typedef struct limit_set {
	const char *name;
	uint64_t lane_steps;	/* with one nop per wait beyond the first */
	uint32_t lanes;		/* per rank; numbers of waits are 8 bits */
	uint32_t channels;
} limit_set;

enum { CHANNEL_LANES = 32, MAX_COUNT = 71, MAX_OFFSET = 32767, NODES = 4096 };

static const limit_set *limits_of(uint32_t target)
{
	static const limit_set all[] = {
		{ "the MSCCL runtime", 256, 127, 32 },
		{ "the Azure executor", 64, 127, 32 },
		{ "RCCL", 64, 64, 128 },
	};

	return target < PLAIT__TARGET_MSCCL || target > PLAIT__TARGET_RCCL ?
		       NULL : &all[target - PLAIT__TARGET_MSCCL];
}

#define FAIL(error, ...) \
	plait__fail(error, PLAIT_E_UNSUPPORTED, __VA_ARGS__)

static plait_status check_kind(const plait__schedule *schedule,
			       uint32_t target, plait_error *error)
{
	uint32_t kind = schedule->kind;
	bool is_msccl = target == PLAIT__TARGET_MSCCL;

	if (kind == PLAIT__COLL_CUSTOM || kind == PLAIT__COLL_ALLTONEXT ?
		    !is_msccl : is_msccl && kind > PLAIT__COLL_ALLTOALL)
		return FAIL(error, "%s has no such collective",
			    limits_of(target)->name);
	return PLAIT_OK;
}

static uint64_t nops_of(const plait__coll_step *step)
{
	return step->wait_count > 1 ? step->wait_count - 1 : 0;
}

static plait_status check_step(const plait__coll_step *step, const char *name,
			       plait_error *error)
{
	if (step->kind == PLAIT__STEP_NOP)
		return FAIL(error, "%s has no step that only waits", name);
	if (step->count > MAX_COUNT)
		return FAIL(error, "%s: a step of %u chunks; at most %u", name,
			    step->count, MAX_COUNT);
	if (step->source > MAX_OFFSET || step->target > MAX_OFFSET)
		return FAIL(error, "%s: an offset above %u", name, MAX_OFFSET);
	return PLAIT_OK;
}

static plait_status check_lane(const plait__schedule *schedule,
			       const plait__coll_lane *lane,
			       const limit_set *limits, uint64_t *nodes,
			       plait_error *error)
{
	uint64_t steps = lane->step_count;

	for (uint64_t i = 0; i < lane->step_count; i++) {
		const plait__coll_step *step =
			&schedule->steps[lane->first_step + i];
		plait_status status = check_step(step, limits->name, error);

		if (status)
			return status;
		steps += nops_of(step);
	}
	if (steps > limits->lane_steps)
		return FAIL(error, "%s: a lane of rank %u has %lu steps; at "
			    "most %lu", limits->name, lane->rank,
			    (unsigned long)steps,
			    (unsigned long)limits->lane_steps);
	if (lane->channel >= limits->channels)
		return FAIL(error, "%s: channel %u; at most %u channels",
			    limits->name, lane->channel, limits->channels);
	*nodes += steps + 1;
	return PLAIT_OK;
}

static plait_status check_channels(const plait__schedule *schedule,
				   const plait__coll_rank *rank,
				   const limit_set *limits, plait_error *error)
{
	uint32_t senders[128] = { 0 }, receivers[128] = { 0 };

	for (uint32_t i = 0; i < rank->lane_count; i++) {
		const plait__coll_lane *lane =
			&schedule->lanes[rank->first_lane + i];

		if (lane->send_peer >= 0 &&
		    ++senders[lane->channel] > CHANNEL_LANES)
			return FAIL(error, "%s: more than %u senders of rank "
				    "%u on channel %u", limits->name,
				    CHANNEL_LANES, lane->rank, lane->channel);
		if (lane->recv_peer >= 0 &&
		    ++receivers[lane->channel] > CHANNEL_LANES)
			return FAIL(error, "%s: more than %u receivers of rank "
				    "%u on channel %u", limits->name,
				    CHANNEL_LANES, lane->rank, lane->channel);
	}
	return PLAIT_OK;
}

static plait_status check_rank(const plait__schedule *schedule, uint32_t index,
			       const limit_set *limits, plait_error *error)
{
	const plait__coll_rank *rank = &schedule->ranks[index];
	plait_status status = PLAIT_OK;
	uint64_t nodes = 2;

	if (rank->lane_count > limits->lanes)
		return FAIL(error, "%s: rank %u has %u lanes; at most %u",
			    limits->name, index, rank->lane_count,
			    limits->lanes);
	for (uint32_t i = 0; i < rank->lane_count && !status; i++)
		status = check_lane(schedule,
				    &schedule->lanes[rank->first_lane + i],
				    limits, &nodes, error);
	if (status)
		return status;
	if (nodes > NODES)
		return FAIL(error, "%s: rank %u has %lu XML elements; at most "
			    "%u", limits->name, index, (unsigned long)nodes,
			    NODES);
	return check_channels(schedule, rank, limits, error);
}

plait_status plait__export_limits_check(const plait__schedule *schedule,
					uint32_t target, plait_error *error)
{
	const limit_set *limits = limits_of(target);
	plait_status status;

	if (limits == NULL)
		return FAIL(error, "target %u reads no XML", target);
	status = check_kind(schedule, target, error);
	for (uint32_t i = 0; i < schedule->rank_count && !status; i++)
		status = check_rank(schedule, i, limits, error);
	return status;
}

uint32_t plait__export_flags(const plait__schedule *schedule)
{
	uint32_t flags = 0;

	for (uint32_t i = PLAIT__TARGET_MSCCL; i <= PLAIT__TARGET_RCCL; i++)
		if (plait__export_limits_check(schedule, i, NULL) == PLAIT_OK)
			flags |= PLAIT__PROOF_EXPORTS_MSCCL
				 << (i - PLAIT__TARGET_MSCCL);
	return flags;
}
