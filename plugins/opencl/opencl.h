/* SPDX-License-Identifier: MIT */
/*
 * OpenCL backend: its structures and the functions that its files share.
 * Queues and signals are those of plugins/driven.
 */
#ifndef PLAITP_OPENCL_H
#define PLAITP_OPENCL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "driven/driven.h"

#include "extension_calls.h"
#include "calls.h"

enum {
	OPENCL_MAX_DEVICES = 64,
	OPENCL_MAX_PARTS = 64,
	OPENCL_SAMPLERS = 4, /* all combinations of plait_sampler_flags */
	OPENCL_UNKNOWN = -1 /* event status without a cause */
};

/* Settings of the user.  The core owns the texts. */
struct opencl_options {
	const char *platform; /* substring of its name, or null */
	const char *device;   /* substring of its name, or null */
	const char *loader;   /* file of the ICD loader, or null */
	cl_device_type type;
	uint32_t parts;       /* sub-devices of each device; 0: none */
	uint64_t memory_bytes; /* of each device; 0: as the driver reports */
	bool driver_memory;   /* even if host memory would do */
	bool each_event;      /* of each command, not only of the last */
	bool warm, no_warm;      /* warm up kernels always, or never */
	bool wait_in_driver, wait_outside; /* threads without a limit of time */
	bool segments, no_segments; /* as command buffers always, or never */
};

/* Counts of the command buffers of segments. */
enum opencl_buffer_count {
	OPENCL_BUFFERS_MADE,
	OPENCL_BUFFERS_PATCHED,
	OPENCL_BUFFERS_ANEW, /* have to be recorded anew */
	OPENCL_BUFFERS_REFUSED, /* by the driver */
	OPENCL_BUFFERS_LEFT, /* too short */
	OPENCL_BUFFER_COUNTS
};

struct opencl_device {
	cl_device_id id;
	bool is_part;  /* sub-device, to be released */
	bool kept;     /* kept for the process, not released */
	bool on_host;  /* uses host memory in place */
	uint32_t memory; /* equal for parts of one device; 0: its own */
	cl_command_queue map_queue; /* for maps and warm-up */
	uint32_t parallel;
	size_t group_max; /* items of a group */
	uint64_t local_bytes; /* of a group */
	uint64_t alignment_bytes;
	uint64_t memory_bytes;
	uint64_t largest_bytes; /* largest allocation */
	uint64_t used_bytes;    /* guarded by accounting_lock */
	bool takes_spirv;
	cl_bool has_images;
	cl_uint buffer_version; /* of command buffers; 0: none are used */
	uint32_t least_recorded; /* commands of a buffer that pays */
	cl_ulong updatable; /* of a recorded launch: OPENCL_UPDATE_... */
	uint32_t buffer_counts[OPENCL_BUFFER_COUNTS]; /* atomic */
	char description[256];
};

struct plait_backend {
	union {
		struct driven driven;
		struct { /* the first members of struct driven */
			plait_host *host;
			const plait_host_services *services;
		};
	};
	struct opencl_calls cl;
	struct opencl_il_calls il; /* if a device has them */
	struct opencl_buffer_calls buffers; /* likewise */
	cl_context context;
	uint32_t device_count;
	struct opencl_device devices[OPENCL_MAX_DEVICES];
	bool driver_memory;
	bool each_event;
	/* The driver compiles at the first launch with a work-group size, or
	 * warm=yes: kernels from portable source get a guard. */
	bool compiles_lazily;

	/* Of memory, samplers, users of kernel objects; leaf lock. */
	pthread_mutex_t accounting_lock;
	/* Arguments of kernel objects, from when they are set until they are used.
	 * Taken with or without driven.lock, never in callbacks. */
	pthread_mutex_t arguments_lock;
	cl_sampler samplers[OPENCL_SAMPLERS]; /* guarded by accounting_lock */
	struct opencl_program *programs; /* guarded by programs_lock */
	pthread_mutex_t programs_lock; /* leaf lock */
	/* Guards variants of kernels (shift.c), while they are built too. */
	pthread_mutex_t shift_lock;
	pthread_mutex_t events_lock; /* of results of events; leaf lock */
	/* Guarded by driven.lock: queues whose last batch may need a callback, and
	 * batches that are to get one. */
	driven_queue *unsettled;
	driven_batch *to_announce;
};

/* Kernel with its arguments, immutable but for numbers of repeated submissions.
 * One block: the lists lie behind the values. */
struct plait_backend_launch {
	uint64_t total_bytes;
	const plait_backend_kernel *of;
	plait_backend_kernel *chosen; /* `of`, or its variant */
	/* For updates, on devices that can update launches; else null. */
	struct opencl_argument *arguments;
	cl_mem *sub_buffers; /* arguments with an offset */
	uint32_t sub_buffer_count;
	bool shifted; /* the kernel has hidden offsets */

