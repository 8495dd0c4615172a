/* SPDX-License-Identifier: MIT */
/*
 * From a value to its place in a table: a hash index whose keys live in the
 * tables themselves.  Only grows; a cut removes what points behind it.
 */
#ifndef PLAIT_SRC_GRAPH_INDEX_H
#define PLAIT_SRC_GRAPH_INDEX_H

#include <stdbool.h>

#include "plait/base.h"

typedef struct plait__index plait__index;

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

uint64_t plait__index_hash(const void *bytes, uint64_t count);

/* The place of the value, or UINT32_MAX. */
uint32_t plait__index_find(const plait__index *index,
			   const plait__index_key *key);

/* The same for a key that its hash says all about. */
uint32_t plait__index_find_hash(const plait__index *index, uint32_t kind,
				uint64_t hash);

/* Make room for one more: 0, or -1 when memory ran out. */
int plait__index_reserve(plait__index *index,
			 const plait_allocator *allocator);

/* Add a place that find did not find; room was reserved. */
void plait__index_add(plait__index *index, const plait__index_key *key,
		      uint32_t at);

/* Remove every entry of `kind` with a place of `count` or above. */
void plait__index_cut(plait__index *index, uint32_t kind, uint32_t count);

#endif
