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
	uint64_t line;	    /* units of dimension 0 that are not divided */
} plait__grid_split;

/* Returns the units of dimension i: its groups, or items without groups. A
 * division costs more than the branch. */
static inline uint64_t plait__grid_split_units_of(const plait_launch *launch,
						  int i)
{
	if (launch->group[i] <= 1)
		return launch->items[i];
	return (launch->items[i] - 1) / launch->group[i] + 1;
}

/* Returns the units of a launch; at most the number of its items, which
 * fits. */
static inline uint64_t plait__grid_split_units(const plait_launch *launch)
{
	uint64_t units = plait__grid_split_units_of(launch, 0);

	if (launch->dimensions > 1)
		units *= plait__grid_split_units_of(launch, 1) *
			 plait__grid_split_units_of(launch, 2);
	return units;
}

/* Divide into `wanted` parts at most, of `grain` units or more: one part if
 * there are fewer. Returns the number of parts. */
uint64_t plait__grid_split_init(plait__grid_split *out,
				const plait_launch *launch, uint64_t wanted,
				uint64_t grain);

/* The items of parts `begin` to `end` - 1 if they are one box; else of as many
 * of the first ones as are. Returns the number of the parts. */
uint64_t plait__grid_split_range(const plait__grid_split *split,
				 const plait_launch *launch, uint64_t begin,
				 uint64_t end, plait_range *out);

#endif
