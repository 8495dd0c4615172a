/* SPDX-License-Identifier: MIT */
/* Kernels: a signature and the code behind it; immutable once made.  (Where
 * the code comes from and how each form is called: host_code.h.) */
#ifndef PLAIT_SRC_OBJECT_KERNEL_KERNEL_H
#define PLAIT_SRC_OBJECT_KERNEL_KERNEL_H

#include "plait/kernel.h"

#include "object/kernel/host_code.h"
#include "object/context/context.h"

#include "kernel/intern.h"
#include "source/host_module.h"

typedef struct plait__device_code plait__device_code;

typedef struct plait__kernel {
	plait__object object;
	const plait__signature *signature;
	/* Does a whole launch, whatever the form; null: none on the host. */
	plait_kernel_function function;
	void *user_data;
	plait__host_code code;
	/* What `code` runs when it was built from source, or null. */
	plait__module *module;
	/* What backends made of its sources, for each device of the context,
	 * or null; device_code.h. */
	plait__device_code *built;
	plait__context *context; /* of `built`; held by the object */
} plait__kernel;

PLAIT__OBJECT_ENTER(kernel, PLAIT_OBJECT_KERNEL);

/* Why a device cannot run it ("cannot ...", without a subject), or null. */
const char *plait__kernel_lacks(const plait__kernel *kernel,
				const plait__device *device);

/*
 * Give a launch that was read the groups of the kernel's source, if it has
 * any.  PLAIT_E_INVALID: it asks for others.
 */
plait_status plait__select_source_set_groups(const plait__kernel *kernel,
					     plait_launch *launch, plait_error *error);

#endif
