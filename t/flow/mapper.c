/* SPDX-License-Identifier: MIT */
/*
 * Chunks and mappers against brute force over elements: chunks are disjoint,
 * whole groups, and cover the items; each kind of a mapper has the elements that
 * its definition has, each once.
 */
#include "lib/tap.h"

#include "flow/access/chunks.h"
#include "flow/access/mapper.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 7, ROUNDS = 400 };

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* How often each element of a cube is in boxes. */
static unsigned char cube[SIDE][SIDE][SIDE];

static void count_in(const plait_box *box)
{
	for (uint64_t z = box->low[2]; z < box->high[2]; z++)
		for (uint64_t y = box->low[1]; y < box->high[1]; y++)
			for (uint64_t x = box->low[0]; x < box->high[0]; x++)
				cube[z][y][x]++;
}

static bool is_in(const plait_box *box, const uint64_t at[3])
{
	for (int d = 0; d < 3; d++)
		if (at[d] < box->low[d] || at[d] >= box->high[d])
			return false;
	return true;
}

/* ---- chunks ---- */

static plait_launch random_launch(void)
{
	plait_launch launch = { .size = sizeof(launch),
				.dimensions = 1 + (uint32_t)below(3),
				.items = { 1, 1, 1 } };

	for (uint32_t d = 0; d < launch.dimensions; d++) {
		launch.items[d] = 1 + below(SIDE);
		launch.group[d] = below(3);
	}
	return launch;
}

static uint32_t try_chunks(void)
{
	plait_launch launch = random_launch();
	uint32_t split = (uint32_t)below(3), pieces = 1 + (uint32_t)below(12);
	uint64_t most = 0, least = SIDE * SIDE * SIDE, total = 0;
	plait__chunks chunks;
	uint32_t wrong = 0;

	memset(cube, 0, sizeof(cube));
	plait__chunks_cut(&chunks, &launch, split, pieces);
	for (uint32_t i = 0; i < chunks.count; i++) {
		plait_box box = plait__chunks_at(&chunks, i);
		uint64_t elements = plait__box_elements(&box);

		wrong += plait__box_is_empty(&box);
		count_in(&box);
		total += elements;
		most = elements > most ? elements : most;
		least = elements < least ? elements : least;
		for (uint32_t d = 0; d < 3; d++) {
			wrong += launch.group[d] > 1 &&
				 box.low[d] % launch.group[d] != 0;
			/* Only the outermost ones are cut. */
			wrong += d + split < launch.dimensions &&
				 box.high[d] - box.low[d] != launch.items[d];
		}
	}
	for (uint64_t z = 0; z < launch.items[2]; z++)
		for (uint64_t y = 0; y < launch.items[1]; y++)
			for (uint64_t x = 0; x < launch.items[0]; x++)
				wrong += cube[z][y][x] != 1;
	wrong += total != launch.items[0] * launch.items[1] * launch.items[2];
	wrong += chunks.count > pieces || (split == 0 && chunks.count != 1);
	return wrong;
}

static void chunks(void)
{
	uint64_t first = tap_seed();
	uint32_t wrong = 0;

	for (uint64_t round = 0; round < ROUNDS && wrong == 0; round++) {
		state = (first + round) * 0x9e3779b97f4a7c15 + 1;
		wrong = try_chunks();
		OK_THAT(wrong == 0, "seed %llu, round %llu",
			(unsigned long long)first, (unsigned long long)round);
	}
}

static void grids(void)
{
	const plait_launch plane = { sizeof(plane), 2, { 64, 64, 1 },
				     { 0, 0, 0 } };
	plait__chunks by;

	plait__chunks_cut(&by, &plane, 2, 12);
	IS_UINT(by.parts[0], 3);
	IS_UINT(by.parts[1], 4);
	plait__chunks_cut(&by, &plane, 1, 12);
	IS_UINT(by.parts[0], 1);
	IS_UINT(by.parts[1], 12);
	plait__chunks_cut(&by, &plane, 2, 7);
	IS_UINT(by.parts[1], 7);
	plait__chunks_cut(&by, &plane, 1, 200);
	IS_UINT(by.count, 64);
}

/* ---- mappers ---- */

/* Returns true if the element is one that the definition has. */
static bool wants(const plait_mapper *mapper, const plait_box *items,
		  const uint64_t at[3], uint32_t dimensions)
{
	int outside = 0;

	for (uint32_t d = 0; d < dimensions; d++) {
		uint64_t by = mapper->kind == PLAIT_MAPPER_NEIGHBORHOOD ?
				      mapper->extent[d] : 0;
		bool inner = at[d] >= items->low[d] && at[d] < items->high[d];

		if (mapper->kind == PLAIT_MAPPER_SLICE &&
		    d == mapper->dimension)
			continue;
		if (at[d] + by < items->low[d] || at[d] >= items->high[d] + by)
			return false;
		outside += !inner;
	}
	return (mapper->flags & PLAIT_MAPPER_NO_CORNERS) == 0 || outside <= 1;
}

