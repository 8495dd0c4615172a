/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backend: what its files share.  Queues and signals are those of
 * plugins/driven; here is what it asks the driver for.
 */
#ifndef PLAITP_CUDA_BACKEND_H
#define PLAITP_CUDA_BACKEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "driven/driven.h"

#include "calls.h"

enum { CUDA_MAX_DEVICES = 64 };

/* What the user set; texts are the core's. */
struct cuda_options {
	const char *device; /* a part of its name, or null */
	const char *driver; /* the file of the driver's library */
	const char *nvrtc;  /* that of the compiler, or null: look for it */
	uint64_t memory_bytes; /* of each device; 0: what the driver says */
	uint64_t pool_bytes;   /* that each device may keep */
};

/* What a device refuses. */
struct cuda_limits {
	uint64_t group; /* items of a group */
	uint64_t block[3];
	uint64_t grid[3];
	uint64_t pitch; /* from row to row of one copy */
};

/* Recorded once while it is used; back in its device's list afterwards. */
struct cuda_event {
	struct cuda_event *next;
	CUevent event;
	uint32_t device;
	uint32_t references;
};

struct cuda_block;
struct cuda_pinned;

enum { CUDA_SIZES = 160, CUDA_PINNED_SIZES = 2 };

/* Memory that was given back; under the lock of accounts, but for the budget. */
struct cuda_pool {
	uint64_t budget_bytes; /* 0: nothing is kept */
	uint64_t kept_bytes;
	struct cuda_block *kept[CUDA_SIZES];
	struct cuda_pinned *pinned[CUDA_PINNED_SIZES];
	uint32_t pinned_count[CUDA_PINNED_SIZES];
};

struct cuda_device {
	CUdevice id;
	CUcontext context; /* the primary one, which others share */
	CUstream maps;	   /* for mappings and questions alone */
	int arch;	   /* 90 is sm_90 */
	int priority_least, priority_most;
	bool concurrent;
	bool registers;	   /* memory of the host can be used in place */
	struct cuda_limits limits;
	uint64_t memory_bytes;
	uint64_t used_bytes; /* under the lock of accounts */
	bool lost;	     /* the same */
	struct cuda_pool pool;
	struct cuda_event *spare; /* under the lock of queues */
	CUmodule decider;  /* under the lock of accounts: region.c; or null */
	CUfunction decide; /* the same */
	char description[256];
};

/* NVRTC, when somebody wanted it. */
struct cuda_compiler {
	pthread_mutex_t lock; /* guards what follows; a leaf */
	bool tried;
	bool found;
	int version; /* 12080 is 12.8 */
	struct nvrtc_calls calls;
	char why[160]; /* it was not found */
};

/* Pages of the user that the driver knows, for one or more who wrap them. */
struct cuda_pages;

struct plait_backend {
	union {
		struct driven driven;
		struct { /* the first two of it */
			plait_host *host;
			const plait_host_services *services;
		};
	};
	struct cuda_calls cu;
	int driver_version;
	const char *nvrtc; /* as in the options */
	uint32_t device_count;
	struct cuda_device devices[CUDA_MAX_DEVICES];
	struct cuda_compiler compiler;

	pthread_mutex_t accounts; /* of memory; guards what follows; a leaf
				   * but for the driver's own locks */
	struct cuda_pages *pages;
};

struct cuda_map;

struct plait_backend_memory {
	struct cuda_device *device;
	CUdeviceptr address;
	uint64_t size_bytes;
	uint64_t charged_bytes;
	uint64_t alignment_bytes;
	struct cuda_block *block; /* the pool's, with `address` in it; or null */
	char *wrapped;		  /* the user's, or null */
	struct cuda_pages *pages; /* in which that is */
	struct cuda_map *maps;	  /* under the lock of accounts */
};

/* A kernel with its arguments, which nobody changes any more. */
struct plait_backend_launch {
	uint64_t total_bytes;
	CUfunction function;
	unsigned grid[3];
	unsigned block[3];
	void **arguments; /* one address for each */
	struct cuda_loop *loop; /* of a kernel that decides, or null */
	bool may_skip; /* it does not set the condition each time */
};

