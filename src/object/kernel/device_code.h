/* SPDX-License-Identifier: MIT */
/*
 * What backends made of a kernel's sources: at most one kernel of theirs for
 * each device that takes code.  Made with the kernel, immutable afterwards.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_DEVICE_CODE_H
#define PLAIT_SRC_OBJECT_KERNEL_DEVICE_CODE_H

#include "plait/plugin.h"

#include "object/kernel/kernel.h"

/* For one device. */
struct plait__device_code {
	plait_backend_kernel *raw; /* null: there is none */
	uint64_t group[3];	   /* of the code; 0: any */
	/* Why there is none, though a source is for it: "cannot ...". */
	char lacks[160];
};

/*
 * Have each device that takes `source`, and has no code yet, make a kernel of
 * it.  One that cannot is no failure: `refused`, an empty record, then gets
 * the first reason.  PLAIT_E_INVALID: the text is wrong (as
 * plait_kernel_create says it), PLAIT_E_NOMEM; what was made stays.
 */
plait_status plait__device_code_build(plait__kernel *kernel, plait__context *context,
				      const plait_source *source,
				      plait_error *refused, plait_error *error);
void plait__device_code_free(plait__kernel *kernel);

/* The code for a device; null: none. */
const plait__device_code *plait__device_code_find(const plait__kernel *kernel,
						  const plait__device *device);

/* Is there code for any device? */
bool plait__device_code_exists(const plait__kernel *kernel);

/*
 * Bind what was built for `device` to arguments, which were checked, one for
 * each parameter, and to a launch, which was read and settled.  The caller
 * keeps kernel and memory until plait__device_code_unbind.  Errors name the kernel.
 */
plait_status plait__device_code_bind(const plait__kernel *kernel,
				     const plait__device *device,
				     const plait_launch *launch,
				     const plait_launch_argument *arguments,
				     plait_backend_launch **out, plait_error *error);

/* No work runs it any more; null is fine. */
void plait__device_code_unbind(const plait__device *device,
			       plait_backend_launch *launch);

#endif
