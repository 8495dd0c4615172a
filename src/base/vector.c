/* SPDX-License-Identifier: MIT */
/* A growing array; see vector.h. */
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

void plait__vector_cut(plait__vector *vector, uint32_t count)
{
	if (count < vector->count)
		vector->count = count;
}