/* The last arguments of kernels that decide; zeros: no loop. */
struct cuda_loop {
	CUgraphConditionalHandle condition;
	CUdeviceptr word;
	CUdeviceptr stop;
	CUdeviceptr arrived; /* 64 bits: how many of its blocks are through */
	bool guarded; /* no argument: another kernel sets it in front */
};

/* --- driver.c: the library, and what its numbers mean */

/* True: no call for this device works any more. */
bool plaitp_cuda_is_sticky(CUresult code);
/* Remembers that the device is lost, if that is what `code` says. */
plait_status plaitp_cuda_fail_call(plait_backend *self, uint32_t device,
				   plait_error *error, const char *name,
				   CUresult code, const char *where);
bool plaitp_cuda_is_lost(plait_backend *self, uint32_t device);
/* Look the functions up; PLAIT_E_UNAVAILABLE says what is missing. */
plait_status plaitp_cuda_load(plait_backend *self, const char *driver,
			      plait_error *error);

static inline uint32_t plaitp_cuda_number(const plait_backend *self,
					  const struct cuda_device *device)
{
	return (uint32_t)(device - self->devices);
}

/* --- option.c */

plait_status plaitp_cuda_options(plait_backend *self, struct cuda_options *out,
				 plait_error *error);

/* --- device.c */

plait_status plaitp_cuda_open_devices(plait_backend *self,
				      const struct cuda_options *options,
				      plait_error *error);
void plaitp_cuda_close_devices(plait_backend *self);
uint32_t plaitp_cuda_device_count(plait_backend *self);
plait_status plaitp_cuda_device_query(plait_backend *self, uint32_t device,
				      plait_backend_device *out,
				      plait_error *error);
/* The device's context becomes the thread's; only then leave it again. */
plait_status plaitp_cuda_enter(plait_backend *self, uint32_t device,
			       plait_error *error);
void plaitp_cuda_leave(plait_backend *self);

/* --- wrapped_memory.c: memory of the user */

/* The device's context is the thread's. */
plait_status plaitp_cuda_wrap_memory(plait_backend *self,
				     plait_backend_memory *memory, void *pointer,
				     uint64_t bytes, plait_error *error);
void plaitp_cuda_unwrap_memory(plait_backend *self, plait_backend_memory *memory);

/* --- pool.c: memory of devices, and pinned memory, that is used again.  The
 * device's context is the thread's, but for what says something else. */

/* At least as many bytes. */
CUresult plaitp_cuda_pool_acquire(plait_backend *self, struct cuda_device *device,
				  uint64_t bytes, struct cuda_block **out,
				  CUdeviceptr *out_address);
/* With any context, or none. */
void plaitp_cuda_pool_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_block *block);
/* Without the device's context the records go, and nothing else. */
void plaitp_cuda_pool_clear(plait_backend *self, struct cuda_device *device,
			    bool entered);
CUresult plaitp_cuda_acquire_pinned(plait_backend *self,
				    struct cuda_device *device, int size,
				    uint64_t bytes, void **out);
void plaitp_cuda_release_pinned(plait_backend *self, struct cuda_device *device,
				int size, void *memory);
void plaitp_cuda_free_pinned(plait_backend *self, struct cuda_device *device);

/* --- memory.c, map.c */

plait_status plaitp_cuda_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error);
void plaitp_cuda_memory_destroy(plait_backend *self,
				plait_backend_memory *memory);
plait_status plaitp_cuda_memory_map(plait_backend *self,
				    plait_backend_memory *memory,
				    uint64_t offset, uint64_t bytes,
				    uint32_t flags, void **out,
				    plait_error *error);
plait_status plaitp_cuda_memory_unmap(plait_backend *self,
				      plait_backend_memory *memory,
				      void *pointer, plait_error *error);
/* Those that could not be ended: nothing is copied. */
void plaitp_cuda_forget_maps(plait_backend *self,
			     plait_backend_memory *memory);

/* --- native.c: what the driver's objects are to others */

