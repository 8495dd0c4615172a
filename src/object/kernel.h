/* SPDX-License-Identifier: MIT */
/* Kernels: a signature and the code behind it; immutable once made. */
#ifndef PLAIT_SRC_OBJECT_KERNEL_H
#define PLAIT_SRC_OBJECT_KERNEL_H

#include "plait/kernel.h"

#include "kernel/intern.h"
#include "object/context.h"

typedef struct plait__kernel {
	plait__object object;
	const plait__signature *signature;
	plait_kernel_function function;
	void *user_data;
} plait__kernel;

plait_status plait__kernel_enter(plait_kernel *handle, plait__kernel **out,
				 plait_error *error);

#endif
