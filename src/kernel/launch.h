/* SPDX-License-Identifier: MIT */
/* Geometry of a launch: reading and checking the caller's descriptor. */
#ifndef PLAIT_SRC_KERNEL_LAUNCH_H
#define PLAIT_SRC_KERNEL_LAUNCH_H

#include "plait/kernel.h"

/*
 * Read a descriptor (null: one item) and fill in defaults: 1 to 3 dimensions,
 * at least one item in each, and a product below 2^64, also with each dimension
 * rounded up to whole groups.  PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED.
 */
plait_status plait__launch_read(plait_launch *out, const plait_launch *given,
				plait_error *error);

/*
 * Set the groups of a launch that was read to those of its code, none of them 0.
 * PLAIT_E_INVALID: the launch asks for other groups, has fewer dimensions, or more
 * items than such groups can count.
 */
plait_status plait__launch_resolve(const uint64_t own[3], plait_launch *launch,
				   plait_error *error);

/* Returns the number of items of a launch that was read; at most UINT64_MAX. */
static inline uint64_t plait__launch_items(const plait_launch *launch)
{
	uint64_t items = 1;

	for (uint32_t d = 0; d < launch->dimensions; d++)
		if (__builtin_mul_overflow(items, launch->items[d], &items))
			return UINT64_MAX;
	return items;
}

#endif
