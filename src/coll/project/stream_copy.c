/* SPDX-License-Identifier: MIT */
/* Copies by non-temporal stores. */
#include "coll/project/stream_copy.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

enum { LINE = 64, VECTOR = 16 };

/* `target` is aligned to a vector. */
static void copy_line(unsigned char *target, const unsigned char *source)
{
	__m128i part[LINE / VECTOR];

	memcpy(part, source, LINE);
	for (uint32_t i = 0; i < LINE / VECTOR; i++)
		_mm_stream_si128((__m128i *)(void *)target + i, part[i]);
}

void plait__stream_copy(void *target, const void *source, uint64_t bytes)
{
	unsigned char *to = target;
	const unsigned char *from = source;
	uint64_t head = -(uintptr_t)target & (LINE - 1), at;

	if (head > bytes)
		head = bytes;
	memcpy(to, from, head);
	for (at = head; bytes - at >= LINE; at += LINE)
		copy_line(to + at, from + at);
	memcpy(to + at, from + at, bytes - at);
	/* Such stores are not in order; a later release store relies on it. */
	_mm_sfence();
}
#else
void plait__stream_copy(void *target, const void *source, uint64_t bytes)
{
	memcpy(target, source, bytes);
}
#endif
