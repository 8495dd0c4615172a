/* SPDX-License-Identifier: MIT */
/*
 * Trust and completeness of the file of a plugin, or of a kernel's library
 * (object/kernel/host_code.c), checked before the dynamic linker maps it, because
 * mapping runs its code: a truncated file kills the process, and the file of
 * another user could take it over.
 */
#ifndef PLAIT_SRC_PLUGIN_ELF_CHECK_H
#define PLAIT_SRC_PLUGIN_ELF_CHECK_H

#include <limits.h>

#include "plait/base.h"

/* Returned if there is no such file. */
enum { PLAIT__ELF_CHECK_ABSENT = PLAIT_PENDING };

/*
 * Check a file; `real` receives its resolved path, which is the one to open: no
 * other user can change what it means.  `path` has a slash and may be relative; the
 * caller leaves a name without one to the linker.
 *
 * Returns PLAIT_OK; PLAIT__ELF_CHECK_ABSENT; or PLAIT_E_UNAVAILABLE with the
 * reason, which does not repeat the path. Requirements:
 *
 * - a regular file of root, of the effective user or of the owner of libplait
 *   (that user controls this process anyway), not writable by other users; so
 *   too its folder, also where symbolic links lead; and no folder above lets
 *   other users replace it (sys/trusted_folder.h)
 * - a complete ELF image of this machine's word size
 * - not built for a sanitizer that this process does not have: its runtime
 *   would end the process
 */
plait_status plait__elf_check(const char *path, char real[PATH_MAX],
			      plait_error *error);

#endif
