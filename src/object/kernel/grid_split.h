/* SPDX-License-Identifier: MIT */
/*
 * Division of a launch into parts, which are boxes of whole groups. The
 * outermost dimension is cut first, so that the memory of a part is contiguous.
 * Pure.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_GRID_SPLIT_H
#define PLAIT_SRC_OBJECT_KERNEL_GRID_SPLIT_H

#include "plait/kernel.h"

typedef struct plait__grid_split {
	uint64_t units[3];  /* groups; or items, without groups */
	uint64_t pieces[3]; /* pieces per dimension; at most its units */
} plait__grid_split;

/*
 * Divide for `threads` threads, with at least `grain` units per part where
 * there are as many; 0: default. Returns the number of parts.
 */
uint64_t plait__grid_split_init(plait__grid_split *out,
				const plait_launch *launch, uint64_t grain,
				uint32_t threads);

/* The items of part `number`. */
void plait__grid_split_range(const plait__grid_split *split,
			     const plait_launch *launch, uint64_t number,
			     plait_range *out);

#endif
