/* SPDX-License-Identifier: MIT */
/*
 * Canary bytes behind memory that a plugin fills: they detect writes past its
 * end.
 */
#ifndef PLAIT_SRC_PLUGIN_CANARY_H
#define PLAIT_SRC_PLUGIN_CANARY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
	PLAIT__CANARY_BYTES = 512,
	PLAIT__CANARY_PATTERN = 0xa5
};

static inline void plait__canary_init(unsigned char fence[PLAIT__CANARY_BYTES])
{
	memset(fence, PLAIT__CANARY_PATTERN, PLAIT__CANARY_BYTES);
}

static inline bool
plait__canary_is_intact(const unsigned char fence[PLAIT__CANARY_BYTES])
{
	size_t i;

	for (i = 0; i < PLAIT__CANARY_BYTES; i++)
		if (fence[i] != PLAIT__CANARY_PATTERN)
			return false;
	return true;
}

#endif
