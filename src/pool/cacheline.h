/* SPDX-License-Identifier: MIT */
/*
 * Allocation of memory aligned to a cache line, for objects that several
 * threads write: no two of them share a line by accident.
 */
#ifndef PLAIT_SRC_POOL_CACHELINE_H
#define PLAIT_SRC_POOL_CACHELINE_H

#include "base/alloc.h"

#include <stddef.h>

enum { PLAIT__CACHELINE_BYTES = 64 };

#define PLAIT__CACHELINE_ALIGNED _Alignas(PLAIT__CACHELINE_BYTES)

/* Allocate zeroed memory; returns null without memory. The pointer that the
 * allocator returned lies in front of the block. */
static inline void *plait__cacheline_alloc(const plait_allocator *allocator,
					   uint64_t bytes)
{
	char *block;
	char *line;

	if (__builtin_add_overflow(bytes, 2 * PLAIT__CACHELINE_BYTES, &bytes))
		return NULL;
	block = plait__alloc(allocator, bytes);
	if (block == NULL)
		return NULL;
	line = block + 2 * PLAIT__CACHELINE_BYTES -
	       (uintptr_t)block % PLAIT__CACHELINE_BYTES;
	if (line - block > PLAIT__CACHELINE_BYTES)
		line -= PLAIT__CACHELINE_BYTES;
	((char **)(void *)line)[-1] = block;
	return line;
}

static inline void plait__cacheline_free(const plait_allocator *allocator,
					 void *line, uint64_t bytes)
{
	if (line != NULL)
		plait__free(allocator, ((char **)line)[-1],
			    bytes + 2 * PLAIT__CACHELINE_BYTES);
}

#endif
