/* SPDX-License-Identifier: MIT */
/* Selection and build of a kernel's sources. */
#ifndef PLAIT_SRC_OBJECT_KERNEL_SELECT_SOURCE_H
#define PLAIT_SRC_OBJECT_KERNEL_SELECT_SOURCE_H

#include "object/kernel/kernel.h"

/*
 * Build the sources that devices of the kernel's context accept. `desc` was
 * read and has an implementation; without one for the host it gets the one that
 * was built. On failure the kernel has what plait__select_source_free frees.
 * PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (no device takes any), PLAIT_E_UNAVAILABLE,
 * PLAIT_E_NOMEM; the first reason of a device if all reject them.
 */
plait_status plait__select_source_build(plait__kernel *kernel,
					plait__context *context,
					plait_kernel_desc *desc,
					plait_error *error);
void plait__select_source_free(plait__kernel *kernel);

#endif
