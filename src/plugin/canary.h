/* SPDX-License-Identifier: MIT */
/*
 * A fence behind memory that a plugin is told to fill, which shows that it
 * wrote further than it was told.
 */
#ifndef PLAIT_SRC_PLUGIN_CANARY_H
#define PLAIT_SRC_PLUGIN_CANARY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
	PLAIT__GUARD_BYTES = 512,
	PLAIT__GUARD_PATTERN = 0xa5
};

static inline void plait__guard_init(unsigned char fence[PLAIT__GUARD_BYTES])
{
	memset(fence, PLAIT__GUARD_PATTERN, PLAIT__GUARD_BYTES);
}

static inline bool
plait__guard_holds(const unsigned char fence[PLAIT__GUARD_BYTES])
{
	size_t i;

	for (i = 0; i < PLAIT__GUARD_BYTES; i++)
		if (fence[i] != PLAIT__GUARD_PATTERN)
			return false;
	return true;
}

#endif
