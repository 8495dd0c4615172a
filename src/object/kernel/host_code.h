/* SPDX-License-Identifier: MIT */
/*
 * Host code of a kernel: its function, the form of the function, and an adapter
 * that calls each form as if it were the fixed one.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_HOST_CODE_H
#define PLAIT_SRC_OBJECT_KERNEL_HOST_CODE_H

#include "plait/kernel.h"

#include "kernel/intern.h"
#include "object/kernel/launch_cost.h"
#include "pool/parallel_for.h"

typedef struct plait__host_code {
	uint32_t form; /* PLAIT_FORM_... */
	plait_kernel_function function; /* FIXED */
	plait_range_function range;	/* RANGE */
	plait_any_function described;	/* DESCRIBED */
	/* DESCRIBED; of the signature */
	const plait__ffi_shape *shape;
	void *user_data;
	/* The signature if it has local parameters, else null. */
	const plait__signature *locals;
	uint64_t grain; /* RANGE: least items per part; 0: default */
	plait__parallel_for *team; /* RANGE: the context's helpers, or null */
	plait__launch_cost cost; /* RANGE */
} plait__host_code;

/* Check which implementation a descriptor has, and its form. PLAIT_E_INVALID:
 * none, or two. */
plait_status plait__host_code_check(const plait_kernel_desc *desc,
				    plait_error *error);

/*
 * Fill `code` from a checked descriptor, loading its library. What it refers to
 * belongs to the signature. Fails as plait_kernel_create.
 */
plait_status plait__host_code_find(plait__host_code *code,
				   const plait_kernel_desc *desc,
				   const plait__signature *signature,
				   plait__intern *intern,
				   const plait_allocator *allocator,
				   plait_error *error);

/* The function that executes a whole launch, and its user data. */
plait_kernel_function plait__host_code_launch_function(plait__host_code *code,
						       void **out_data);

#endif
