/* SPDX-License-Identifier: MIT */
/*
 * Determinism of the planner: the same input gives the same bytes on every run,
 * with every compiler, and with any previous content of the memory.  The sum of
 * all plans is written down here; it changes only when the planner decides
 * differently, and then on purpose.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

/* The checksum of all plans below. */
#define WANT 0x2b088c4207fb1688ull

static uint64_t hash(uint64_t sum, const void *data, uint64_t bytes)
{
	const unsigned char *p = data;

	while (bytes-- > 0)
		sum = (sum ^ *p++) * 0x100000001b3ull;
	return sum;
}

#define HASH(type, name) \
	sum = hash(sum, plan->name, plan->name##_count * sizeof(type));

static uint64_t hash_plan(uint64_t sum, const plait__plan *plan)
{
	PLAIT__PLAN_ARRAYS(HASH)
	sum = hash(sum, &plan->makespan, sizeof(plan->makespan));
	return hash(sum, &plan->signal_count, sizeof(plan->signal_count));
}

/* Memory with different contents each time. */
static void *resize_dirty(void *user_data, void *pointer, uint64_t old_bytes,
			  uint64_t new_bytes)
{
	unsigned char *moved;

	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	moved = realloc(pointer, (size_t)new_bytes);
	if (moved != NULL && new_bytes > old_bytes)
		memset(moved + old_bytes, *(unsigned char *)user_data,
		       (size_t)(new_bytes - old_bytes));
	return moved;
}

static uint64_t hash_all(unsigned char dirt)
{
	static const struct shape_draw draws[] = {
		{ 60, 60, 1, 0, 0, 0, 0, 300, 0, 9 },
		{ 60, 60, 4, 250, 3, 120, 3, 300, 5, 9 },
	};
	plait_allocator allocator = {
		sizeof(allocator), 0, resize_dirty, &dirt
	};
	uint64_t sum = 0xcbf29ce484222325ull;
	uint32_t i;

	for (i = 0; i < 400; i++) {
		plait__input_options options = { 0 };
		struct shape_random random;
		plait__plan *plan;
		struct shape shape;
		uint32_t d;

		/* Not the seed of this run: the sum is for these graphs. */
		shape_seed(&random, i);
		shape_random(&shape, &draws[i % 2], &random);
		for (d = 0; d < draws[i % 2].devices; d++)
			shape.devices[d].flags = d % 2;
		options.policy = i / 2 % 2;
		options.mode = i / 4 % 2;
		options.lanes = options.policy ? 0 : 1 + i % 5;
		if (plait__planner_run(&shape.input, &options, &allocator, NULL,
				       &plan, NULL) == PLAIT_OK)
			sum = hash_plan(sum, plan);
		plait__plan_release(plan);
		shape_fini(&shape);
	}
	return sum;
}

static void same_bytes(void)
{
	uint64_t zeros = hash_all(0), ones = hash_all(0xff);

	OK(zeros == ones);
	OK(zeros == hash_all(0xa5));
	NOTE("0x%llxull", (unsigned long long)zeros);
	if (*(const unsigned char *)&(const uint16_t) { 1 } == 1)
		OK_THAT(zeros == WANT, "the plans are those written down");
	else
		SKIP("the sum is of little-endian bytes");
}

static const struct tap_scenario all[] = {
	{ "same bytes", same_bytes },
};

TAP_MAIN(all)
