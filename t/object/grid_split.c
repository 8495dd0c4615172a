/* SPDX-License-Identifier: MIT */
/* The split of launches into parts: for every launch its parts are boxes of
 * whole groups that contain each item once, and there are not too many. */
#include "object/kernel/grid_split.h"

#include <string.h>

#include "lib/tap.h"

enum { MOST_ITEMS = 20000 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static plait_launch draw_launch(void)
{
	plait_launch launch = { .size = sizeof(launch),
				.dimensions = 1 + (uint32_t)draw(3),
				.items = { 1, 1, 1 } };

	for (uint32_t i = 0; i < launch.dimensions; i++) {
		launch.items[i] = 1 + draw(27);
		launch.group[i] = draw(2) != 0 ? draw(9) : 0;
	}
	return launch;
}

static bool is_whole(const plait_launch *launch, const plait_range *range)
{
	for (int i = 0; i < 3; i++) {
		uint64_t step = launch->group[i] != 0 ? launch->group[i] : 1;

		if (range->begin[i] >= range->end[i] ||
		    range->end[i] > launch->items[i] ||
		    range->begin[i] % step != 0 ||
		    (range->end[i] % step != 0 &&
		     range->end[i] != launch->items[i]))
			return false;
	}
	return range->size == sizeof(*range) &&
	       range->dimensions == launch->dimensions;
}

static void count_items(unsigned char *seen, const plait_launch *launch,
			const plait_range *range)
{
	for (uint64_t z = range->begin[2]; z < range->end[2]; z++)
		for (uint64_t y = range->begin[1]; y < range->end[1]; y++)
			for (uint64_t x = range->begin[0]; x < range->end[0];
			     x++)
				seen[x + launch->items[0] *
				     (y + launch->items[1] * z)]++;
}

static uint64_t count_units(const plait_launch *launch,
			    const plait_range *range)
{
	uint64_t units = 1;

	for (int i = 0; i < 3; i++) {
		uint64_t step = launch->group[i] != 0 ? launch->group[i] : 1;

		units *= (range->end[i] - range->begin[i] + step - 1) / step;
	}
	return units;
}

/* Each part alone. */
static bool keeps_grain(const plait__grid_split *split,
			const plait_launch *launch, uint64_t parts,
			uint64_t grain)
{
	plait_range range;

	for (uint64_t i = 0; parts > 1 && i < parts; i++) {
		(void)plait__grid_split_range(split, launch, i, i + 1, &range);
		if (count_units(launch, &range) < grain)
			return false;
	}
	return true;
}

/* Null, or the error in the parts of this launch. */
static const char *judge(const plait_launch *launch, uint64_t wanted,
			 uint64_t grain)
{
	static unsigned char seen[MOST_ITEMS];
	uint64_t total = launch->items[0] * launch->items[1] *
			 launch->items[2];
	plait__grid_split split;
	uint64_t parts = plait__grid_split_init(&split, launch, wanted,
						 grain);
	uint64_t taken;
	plait_range range;

	if (parts == 0 || parts > total ||
	    (wanted > 0 && parts > wanted))
		return "too many parts, or none";
	if (!keeps_grain(&split, launch, parts, grain))
		return "a part is below the grain";
	memset(seen, 0, sizeof(seen));
	for (uint64_t i = 0; i < parts; i += taken) {
		uint64_t asked = 1 + draw(parts - i);

		taken = plait__grid_split_range(&split, launch, i, i + asked,
						&range);
		if (taken == 0 || taken > asked)
			return "too many parts at once, or none";
		if (!is_whole(launch, &range))
			return "a part is empty, outside or cuts a group";
		count_items(seen, launch, &range);
	}
	for (uint64_t i = 0; i < total; i++)
		if (seen[i] != 1)
			return "an item is left out or done twice";
	return NULL;
}

static void random_launches(void)
{
	const char *wrong = NULL;

	state = tap_seed() * 2 + 1;
	for (int i = 0; i < 5000 && wrong == NULL; i++) {
		plait_launch launch = draw_launch();

		wrong = judge(&launch, draw(400), draw(2) ? draw(300) : 1);
		if (wrong != NULL)
			NOTE("%llux%llux%llu in %llux%llux%llu",
			     (unsigned long long)launch.items[0],
			     (unsigned long long)launch.items[1],
			     (unsigned long long)launch.items[2],
			     (unsigned long long)launch.group[0],
			     (unsigned long long)launch.group[1],
			     (unsigned long long)launch.group[2]);
	}
	OK_THAT(wrong == NULL, "%s", wrong != NULL ? wrong : "all hold");
}

/* The largest launches there are: nothing overflows. */
static void huge_launches(void)
{
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				.items = { UINT64_MAX, 1, 1 } };
	plait__grid_split split;
	plait_range range;
	uint64_t parts = plait__grid_split_init(&split, &launch, 32, 1);

