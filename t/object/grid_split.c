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

/* Null, or the error in the parts of this launch. */
static const char *judge(const plait_launch *launch, uint64_t grain,
			 uint32_t threads)
{
	static unsigned char seen[MOST_ITEMS];
	uint64_t total = launch->items[0] * launch->items[1] *
			 launch->items[2];
	plait__grid_split split;
	uint64_t parts = plait__grid_split_init(&split, launch, grain, threads);
	plait_range range;

	if (parts == 0 || parts > total || parts > (uint64_t)threads * 8)
		return "too many parts, or none";
	memset(seen, 0, sizeof(seen));
	for (uint64_t i = 0; i < parts; i++) {
		plait__grid_split_range(&split, launch, i, &range);
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

		wrong = judge(&launch, draw(40),
			      1 + (uint32_t)draw(9));
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
	uint64_t parts = plait__grid_split_init(&split, &launch, 0, 4);

	IS_UINT(parts, 32);
	plait__grid_split_range(&split, &launch, 0, &range);
	IS_UINT(range.begin[0], 0);
	plait__grid_split_range(&split, &launch, parts - 1, &range);
	IS_UINT(range.end[0], UINT64_MAX);
	OK(range.begin[0] > UINT64_MAX / 32 * 30);
	IS_UINT(plait__grid_split_init(&split, &launch, UINT64_MAX, 4), 1);
	launch.group[0] = UINT64_MAX;
	IS_UINT(plait__grid_split_init(&split, &launch, 0, 4), 1);
	plait__grid_split_range(&split, &launch, 0, &range);
	OK(range.begin[0] == 0 && range.end[0] == UINT64_MAX);
}

static const struct tap_scenario all[] = {
	{ "random launches", random_launches },
	{ "huge launches", huge_launches },
};
TAP_MAIN(all)
