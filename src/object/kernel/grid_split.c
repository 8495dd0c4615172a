/* SPDX-License-Identifier: MIT */
/* Division of launches into parts; see grid_split.h. */
#include "object/kernel/grid_split.h"

#include <stdbool.h>

enum {
	/* Parts per thread: more than one, so that a slow or late thread
	 * matters little. */
	PARTS_PER_THREAD = 8,
	/* Items from which on a wake-up of another thread is likely to pay. */
	DEFAULT_ITEMS = 1024
};

static uint64_t step_of(const plait_launch *launch, int i)
{
	return launch->group[i] != 0 ? launch->group[i] : 1;
}

static uint64_t default_grain(const plait_launch *launch)
{
	bool grouped = launch->group[0] > 1 || launch->group[1] > 1 ||
		       launch->group[2] > 1;

	return grouped ? 1 : DEFAULT_ITEMS;
}

uint64_t plait__grid_split_init(plait__grid_split *out,
				const plait_launch *launch, uint64_t grain,
				uint32_t threads)
{
	uint64_t total = 1, wanted, made = 1;

	for (int i = 0; i < 3; i++) {
		out->units[i] = (launch->items[i] - 1) / step_of(launch, i) +
				1;
		/* At most the number of items, which fits. */
		total *= out->units[i];
	}
	wanted = total / (grain != 0 ? grain : default_grain(launch));
	if (wanted > (uint64_t)threads * PARTS_PER_THREAD)
		wanted = (uint64_t)threads * PARTS_PER_THREAD;
	for (int i = 2; i >= 0; i--) {
		uint64_t pieces = wanted / made;

		if (pieces > out->units[i])
			pieces = out->units[i];
		out->pieces[i] = pieces > 0 ? pieces : 1;
		made *= out->pieces[i];
	}
	return made;
}

/* Start of piece `number`, in units; pieces differ by at most one unit. */
static uint64_t start_of(uint64_t units, uint64_t pieces, uint64_t number)
{
	uint64_t each = units / pieces, rest = units % pieces;

	return number * each + (number < rest ? number : rest);
}

void plait__grid_split_range(const plait__grid_split *split,
			     const plait_launch *launch, uint64_t number,
			     plait_range *out)
{
	*out = (plait_range){ .size = sizeof(*out),
			      .dimensions = launch->dimensions };
	for (int i = 0; i < 3; i++) {
		uint64_t step = step_of(launch, i);
		uint64_t piece = number % split->pieces[i];
		uint64_t end = start_of(split->units[i], split->pieces[i],
					piece + 1);

		number /= split->pieces[i];
		out->begin[i] = start_of(split->units[i], split->pieces[i],
					 piece) * step;
		/* The last group may be partial. */
		out->end[i] = end == split->units[i] ? launch->items[i] :
			      end * step;
	}
}
