/* SPDX-License-Identifier: MIT */
/* Weighted splits; see weights.h. */
#include "flow/policy/weights.h"

#include "flow/policy/saturating.h"

#include <stddef.h>
#include <string.h>

/* ---- weights ---- */

/* Returns the least time, or 0 if one is not known. */
static uint64_t least_time(const uint64_t *times_ns, uint32_t count)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t d = 0; d < count; d++)
		if (times_ns[d] < least)
			least = times_ns[d];
	return least;
}

/* Proportional to the speed, rounded. */
void plait__weights_measured(const uint64_t *times_ns, uint32_t count,
			     uint32_t *weights)
{
	uint64_t least = least_time(times_ns, count);

	for (uint32_t d = 0; d < count; d++)
		weights[d] = least == 0 ? PLAIT__WEIGHTS_ONE :
			     (uint32_t)plait__saturating_mul_add_div(
				     PLAIT__WEIGHTS_ONE, least, times_ns[d] / 2,
				     times_ns[d]);
}

/* ---- borders ---- */

static uint64_t sum_weights(const uint32_t *weights, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t d = 0; d < count; d++)
		sum += weights[d];
	return sum;
}

/* Returns the part with the largest remainder, and takes it out. */
static uint32_t take_largest(uint64_t *remainders, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t d = 1; d < count; d++)
		if (remainders[d] > remainders[best])
			best = d;
	remainders[best] = 0;
	return best;
}

/* units * weight modulo sum is the remainder; it needs no wider product, as
 * unsigned numbers wrap: the difference is below the sum. */
static uint64_t share(uint64_t units, uint32_t weight, uint64_t sum,
		      uint64_t *remainder)
{
	uint64_t part = plait__saturating_mul_div(units, weight, sum);

	*remainder = units * weight - part * sum;
	return part;
}

void plait__weights_cut(uint64_t units, const uint32_t *weights,
			uint32_t count, uint64_t *borders)
{
	uint64_t remainders[PLAIT__WEIGHTS_DEVICES];
	uint64_t sum = sum_weights(weights, count), left = units;
	bool equal = sum == 0;

	borders[0] = 0;
	for (uint32_t d = 0; d < count; d++) {
		borders[d + 1] = share(units, equal ? 1 : weights[d],
				       equal ? count : sum, &remainders[d]);
		left -= borders[d + 1];
	}
	/* As many parts have a remainder at least. */
	for (; left > 0; left--)
		borders[take_largest(remainders, count) + 1]++;
	for (uint32_t d = 0; d < count; d++)
		borders[d + 1] += borders[d];
}

/* Returns the part with the most units. */
static uint32_t find_longest(const uint64_t *borders, uint32_t count)
{
	uint32_t longest = 0;

	for (uint32_t d = 1; d < count; d++)
		if (borders[d + 1] - borders[d] >
		    borders[longest + 1] - borders[longest])
			longest = d;
	return longest;
}

/* Let each part have the least units, of the longest ones. */
static void keep_least(const plait__split_request *request, uint64_t *borders)
{
	for (uint32_t d = 0; d < request->count; d++)
		while (borders[d + 1] - borders[d] < request->least) {
			uint32_t from = find_longest(borders, request->count);

			/* The borders between the two move by one. */
			for (uint32_t i = d + 1; i <= from; i++)
				borders[i]++;
			for (uint32_t i = from + 1; i <= d; i++)
				borders[i]--;
		}
}

/* ---- the last split ---- */

static uint64_t makespan(const plait__split_request *request,
			 const uint64_t *borders)
{
	uint64_t longest = 0;

	for (uint32_t d = 0; d < request->count; d++)
		longest = plait__saturating_max(
			longest, plait__saturating_mul_div_up(
				borders[d + 1] - borders[d],
				request->times_ns[d], request->units));
	return longest;
}

/* Returns how many units have another device than in the last split. */
static uint64_t moved_units(const plait__split_request *request,
			    const uint64_t *borders)
{
	uint64_t moved = request->units;

	for (uint32_t d = 0; d < request->count; d++) {
		uint64_t low = plait__saturating_max(borders[d],
						     request->last[d]);
		uint64_t high = borders[d + 1] < request->last[d + 1] ?
				borders[d + 1] : request->last[d + 1];

		moved -= high > low ? high - low : 0;
	}
	return moved;
}

static void compare_splits(const plait__split_request *request,
			   const uint64_t *borders, plait__split_choice *choice)
{
	uint64_t cost;

	choice->last_ns = makespan(request, request->last);
	choice->moved_units = moved_units(request, borders);
	choice->move_ns = choice->moved_units == 0 ? 0 :
		plait__saturating_mul_div_up(
			plait__saturating_mul_div(choice->moved_units,
						  request->unit_bytes, 1),
			1000, request->rate);
	cost = plait__saturating_add(choice->next_ns, choice->move_ns / 8);
	choice->kept = choice->last_ns <=
		       plait__saturating_mul_div(cost, 11, 10);
}

plait__split_choice plait__weights_split(const plait__split_request *request,
					 uint64_t *borders)
{
	uint32_t weights[PLAIT__WEIGHTS_DEVICES];
	plait__split_choice choice = { .kept = false };

	plait__weights_measured(request->times_ns, request->count, weights);
	plait__weights_cut(request->units, weights, request->count, borders);
	keep_least(request, borders);
	if (request->units > 0)
		choice.next_ns = makespan(request, borders);
	if (request->last == NULL)
		return choice;
	if (request->units > 0)
		compare_splits(request, borders, &choice);
	if (least_time(request->times_ns, request->count) == 0)
		choice.kept = true;
	if (choice.kept)
		memcpy(borders, request->last,
		       (request->count + 1) * sizeof(*borders));
	return choice;
}
