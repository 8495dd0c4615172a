/* SPDX-License-Identifier: MIT */
/*
 * Folders that nobody else may write to: making them, trusting them, and
 * putting files into them.
 */
#ifndef PLAIT_SRC_SYS_PRIVATE_DIR_H
#define PLAIT_SRC_SYS_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "plait/base.h"

/*
 * A new folder `parent`/plait-XXXXXX of mode 0700, its path into `out`.
 * 0 or a negative errno.
 */
int plait__private_dir_create_temporary(const char *parent, char *out, size_t out_bytes);

/* Remove it with the files in it; folders in it are left, and so is it. */
void plait__private_dir_remove(const char *path);

/*
 * Make the folder, of mode 0700, and what is missing above it; then see that
 * only its owner, who is this user, can change what is in it: no symbolic
 * link, not writable by others, and no folder above it in which others could
 * replace it.  PLAIT_E_INVALID (no absolute path), PLAIT_E_UNAVAILABLE with
 * the reason.
 */
plait_status plait__private_dir_secure(const char *path, plait_error *error);

/* Is it a regular file, no link, of this user, that only he may write to? */
bool plait__private_dir_is_own_file(const char *path);

/* Remove what is at `path`; folders stay. */
void plait__private_dir_unlink(const char *path);
/* The same, unless it is one of those. */
void plait__private_dir_unlink_foreign(const char *path);

/* The file at `path`, no link, was changed now. */
void plait__private_dir_touch(const char *path);

/*
 * Remove regular files, those first that were changed longest ago, until all
 * that `is_meant` says yes to have no more than `most_bytes`; `keep` is the name
 * of one that stays, and counts.  Others may do the same at the same time.
 * Takes no memory.  Returns how many were removed.
 */
uint64_t plait__private_dir_evict(const char *path, bool (*is_meant)(const char *name),
				  const char *keep, uint64_t most_bytes);

#endif
