/* SPDX-License-Identifier: MIT */
/* Which of a kernel's sources becomes code, and for whom. */
#ifndef PLAIT_SRC_OBJECT_KERNEL_SELECT_SOURCE_H
#define PLAIT_SRC_OBJECT_KERNEL_SELECT_SOURCE_H

#include "object/kernel/kernel.h"

/*
 * Build what the backends of the kernel's context can use of its sources.
 * `desc` was read and has an implementation; when it has none for the host,
 * it gets the one that was built.  On failure the kernel has what
 * plait__select_source_free gives back.
 */
plait_status plait__select_source_build(plait__kernel *kernel, plait__context *context,
					plait_kernel_desc *desc, plait_error *error);
void plait__select_source_free(plait__kernel *kernel);

#endif