	/* Read by each enqueue, so together. */
	bool grouped; /* else the driver chooses the local size */
	cl_uint dimensions;
	uint32_t argument_count, word_count; /* of `values` */
	struct opencl_object *object; /* of `chosen` */
	size_t items[3];
	size_t group[3];
	/* Values of the arguments, with the same places in all launches of
	 * `chosen`: handles, sizes of local memory.  Guarded by arguments_lock
	 * once the launch is made. */
	uint64_t values[];
};

struct plait_backend_memory {
	cl_mem memory;
	struct opencl_device *device;
	uint64_t size_bytes;
	uint64_t bytes; /* charged to the device */
	uint64_t row_bytes; /* of an image, which has `width`; or 0 */
	uint64_t width;
	void *block; /* host bytes under `memory`, or null */
	uint64_t block_bytes;
	pthread_mutex_t mapping; /* serializes maps and unmaps; leaf lock */
};

/* --- driver.c: the library and its error codes */

/* Report that the call `name` returned `code`.  `where` may be empty. */
plait_status plaitp_opencl_fail_call(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *where);

/* Report a failed call for a command with this label, or null, in a queue. */
plait_status plaitp_opencl_fail_work(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *label,
				     const char *queue);

/* Report the status of an event, which may be no code of a call. */
plait_status plaitp_opencl_fail_end(const plait_host_services *services,
				    plait_error *error, const char *name,
				    cl_int code, const char *label,
				    const char *queue);

extern const char plaitp_opencl_default_loader[];

/* Look up all functions; without a loader, first among those that the process
 * has already.  PLAIT_E_UNAVAILABLE names the missing one. */
plait_status plaitp_opencl_load(plait_backend *self, const char *loader,
				plait_error *error);

/* --- option.c */

plait_status plaitp_opencl_options(plait_backend *self,
				   struct opencl_options *out,
				   plait_error *error);

/* --- parts.c */

/* Split `whole` into `parts` sub-devices of `units` compute units, at most
 * OPENCL_MAX_PARTS.  *keep: they belong to the process and are not released. */
cl_int plaitp_opencl_make_parts(const plait_backend *self,
				cl_platform_id platform, cl_device_id whole,
				uint32_t parts, cl_uint units,
				cl_device_id *ids, cl_uint *count, bool *keep);

/* --- device.c: platform, devices, context */

plait_status plaitp_opencl_open_devices(plait_backend *self,
					const struct opencl_options *options,
					plait_error *error);
void plaitp_opencl_close_devices(plait_backend *self);
uint32_t plaitp_opencl_device_count(plait_backend *self);
plait_status plaitp_opencl_device_query(plait_backend *self, uint32_t device,
					plait_backend_device *out,
					plait_error *error);
plait_status plaitp_opencl_link_query(plait_backend *self, uint32_t from,
				      uint32_t to, plait_link_info *out,
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

/* --- program.c, facts.c (query), launch.c: kernels */

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
/* Write the kernel and the group, for errors of the driver. */
void plaitp_opencl_launch_describe(const plait_backend_launch *launch,
				   char *out, size_t bytes);
void plaitp_opencl_launch_destroy(plait_backend *self,
				  plait_backend_launch *launch);

/* --- warm.c: drivers that compile at the first launch */

/* Builds portable source with a guard parameter. */
#define OPENCL_GUARD " -DPLAIT_GUARDED=1"

/* Set the arguments of kernel->kernel so that it does nothing when run. */
cl_int plaitp_opencl_warm_prepare(plait_backend *self,
				  const plait_backend_kernel *kernel);
/* Make the driver compile a guarded kernel for the launch's geometry.  Waits for
 * the device; failures are ignored. */
void plaitp_opencl_warm(plait_backend *self, plait_backend_kernel *kernel,
			const plait_backend_launch *launch);

/* --- native.c: native handles */

plait_status plaitp_opencl_native_query(plait_backend *self,
					const plait_native_request *request,
					uint64_t *out, plait_error *error);
/* Import an object of the user; adds a reference. */
plait_status plaitp_opencl_import_memory(plait_backend *self,
					 const plait_memory_request *request,
					 cl_mem *out, plait_error *error);
plait_status plaitp_opencl_import_queue(plait_backend *self,
					const struct opencl_device *device,
					const plait_queue_request *request,
					cl_command_queue *out,
					plait_error *error);

/* --- enqueue.c: the operation enqueue */

/* After a failure the queue has failed, and what the driver had accepted has
 * ended. */
void plaitp_opencl_enqueue(struct driven *driven, driven_batch *batch);

/* --- queue.c: operations of the driver */

extern const struct driven_ops plaitp_opencl_ops;

#endif
