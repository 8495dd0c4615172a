/* SPDX-License-Identifier: MIT */
/* Growing array and heap sort; see vector.h. */
#include "base/vector.h"

#include "base/alloc.h"

#include <string.h>

void plait__vector_init(plait__vector *vector,
			const plait_allocator *allocator, uint32_t each)
{
	*vector = (plait__vector){ .allocator = allocator, .each = each };
}

void plait__vector_fini(plait__vector *vector)
{
	plait__free(vector->allocator, vector->items,
		    (uint64_t)vector->capacity * vector->each);
	vector->items = NULL;
	vector->count = vector->capacity = 0;
}

static int grow(plait__vector *vector, uint64_t wanted)
{
	uint64_t capacity = vector->capacity < 8 ? 8 : vector->capacity;
	void *items;

	while (capacity < wanted)
		capacity *= 2;
	if (capacity > PLAIT__VECTOR_MAX)
		capacity = PLAIT__VECTOR_MAX;
	items = plait__realloc(vector->allocator, vector->items,
			       (uint64_t)vector->capacity * vector->each,
			       capacity * vector->each);
	if (items == NULL)
		return -1;
	vector->items = items;
	vector->capacity = (uint32_t)capacity;
	return 0;
}

int plait__vector_reserve(plait__vector *vector, uint32_t count)
{
	uint64_t wanted = (uint64_t)vector->count + count;

	if (wanted > PLAIT__VECTOR_MAX)
		return -1;
	if (wanted <= vector->capacity && vector->items != NULL)
		return 0;
	return grow(vector, wanted);
}

void *plait__vector_push(plait__vector *vector, const void *items,
			 uint32_t count)
{
	void *place = plait__vector_extend(vector, count);

	if (place == NULL)
		return NULL;
	if (items != NULL)
		memcpy(place, items, (uint64_t)count * vector->each);
	else
		memset(place, 0, (uint64_t)count * vector->each);
	return place;
}

void plait__vector_truncate(plait__vector *vector, uint32_t count)
{
	if (count < vector->count)
		vector->count = count;
}

/* ---- heap sort ---- */

static void swap(plait__vector *vector, uint32_t i, uint32_t k)
{
	unsigned char *a = plait__vector_at(vector, i);
	unsigned char *b = plait__vector_at(vector, k);

	for (uint32_t n = 0; n < vector->each; n++) {
		unsigned char byte = a[n];

		a[n] = b[n];
		b[n] = byte;
	}
}

/* Restore the heap of the first `count` elements, largest on top, below
 * element `i`. */
static void sift_down(plait__vector *vector, uint64_t i, uint64_t count,
		 int (*compare)(const void *left, const void *right))
{
	uint64_t below;

	while ((below = 2 * i + 1) < count) {
		if (below + 1 < count &&
		    compare(plait__vector_at(vector, (uint32_t)below),
			    plait__vector_at(vector, (uint32_t)below + 1)) < 0)
			below++;
		if (compare(plait__vector_at(vector, (uint32_t)i),
			    plait__vector_at(vector, (uint32_t)below)) >= 0)
			return;
		swap(vector, (uint32_t)i, (uint32_t)below);
		i = below;
	}
}

void plait__vector_sort(plait__vector *vector,
			int (*compare)(const void *left, const void *right))
{
	for (uint64_t i = vector->count / 2; i-- > 0;)
		sift_down(vector, i, vector->count, compare);
	for (uint64_t count = vector->count; count > 1; count--) {
		swap(vector, 0, (uint32_t)count - 1);
		sift_down(vector, 0, count - 1, compare);
	}
}
