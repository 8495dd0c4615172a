/* SPDX-License-Identifier: MIT */
/*
 * Compiled code on disk: found by everything that it was made from, in a
 * folder that only its user can write to.  An entry is the code, then the
 * key, then a footer with a checksum of both, so that the code's own format
 * (an ELF object, a driver's binary) starts at the first byte.  What is not
 * whole, not ours or not for this key is not used.
 */
#ifndef PLAIT_SRC_SOURCE_CACHE_H
#define PLAIT_SRC_SOURCE_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/base.h"

#include "base/log.h"

typedef struct plait__cache {
	char folder[PATH_MAX]; /* "": there is none */
} plait__cache;

/* Find and secure the folder; what is wrong with it goes to the log, and then
 * there is no cache. */
void plait__cache_open(plait__cache *out, const plait__log *log);

/* The path of the entry for this key: NAME-HASH and the suffix, ".so".  False:
 * there is no cache. */
bool plait__cache_path(const plait__cache *cache, const char *name,
		       const char *suffix, const char *key, uint64_t key_bytes,
		       char *out, size_t out_bytes);

/*
 * Is there a good entry at `path` for this key?  A null `out` only asks; else
 * it gets the code, freed with plait__free and *out_bytes.
 */
bool plait__cache_find(const char *path, const char *key, uint64_t key_bytes,
		       const plait_allocator *allocator, const plait__log *log,
		       void **out, uint64_t *out_bytes);

/* Put an entry at `path`, all or nothing; what goes wrong is only logged.
 * Whether it is there. */
bool plait__cache_store(const char *path, const char *key, uint64_t key_bytes,
			const void *code, uint64_t code_bytes,
			const plait_allocator *allocator,
			const plait__log *log);

/* Forget an entry that turned out to be of no use. */
void plait__cache_discard(const char *path);

#endif
