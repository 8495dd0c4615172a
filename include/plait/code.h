/* SPDX-License-Identifier: MIT */
/*
 * plait/code.h - kernels and launches in the interface of backends; included
 * by plait/plugin.h.
 *
 * A device lists the forms of code it accepts in `forms`.  kernel_build
 * compiles such code, launch_create binds a kernel, arguments and a geometry
 * into an immutable launch, and PLAIT_WORK_LAUNCH executes a launch any number
 * of times, on any queue of its device, also concurrently.
 *
 * Example: the start of a backend's kernel_build.
 *
 *     static plait_status check_code(const plait_code *code)
 *     {
 *             if (code->form != PLAIT_SOURCE_C)
 *                     return PLAIT_E_UNSUPPORTED;
 *             for (uint32_t i = 0; i < code->parameter_count; i++)
 *                     if (code->parameters[i].flags & PLAIT_CODE_POINTER)
 *                             printf("%s\n", code->parameters[i].name);
 *             return PLAIT_OK;
 *     }
 *
 * The core selects one of a kernel's sources for each device.  Portable source
 * is translated to the device's language; other code is passed unchanged.  The
 * core checks arguments against the signature, destroys a launch when no work
 * uses it, and a kernel after its launches.  Any thread may call these slots,
 * and they may block; executing a launch compiles nothing.
 */
#ifndef PLAIT_CODE_H
#define PLAIT_CODE_H

#include "plait/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of the backend, opaque to the core. */
typedef struct plait_backend_memory plait_backend_memory;
typedef struct plait_backend_kernel plait_backend_kernel;
typedef struct plait_backend_launch plait_backend_launch;

/* Types of the core, opaque to the backend. */
typedef struct plait_build_log plait_build_log;
typedef struct plait_host_code plait_host_code;

/* ------------------------------------------------------------------------
 * Kernels
 */

/* Flags of plait_code_parameter. */
typedef uint32_t plait_code_parameter_flags;
enum {
	/* A pointer; otherwise a value of `bytes` bytes. */
	PLAIT_CODE_POINTER = 1 << 0,
	/* Access of the kernel to a pointer's memory. */
	PLAIT_CODE_READS = 1 << 1,
	PLAIT_CODE_WRITES = 1 << 2,
	/* Local memory; neither a pointer nor a value.  In C and OpenCL C a
	 * parameter of the function.  In CUDA it lies in dynamic shared memory,
	 * in the order of the signature, each at the next multiple of 16
	 * bytes: functions of portable source (plait_kernel_...) get its
	 * offset, a u32; others have no parameter for it. */
	PLAIT_CODE_LOCAL = 1 << 3,
	/* With POINTER: an image, read or written.  In C the address of its
	 * first pixel, with a plait_image_head before it; in OpenCL C an
	 * image2d_t, in CUDA a struct of the driver's objects (doc/images.md). */
	PLAIT_CODE_IMAGE = 1 << 4,
	/* A value: plait_sampler_flags.  In OpenCL C a sampler_t. */
	PLAIT_CODE_SAMPLER = 1 << 5
};

/* One parameter of a kernel; the first one's `size` applies to all. */
typedef struct plait_code_parameter {
	uint32_t size;
	plait_code_parameter_flags flags;
	/* Size of the value, or of the element of a pointer (0: unknown) or of
	 * local memory. */
	uint64_t bytes;
	const char *name;
	/* Type of the value, or of the element, as signatures name it ("f32");
	 * "": unknown. */
	const char *type;
} plait_code_parameter;

/* Flags of plait_code, combined with PLAIT_SOURCE_STRICT, ... */
typedef uint32_t plait_code_flags;
enum {
	/* The core translated the code from portable source. */
	PLAIT_CODE_PORTABLE = 1 << 8
};

/* Code for one device, in a form that it accepts. */
typedef struct plait_code {
	uint32_t size;
	plait_source_form form;
	plait_code_flags flags;
	uint32_t parameter_count;
	const plait_code_parameter *parameters;
	/* The complete text with a NUL, or a binary.  Compiler messages about
	 * the text refer to the user's files and lines. */
	const void *code;
	/* Length without the NUL. */
	uint64_t bytes;
	/* Name of the function. */
	const char *entry;
	/* Name of the kernel, for messages. */
	const char *name;
	/* Compiler options, or null. */
	const char *options;
	/* For the services build_log and host_code_build. */
	plait_build_log *log;
} plait_code;

/* Properties of a compiled kernel. */
typedef struct plait_kernel_facts {
	uint32_t size;
	uint32_t reserved0;
	/* Required group size, or 0.  Portable source declares it as
	 * reqd_work_group_size in OpenCL C and as the constant plait_group[3]
	 * in CUDA C. */
	uint64_t group[3];
	/* Maximum group size on the device; 0: unknown. */
	uint64_t group_items_max;
	/* Local memory of a group without that of parameters, and memory of an
	 * item beyond registers. */
	uint64_t local_bytes;
	uint64_t private_bytes;
} plait_kernel_facts;

/* ------------------------------------------------------------------------
 * Launches
 */

/* One argument of a launch; the first one's `size` applies to all. */
typedef struct plait_launch_argument {
	uint32_t size;
	uint32_t reserved0;
	/* Pointer: memory of this device or of another one of the backend,
	 * from `offset` on; the core keeps it alive.  Else null. */
	plait_backend_memory *memory;
	uint64_t offset;
	/* If `memory` is null: the value, valid during the call.  The value of
	 * a pointer is an address unknown to the core, or null.  Local memory:
	 * a u64, its bytes for each group: one element or more.  With that of
	 * the code they fit the device's local_bytes. */
	const void *value;
} plait_launch_argument;

/*
 * A kernel with arguments and geometry.  Each dimension has `items` items (at
 * least 1; 1 beyond `dimensions`), rounded up to whole groups if `group` is not
 * 0.  If `group` is 0, the backend chooses the group: portable source permits
 * any number of additional items, other code gets exactly `items`.
 */
typedef struct plait_launch_request {
	uint32_t size;
	/* 1 to 3. */
	uint32_t dimensions;
	uint64_t items[3];
	uint64_t group[3];
	plait_backend_kernel *kernel;
	/* One per parameter of the code. */
	const plait_launch_argument *arguments;
	uint32_t argument_count;
	uint32_t reserved0;
} plait_launch_request;

/* ------------------------------------------------------------------------
 * C on the host, for backends that run it; see the host_code_ services.
 */

/* A part of a launch of `items`: items from `begin` to before `end`. */
typedef struct plait_host_part {
	uint32_t size;
	uint32_t reserved0;
	uint64_t items[3];
	uint64_t begin[3];
	uint64_t end[3];
} plait_host_part;

#ifdef __cplusplus
}
#endif

#endif
