/* SPDX-License-Identifier: MIT */
/* Allocation through the caller's allocator; see alloc.h. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *resize_with_libc(void *user_data, void *pointer,
			      uint64_t old_bytes, uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	if (new_bytes > PTRDIFF_MAX)
		return NULL;
	return realloc(pointer, (size_t)new_bytes);
}

const plait_allocator *plait__alloc_default(void)
{
	static const plait_allocator libc = {
		sizeof(plait_allocator), 0, resize_with_libc, NULL
	};

	return &libc;
}

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	void *block;

	if (bytes == 0 || bytes > PTRDIFF_MAX)
		return NULL;
	block = allocator->resize(allocator->user_data, NULL, 0, bytes);
	if (block != NULL)
		memset(block, 0, (size_t)bytes);
	return block;
}

void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t each)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(count, each, &bytes))
		return NULL;
	return plait__alloc(allocator, bytes);
}

void *plait__realloc(const plait_allocator *allocator, void *pointer,
		     uint64_t old_bytes, uint64_t new_bytes)
{
	if (new_bytes == 0 || new_bytes > PTRDIFF_MAX)
		return NULL;
	return allocator->resize(allocator->user_data, pointer, old_bytes,
				 new_bytes);
}

void plait__free(const plait_allocator *allocator, void *pointer,
		 uint64_t bytes)
{
	if (pointer != NULL)
		(void)allocator->resize(allocator->user_data, pointer, bytes,
					0);
}
