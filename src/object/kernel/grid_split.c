/* SPDX-License-Identifier: MIT */
/* Division of launches into parts; see grid_split.h. */
#include "object/kernel/grid_split.h"

/* Items of a line: 64 items of 1 byte are a cache line, of 4 bytes four. */
enum { LINE_ITEMS = 64 };

static uint64_t step_of(const plait_launch *launch, int i)
{
	return launch->group[i] != 0 ? launch->group[i] : 1;
}

/* The most pieces of dimension i whose parts have `grain` units or more; lines
 * round a part of two lines or more down, so whole lines are wanted. */
static uint64_t most_pieces(const plait_launch *launch, int i, uint64_t grain)
{
	uint64_t slice = 1, least;

	for (int j = 0; j < i; j++)
		slice *= plait__grid_split_units_of(launch, j);
	least = grain != 0 ? (grain - 1) / slice + 1 : 1;
	if (i == 0 && least > 2 * LINE_ITEMS)
		least = ((least - 1) / LINE_ITEMS + 1) * LINE_ITEMS;
	/* 0: rounded up beyond 2^64. */
	return least != 0 ? plait__grid_split_units_of(launch, i) / least : 1;
}

uint64_t plait__grid_split_init(plait__grid_split *out,
				const plait_launch *launch, uint64_t wanted,
				uint64_t grain)
{
	uint64_t made = 1;

	for (int i = 2; i >= 0; i--) {
		uint64_t most = most_pieces(launch, i, grain);
		uint64_t pieces = wanted / made;

		out->units[i] = plait__grid_split_units_of(launch, i);
		if (pieces > most)
			pieces = most;
		out->pieces[i] = pieces > 0 ? pieces : 1;
		made *= out->pieces[i];
	}
	out->line = step_of(launch, 0) == 1 &&
				    out->units[0] / out->pieces[0] >=
					    2 * LINE_ITEMS ?
			    LINE_ITEMS :
			    1;
	return made;
}

/* Start of piece `number`, in units; pieces differ by at most one line.
 * `number` is at most `pieces`, which is not 0. */
static uint64_t start_of(uint64_t units, uint64_t pieces, uint64_t number,
			 uint64_t line)
{
	uint64_t lines = units / line;
	uint64_t each = lines / pieces, rest = lines % pieces;

	if (number == pieces)
		return units;
	return (number * each + (number < rest ? number : rest)) * line;
}

/* The innermost dimension that is divided: consecutive parts are one box as
 * long as they differ in this dimension alone. */
static int inner_dimension(const plait__grid_split *split)
{
	int i = 0;

	while (i < 2 && split->pieces[i] == 1)
		i++;
	return i;
}

uint64_t plait__grid_split_range(const plait__grid_split *split,
				 const plait_launch *launch, uint64_t begin,
				 uint64_t end, plait_range *out)
{
	const int inner = inner_dimension(split);
	const uint64_t first = begin % split->pieces[inner];
	uint64_t count = split->pieces[inner] - first;
	uint64_t number = begin;

	if (count > end - begin)
		count = end - begin;
	*out = (plait_range){ .size = sizeof(*out),
			      .dimensions = launch->dimensions };
	for (int i = 0; i < 3; i++) {
		uint64_t step = step_of(launch, i);
		uint64_t line = i == 0 ? split->line : 1;
		uint64_t piece = number % split->pieces[i];
		uint64_t last = start_of(split->units[i], split->pieces[i],
					 piece + (i == inner ? count : 1),
					 line);

		number /= split->pieces[i];
		out->begin[i] = start_of(split->units[i], split->pieces[i],
					 piece, line) * step;
		/* The last group may be partial. */
		out->end[i] = last == split->units[i] ? launch->items[i] :
			      last * step;
	}
	return count;
}
