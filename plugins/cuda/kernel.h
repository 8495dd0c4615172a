/* SPDX-License-Identifier: MIT */
/* Built kernel: made by program.c, used by launch.c.  Also the interface of
 * compiler.c. */
#ifndef PLAITP_CUDA_KERNEL_H
#define PLAITP_CUDA_KERNEL_H

#include "image.h"

enum { CUDA_ENTRY_BYTES = 256 };

/* Values of the module's variable `plait_decides`: whether each run of the
 * kernel sets the condition of its loop. */
enum { CUDA_MAY_DECIDE = 1, CUDA_DECIDES = 2 };

struct cuda_parameter {
	uint64_t bytes; /* size of the value */
	bool pointer;
	bool local;
	bool image_in, image_out; /* a pointer, too */
};

struct plait_backend_kernel {
	struct cuda_unfreed unfreed;
	uint64_t total_bytes;
	struct cuda_device *device;
	CUmodule module;
	CUfunction function;
	bool portable; /* runs all items with any geometry */
	bool places_locals; /* its entry gets the offsets of local memory */
	bool names_decides; /* the name plait_decides occurs in its code */
	unsigned decides; /* 0, CUDA_MAY_DECIDE or CUDA_DECIDES */
	uint32_t group[3]; /* required block size; 0: any */
	int group_max;
	int local_bytes;
	int private_bytes;
	char entry[CUDA_ENTRY_BYTES];
	uint32_t parameter_count;
	uint32_t local_count; /* of them */
	struct cuda_parameter parameters[];
};

/* Returns false for local memory of which the function has no parameter. */
static inline bool plaitp_cuda_is_passed(const plait_backend_kernel *kernel,
					 const struct cuda_parameter *parameter)
{
	return !parameter->local || kernel->places_locals;
}

/* Number of parameters of the function, without those of loops. */
static inline uint32_t
plaitp_cuda_passed_count(const plait_backend_kernel *kernel)
{
	return kernel->parameter_count -
	       (kernel->places_locals ? 0 : kernel->local_count);
}

/* Size of a parameter that is passed; of local memory, its 32-bit offset. */
static inline uint64_t
plaitp_cuda_parameter_bytes(const struct cuda_parameter *parameter)
{
	return parameter->local ? sizeof(uint32_t) :
	       parameter->image_in ? sizeof(struct cuda_image_in) :
	       parameter->image_out ? sizeof(struct cuda_image_out) :
	       parameter->pointer ? sizeof(CUdeviceptr) : parameter->bytes;
}

/* Returns how many members of struct cuda_loop are its last arguments. */
static inline uint32_t
plaitp_cuda_loop_arguments(const plait_backend_kernel *kernel)
{
	return kernel->decides == CUDA_DECIDES ? 4 :
	       kernel->decides == CUDA_MAY_DECIDE ? 3 : 0;
}

/* --- compiler.c */

/* State of one build. */
struct cuda_build {
	plait_backend *self;
	struct cuda_device *device;
	const plait_code *code;
};

/* Fail with a text that names the kernel; returns `status`. */
plait_status plaitp_cuda_fail_build(const struct cuda_build *build,
				    plait_error *error, plait_status status,
				    int code, const char *what);
/* Returns true if DECIDE of portable source sets a condition.  Valid once a
 * compiler is loaded. */
bool plaitp_cuda_compiles_loops(const plait_backend *self);
/*
 * Compile to a cubin, or to PTX if the compiler does not support the device.
 * *out is from resize.  *cached, in: the cache may be used; out: it was used.
 */
plait_status plaitp_cuda_compile(const struct cuda_build *build, bool *cached,
				 void **out, uint64_t *out_bytes,
				 plait_error *error);

#endif
