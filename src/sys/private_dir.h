/* SPDX-License-Identifier: MIT */
/*
 * Private folders, which no other user can write to: creation, verification,
 * and eviction of files in them.
 */
#ifndef PLAIT_SRC_SYS_PRIVATE_DIR_H
#define PLAIT_SRC_SYS_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "plait/base.h"

/* Create a new folder `parent`/plait-XXXXXX of mode 0700; its path is
 * written to `out`, "" on failure. PLAIT_E_UNAVAILABLE: also if another user
 * could replace the folder (trusted_folder.h). */
plait_status plait__private_dir_create_temporary(const char *parent, char *out,
						 size_t out_bytes,
						 plait_error *error);

/* Remove a folder and the files in it; a folder that contains folders stays. */
void plait__private_dir_remove(const char *path);

/*
 * Create the folder with mode 0700, and missing parents. Then verify that only
 * this user can change its contents: the folder is owned by this user, is no
 * symbolic link and not writable by others, and no parent lets others replace
 * it (trusted_folder.h). `out` receives its resolved path, which is the one to
 * use. PLAIT_E_INVALID (not an absolute path), PLAIT_E_UNAVAILABLE with the
 * reason.
 */
plait_status plait__private_dir_secure(const char *path, char *out,
				       size_t out_bytes, plait_error *error);

/* Returns true for a regular file, not a link, owned by this user and
 * writable by no other user. */
bool plait__private_dir_is_own_file(const char *path);

/* Remove the file at `path`; folders stay. */
void plait__private_dir_unlink(const char *path);
/* Remove the file at `path` unless plait__private_dir_is_own_file. */
void plait__private_dir_unlink_foreign(const char *path);

/* Set the modification time of the file at `path`, not following a link, to
 * now. */
void plait__private_dir_touch(const char *path);

/*
 * Remove regular files, oldest modification first, until those that `filter`
 * accepts have at most `max_bytes` together. The file named `keep` counts but
 * stays. Other processes may do so concurrently. Allocates no memory. Returns
 * the number of removed files.
 */
uint64_t plait__private_dir_evict(const char *path,
				  bool (*filter)(const char *name),
				  const char *keep, uint64_t max_bytes);

#endif
