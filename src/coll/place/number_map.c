/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing; see number_map.h. */
#include "coll/place/number_map.h"

#include "base/alloc.h"

#include <stddef.h>

void plait__number_map_init(plait__number_map *map,
			    const plait_allocator *allocator)
{
	*map = (plait__number_map){ .allocator = allocator };
}

void plait__number_map_fini(plait__number_map *map)
{
	plait__free(map->allocator, map->keys,
		    map->capacity * sizeof(*map->keys));
	plait__free(map->allocator, map->numbers,
		    map->capacity * sizeof(*map->numbers));
	map->capacity = map->count = 0;
}

/* Returns the place of a key, or the empty place where it belongs. */
static uint32_t find_place(const plait__number_map *map, uint64_t key)
{
	uint64_t hash = (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
	uint32_t mask = map->capacity - 1;
	uint32_t at = (uint32_t)(hash >> 32) & mask;

	while (map->numbers[at] != UINT32_MAX && map->keys[at] != key)
		at = (at + 1) & mask;
	return at;
}

uint32_t plait__number_map_find(const plait__number_map *map, uint64_t key)
{
	return map->capacity == 0 ? UINT32_MAX :
				    map->numbers[find_place(map, key)];
}

static void put(plait__number_map *map, uint64_t key, uint32_t number)
{
	uint32_t at = find_place(map, key);

	map->keys[at] = key;
	map->numbers[at] = number;
}

static int grow(plait__number_map *map)
{
	plait__number_map bigger = {
		.allocator = map->allocator,
		.capacity = map->capacity == 0 ? 64 : map->capacity * 2,
		.count = map->count,
	};

	bigger.keys = plait__alloc_array(map->allocator, bigger.capacity,
					 sizeof(*map->keys));
	bigger.numbers = plait__alloc_array(map->allocator, bigger.capacity,
					    sizeof(*map->numbers));
	if (bigger.keys == NULL || bigger.numbers == NULL) {
		plait__number_map_fini(&bigger);
		return -1;
	}
	for (uint32_t i = 0; i < bigger.capacity; i++)
		bigger.numbers[i] = UINT32_MAX;
	for (uint32_t i = 0; i < map->capacity; i++)
		if (map->numbers[i] != UINT32_MAX)
			put(&bigger, map->keys[i], map->numbers[i]);
	plait__number_map_fini(map);
	*map = bigger;
	return 0;
}

int plait__number_map_add(plait__number_map *map, uint64_t key, uint32_t number)
{
	if (map->count * 2 >= map->capacity && grow(map) != 0)
		return -1;
	put(map, key, number);
	map->count++;
	return 0;
}
