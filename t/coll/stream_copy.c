/* SPDX-License-Identifier: MIT */
/* Streaming copies: each alignment and length, and nothing outside. */
#include "coll/project/stream_copy.h"
#include "lib/tap.h"

#include <string.h>

enum { ROOM = 512, MOST = 300 };

static unsigned char source[ROOM], target[ROOM], expected[ROOM];

static bool copies(uint32_t to, uint32_t from, uint32_t bytes)
{
	memset(target, 0xee, sizeof(target));
	memset(expected, 0xee, sizeof(expected));
	memcpy(expected + to, source + from, bytes);
	plait__stream_copy(target + to, source + from, bytes);
	return memcmp(target, expected, sizeof(target)) == 0;
}

static void copies_any_range(void)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < ROOM; i++)
		source[i] = (unsigned char)(i * 7 + i / 256);
	for (uint32_t to = 0; to < 65; to++)
		for (uint32_t bytes = 0; bytes <= MOST; bytes++)
			wrong += !copies(to, (to * 5 + bytes) % 65, bytes);
	IS_UINT(wrong, 0);
}

static const struct tap_scenario all[] = {
	{ "any range", copies_any_range },
};

TAP_MAIN(all)
