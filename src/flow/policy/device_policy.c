/* SPDX-License-Identifier: MIT */
/* Policies that choose devices; see device_policy.h. */
#include "flow/policy/device_policy.h"

#include "flow/policy/earliest.h"
#include "flow/policy/saturating.h"

static bool has(uint64_t set, uint32_t index)
{
	return set >> index & 1;
}

static uint32_t lowest(uint64_t set)
{
	return (uint32_t)__builtin_ctzll(set);
}

/* ---- figures ---- */

static uint64_t total_bytes(const plait__device_request *request)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < request->piece_count; i++)
		sum = plait__saturating_add(sum, request->pieces[i].bytes);
	return sum;
}

static uint64_t valid_bytes(const plait__device_request *request,
			    uint32_t device)
{
	uint32_t memory = request->devices[device].memory;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < request->piece_count; i++)
		if (has(request->pieces[i].valid, memory))
			sum = plait__saturating_add(sum,
						    request->pieces[i].bytes);
	return sum;
}

/* A GB/s is a byte per nanosecond. */
static uint64_t move_ns(const plait__device_request *request, uint32_t device)
{
	uint32_t memory = request->devices[device].memory;
	bool worst = request->policy == PLAIT__CHOOSE_MINMAX_TIME;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < request->piece_count; i++) {
		const plait__policy_piece *piece = &request->pieces[i];
		uint64_t bandwidth = plait__links_bandwidth_from(
			request->links, piece->valid, memory, worst);

		if (piece->valid != 0 && bandwidth != UINT64_MAX)
			sum = plait__saturating_add(
				sum, plait__saturating_mul_div_up(
					piece->bytes, 1, bandwidth));
	}
	return sum;
}

/* Returns the candidates that have more than the threshold of the bytes. */
static uint64_t find_good(const plait__device_request *request,
			  plait__device_figures *figures, uint64_t total)
{
	uint32_t threshold = request->threshold > 0 ? request->threshold :
						      PLAIT__CHOOSE_THRESHOLD;
	/* 1000 valid > threshold * total, in integers. */
	uint64_t least = plait__saturating_mul_div(total, threshold, 1000);
	uint64_t good = 0;

	for (uint32_t d = 0; d < request->device_count; d++) {
		if (!has(request->candidates, d))
			continue;
		figures[d] = (plait__device_figures){
			.valid_bytes = valid_bytes(request, d),
		};
		if (figures[d].valid_bytes > least)
			good |= (uint64_t)1 << d;
	}
	return good;
}

/* ---- policies ---- */

/* The turn counts over all devices, also where the candidates are fewer. */
static uint32_t take_turn(const plait__device_request *request)
{
	uint64_t left = request->candidates;
	uint32_t turn = *request->next %
			(uint32_t)__builtin_popcountll(left);

	*request->next = (*request->next + 1) % request->device_count;
	while (turn-- > 0)
		left &= left - 1;
	return lowest(left);
}

static uint32_t least_busy(const plait__device_request *request)
{
	uint32_t best = lowest(request->candidates);

	for (uint32_t d = best; d < request->device_count; d++)
		if (has(request->candidates, d) &&
		    request->devices[d].busy_lanes <
		    request->devices[best].busy_lanes)
			best = d;
	return best;
}

static uint32_t most_bytes(const plait__device_figures *figures,
			   uint32_t count, uint64_t set)
{
	uint32_t best = lowest(set);

	for (uint32_t d = best; d < count; d++)
		if (has(set, d) &&
		    figures[d].valid_bytes > figures[best].valid_bytes)
			best = d;
	return best;
}

static uint32_t least_moves(const plait__device_request *request,
			    plait__device_figures *figures, uint64_t good)
{
	uint32_t best = lowest(good);

	for (uint32_t d = best; d < request->device_count; d++) {
		if (!has(good, d))
			continue;
		figures[d].move_ns = move_ns(request, d);
		if (figures[d].move_ns < figures[best].move_ns)
			best = d;
	}
	return best;
}

static void choose_by_data(const plait__device_request *request,
			   plait__device_figures *figures,
			   plait__device_choice *choice)
{
	choice->good = find_good(request, figures, choice->total_bytes);
	if (choice->good == 0) {
		choice->device = take_turn(request);
		choice->reason = PLAIT__REASON_NO_DATA;
	} else if (request->policy == PLAIT__CHOOSE_MIN_SIZE) {
		choice->device = most_bytes(figures, request->device_count,
					    choice->good);
		choice->reason = PLAIT__REASON_BYTES;
	} else {
		choice->device = least_moves(request, figures, choice->good);
		choice->reason = PLAIT__REASON_MOVES;
	}
}

/* Returns the devices that finish within 1.05 of the least time. */
static uint64_t nearly_first(const plait__device_request *request,
			     const plait__device_figures *figures,
			     uint64_t least)
{
	/* The most x in integers with x < least / 20. */
	uint64_t more = least > 0 ? (least - 1) / 20 : 0, set = 0;

	for (uint32_t d = 0; d < request->device_count; d++)
		if (has(request->candidates, d) &&
		    figures[d].finish_ns - least <= more)
			set |= (uint64_t)1 << d;
	return set;
}

static void choose_earliest(const plait__device_request *request,
			    plait__device_figures *figures,
			    plait__device_choice *choice)
{
	uint32_t first = lowest(request->candidates);

	for (uint32_t d = first; d < request->device_count; d++) {
		if (!has(request->candidates, d))
			continue;
		figures[d] = plait__earliest_figures(request, d);
		figures[d].valid_bytes = valid_bytes(request, d);
		if (figures[d].finish_ns < figures[first].finish_ns)
			first = d;
	}
	choice->good = nearly_first(request, figures,
				    figures[first].finish_ns);
	choice->device = most_bytes(figures, request->device_count,
				    choice->good);
	choice->reason = choice->device == first ? PLAIT__REASON_FINISH :
						   PLAIT__REASON_NEAR;
	choice->good = request->candidates;
}

plait__device_choice
plait__device_policy_choose(const plait__device_request *request,
			    plait__device_figures *figures)
{
	plait__device_choice choice = {
		.device = lowest(request->candidates),
		.reason = PLAIT__REASON_FIRST,
		.total_bytes = total_bytes(request),
	};

	switch (request->policy) {
	case PLAIT__CHOOSE_EARLIEST:
		choose_earliest(request, figures, &choice);
		break;
	case PLAIT__CHOOSE_SINGLE:
		break;
	case PLAIT__CHOOSE_ROUND_ROBIN:
		choice.device = take_turn(request);
		choice.reason = PLAIT__REASON_TURN;
		break;
	case PLAIT__CHOOSE_STREAM_AWARE:
		choice.device = least_busy(request);
		choice.good = request->candidates;
		choice.reason = PLAIT__REASON_LANES;
		break;
	default:
		choose_by_data(request, figures, &choice);
		break;
	}
	return choice;
}
