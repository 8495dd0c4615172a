/* SPDX-License-Identifier: MIT */
/*
 * Weighted splits: cases by hand, extremes, and random ones against the largest
 * remainders of exact fractions, and a count of units one by one.
 */
#include "policy_random.h"

#include "flow/policy/weights.h"

#include <string.h>

enum { DEVICES = 7 };

__extension__ typedef unsigned __int128 wide;

static uint64_t borders[PLAIT__WEIGHTS_DEVICES + 1];

static void are_borders(uint32_t count, const uint64_t *want)
{
	for (uint32_t i = 0; i <= count; i++)
		IS_UINT(borders[i], want[i]);
}

#define U64(...) (const uint64_t[]){ __VA_ARGS__ }
#define U32(...) (const uint32_t[]){ __VA_ARGS__ }

static void cuts(void)
{
	plait__weights_cut(10, U32(1, 1, 1), 3, borders);
	are_borders(3, U64(0, 4, 7, 10));
	plait__weights_cut(11, U32(1, 1, 1), 3, borders);
	are_borders(3, U64(0, 4, 8, 11));
	plait__weights_cut(10, U32(0, 0, 0), 3, borders);
	are_borders(3, U64(0, 4, 7, 10));
	plait__weights_cut(10, U32(0, 3, 0), 3, borders);
	are_borders(3, U64(0, 0, 10, 10));
	/* 1.75, 3.5, 1.75: the first and the last get one more. */
	plait__weights_cut(7, U32(1, 2, 1), 3, borders);
	are_borders(3, U64(0, 2, 5, 7));
	plait__weights_cut(0, U32(1, 2), 2, borders);
	are_borders(2, U64(0, 0, 0));
	plait__weights_cut(1, U32(5, 5, 6), 3, borders);
	are_borders(3, U64(0, 0, 0, 1));
	plait__weights_cut(UINT64_MAX, U32(UINT32_MAX, UINT32_MAX), 2,
			   borders);
	are_borders(2, U64(0, (uint64_t)1 << 63, UINT64_MAX));
	plait__weights_cut(UINT64_MAX, U32(9), 1, borders);
	are_borders(1, U64(0, UINT64_MAX));
}

static void measured(void)
{
	uint32_t weights[3];

	plait__weights_measured(U64(100, 300, 200), 3, weights);
	IS_UINT(weights[0], PLAIT__WEIGHTS_ONE);
	IS_UINT(weights[1], (PLAIT__WEIGHTS_ONE + 1) / 3);
	IS_UINT(weights[2], PLAIT__WEIGHTS_ONE / 2);
	plait__weights_measured(U64(100, 0, 200), 3, weights);
	OK(weights[0] == weights[1] && weights[1] == weights[2]);
	plait__weights_measured(U64(1, UINT64_MAX, 1), 3, weights);
	IS_UINT(weights[1], 0);
	plait__weights_measured(U64(UINT64_MAX, UINT64_MAX, UINT64_MAX), 3,
				weights);
	IS_UINT(weights[1], PLAIT__WEIGHTS_ONE);
}

/* 100 units; device 0 is 3 times as fast. The new split takes 75 of 100 ns. */
static void last_ones(void)
{
	plait__split_request request = {
		.units = 100, .count = 2, .times_ns = U64(100, 300),
		.last = NULL, .unit_bytes = 8, .rate = 1000,
	};
	plait__split_choice choice = plait__weights_split(&request, borders);

	OK(!choice.kept && choice.next_ns == 75);
	are_borders(2, U64(0, 75, 100));
	request.last = U64(0, 50, 100);
	choice = plait__weights_split(&request, borders);
	OK(!choice.kept);
	IS_UINT(choice.last_ns, 150);
	IS_UINT(choice.moved_units, 25);
	IS_UINT(choice.move_ns, 200);
	/* 150 is no more than 1.1 (75 + 62). */
	request.unit_bytes = 20;
	choice = plait__weights_split(&request, borders);
	OK(choice.kept && choice.move_ns == 500);
	are_borders(2, U64(0, 50, 100));
	/* 52 of 80 ns, 48 of 88. */
	request.times_ns = U64(80, 88);
	request.last = U64(0, 0, 100);
	request.unit_bytes = 0;
	choice = plait__weights_split(&request, borders);
	OK(!choice.kept && choice.last_ns == 88 && choice.next_ns == 43);
	request.times_ns = U64(1, 0);
	choice = plait__weights_split(&request, borders);
	OK(choice.kept);
	/* No way for the move. */
	request.times_ns = U64(100, 300);
	request.unit_bytes = 1;
	request.rate = 0;
	choice = plait__weights_split(&request, borders);
	OK(choice.kept && choice.move_ns == UINT64_MAX);
	/* Without units. */
	request.units = 0;
	request.last = U64(0, 0, 0);
	choice = plait__weights_split(&request, borders);
	OK(choice.last_ns == 0 && choice.next_ns == 0);
}

/* The border of the rule, in exact numbers: 110 stays, 111 goes. */
static void at_the_limit(void)
{
	plait__split_request request = {
		.units = 200, .count = 2, .times_ns = U64(200, 200),
		.last = U64(0, 110, 200), .rate = 1,
	};

	OK(plait__weights_split(&request, borders).kept);
	request.last = U64(0, 111, 200);
	OK(!plait__weights_split(&request, borders).kept);
}

