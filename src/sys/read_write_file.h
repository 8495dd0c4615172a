/* SPDX-License-Identifier: MIT */
/*
 * Whole files: read all of one, or replace all of one or nothing.  (Looking
 * at files before they are trusted: file.h.)
 */
#ifndef PLAIT_SRC_SYS_READ_WRITE_FILE_H
#define PLAIT_SRC_SYS_READ_WRITE_FILE_H

#include "plait/base.h"

/*
 * All of a regular file of at most `max_bytes`.  *out is freed with
 * plait__free and its size, max(*out_bytes, 1).  PLAIT_E_UNAVAILABLE (origin
 * is the errno), PLAIT_E_INVALID (too large, no regular file), PLAIT_E_NOMEM.
 */
plait_status plait__read_whole_file(const char *path, uint64_t max_bytes,
				    const plait_allocator *allocator, void **out,
				    uint64_t *out_bytes, plait_error *error);

/*
 * Make `path` hold these bytes: written beside it, synced and renamed, so
 * that there is the old file or the new one, never a part.  A symbolic link is
 * followed, a file that was there keeps its mode.  PLAIT_E_UNAVAILABLE (origin
 * is the errno), PLAIT_E_INVALID (what is there is no regular file).
 */
plait_status plait__write_file_atomically(const char *path, const void *bytes,
					  uint64_t count, plait_error *error);

#endif
