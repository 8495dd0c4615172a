/* SPDX-License-Identifier: MIT */
/*
 * plait/code.h - kernels as backends get them; a part of plait/plugin.h.
 *
 * A device says in `forms` what code it takes.  kernel_build makes a kernel of
 * such code, launch_create binds a kernel, arguments and a geometry into a
 * launch, which never changes, and PLAIT_WORK_LAUNCH runs a launch: any number
 * of times, on any queue of its device, also several times at once.
 *
 * The core picks one of a kernel's sources for each device.  Portable source it
 * writes out in the device's language; all other code comes as the user wrote
 * it.  It checks arguments against the signature, destroys a launch when no
 * work runs it any more, and a kernel after its launches.  The slots are called
 * from any thread and may take their time; running a launch compiles nothing.
 */
#ifndef PLAIT_CODE_H
#define PLAIT_CODE_H

#include "plait/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Yours: cast them to what you like. */
typedef struct plait_backend_memory plait_backend_memory;
typedef struct plait_backend_kernel plait_backend_kernel;
typedef struct plait_backend_launch plait_backend_launch;

/* The core's: only passed back. */
typedef struct plait_build_log plait_build_log;
typedef struct plait_host_code plait_host_code;

/* ------------------------------------------------------------------------
 * Kernels
 */

enum {
	/* A pointer; without it, a value of `bytes` bytes. */
	PLAIT_CODE_POINTER = 1 << 0,
	/* What the kernel does with the memory behind a pointer. */
	PLAIT_CODE_READS = 1 << 1,
	PLAIT_CODE_WRITES = 1 << 2
};

/* One parameter of a kernel; the first one's `size` is that of all. */
typedef struct plait_code_parameter {
	uint32_t size;
	uint32_t flags;
	/* Of the value, or of what is pointed to (0: not known). */
	uint64_t bytes;
	const char *name;
} plait_code_parameter;

enum {
	/* In plait_code.flags: the core wrote it out of portable source. */
	PLAIT_CODE_PORTABLE = 1 << 8
};

/* Code for one device, in a form that it takes. */
typedef struct plait_code {
	uint32_t size;
	/* PLAIT_SOURCE_OPENCL_C, ... */
	uint32_t form;
	/* PLAIT_SOURCE_STRICT, ..., PLAIT_CODE_PORTABLE. */
	uint32_t flags;
	uint32_t parameter_count;
	const plait_code_parameter *parameters;
	/* The finished text, a NUL behind it, or a binary.  Lines and file
	 * names in what a compiler says of the text are the user's. */
	const void *code;
	/* Without the NUL. */
	uint64_t bytes;
	/* The function in it. */
	const char *entry;
	/* Of the kernel, for people. */
	const char *name;
	/* For the compiler, in its own words; or null. */
	const char *options;
	/* For the services build_log and host_code_build. */
	plait_build_log *log;
} plait_code;

/* What became of code. */
typedef struct plait_kernel_facts {
	uint32_t size;
	uint32_t reserved0;
	/* Items of a group, where the code says so; 0: any will do.  Portable
	 * source says so: reqd_work_group_size in OpenCL C, the constant
	 * plait_group[3] in CUDA C. */
	uint64_t group[3];
	/* The largest group that the device can run; 0: not known. */
	uint64_t group_items_max;
	/* Memory of a group, and of an item outside of registers. */
	uint64_t local_bytes;
	uint64_t private_bytes;
} plait_kernel_facts;

/* ------------------------------------------------------------------------
 * Launches
 */

/* What one parameter is told; the first one's `size` is that of all. */
typedef struct plait_launch_argument {
	uint32_t size;
	uint32_t reserved0;
	/* Null; or for a pointer the memory, of the same device or of another
	 * one of the backend, from `offset` on.  Kept alive by the core. */
	plait_backend_memory *memory;
	uint64_t offset;
	/* Where `memory` is null: the value, good during the call.  That of a
	 * pointer is an address that the core knows nothing of, or null. */
	const void *value;
} plait_launch_argument;

/*
 * A kernel with all that it needs.  In each dimension `items` items run (at
 * least 1; 1 in those beyond `dimensions`), rounded up to whole groups where
 * `group` is not 0.  Where it is 0, the backend chooses: then portable source
 * does not mind how many items there are, other code gets exactly those.
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
 * C on the host, for backends that run it; see the services host_code_...
 */

/* A box of items within a launch of `items`: from begin to before end. */
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
