/* SPDX-License-Identifier: MIT */
/*
 * Folders that only trusted users can replace.  A user with the right
 * to rename an entry of a folder on the way to a file can put another file in its
 * place, between any check of the path and its use.
 */
#ifndef PLAIT_SRC_SYS_TRUSTED_FOLDER_H
#define PLAIT_SRC_SYS_TRUSTED_FOLDER_H

#include <stddef.h>

#include "plait/base.h"

/*
 * Resolve the folder `path` into `real` and open it, going down from "/" by
 * descriptors, following no link.  Each folder on the way, and the folder
 * itself, must belong to this user, to root, to the owner of "/", or to the
 * owner of libplait, and must not be writable by others unless it has the
 * sticky bit, like /tmp.  A folder above libplait passes: its owner controls
 * this process anyway.
 *
 * Returns a descriptor for openat() and fstat(), or -1 with
 * PLAIT_E_UNAVAILABLE and the reason.  `real` is good to be used as a path
 * afterwards: only trusted users can change what it means.
 */
int plait__trusted_folder_open(const char *path, char *real, size_t real_bytes,
			       plait_error *error);

#endif
