/* SPDX-License-Identifier: MIT */
/* A built kernel, as program.c makes it and launch.c uses it. */
#ifndef PLAITP_CUDA_KERNEL_H
#define PLAITP_CUDA_KERNEL_H

#include "backend.h"

enum { CUDA_ENTRY_BYTES = 256 };

/* What `plait_decides` of a module says: whether a kernel that runs sets the
 * condition of its loop. */
enum { CUDA_MAY_DECIDE = 1, CUDA_DECIDES = 2 };

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
	bool names_decides; /* its code has a word that is named like that */
	unsigned decides; /* 0, or as above */
	uint32_t group[3]; /* that it wants; 0: any */
	int group_max;
	int local_bytes;
	int private_bytes;
	char entry[CUDA_ENTRY_BYTES];
	uint32_t parameter_count;
	struct cuda_parameter parameters[];
};

/* How many members of struct cuda_loop are its last arguments. */
static inline uint32_t
plaitp_cuda_loop_arguments(const plait_backend_kernel *kernel)
{
	return kernel->decides == CUDA_DECIDES ? 4 :
	       kernel->decides == CUDA_MAY_DECIDE ? 3 : 0;
}

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
/* Does DECIDE of portable source do more than a store?  Once there is a compiler. */
bool plaitp_cuda_compiles_loops(const plait_backend *self);
/* A cubin, or PTX where the compiler does not know the device: from resize.
 * In *cached: it may come from the cache; then: it does. */
plait_status plaitp_cuda_compile(const struct cuda_build *build, bool *cached,
				 void **out, uint64_t *out_bytes,
				 plait_error *error);

#endif
