/* SPDX-License-Identifier: MIT */
/* A built kernel, as program.c makes it and launch.c uses it. */
#ifndef PLAITP_CUDA_KERNEL_H
#define PLAITP_CUDA_KERNEL_H

#include "backend.h"

enum { CUDA_ENTRY_BYTES = 256, CUDA_LOOP_ARGUMENTS = 3 };

struct cuda_parameter {
	uint64_t bytes; /* of the value */
	bool pointer;
};

struct plait_backend_kernel {
	uint64_t total_bytes;
	struct cuda_device *device;
	CUmodule module;
	CUfunction function;
	bool portable; /* it does not mind how many items there are */
	bool decides; /* struct cuda_loop is its last arguments */
	uint32_t group[3]; /* that it wants; 0: any */
	int group_max;
	int local_bytes;
	int private_bytes;
	char entry[CUDA_ENTRY_BYTES];
	uint32_t parameter_count;
	struct cuda_parameter parameters[];
};

/* --- compiler.c */

/* What a build needs on its way. */
struct cuda_build {
	plait_backend *self;
	struct cuda_device *device;
	const plait_code *code;
};

plait_status plaitp_cuda_fail_build(const struct cuda_build *build,
				    plait_error *error, plait_status status,
				    int code, const char *what);
/* A cubin, or PTX where the compiler does not know the device: from resize.
 * In *cached: it may come from the cache; then: it does. */
plait_status plaitp_cuda_compile(const struct cuda_build *build, bool *cached,
				 void **out, uint64_t *out_bytes,
				 plait_error *error);

#endif
