/* SPDX-License-Identifier: MIT */
/*
 * Memory that starts on a cache line, so that what two threads write does not
 * share one by accident.  Called by whatever the pool's threads share.
 */
#ifndef PLAIT_SRC_POOL_CACHELINE_H
#define PLAIT_SRC_POOL_CACHELINE_H

#include "base/alloc.h"

#include <stddef.h>

enum { PLAIT__CACHELINE_BYTES = 64 };

#define PLAIT__CACHELINE_ALIGNED _Alignas(PLAIT__CACHELINE_BYTES)

/* Zeroed, or null.  What the allocator gave is noted in front of it. */
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
