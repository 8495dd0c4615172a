/* SPDX-License-Identifier: MIT */
/*
 * A launch in parts: how many, and which items each has.  Parts are boxes of
 * whole groups; the outermost dimension is cut first, so that a part's memory
 * lies together.  Pure.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_GRID_SPLIT_H
#define PLAIT_SRC_OBJECT_KERNEL_GRID_SPLIT_H

#include "plait/kernel.h"

typedef struct plait__grid_split {
	uint64_t units[3];  /* groups, or items when there are none */
	uint64_t pieces[3]; /* of each dimension; at most its units */
} plait__grid_split;

/*
 * Parts for `threads` threads, each of at least `grain` units where there are
 * so many; 0 is the default.  Returns how many parts there are.
 */
uint64_t plait__grid_split_init(plait__grid_split *out, const plait_launch *launch,
				uint64_t grain, uint32_t threads);

/* What part `number` has. */
void plait__grid_split_range(const plait__grid_split *split, const plait_launch *launch,
			     uint64_t number, plait_range *out);

#endif
