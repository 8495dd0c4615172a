/* SPDX-License-Identifier: MIT */
/*
 * Size limit of the cache, PLAIT_CACHE_MAX in bytes: least recently used entries go
 * first.  Default 1 GiB; 0: no limit.  Each use sets an entry's modification time.
 */
#ifndef PLAIT_SRC_SOURCE_CACHE_EVICTION_H
#define PLAIT_SRC_SOURCE_CACHE_EVICTION_H

#include "base/log.h"

/* Record a use of the entry at `path`. */
void plait__cache_touch(const char *path);

/*
 * Remove least recently used entries of the folder of `path` until all together
 * have at most PLAIT_CACHE_MAX bytes; never the entry at `path`, and never a
 * file without an entry's name.  Any number of processes may do this at once
 * and use what another removes: a process that loses an entry builds it again.
 */
void plait__cache_evict(const char *path, const plait__log *log);

#endif
