/* SPDX-License-Identifier: MIT */
/*
 * Whole files: reading one, and replacing one atomically. (Queries of files
 * before they are trusted: file.h.)
 */
#ifndef PLAIT_SRC_SYS_READ_WRITE_FILE_H
#define PLAIT_SRC_SYS_READ_WRITE_FILE_H

#include "plait/base.h"

/*
 * Read a regular file of at most `max_bytes`. The caller frees *out with
 * plait__free and the size max(*out_bytes, 1). PLAIT_E_UNAVAILABLE (origin is
 * the errno), PLAIT_E_INVALID (too large, not a regular file), PLAIT_E_NOMEM.
 */
plait_status plait__read_whole_file(const char *path, uint64_t max_bytes,
				    const plait_allocator *allocator,
				    void **out, uint64_t *out_bytes,
				    plait_error *error);

/*
 * Replace the contents of `path`: a file next to it is written, synced and
 * renamed, so that readers see the old or the new contents, never a part. A
 * symbolic link to a file is followed, a dangling one is replaced; an existing
 * file keeps its mode. For plans, reports and the cache of compiled kernels.
 * PLAIT_E_UNAVAILABLE (origin is the errno), PLAIT_E_INVALID (not a regular
 * file).
 */
plait_status plait__write_file_atomically(const char *path, const void *bytes,
					  uint64_t count, plait_error *error);

#endif
