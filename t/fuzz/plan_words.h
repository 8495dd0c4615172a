/* SPDX-License-Identifier: MIT */
/* Words of a plan's bytes: random changes, and a header that is right again. */
#ifndef T_FUZZ_PLAN_WORDS_H
#define T_FUZZ_PLAN_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The places of the header that a change must not break. */
enum { SIZE_AT = 16, SUM_AT = 24, SUMMED_FROM = 32 };

static inline uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A copy of the checksum in src/plan/io/binary.c. */
static inline uint64_t checksum(const uint8_t *bytes, uint64_t count)
{
	uint64_t sum = count, word;

	for (; count >= sizeof(word); count -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
		bytes += sizeof(word);
	}
	word = 0;
	memcpy(&word, bytes, count);
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ (sum >> 29);
}

static inline void repair(uint8_t *data, size_t size)
{
	uint64_t bytes = size, sum;

	memcpy(data + SIZE_AT, &bytes, sizeof(bytes));
	sum = checksum(data + SUMMED_FROM, size - SUMMED_FROM);
	memcpy(data + SUM_AT, &sum, sizeof(sum));
}

#endif
