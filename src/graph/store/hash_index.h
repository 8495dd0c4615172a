/* SPDX-License-Identifier: MIT */
/*
 * From a value to its place in a table: a hash index whose keys live in the
 * tables themselves.  Only grows; a cut removes what points behind it.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_HASH_INDEX_H
#define PLAIT_SRC_GRAPH_STORE_HASH_INDEX_H

#include <stdbool.h>

#include "plait/base.h"

typedef struct plait__index_entry {
	uint64_t hash;
	uint32_t at;
	uint32_t kind;		/* + 1; 0 is a free entry */
} plait__index_entry;

typedef struct plait__index {
	plait__index_entry *entries;
	uint64_t capacity;	/* a power of two, or 0 */
	uint64_t count;
} plait__index;

/* Whether place `at` of the table holds the value that is looked for. */
typedef bool (*plait__index_match)(const void *table, uint32_t at,
				   const void *value);

/* One lookup: `kind` tells tables apart that share an index. */
typedef struct plait__index_key {
	uint32_t kind;
	uint64_t hash;
	plait__index_match match;
	const void *table;
	const void *value;
} plait__index_key;

plait__index *plait__index_create(const plait_allocator *allocator);
void plait__index_destroy(const plait_allocator *allocator,
			  plait__index *index);

/* Forget everything, and give the memory back. */
void plait__index_clear(plait__index *index, const plait_allocator *allocator);

uint64_t plait__index_hash(const void *bytes, uint64_t count);

/* The place of the value, or UINT32_MAX. */
uint32_t plait__index_find(const plait__index *index,
			   const plait__index_key *key);

static inline uint64_t plait__index_mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ (x >> 29);
}

/* The same for a key that its hash says all about. */
static inline uint32_t plait__index_find_hash(const plait__index *index,
					      uint32_t kind, uint64_t hash)
{
	const plait__index_entry *entry;
	uint64_t i = plait__index_mix(hash + kind + 1);

	while (index->capacity > 0) {
		entry = &index->entries[i++ & (index->capacity - 1)];
		if (entry->kind == kind + 1 && entry->hash == hash)
			return entry->at;
		if (entry->kind == 0)
			break;
	}
	return UINT32_MAX;
}

/* Make room for one more: 0, or -1 when memory ran out. */
int plait__index_reserve(plait__index *index,
			 const plait_allocator *allocator);

/* Add a place that find did not find; room was reserved. */
void plait__index_add(plait__index *index, const plait__index_key *key,
		      uint32_t at);

/* Remove every entry of `kind` with a place of `count` or above. */
void plait__index_cut(plait__index *index, uint32_t kind, uint32_t count);

#endif
