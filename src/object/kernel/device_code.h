/* SPDX-License-Identifier: MIT */
/*
 * Device code: the backend kernels compiled from a kernel's sources, at most
 * one for each device that accepts code. Built with the kernel, immutable
 * afterwards.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_DEVICE_CODE_H
#define PLAIT_SRC_OBJECT_KERNEL_DEVICE_CODE_H

#include "plait/plugin.h"

#include "object/kernel/kernel.h"

/* Code for one device. */
struct plait__device_code {
	plait_backend_kernel *raw; /* null: none */
	uint64_t group[3];	   /* group size of the code; 0: any */
	uint64_t local_bytes;	   /* of a group, without parameters */
	plait__text messages;	   /* of its compiler */
	/* Why there is none, though a source is for the device: "cannot
	 * ...". */
	char lacks[PLAIT_ERROR_TEXT_BYTES + 24];
};

/*
 * Compile `source` for each device that accepts it and has no code yet. A
 * device that rejects it is no failure: `refused`, an empty record, gets the
 * first reason. PLAIT_E_INVALID: the text is wrong (with plait_kernel_create's
 * message), PLAIT_E_NOMEM; code compiled before stays.
 */
plait_status plait__device_code_build(plait__kernel *kernel,
				      plait__context *context,
				      const plait_source *source,
				      plait_error *refused, plait_error *error);
void plait__device_code_free(plait__kernel *kernel);

/* The code for a device, or null. */
const plait__device_code *plait__device_code_find(const plait__kernel *kernel,
						  const plait__device *device);

/* Returns true if there is code for any device. */
bool plait__device_code_exists(const plait__kernel *kernel);

/*
 * Bind the code for `device` to checked arguments, one per parameter, and a
 * launch with its groups set. The caller keeps kernel and memory until
 * plait__device_code_unbind. Errors name the kernel.
 */
plait_status plait__device_code_bind(const plait__kernel *kernel,
				     const plait__device *device,
				     const plait_launch *launch,
				     const plait_launch_argument *arguments,
				     plait_backend_launch **out,
				     plait_error *error);

/* Destroy a bound launch that no work uses any more; null is fine. */
void plait__device_code_unbind(const plait__device *device,
			       plait_backend_launch *launch);

#endif