plait_status plaitp_cuda_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error);
/* The user's objects, which stay his; the device's context is the thread's. */
plait_status plaitp_cuda_import_memory(plait_backend *self,
				       plait_backend_memory *memory,
				       const plait_memory_request *request,
				       plait_error *error);
plait_status plaitp_cuda_import_stream(plait_backend *self, uint32_t device,
				       const plait_queue_request *request,
				       CUstream *out, plait_error *error);

/* --- compiler.c, program.c, launch.c: kernels */

enum { CUDA_LOG_BYTES = 8192 };

/* A binary or PTX; the device's context is the thread's.  What the driver says of
 * one that it does not take is in `log`, of CUDA_LOG_BYTES. */
CUresult plaitp_cuda_load_image(plait_backend *self, const void *image,
				char *log, CUmodule *out);

/* PLAIT_E_UNAVAILABLE: there is none, and why. */
plait_status plaitp_cuda_find_compiler(plait_backend *self,
				       plait_error *error);
plait_status plaitp_cuda_kernel_build(plait_backend *self, uint32_t device,
				      const plait_code *code,
				      plait_backend_kernel **out,
				      plait_error *error);
void plaitp_cuda_kernel_destroy(plait_backend *self,
				plait_backend_kernel *kernel);
plait_status plaitp_cuda_kernel_query(plait_backend *self,
				      plait_backend_kernel *kernel,
				      plait_kernel_facts *out,
				      plait_error *error);
plait_status plaitp_cuda_launch_create(plait_backend *self,
				       const plait_launch_request *request,
				       plait_backend_launch **out,
				       plait_error *error);
void plaitp_cuda_launch_destroy(plait_backend *self,
				plait_backend_launch *launch);

/* --- fill.c: what a fill is to the driver */

enum { CUDA_FILL_PARTS = 10 };

/* Into how many; none is empty. */
uint32_t plaitp_cuda_split_fill(const plait_work *work,
				CUDA_MEMSET_NODE_PARAMS_v1 out[CUDA_FILL_PARTS]);

/* --- copy3d.c: copies of rows; can one call of the driver do it, and with what */

bool plaitp_cuda_is_copy3d(const plait_work *work);
CUDA_MEMCPY3D_v2 plaitp_cuda_copy3d(const plait_work *work);

/* --- segment.c: commands that run as one */

struct plait_backend_segment {
	uint64_t total_bytes;
	struct cuda_device *device;
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode *nodes; /* the last one of each command */
	struct cuda_loop *loops; /* that a command decides; words of 0: none */
	uint32_t work_count;
	uint32_t region_count;
	uint32_t told_count; /* loops that a command decides */
	CUdeviceptr own; /* words of it, where it has regions; or 0 */
	struct cuda_block *own_block;
	bool own_unsettled; /* a write to them may be on its way */
};

plait_status plaitp_cuda_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error);
void plaitp_cuda_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment);
plait_status plaitp_cuda_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error);

/* --- region.c: what decides itself */

bool plaitp_cuda_has_regions(const plait_backend *self);
plait_status plaitp_cuda_segment_stop(plait_backend *self,
				      plait_backend_segment *segment,
				      uint32_t stop, plait_error *error);

/* --- stage.c: transfers from and to memory that the device cannot reach */

/* What queue->driver is. */
struct cuda_lane {
	CUstream stream;
	bool borrowed;	   /* the user's */
	CUstream notices;  /* on which the host is told */
	/* Pinned, a small and a large one; or null. */
	void *staging[CUDA_PINNED_SIZES];
};

/* A call that failed, and what it gave. */
struct cuda_call {
	const char *name;
	CUresult code;
};

/* Read or write `work`; true, or what failed is in *out. */
bool plaitp_cuda_transfer(plait_backend *self, driven_batch *batch,
			  const plait_work *work, struct cuda_call *out);
void plaitp_cuda_drop_transfers(plait_backend *self, driven_batch *batch);

/* --- enqueue.c: what the driver is asked for */

extern const struct driven_ops plaitp_cuda_ops;

#endif
