/* SPDX-License-Identifier: MIT */
/*
 * Memory allocation: the library allocates only through the allocator of the
 * context that the memory belongs to, with its size, so that tests can fail
 * each allocation and users can account for all of them.
 */
#ifndef PLAIT_SRC_BASE_ALLOC_H
#define PLAIT_SRC_BASE_ALLOC_H

#include "plait/base.h"

/* Returns the C library's allocator; used where no context exists yet. */
const plait_allocator *plait__alloc_default(void);

/* Allocate `bytes` of zeroed memory; returns null on failure and for 0
 * bytes. */
void *plait__alloc(const plait_allocator *allocator, uint64_t bytes);

/* Allocate `count` zeroed elements of `each` bytes; returns null also on
 * overflow. */
void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t each);

/* Grow or shrink a block; if this returns null, the old block is unchanged. */
void *plait__realloc(const plait_allocator *allocator, void *pointer,
		     uint64_t old_bytes, uint64_t new_bytes);

/* Free a block, with the size that it was allocated with. Null is allowed. */
void plait__free(const plait_allocator *allocator, void *pointer,
		 uint64_t bytes);

#endif
