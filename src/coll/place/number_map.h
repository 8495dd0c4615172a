/* SPDX-License-Identifier: MIT */
/* A hash table from 64-bit keys to 32-bit numbers; entries are never removed. */
#ifndef PLAIT_SRC_COLL_PLACE_NUMBER_MAP_H
#define PLAIT_SRC_COLL_PLACE_NUMBER_MAP_H

#include "plait/base.h"

typedef struct plait__number_map {
	const plait_allocator *allocator;
	uint64_t *keys;
	uint32_t *numbers;	/* NONE: an empty place */
	uint32_t capacity, count;
} plait__number_map;

void plait__number_map_init(plait__number_map *map,
			    const plait_allocator *allocator);
void plait__number_map_fini(plait__number_map *map);

/* Returns the number of a key, or UINT32_MAX. */
uint32_t plait__number_map_find(const plait__number_map *map, uint64_t key);

/* Add a key that is not there.  Returns 0, or -1 without memory. */
int plait__number_map_add(plait__number_map *map, uint64_t key,
			  uint32_t number);

#endif
