/* SPDX-License-Identifier: MIT */
/*
 * Reductions by the calling thread: functions for each element type and
 * operation, with the bits of the portable source in use/reduce_kernels.c.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_HOST_REDUCE_H
#define PLAIT_SRC_COLL_PROJECT_HOST_REDUCE_H

#include "plait/collective.h"

typedef struct plait__host_reduce {
	/* target = target + source; the ranges are disjoint. */
	void (*together)(void *target, const void *source, uint64_t count);
	/* target = other + source; `target` is disjoint from both. */
	void (*apart)(void *target, const void *other, const void *source,
		      uint64_t count);
	uint32_t element_bytes;
} plait__host_reduce;

/* Returns the functions, or null for a type or an operation that does not
 * exist. */
const plait__host_reduce *plait__host_reduce_find(plait_element element,
						  uint32_t bits,
						  plait_reduction reduction);

#endif
