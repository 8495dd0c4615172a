/* SPDX-License-Identifier: MIT */
/*
 * The one way to memory: every allocation of the library goes through the
 * allocator of the context that it belongs to, with its size, so that a test
 * can fail each one and a user can account for all of them.
 */
#ifndef PLAIT_SRC_BASE_ALLOC_H
#define PLAIT_SRC_BASE_ALLOC_H

#include "plait/base.h"

/* The C library's memory; used where no context exists yet. */
const plait_allocator *plait__alloc_default(void);

/* `bytes` of zeroed memory, or null.  0 bytes is null too. */
void *plait__alloc(const plait_allocator *allocator, uint64_t bytes);

/* `count` elements of `each` bytes, zeroed; null also when that overflows. */
void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t each);

/* Grow or shrink; the old block stays when null is returned. */
void *plait__realloc(const plait_allocator *allocator, void *pointer,
		     uint64_t old_bytes, uint64_t new_bytes);

/* Give back a block with the size that it was asked for; null is fine. */
void plait__free(const plait_allocator *allocator, void *pointer,
		 uint64_t bytes);

#endif
