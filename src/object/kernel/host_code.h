/* SPDX-License-Identifier: MIT */
/*
 * The host's code of a kernel: whose function it is, in which form, and how a
 * form is called as if it were the fixed one.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_HOST_CODE_H
#define PLAIT_SRC_OBJECT_KERNEL_HOST_CODE_H

#include "plait/kernel.h"

#include "kernel/intern.h"
#include "pool/parallel_for.h"

typedef struct plait__host_code {
	uint32_t form; /* PLAIT_FORM_... */
	plait_kernel_function function; /* FIXED */
	plait_range_function range;	/* RANGE */
	plait_any_function described;	/* DESCRIBED */
	const plait__ffi_signature *shape;	/* the same; of the signature */
	void *user_data;
	uint64_t grain; /* RANGE: 0 when it was not said */
	plait__parallel_for *team; /* RANGE: who helps, or null; the context's */
} plait__host_code;

/* Which of the implementations there is, and its form.  PLAIT_E_INVALID:
 * none, or two. */
plait_status plait__host_code_check(const plait_kernel_desc *desc,
				    plait_error *error);

/*
 * Fill `code` from a descriptor that was checked; loads its library.  What it
 * keeps belongs to the signature.  As plait_kernel_create.
 */
plait_status plait__host_code_find(plait__host_code *code, const plait_kernel_desc *desc,
				   const plait__signature *signature,
				   plait__intern *intern,
				   const plait_allocator *allocator,
				   plait_error *error);

/* The function that does a whole launch, and what to hand to it. */
plait_kernel_function plait__host_code_launch_function(plait__host_code *code, void **out_data);

#endif
