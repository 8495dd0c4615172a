/* SPDX-License-Identifier: MIT */
/* Built kernel: made by program.c, used by launch.c and warm.c. */
#ifndef PLAITP_OPENCL_KERNEL_H
#define PLAITP_OPENCL_KERNEL_H

#include "opencl.h"

enum {
	OPENCL_ENTRY_BYTES = 256,
	OPENCL_PARAMETER_BYTES = 40,
	OPENCL_WARMED = 64
};

/* Global and local sizes that the driver has compiled for. */
struct opencl_geometry {
	size_t items[3];
	size_t group[3];
};

struct opencl_parameter {
	uint64_t bytes; /* size of the value */
	bool pointer;
	char name[OPENCL_PARAMETER_BYTES];
};

struct plait_backend_kernel {
	uint64_t total_bytes;
	struct opencl_device *device;
	cl_program program;
	struct opencl_program *shared; /* owns the program; or null */
	cl_kernel kernel; /* for queries and warm-up; each launch has its own */
	size_t group_max;
	bool guarded; /* one more parameter: with 0 the kernel does nothing */
	/* Guarded by accounting_lock. */
	struct opencl_geometry warmed[OPENCL_WARMED];
	uint32_t warmed_count;
	char entry[OPENCL_ENTRY_BYTES];
	uint32_t parameter_count;
	struct opencl_parameter parameters[];
};

/* --- share.c */

/* Find the program of a device and a key, and use it once more; or null. */
cl_program plaitp_opencl_share_find(plait_backend *self,
				    const struct opencl_device *device,
				    const char *key, uint64_t key_bytes,
				    struct opencl_program **out);
/* Share a program.  Returns the program to use instead, which is released by
 * *out, or by the caller if that is null. */
cl_program plaitp_opencl_share_add(plait_backend *self,
				   const struct opencl_device *device,
				   const char *key, uint64_t key_bytes,
				   cl_program program,
				   struct opencl_program **out);
void plaitp_opencl_share_drop(plait_backend *self,
			      struct opencl_program *program);

/* --- signature.c */

/* Compare the signature with the function's parameters, as the driver, or else
 * the text, describes them.  PLAIT_E_INVALID names the parameter. */
plait_status plaitp_opencl_signature_check(plait_backend *self,
					   const plait_code *code,
					   cl_kernel kernel,
					   plait_error *error);
const plait_code_parameter *
plaitp_opencl_signature_parameter(const plait_code *code, uint32_t index);

/* Report that clSetKernelArg returned `code` for a parameter. */
plait_status plaitp_opencl_fail_argument(const plait_host_services *services,
					 plait_error *error, cl_int code,
					 uint32_t index, const char *name,
					 const char *entry);

#endif
