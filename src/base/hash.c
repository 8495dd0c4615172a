/* SPDX-License-Identifier: MIT */
/* Two independent multiplicative hashes over the same bytes; see hash.h. */
#include "base/hash.h"

#include <stddef.h>

void plait__hash_init(plait__hash *hash)
{
	*hash = (plait__hash){ .one = 0xcbf29ce484222325u,
			       .two = 0x9e3779b97f4a7c15u };
}

static uint64_t turn(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

void plait__hash_add(plait__hash *hash, const void *bytes, uint64_t count)
{
	const unsigned char *at = bytes;

	for (uint64_t i = 0; i < count; i++) {
		hash->one = (hash->one ^ at[i]) * 0x100000001b3u;
		hash->two = turn(hash->two + at[i], 23) * 0xd6e8feb86659fd93u;
	}
	hash->bytes += count;
}

/* Finalizer: every input bit affects every output bit. */
static uint64_t finish(uint64_t word)
{
	word = (word ^ word >> 33) * 0xff51afd7ed558ccdu;
	word = (word ^ word >> 29) * 0xc4ceb9fe1a85ec53u;
	return word ^ word >> 32;
}

void plait__hash_get(const plait__hash *hash,
		     unsigned char out[PLAIT__HASH_BYTES])
{
	uint64_t one = finish(hash->one + hash->bytes);
	uint64_t two = finish(hash->two ^ turn(one, 17));

	for (size_t i = 0; i < 8; i++) {
		out[i] = (unsigned char)(one >> (8 * i));
		out[8 + i] = (unsigned char)(two >> (8 * i));
	}
}

void plait__hash_text(const plait__hash *hash,
		      char out[PLAIT__HASH_TEXT_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[PLAIT__HASH_BYTES];

	plait__hash_get(hash, bytes);
	for (size_t i = 0; i < PLAIT__HASH_BYTES; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * PLAIT__HASH_BYTES] = '\0';
}
