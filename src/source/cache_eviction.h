/* SPDX-License-Identifier: MIT */
/*
 * A bound for the cache: PLAIT_CACHE_MAX.  When an entry was used is its time
 * of change, which each use sets.
 */
#ifndef PLAIT_SRC_SOURCE_CACHE_EVICTION_H
#define PLAIT_SRC_SOURCE_CACHE_EVICTION_H

#include "base/log.h"

/* The entry at `path` was used now. */
void plait__cache_touch(const char *path);

/*
 * Remove entries of the folder of `path`, those first that were not used for
 * longest, until all together have no more than PLAIT_CACHE_MAX bytes; never
 * the one at `path`, and never what has no name of an entry.  Any number of
 * processes may do this at once, and use what another one removes: who loses
 * an entry builds it again.
 */
void plait__cache_evict(const char *path, const plait__log *log);

#endif
