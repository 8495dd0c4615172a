/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL backend: what its files share.  Queues and signals are those of
 * plugins/driven; here is what it asks the driver for.
 */
#ifndef PLAITP_OPENCL_H
#define PLAITP_OPENCL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "driven/driven.h"

#include "calls.h"

enum {
	OPENCL_MAX_DEVICES = 64,
	OPENCL_MAX_PARTS = 64,
	OPENCL_UNKNOWN = -1 /* an event's status that says nothing */
};

/* What the user set; texts are the core's. */
struct opencl_options {
	const char *platform; /* a part of its name, or null */
	const char *device;   /* a part of its name, or null */
	const char *loader;   /* the file of the ICD loader */
	cl_device_type type;
	uint32_t parts;       /* split each device into so many; 0: not */
	uint64_t memory_bytes; /* of each device; 0: what the driver says */
	bool driver_memory;   /* also where host memory would do */
	bool each_event;      /* of each command, not of the last alone */
	bool warm, cold;      /* kernels run before they run, or do not */
};

struct opencl_device {
	cl_device_id id;
	bool is_part;  /* made by us, to be released */
	bool kept;     /* but never is */
	bool on_host;  /* works on the host's memory in place */
	cl_command_queue maps; /* for mappings alone */
	uint32_t parallel;
	uint64_t alignment_bytes;
	uint64_t memory_bytes;
	uint64_t largest_bytes; /* of one allocation */
	uint64_t used_bytes;    /* under the lock of accounts */
	char description[256];
};

struct plait_backend {
	union {
		struct driven driven;
		struct { /* the first two of it */
			plait_host *host;
			const plait_host_services *services;
		};
	};
	struct opencl_calls cl;
	cl_context context;
	uint32_t device_count;
	struct opencl_device devices[OPENCL_MAX_DEVICES];
	bool driver_memory;
	bool each_event;
	bool compiles_late; /* when a size of groups runs first */

	pthread_mutex_t accounts; /* of memory; a leaf */
	pthread_mutex_t watching; /* what was told of which command; a leaf */
};

/* A kernel with its arguments, which nobody changes any more. */
struct plait_backend_launch {
	uint64_t total_bytes;
	cl_kernel kernel;
	cl_uint dimensions;
	bool grouped; /* else the driver chooses */
	size_t items[3];
	size_t group[3];
	uint32_t part_count;
	cl_mem parts[]; /* of memory, from an offset on */
};

struct plait_backend_memory {
	cl_mem memory;
	struct opencl_device *device;
	uint64_t size_bytes;
	uint64_t bytes; /* that are charged for it */
	void *block; /* ours, below the driver's object; or null */
	uint64_t block_bytes;
	pthread_mutex_t mapping; /* one map or unmap at a time; a leaf */
};

/* --- driver.c: the library, and what its numbers mean */

/* The call `name` gave `code`; `where` may be empty. */
plait_status plaitp_opencl_fail_call(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *where);

/* The same for a command with this label, or null, in this queue. */
plait_status plaitp_opencl_fail_work(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *label,
				     const char *queue);

/* What an event of it says, which is not what any call gave. */
plait_status plaitp_opencl_fail_end(const plait_host_services *services,
				    plait_error *error, const char *name,
				    cl_int code, const char *label,
				    const char *queue);

/* Look the functions up; PLAIT_E_UNAVAILABLE says what is missing. */
plait_status plaitp_opencl_load(plait_backend *self, const char *loader,
				plait_error *error);

/* --- option.c */

plait_status plaitp_opencl_options(plait_backend *self,
				   struct opencl_options *out,
				   plait_error *error);

/* --- parts.c */

/* The parts of `units` each that `whole` has; *keep: they are not released.
 * At most OPENCL_MAX_PARTS. */
cl_int plaitp_opencl_make_parts(const plait_backend *self,
				cl_platform_id platform, cl_device_id whole,
				uint32_t parts, cl_uint units,
				cl_device_id *ids, cl_uint *count, bool *keep);

/* --- device.c: from platforms to a context */

plait_status plaitp_opencl_open_devices(plait_backend *self,
					const struct opencl_options *options,
					plait_error *error);
void plaitp_opencl_close_devices(plait_backend *self);
uint32_t plaitp_opencl_device_count(plait_backend *self);
plait_status plaitp_opencl_device_query(plait_backend *self, uint32_t device,
					plait_backend_device *out,
					plait_error *error);

/* --- memory.c */

plait_status plaitp_opencl_memory_create(plait_backend *self, uint32_t device,
					 const plait_memory_request *request,
					 plait_backend_memory **out,
					 plait_error *error);
void plaitp_opencl_memory_destroy(plait_backend *self,
				  plait_backend_memory *memory);
plait_status plaitp_opencl_memory_map(plait_backend *self,
				      plait_backend_memory *memory,
				      uint64_t offset, uint64_t bytes,
				      uint32_t flags, void **out,
				      plait_error *error);
plait_status plaitp_opencl_memory_unmap(plait_backend *self,
					plait_backend_memory *memory,
					void *pointer, plait_error *error);

/* --- program.c, launch.c: kernels */

plait_status plaitp_opencl_kernel_build(plait_backend *self, uint32_t device,
					const plait_code *code,
					plait_backend_kernel **out,
					plait_error *error);
void plaitp_opencl_kernel_destroy(plait_backend *self,
				  plait_backend_kernel *kernel);
plait_status plaitp_opencl_kernel_query(plait_backend *self,
					plait_backend_kernel *kernel,
					plait_kernel_facts *out,
					plait_error *error);
plait_status plaitp_opencl_launch_create(plait_backend *self,
					 const plait_launch_request *request,
					 plait_backend_launch **out,
					 plait_error *error);
void plaitp_opencl_launch_destroy(plait_backend *self,
				  plait_backend_launch *launch);

/* --- warm.c: drivers that compile when something runs first */

/* Portable source is built with a guard there. */
#define OPENCL_GUARD " -DPLAIT_GUARDED=1"

/* Its arguments are set, so that it may be run and does nothing. */
cl_int plaitp_opencl_warm_prepare(plait_backend *self,
				  const plait_backend_kernel *kernel);
/* Have what the launch runs compiled, if it can be; and let it run. */
plait_status plaitp_opencl_warm(plait_backend *self,
				plait_backend_kernel *kernel,
				const plait_backend_launch *launch,
				plait_error *error);

/* --- native.c: what the driver's objects are to others */

plait_status plaitp_opencl_native_query(plait_backend *self,
					const plait_native_request *request,
					uint64_t *out, plait_error *error);
/* Objects of the user's; one more reference to each. */
plait_status plaitp_opencl_import_memory(plait_backend *self,
					 const plait_memory_request *request,
					 cl_mem *out, plait_error *error);
plait_status plaitp_opencl_import_queue(plait_backend *self,
					const struct opencl_device *device,
					const plait_queue_request *request,
					cl_command_queue *out,
					plait_error *error);

/* --- enqueue.c: what the driver is asked for */

extern const struct driven_ops plaitp_opencl_ops;

#endif
