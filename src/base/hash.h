/* SPDX-License-Identifier: MIT */
/*
 * An incremental 128-bit hash. It detects damage and names files; it does not
 * withstand a deliberate collision.
 */
#ifndef PLAIT_SRC_BASE_HASH_H
#define PLAIT_SRC_BASE_HASH_H

#include <stdint.h>

enum { PLAIT__HASH_BYTES = 16, PLAIT__HASH_TEXT_BYTES = 33 };

typedef struct plait__hash {
	uint64_t one, two;
	uint64_t bytes;
} plait__hash;

void plait__hash_init(plait__hash *hash);
void plait__hash_add(plait__hash *hash, const void *bytes, uint64_t count);

/* Returns the hash so far; more bytes may follow. */
void plait__hash_get(const plait__hash *hash,
		     unsigned char out[PLAIT__HASH_BYTES]);

/* Write the hash as 32 hexadecimal digits. */
void plait__hash_text(const plait__hash *hash,
		      char out[PLAIT__HASH_TEXT_BYTES]);

#endif