	IS_UINT(parts, 32);
	IS_UINT(plait__grid_split_units(&launch), UINT64_MAX);
	IS_UINT(plait__grid_split_range(&split, &launch, 0, 1, &range), 1);
	IS_UINT(range.begin[0], 0);
	IS_UINT(plait__grid_split_range(&split, &launch, 31, 32, &range), 1);
	IS_UINT(range.end[0], UINT64_MAX);
	OK(range.begin[0] > UINT64_MAX / 32 * 30);
	IS_UINT(plait__grid_split_init(&split, &launch, 0, 1), 1);
	launch.group[0] = UINT64_MAX;
	IS_UINT(plait__grid_split_units(&launch), 1);
	IS_UINT(plait__grid_split_init(&split, &launch, 32, 1), 1);
	IS_UINT(plait__grid_split_range(&split, &launch, 0, 1, &range), 1);
	OK(range.begin[0] == 0 && range.end[0] == UINT64_MAX);
}

/* Parts of many items begin at multiples of 64, and differ by 64 at most. */
static void whole_lines(void)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { 10000, 1, 1 } };
	uint64_t least = UINT64_MAX, most = 0;
	plait__grid_split split;
	plait_range range;

	IS_UINT(plait__grid_split_init(&split, &launch, 7, 1), 7);
	for (uint64_t i = 0; i < 7; i++) {
		uint64_t items;

		(void)plait__grid_split_range(&split, &launch, i, i + 1,
					      &range);
		items = range.end[0] - range.begin[0];
		IS_UINT(range.begin[0] % 64, 0);
		least = items < least ? items : least;
		most = items > most ? items : most;
	}
	OK(most - least <= 64);
}

/* Rows and lines are not rounded below the grain. */
static void coarse_parts(void)
{
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				.items = { 1000, 1, 1 } };
	plait__grid_split split;

	for (uint64_t grain = 0; grain <= 1001; grain++) {
		uint64_t parts = plait__grid_split_init(&split, &launch, 1000,
							grain);

		OK_THAT(keeps_grain(&split, &launch, parts, grain), "%u",
			(unsigned)grain);
	}
	IS_UINT(plait__grid_split_init(&split, &launch, 1000, UINT64_MAX), 1);
	launch.items[0] = 10;
	launch.items[1] = 7;
	IS_UINT(plait__grid_split_init(&split, &launch, 70, 14), 3);
	OK(keeps_grain(&split, &launch, 3, 14));
}

/* Consecutive parts are one box. */
static void merged_parts(void)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 2,
				      .items = { 100, 40, 1 } };
	plait__grid_split split;
	plait_range range;

	IS_UINT(plait__grid_split_init(&split, &launch, 8, 1), 8);
	IS_UINT(plait__grid_split_range(&split, &launch, 2, 6, &range), 4);
	IS_UINT(range.begin[1], 10);
	IS_UINT(range.end[1], 30);
	IS_UINT(range.end[0], 100);
}

static const struct tap_scenario all[] = {
	{ "random launches", random_launches },
	{ "huge launches", huge_launches },
	{ "whole lines", whole_lines },
	{ "coarse parts", coarse_parts },
	{ "merged parts", merged_parts },
};
TAP_MAIN(all)
