/* SPDX-License-Identifier: MIT */
/* Reference-counted versions of a program's kernels. */
#ifndef PLAIT_SRC_RUN_KERNEL_VERSIONS_H
#define PLAIT_SRC_RUN_KERNEL_VERSIONS_H

#include "run/program.h"

#include "object/kernel/kernel.h"

/* Move an instance that the caller has to the newest version; the program has
 * one.  Takes `exchanging`. */
void plait__kernel_versions_adopt(plait__instance *instance);
void plait__kernel_versions_free(plait__program *program);

/* Runs that begin from now on use `kernel` in place of `old`.  Takes
 * `exchanging`; the caller has entered both kernels.  PLAIT_E_INVALID: another
 * signature or group size, or the plan does not launch `old`;
 * PLAIT_E_UNSUPPORTED: `kernel` has no code for a device; PLAIT_E_NOMEM, or the
 * failure of the engine's recode: the versions are as before. */
plait_status plait__kernel_versions_exchange(plait__program *program,
					     const plait__kernel *old,
					     plait__kernel *kernel,
					     plait_error *error);

#endif