static uint32_t compare(const plait_mapper *mapper, const plait_box *items,
			const plait_box *data, uint32_t dimensions)
{
	uint32_t wrong = 0;

	for (uint64_t i = 0; i < SIDE * SIDE * SIDE; i++) {
		const uint64_t at[3] = { i % SIDE, i / SIDE % SIDE,
					 i / SIDE / SIDE };
		bool wanted = is_in(data, at) &&
			      wants(mapper, items, at, dimensions);

		wrong += cube[at[2]][at[1]][at[0]] != wanted;
	}
	return wrong;
}

/* Data is as large as the items, or smaller. */
static uint32_t try_mapper(void)
{
	plait_launch launch = random_launch();
	plait_mapper mapper = {
		.size = sizeof(mapper),
		.kind = PLAIT_MAPPER_ONE_TO_ONE + (uint32_t)below(3),
		.dimension = (uint32_t)below(launch.dimensions),
		.flags = (uint32_t)below(2),
		.extent = { below(3), below(3), below(3) },
	};
	plait_box data = { { 0, 0, 0 }, { 1, 1, 1 } };
	plait__mapper_chunk chunk = { .dimensions = launch.dimensions };
	plait_box out[PLAIT__MAPPER_BOXES];
	plait__chunks by;
	uint32_t count = 0;

	for (uint32_t d = 0; d < launch.dimensions; d++)
		data.high[d] = 1 + below(SIDE);
	if (mapper.kind != PLAIT_MAPPER_NEIGHBORHOOD)
		mapper.flags = 0;
	plait__chunks_cut(&by, &launch, 2, 1 + (uint32_t)below(6));
	chunk.count = by.count;
	chunk.index = (uint32_t)below(by.count);
	chunk.items = plait__chunks_at(&by, chunk.index);
	memset(cube, 0, sizeof(cube));
	if (plait__mapper_check(&mapper, &chunk, launch.dimensions) != NULL ||
	    plait__mapper_map(&mapper, &chunk, &data, launch.dimensions, out,
			      &count) != PLAIT_OK)
		return 1;
	for (uint32_t i = 0; i < count; i++)
		count_in(&out[i]);
	for (uint32_t d = 0; d < launch.dimensions; d++)
		/* Items beside the data have no elements: nor neighbours. */
		if (chunk.items.low[d] >= data.high[d] &&
		    !(mapper.kind == PLAIT_MAPPER_SLICE &&
		      d == mapper.dimension))
			return count;
	for (uint32_t d = 0; d < launch.dimensions; d++)
		if (chunk.items.high[d] > data.high[d])
			chunk.items.high[d] = data.high[d];
	if (mapper.kind == PLAIT_MAPPER_SLICE &&
	    chunk.items.low[mapper.dimension] >= data.high[mapper.dimension])
		return 0;
	return compare(&mapper, &chunk.items, &data, launch.dimensions);
}

static void mappers(void)
{
	uint64_t first = tap_seed();
	uint32_t wrong = 0;

	for (uint64_t round = 0; round < ROUNDS && wrong == 0; round++) {
		state = (first + round) * 0x9e3779b97f4a7c15 + 1;
		wrong = try_mapper();
		OK_THAT(wrong == 0, "seed %llu, round %llu",
			(unsigned long long)first, (unsigned long long)round);
	}
}

/* ---- kinds that do not follow the items ---- */

static plait_status map_last(void *user_data, const plait_box *chunk,
			     const plait_box *data, plait_box *out,
			     uint32_t room, uint32_t *out_count)
{
	(void)room;
	*out = *data;
	out->low[0] = chunk->low[0];
	out->high[0] = ~(uint64_t)0;
	*out_count = *(const uint32_t *)user_data;
	return *out_count == 9 ? PLAIT_E_FAILED : PLAIT_OK;
}