/* Each device has some units, of the longest part. */
static void least_ones(void)
{
	plait__split_request request = {
		.units = 100, .count = 3, .times_ns = U64(1000000, 1, 1000000),
		.least = 1, .rate = 1,
	};

	(void)plait__weights_split(&request, borders);
	are_borders(3, U64(0, 1, 99, 100));
	request.times_ns = U64(1, 1000000, 1);
	(void)plait__weights_split(&request, borders);
	are_borders(3, U64(0, 49, 50, 100));
	request.least = 30;
	(void)plait__weights_split(&request, borders);
	are_borders(3, U64(0, 35, 65, 100));
	request.units = 90;
	(void)plait__weights_split(&request, borders);
	are_borders(3, U64(0, 30, 60, 90));
}

/* ---- random ---- */

/* Each unit that is left goes to the largest remainder not served yet. */
static void model_cut(uint64_t units, const uint32_t *weights, uint32_t count,
		      uint64_t *out)
{
	uint64_t parts[DEVICES], left = units;
	wide sum = 0, rest[DEVICES];

	for (uint32_t d = 0; d < count; d++)
		sum += weights[d];
	for (uint32_t d = 0; d < count; d++) {
		wide product = (wide)units * (sum == 0 ? 1 : weights[d]);
		wide by = sum == 0 ? count : sum;

		parts[d] = (uint64_t)(product / by);
		rest[d] = product % by;
		left -= parts[d];
	}
	for (uint32_t d = 0; d < count; d++) {
		uint32_t before = 0;

		for (uint32_t e = 0; e < count; e++)
			before += rest[e] > rest[d] ||
				  (rest[e] == rest[d] && e < d);
		parts[d] += before < left;
	}
	out[0] = 0;
	for (uint32_t d = 0; d < count; d++)
		out[d + 1] = out[d] + parts[d];
}

static uint32_t play_cut(void)
{
	uint32_t weights[DEVICES], count = 1 + (uint32_t)below(DEVICES);
	uint64_t units = below((uint64_t)1 << below(64)) >> below(2);
	uint64_t want[DEVICES + 1];

	for (uint32_t d = 0; d < count; d++)
		weights[d] = (uint32_t)below((uint64_t)1 << below(33));
	plait__weights_cut(units, weights, count, borders);
	model_cut(units, weights, count, want);
	return memcmp(borders, want, (count + 1) * sizeof(*want)) != 0 ||
	       borders[count] != units;
}

static uint32_t owner(const uint64_t *of, uint64_t unit)
{
	uint32_t d = 0;

	while (unit >= of[d + 1])
		d++;
	return d;
}

static uint64_t model_makespan(const plait__split_request *request,
			       const uint64_t *of)
{
	uint64_t longest = 0;

	for (uint32_t d = 0; d < request->count; d++) {
		uint64_t units = 0;

		for (uint64_t i = 0; i < request->units; i++)
			units += owner(of, i) == d;
		units = (units * request->times_ns[d] + request->units - 1) /
			request->units;
		longest = units > longest ? units : longest;
	}
	return longest;
}

static uint32_t play_split(void)
{
	uint64_t times[DEVICES], last[DEVICES + 1] = { 0 }, next[DEVICES + 1];
	uint32_t weights[DEVICES], wrong = 0;
	plait__split_request request = {
		.units = 1 + below(200), .count = 1 + (uint32_t)below(DEVICES),
		.times_ns = times, .last = last, .unit_bytes = below(30),
		.rate = 1 + below(3000),
	};
	uint64_t before, after, moved = 0, move;
	plait__split_choice got;
	bool keeps;

	for (uint32_t d = 0; d < request.count; d++) {
		times[d] = 1 + below(3000);
		weights[d] = 1 + (uint32_t)below(20);
	}
	model_cut(request.units, weights, request.count, last);
	plait__weights_measured(times, request.count, weights);
	model_cut(request.units, weights, request.count, next);
	for (uint64_t i = 0; i < request.units; i++)
		moved += owner(last, i) != owner(next, i);
	move = (moved * request.unit_bytes * 1000 + request.rate - 1) /
	       request.rate;
	before = model_makespan(&request, last);
	after = model_makespan(&request, next);
	keeps = 10 * before <= 11 * (after + move / 8);
	got = plait__weights_split(&request, borders);
	wrong += got.kept != keeps || got.last_ns != before ||
		 got.next_ns != after || got.moved_units != moved ||
		 got.move_ns != move;
	wrong += memcmp(borders, keeps ? last : next,
			(request.count + 1) * sizeof(*last)) != 0;
	return wrong;
}

static void random_cuts(void)
{
	play_rounds(tap_soak() ? 1000000 : 20000, play_cut);
}

static void random_splits(void)
{
	play_rounds(tap_soak() ? 100000 : 2000, play_split);
}

static const struct tap_scenario all[] = {
	{ "cuts", cuts },
	{ "measured", measured },
	{ "last ones", last_ones },
	{ "at the limit", at_the_limit },
	{ "least units", least_ones },
	{ "random cuts", random_cuts },
	{ "random splits", random_splits },
};

TAP_MAIN(all)
