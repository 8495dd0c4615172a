/* SPDX-License-Identifier: MIT */
/*
 * May this file be mapped and run in our process?  Asked before the dynamic
 * linker sees it, because what it maps it also runs: a file that is cut short
 * ends the process, one of somebody else's owns it.
 */
#ifndef PLAIT_SRC_PLUGIN_ELF_CHECK_H
#define PLAIT_SRC_PLUGIN_ELF_CHECK_H

#include "plait/base.h"

/* Returned instead of a failure when there is no such file. */
enum { PLAIT__ELF_CHECK_ABSENT = PLAIT_PENDING };

/*
 * PLAIT_OK; PLAIT__ELF_CHECK_ABSENT; PLAIT_E_UNAVAILABLE with the reason, which
 * does not repeat the path:
 *
 * - a regular file of root, of the effective user or of whoever owns libplait
 *   itself (he has this process anyway), and nobody else may write it; the
 *   same for the folder it lies in, also where symbolic links lead
 * - a whole ELF image for this machine's word size
 * - not built for a sanitizer that this process does not have: its runtime
 *   would end the process
 */
plait_status plait__elf_check(const char *path, plait_error *error);

#endif