static void others(void)
{
	static const plait_box boxes[] = { { { 0, 0, 0 }, { 2, 1, 1 } },
					   { { 5, 0, 0 }, { 9, 1, 1 } },
					   { { 8, 0, 0 }, { 9, 1, 1 } },
					   { { 1, 0, 0 }, { 2, 1, 1 } } };
	const plait_box data = { { 0, 0, 0 }, { 7, 1, 1 } };
	plait__mapper_chunk chunk = { .items = { { 3, 0, 0 }, { 4, 1, 1 } },
				      .dimensions = 1, .index = 1,
				      .count = 2 };
	plait_mapper mapper = { .size = sizeof(mapper) };
	plait_box out[PLAIT__MAPPER_BOXES];
	uint32_t count, told = 1;

	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_OK);
	OK(count == 1 && out[0].low[0] == 0 && out[0].high[0] == 7);
	mapper.kind = PLAIT_MAPPER_EVEN_SPLIT;
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_OK);
	OK(count == 1 && out[0].low[0] == 4 && out[0].high[0] == 7);
	mapper.kind = PLAIT_MAPPER_FIXED;
	mapper.boxes = boxes;
	mapper.box_count = 4;
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_OK);
	OK(count == 3 && out[1].low[0] == 5 && out[1].high[0] == 7);
	mapper.kind = PLAIT_MAPPER_BOXES;
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_OK);
	OK(count == 1 && out[0].low[0] == 1 && out[0].high[0] == 2);
	mapper.kind = PLAIT_MAPPER_FUNCTION;
	mapper.function = map_last;
	mapper.user_data = &told;
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_OK);
	OK(count == 1 && out[0].low[0] == 3 && out[0].high[0] == 7);
	told = 9;
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_E_FAILED);
	told = 65;
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_E_INVALID);
	IS_UINT(count, 65);
}

/* Boxes of the program: what the data does not have may be left out; a low in the data
 * and above its high is told. */
static void odd_boxes(void)
{
	static const plait_box boxes[] = { { { 2, 0, 0 }, { 4, 0, 0 } },
					   { { 3, 0, 0 }, { 3, 0, 0 } },
					   { { 9, 0, 0 }, { 12, 1, 1 } },
					   { { 8, 0, 0 }, { 7, 1, 1 } },
					   { { 7, 0, 0 }, { 5, 1, 1 } },
					   { { 0, 3, 0 }, { 2, 1, 1 } },
					   { { 5, 0, 0 }, { 2, 1, 1 } },
					   { { 6, 0, 0 }, { 5, 1, 1 } },
					   { { 5, 3, 0 }, { 2, 1, 1 } } };
	enum { GOOD = 6 };
	const plait_box data = { { 0, 0, 0 }, { 7, 1, 1 } };
	const plait__mapper_chunk chunk = { .items = { { 3, 0, 0 }, { 4, 1, 1 } },
					    .dimensions = 1, .count = 1 };
	plait_mapper mapper = { .size = sizeof(mapper), .boxes = boxes,
				.kind = PLAIT_MAPPER_FIXED, .box_count = GOOD };
	plait_box out[PLAIT__MAPPER_BOXES];
	uint32_t count;

	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
	       PLAIT_OK);
	IS_UINT(count, 1);
	OK(out[0].low[0] == 2 && out[0].high[0] == 4 && out[0].high[2] == 1);
	/* Of three dimensions it is empty. */
	IS_INT(plait__mapper_map(&mapper, &chunk, &data, 3, out, &count),
	       PLAIT_OK);
	IS_UINT(count, 0);
	mapper.kind = PLAIT_MAPPER_BOXES;
	for (uint64_t i = GOOD; i < TAP_COUNT(boxes); i++) {
		mapper.box_count = i + 1;
		IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
		       PLAIT_E_INVALID);
		IS_UINT(count, 1);
		mapper.boxes = &boxes[i];
		mapper.box_count = 1;
		IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
		       PLAIT_E_INVALID);
		OK(memcmp(&out[0], &boxes[i], sizeof(out[0])) == 0);
		mapper.boxes = boxes;
	}
}

/* The items of the chunk, with a high that is in the data. */
static plait_status map_clamped(void *user_data, const plait_box *chunk,
				const plait_box *data, plait_box *out,
				uint32_t room, uint32_t *out_count)
{
	(void)user_data;
	(void)room;
	*out = *chunk;
	for (int d = 0; d < 3; d++)
		if (out->high[d] > data->high[d])
			out->high[d] = data->high[d];
	*out_count = 1;
	return PLAIT_OK;
}

/* A function need not clamp the low of items beyond the data. */
static void clamped_high(void)
{
	const plait_box data = { { 0, 0, 0 }, { 7, 1, 1 } };
	const plait_mapper mapper = { .size = sizeof(mapper),
				      .kind = PLAIT_MAPPER_FUNCTION,
				      .function = map_clamped };
	plait_box out[PLAIT__MAPPER_BOXES];

	for (uint64_t low = 4; low <= 12; low++) {
		const plait__mapper_chunk chunk = {
			.items = { { low, 0, 0 }, { low + 4, 1, 1 } },
			.dimensions = 1, .count = 1,
		};
		uint32_t count = 9;

		IS_INT(plait__mapper_map(&mapper, &chunk, &data, 1, out, &count),
		       PLAIT_OK);
		IS_UINT(count, low < 7);
		OK(count == 0 || (out[0].low[0] == low && out[0].high[0] == 7));
	}
}

static const struct tap_scenario all[] = {
	{ "chunks", chunks },
	{ "grids", grids },
	{ "mappers", mappers },
	{ "others", others },
	{ "odd boxes", odd_boxes },
	{ "a clamped high", clamped_high },
};

TAP_MAIN(all)
