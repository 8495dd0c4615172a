/* SPDX-License-Identifier: MIT */
/* Hash index: open addressing with linear probing, at most 3/4 full. */
#include "graph/store/hash_index.h"

#include "base/alloc.h"

#include <stddef.h>
#include <string.h>

plait__index *plait__index_create(const plait_allocator *allocator)
{
	return plait__alloc(allocator, sizeof(plait__index));
}

void plait__index_clear(plait__index *index, const plait_allocator *allocator)
{
	plait__free(allocator, index->entries,
		    index->capacity * sizeof(*index->entries));
	*index = (plait__index){ 0 };
}

void plait__index_destroy(const plait_allocator *allocator,
			  plait__index *index)
{
	if (index == NULL)
		return;
	plait__index_clear(index, allocator);
	plait__free(allocator, index, sizeof(*index));
}

uint64_t plait__index_hash(const void *bytes, uint64_t count)
{
	const unsigned char *at = bytes;
	uint64_t hash = count;

	uint64_t word;

	for (; count >= sizeof(word); count -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = plait__index_mix(hash ^ word);
		at += sizeof(word);
	}
	for (uint64_t i = 0; i < count; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return plait__index_mix(hash);
}

/* There is a free entry. */
static void insert(plait__index_entry *entries, uint64_t capacity,
		   plait__index_entry entry)
{
	uint64_t i = plait__index_mix(entry.hash + entry.kind) & (capacity - 1);

	while (entries[i].kind != 0)
		i = (i + 1) & (capacity - 1);
	entries[i] = entry;
}

uint32_t plait__index_find(const plait__index *index,
			   const plait__index_key *key)
{
	uint32_t kind = key->kind + 1;
	uint64_t i;

	if (index->capacity == 0)
		return UINT32_MAX;
	i = plait__index_mix(key->hash + kind) & (index->capacity - 1);
	while (index->entries[i].kind != 0) {
		const plait__index_entry *entry = &index->entries[i];

		if (entry->kind == kind && entry->hash == key->hash &&
		    key->match(key->table, entry->at, key->value))
			return entry->at;
		i = (i + 1) & (index->capacity - 1);
	}
	return UINT32_MAX;
}

int plait__index_reserve(plait__index *index,
			 const plait_allocator *allocator)
{
	uint64_t capacity = index->capacity == 0 ? 64 : index->capacity * 2;
	plait__index_entry *entries;

	if ((index->count + 1) * 4 <= index->capacity * 3)
		return 0;
	entries = plait__alloc_array(allocator, capacity, sizeof(*entries));
	if (entries == NULL)
		return -1;
	for (uint64_t i = 0; i < index->capacity; i++)
		if (index->entries[i].kind != 0)
			insert(entries, capacity, index->entries[i]);
	plait__free(allocator, index->entries,
		    index->capacity * sizeof(*entries));
	index->entries = entries;
	index->capacity = capacity;
	return 0;
}

void plait__index_add(plait__index *index, const plait__index_key *key,
		      uint32_t at)
{
	insert(index->entries, index->capacity,
	       (plait__index_entry){ key->hash, at, key->kind + 1 });
	index->count++;
}

/* Remove entry i and reinsert the rest of its probe run. */
static void remove_entry(plait__index *index, uint64_t i)
{
	uint64_t mask = index->capacity - 1;
	uint64_t next = (i + 1) & mask;

	index->entries[i].kind = 0;
	index->count--;
	while (index->entries[next].kind != 0) {
		plait__index_entry moved = index->entries[next];

		index->entries[next].kind = 0;
		insert(index->entries, index->capacity, moved);
		next = (next + 1) & mask;
	}
}

void plait__index_cut(plait__index *index, uint32_t kind, uint32_t count)
{
	uint64_t i = 0;

	while (i < index->capacity) {
		const plait__index_entry *entry = &index->entries[i];

		if (entry->kind == kind + 1 && entry->at >= count)
			remove_entry(index, i);
		else
			i++;
	}
}
