/* SPDX-License-Identifier: MIT */
/*
 * A growing array of elements of one size, with 32-bit indices. It doubles its
 * capacity, and elements move then: keep indices, not pointers.
 */
#ifndef PLAIT_SRC_BASE_VECTOR_H
#define PLAIT_SRC_BASE_VECTOR_H

#include <string.h>

#include "plait/base.h"

typedef struct plait__vector {
	const plait_allocator *allocator;
	void *items;	/* null before the first element */
	uint32_t count;
	uint32_t capacity;
	uint32_t each;	/* bytes per element */
} plait__vector;

/* The maximum number of elements, so that an index is never ~0. */
#define PLAIT__VECTOR_MAX (UINT32_MAX - 1)

void plait__vector_init(plait__vector *vector,
			const plait_allocator *allocator, uint32_t each);
void plait__vector_fini(plait__vector *vector);

/* Make room for `count` more elements. Returns 0, or -1 without memory. */
int plait__vector_reserve(plait__vector *vector, uint32_t count);

/* Append `count` elements, copied from `items`, or zeroed if it is null.
 * Returns the address of the first one, or null without memory. */
void *plait__vector_push(plait__vector *vector, const void *items,
			 uint32_t count);

/* Remove all elements from `count` on. */
void plait__vector_truncate(plait__vector *vector, uint32_t count);

/* Returns the address of an element; `index` is below the count. */
static inline void *plait__vector_at(const plait__vector *vector,
				     uint32_t index)
{
	return (char *)vector->items + (uint64_t)index * vector->each;
}

/* Sort in place, without memory. Deterministic, not stable. `compare`
 * returns a negative value if `left` comes first. */
void plait__vector_sort(plait__vector *vector,
			int (*compare)(const void *left, const void *right));

/* Append `count` elements without writing them; the caller does.  Returns the
 * first one, or null without memory. */
static inline void *plait__vector_extend(plait__vector *vector,
					 uint32_t count)
{
	void *place;

	if ((count > vector->capacity - vector->count ||
	     vector->items == NULL) &&
	    plait__vector_reserve(vector, count) != 0)
		return NULL;
	place = plait__vector_at(vector, vector->count);
	vector->count += count;
	return place;
}

static inline void *plait__vector_add(plait__vector *vector, const void *item,
				      size_t bytes)
{
	void *place = plait__vector_extend(vector, 1);

	if (place != NULL)
		memcpy(place, item, bytes);
	return place;
}

/* Append one element of the vector's type; its constant size saves a call.
 * Returns its address, or null without memory. */
#define PLAIT__VECTOR_ADD(vector, item) \
	plait__vector_add(vector, item, sizeof(*(item)))

#endif
