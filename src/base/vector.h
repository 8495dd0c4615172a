/* SPDX-License-Identifier: MIT */
/*
 * An array that grows by doubling, of elements of one size, indexed by 32
 * bits.  Elements move when it grows: keep indices, not pointers.
 */
#ifndef PLAIT_SRC_BASE_VECTOR_H
#define PLAIT_SRC_BASE_VECTOR_H

#include <string.h>

#include "plait/base.h"

typedef struct plait__vector {
	const plait_allocator *allocator;
	void *items;	/* null until something was pushed */
	uint32_t count;
	uint32_t capacity;
	uint32_t each;	/* bytes of an element */
} plait__vector;

/* The most elements that any vector holds, so that an index is never ~0. */
#define PLAIT__VECTOR_MAX (UINT32_MAX - 1)

void plait__vector_init(plait__vector *vector,
			const plait_allocator *allocator, uint32_t each);
void plait__vector_fini(plait__vector *vector);

/* Make room for `count` more: 0, or -1 when there is no memory. */
int plait__vector_reserve(plait__vector *vector, uint32_t count);

/* Append `count` elements, copied from `items` or zeroed if that is null.
 * The address of the first one, or null when there is no memory. */
void *plait__vector_push(plait__vector *vector, const void *items,
			 uint32_t count);

/* Forget everything from element `count` on. */
void plait__vector_truncate(plait__vector *vector, uint32_t count);

/* The element's address; `index` is below the count. */
static inline void *plait__vector_at(const plait__vector *vector,
				     uint32_t index)
{
	return (char *)vector->items + (uint64_t)index * vector->each;
}

/* Put the elements in order: no memory, and of the same input always the same;
 * equal ones may change places.  `compare` is below 0 when `left` comes first. */
void plait__vector_sort(plait__vector *vector,
			int (*compare)(const void *left, const void *right));

/* Append `count` elements that the caller fills: nothing is written. */
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

/* Append one element of the vector's type: its size is known here, so that
 * it is copied without a call. */
#define PLAIT__VECTOR_ADD(vector, item) \
	plait__vector_add(vector, item, sizeof(*(item)))

#endif
