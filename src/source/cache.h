/* SPDX-License-Identifier: MIT */
/*
 * Cache of compiled code on disk: keyed by everything that the code was made
 * from, in a folder that only its user can write to.  An entry is the code,
 * then the key, then a footer with a checksum of both, so that the code's own
 * format (an ELF object, a driver's binary) starts at the first byte.  An entry
 * that is damaged, of another owner or of another key is ignored.
 */
#ifndef PLAIT_SRC_SOURCE_CACHE_H
#define PLAIT_SRC_SOURCE_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/base.h"

#include "base/log.h"

typedef struct plait__cache {
	char folder[PATH_MAX]; /* "" without a cache */
} plait__cache;

/* Find and secure the folder.  PLAIT_CACHE=0 disables the cache; so does a fault of
 * the folder, which goes to the log. */
void plait__cache_open(plait__cache *out, const plait__log *log);

/* Compose the path of the entry for a key: NAME-HASH and the suffix, ".so".
 * False without a cache, or if the path does not fit `out_bytes`. */
bool plait__cache_path(const plait__cache *cache, const char *name,
		       const char *suffix, const char *key, uint64_t key_bytes,
		       char *out, size_t out_bytes);

/*
 * Returns true for a good entry at `path` of this key.  `out`, unless null,
 * gets the code; free it with plait__free and *out_bytes.  Records the use.
 */
bool plait__cache_find(const char *path, const char *key, uint64_t key_bytes,
		       const plait_allocator *allocator, const plait__log *log,
		       void **out, uint64_t *out_bytes);

/* Store an entry at `path`, all or nothing, then evict others beyond the limit.
 * Returns true if it is stored; a failure to write is logged, lack of memory is
 * not. */
bool plait__cache_store(const char *path, const char *key, uint64_t key_bytes,
			const void *code, uint64_t code_bytes,
			const plait_allocator *allocator,
			const plait__log *log);

/* Remove an entry that proved useless. */
void plait__cache_discard(const char *path);

#endif
