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

/* Change a field of 4 or 8 bytes; `address` is among the values. */
static inline void change_field(uint8_t *data, size_t size, uint64_t address,
				uint64_t *state)
{
	const uint64_t usual[] = { 0, 1, 2, 3, 8, 64, UINT32_MAX,
				   UINT64_MAX, (uint64_t)1 << 62,
				   address, 1u << 31, 4096 };
	size_t bytes = next(state) % 4 == 0 ? 8 : 4;
	size_t words = (size - SUMMED_FROM) / bytes;
	uint8_t *at = data + SUMMED_FROM + next(state) % words * bytes;
	const uint8_t *from =
		data + SUMMED_FROM + next(state) % words * bytes;
	uint64_t word = 0;

	memcpy(&word, at, bytes);
	switch (next(state) % 4) {
	case 0:
		word = usual[next(state) % (sizeof(usual) / sizeof(*usual))];
		break;
	case 1:
		word += next(state) % 17 - 8;
		break;
	case 2:
		memcpy(&word, from, bytes);
		break;
	default:
		word ^= UINT64_C(1) << (next(state) % (8 * bytes));
	}
	memcpy(at, &word, bytes);
}

#endif
