/* SPDX-License-Identifier: MIT */
/*
 * Hash index from a value to its index in a table.  Keys stay in the tables.
 * Entries are only added, except that a cut removes those beyond a table's end.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_HASH_INDEX_H
#define PLAIT_SRC_GRAPH_STORE_HASH_INDEX_H

#include <stdbool.h>

#include "plait/base.h"

typedef struct plait__index_entry {
	uint64_t hash;
	uint32_t at;
	uint32_t kind;		/* kind + 1; 0 = free entry */
} plait__index_entry;

typedef struct plait__index {
	plait__index_entry *entries;
	uint64_t capacity;	/* power of two, or 0 */
	uint64_t count;
} plait__index;

/* Returns true if element `at` of the table equals the value. */
typedef bool (*plait__index_match)(const void *table, uint32_t at,
				   const void *value);

/* Lookup key; `kind` separates tables that share an index. */
typedef struct plait__index_key {
	uint32_t kind;
	uint64_t hash;
	plait__index_match match;
	const void *table;
	const void *value;
} plait__index_key;

/* Returns an empty index, or null without memory. */
plait__index *plait__index_create(const plait_allocator *allocator);
void plait__index_destroy(const plait_allocator *allocator,
			  plait__index *index);

/* Remove all entries and free the memory. */
void plait__index_clear(plait__index *index, const plait_allocator *allocator);

uint64_t plait__index_hash(const void *bytes, uint64_t count);

/* Return the index of the value, or UINT32_MAX. */
uint32_t plait__index_find(const plait__index *index,
			   const plait__index_key *key);

static inline uint64_t plait__index_mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ (x >> 29);
}

/* Find a key that is equal if its hash is. */
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

/* Reserve room for one entry: 0, or -1 without memory. */
int plait__index_reserve(plait__index *index,
			 const plait_allocator *allocator);

/* Add an entry that find did not return, after reserve. */
void plait__index_add(plait__index *index, const plait__index_key *key,
		      uint32_t at);

/* Remove every entry of `kind` with an index of `count` or above. */
void plait__index_cut(plait__index *index, uint32_t kind, uint32_t count);

#endif
