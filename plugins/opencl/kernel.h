/* SPDX-License-Identifier: MIT */
/* A built kernel, as program.c makes it and launch.c uses it. */
#ifndef PLAITP_OPENCL_KERNEL_H
#define PLAITP_OPENCL_KERNEL_H

#include "opencl.h"

enum { OPENCL_ENTRY_BYTES = 256, OPENCL_WARMED = 64 };

/* Items and groups that the driver has seen. */
struct opencl_geometry {
	size_t items[3];
	size_t group[3];
};

struct opencl_parameter {
	uint64_t bytes; /* of the value */
	bool pointer;
};

struct plait_backend_kernel {
	uint64_t total_bytes;
	struct opencl_device *device;
	cl_program program;
	cl_kernel kernel; /* only asked; each launch has one of its own */
	size_t group_max;
	bool guarded; /* has one parameter more: 0 and it does nothing */
	struct opencl_geometry warmed[OPENCL_WARMED]; /* under accounts */
	uint32_t warmed_count;
	char entry[OPENCL_ENTRY_BYTES];
	uint32_t parameter_count;
	struct opencl_parameter parameters[];
};

#endif
