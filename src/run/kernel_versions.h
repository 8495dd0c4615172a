/* SPDX-License-Identifier: MIT */
/* Reference-counted versions of a program's kernels. */
#ifndef PLAIT_SRC_RUN_KERNEL_VERSIONS_H
#define PLAIT_SRC_RUN_KERNEL_VERSIONS_H

#include "run/program.h"

#include "object/kernel/kernel.h"

/* There is a newer version; the instance is the caller's. */
void plait__kernel_versions_adopt(plait__instance *instance);
void plait__kernel_versions_free(plait__program *program);

/* `kernel` takes the place of `old` in runs that begin from now on. */
plait_status plait__kernel_versions_exchange(plait__program *program,
					     const plait__kernel *old,
					     plait__kernel *kernel,
					     plait_error *error);

#endif
