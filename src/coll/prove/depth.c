/* SPDX-License-Identifier: MIT */
/*
 * Depth of FIFOs: the least that ends, and the largest collective that an
 * executor ends which splits steps by size.
 */
#include "coll/prove/fifo_run.h"

#include <stddef.h>

enum {
	/* Executors of MSCCL execute at most this many chunks at once. */
	MAX_PART_CHUNKS = 71
};

static plait__fifo_rule rule_of(const plait__proof_state *state, uint32_t depth)
{
	return (plait__fifo_rule){
		.depth = depth,
		.part_chunks = UINT32_MAX,
		.fused_at_once = state->target != PLAIT__TARGET_PLAIT,
	};
}

static plait_status ends(plait__proof_state *state, uint32_t depth,
			 bool *out_ended)
{
	plait__fifo_rule rule = rule_of(state, depth);

	return plait__fifo_run(state, &rule, NULL, NULL, out_ended);
}

/* Returns the most messages of a connection: a depth that is never full. */
static uint32_t unlimited(const plait__proof_state *state)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < state->lane_count; i++) {
		uint32_t sends = state->first_send[i + 1] -
				 state->first_send[i];

		if (sends > most)
			most = sends;
	}
	return most;
}

/* A larger depth only removes order, so that bisection finds the least one
 * above `low`, which does not end, and up to `high`, which does. */
static plait_status bisect(plait__proof_state *state, uint32_t low,
			   uint32_t high)
{
	plait_status status = PLAIT_OK;

	while (high - low > 1 && !status) {
		uint32_t middle = low + (high - low) / 2;
		bool ended = false;

		status = ends(state, middle, &ended);
		if (ended)
			high = middle;
		else
			low = middle;
	}
	state->proof->depth_min = high;
	return status;
}

static plait_status find_least(plait__proof_state *state, uint32_t high)
{
	bool ended = false;
	plait_status status = ends(state, 1, &ended);

	if (status || ended || high == 1) {
		state->proof->depth_min = 1;
		return status;
	}
	return bisect(state, 1, high);
}

static plait_status refuse(plait__proof_state *state, uint32_t depth)
{
	plait__fifo_rule rule = rule_of(state, depth);
	char circle[PLAIT_ERROR_TEXT_BYTES];
	bool ended;
	plait_status status = plait__fifo_run(state, &rule, NULL, circle,
					      &ended);

	if (status)
		return status;
	if (state->proof->depth_min == 0)
		return plait__proof_refuse(state, PLAIT__PROOF_DEADLOCK,
					   "deadlock at any depth, %s", circle);
	return plait__proof_refuse(state, PLAIT__PROOF_DEADLOCK,
				   "deadlock at depth %u, %s", depth, circle);
}

plait_status plait__depth_check(plait__proof_state *state)
{
	uint32_t high = unlimited(state);
	plait__fifo_rule rule = rule_of(state, high);
	bool ended = false;
	plait_status status = plait__fifo_run(state, &rule, state->order, NULL,
					      &ended);

	if (status)
		return status;
	if (!ended)
		return refuse(state, high);
	status = find_least(state, high);
	if (status || state->depth >= state->proof->depth_min)
		return status;
	return refuse(state, state->depth);
}

/* ---- size ---- */

/* Returns true if some step has other numbers of parts for the two sizes of
 * them. */
static bool splits_differently(const plait__proof_state *state, uint32_t part)
{
	const plait__coll_step *steps = state->schedule->steps;

	for (uint32_t i = 0; i < state->step_count; i++)
		if (steps[i].count > 1 &&
		    (steps[i].count - 1) / part !=
			    (steps[i].count - 1) / (part + 1))
			return true;
	return false;
}

/* The executor's parts have `part` chunks as long as a slot holds that many:
 * slot_bytes / (bytes per chunk, rounded up) >= part. */
static uint64_t bytes_with_parts(const plait__proof_state *state, uint32_t part)
{
	uint64_t bytes = 0;

	if (__builtin_mul_overflow(state->slot_bytes / part,
				   (uint64_t)state->schedule->chunks, &bytes))
		return UINT64_MAX - 1;
	return bytes;
}

plait_status plait__depth_safe_bytes(plait__proof_state *state)
{
	uint32_t most = state->proof->count_max;
	plait__fifo_rule rule = rule_of(state, state->depth);
	bool ended = true;

	state->proof->safe_bytes = UINT64_MAX;
	if (state->target == PLAIT__TARGET_PLAIT)
		return PLAIT_OK;
	if (most > MAX_PART_CHUNKS)
		most = MAX_PART_CHUNKS;
	for (uint32_t part = most; part > 0; part--) {
		plait_status status = PLAIT_OK;

		rule.part_chunks = part;
		if (part == most || splits_differently(state, part))
			status = plait__fifo_run(state, &rule, NULL, NULL,
						 &ended);
		if (status)
			return status;
		if (!ended) {
			state->proof->safe_bytes = part == most ? 0 :
				bytes_with_parts(state, part + 1);
			return PLAIT_OK;
		}
	}
	return PLAIT_OK;
}
