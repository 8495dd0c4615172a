/* SPDX-License-Identifier: MIT */
/* Local memory of a launch against the limit of its device.  The code's own
 * local memory counts, and each parameter, rounded up to its alignment. */
#ifndef PLAIT_SRC_OBJECT_KERNEL_LOCAL_LIMIT_H
#define PLAIT_SRC_OBJECT_KERNEL_LOCAL_LIMIT_H

#include "object/kernel/kernel.h"

typedef struct plait__local_limit {
	const plait__kernel *kernel;
	const plait__device *device;
	uint64_t used_bytes;
} plait__local_limit;

void plait__local_limit_init(plait__local_limit *self,
			     const plait__kernel *kernel,
			     const plait__device *device);

/* Add the bytes of local parameter `index`.  PLAIT_E_UNSUPPORTED names the
 * kernel, the argument and both numbers. */
plait_status plait__local_limit_add(plait__local_limit *self, uint32_t index,
				    uint64_t bytes, plait_error *error);

/* Check all local parameters; values[i] points to the value of argument i. */
plait_status plait__local_limit_check(const plait__kernel *kernel,
				      const plait__device *device,
				      void *const *values, plait_error *error);

#endif
