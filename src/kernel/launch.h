/* SPDX-License-Identifier: MIT */
/* How much a launch is: reading and checking what the user said. */
#ifndef PLAIT_SRC_KERNEL_LAUNCH_H
#define PLAIT_SRC_KERNEL_LAUNCH_H

#include "plait/kernel.h"

/*
 * Read a descriptor (null: one item) into one without defaults: 1 to 3
 * dimensions, at least one item in each, all of which can be counted, also
 * when each dimension is rounded up to whole groups.  PLAIT_E_INVALID,
 * PLAIT_E_UNSUPPORTED.
 */
plait_status plait__launch_read(plait_launch *out, const plait_launch *given,
				plait_error *error);

/*
 * Give a launch that was read the groups that its code has.  PLAIT_E_INVALID:
 * it asks for others, or has fewer dimensions.
 */
plait_status plait__launch_resolve(const uint64_t own[3], plait_launch *launch,
				   plait_error *error);

#endif
