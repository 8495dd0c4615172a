/* SPDX-License-Identifier: MIT */
/*
 * CUDA backend: its structures and the functions that its files share.  Queues
 * and signals are those of plugins/driven.
 *
 * "Context is current" means: the calling thread is between plaitp_cuda_enter
 * for that device and plaitp_cuda_leave.
 */
#ifndef PLAITP_CUDA_BACKEND_H
#define PLAITP_CUDA_BACKEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "driven/atomic.h"
#include "driven/driven.h"

#include "calls.h"

enum { CUDA_MAX_DEVICES = 64 };

/* Settings of the user.  The core owns the texts. */
struct cuda_options {
	const char *device; /* substring of its name, or null */
	const char *driver; /* file of the driver's library */
	const char *nvrtc;  /* file of the compiler; null: search */
	uint64_t memory_bytes; /* of each device; 0: as the driver reports */
	uint64_t pool_bytes;   /* kept by each device's pool */
	bool strict; /* a graph that the driver refuses is an error */
	bool fills_by_calls; /* never by a kernel */
	bool marks_each;     /* a ticket and an event behind each batch */
	bool pilots_each;    /* callbacks also if nothing sleeps */
	bool pilots_direct;  /* callbacks in the stream of the commands */
	bool copies_alone;   /* one thread copies pageable memory */
	uint32_t look_ns; /* between looks of a loop at its stop word */
};

/* Counted graphs of segments.  Left: the backend knows that the driver has no
 * such graph, and does not ask. */
enum cuda_graph_count { CUDA_GRAPHS_MADE, CUDA_GRAPHS_PATCHED,
			CUDA_GRAPHS_ANEW, CUDA_GRAPHS_REFUSED,
			CUDA_GRAPHS_LEFT, CUDA_GRAPH_COUNTS };

/* Limits of a device. */
struct cuda_limits {
	uint64_t group; /* threads of a block */
	uint64_t local; /* shared memory of a block, in bytes */
	uint64_t block[3];
	uint64_t grid[3];
	uint64_t pitch; /* row pitch of a copy, in bytes */
	uint64_t surface[2]; /* width and height, in pixels */
};

struct cuda_block;
struct cuda_pinned;
struct cuda_device;
struct cuda_event;
struct cuda_image;
struct cuda_slab;
struct cuda_streams;
struct cuda_unfreed;
struct cuda_word;

/* Call of the driver and its result. */
struct cuda_call {
	const char *name;
	CUresult code;
};

enum { CUDA_SIZE_CLASSES = 160, CUDA_PINNED_SIZES = 2 };

/* Memory pool of a device.  Guarded by accounting_lock, except for the
 * budget. */
struct cuda_pool {
	uint64_t budget_bytes; /* 0: nothing is kept */
	uint64_t cached_bytes;
	struct cuda_block *free_blocks[CUDA_SIZE_CLASSES];
	struct cuda_pinned *pinned[CUDA_PINNED_SIZES];
	uint32_t pinned_count[CUDA_PINNED_SIZES];
};

/* Module of fill_kernel.c, if it is loaded. */
struct cuda_fill_kernel {
	CUmodule module;
	CUfunction function;
	bool refused; /* the driver does not take it */
};

struct cuda_device {
	CUdevice id;
	/* Atomic word: the four fields below are set, and do not change. */
	uint32_t opened;
	CUcontext context; /* primary context, shared with other users */
	/* For maps, reads of variables and uploads. */
	CUstream service_stream;
	int priority_least, priority_most;
	/* Atomic words, a bit for each device: the driver was asked for a path
	 * to its memory; there is one. */
	uint64_t asked_peers, peers;
	int arch;	   /* 90 is sm_90 */
	int mode;	   /* CUcomputemode */
	bool concurrent;
	bool registers;	   /* can register host memory */
	struct cuda_limits limits;
	uint64_t memory_bytes;
	uint64_t used_bytes; /* guarded by accounting_lock */
	/* Atomic words: the code that lost the device, or 0, and when. */
	uint32_t lost;
	uint64_t lost_ns;
	uint32_t writes_words; /* streams write words; atomic */
	uint32_t graphs[CUDA_GRAPH_COUNTS]; /* atomic */
	struct cuda_pool pool;
	struct cuda_slab *slabs;	/* guarded by accounting_lock */
	struct cuda_word *free_words;	/* guarded by accounting_lock */
	struct cuda_event *free_events; /* guarded by driven.lock */
	/* Module of setter.c, or null.  Guarded by accounting_lock. */
	CUmodule setter_module;
	CUfunction decide_kernel, pick_kernel;
	struct cuda_fill_kernel fill_kernel; /* guarded by accounting_lock */
	char description[256];
};

/* NVRTC, loaded at first use. */
struct cuda_compiler {
	pthread_mutex_t lock; /* guards the fields below; leaf lock */
	bool tried;
	bool found;
	int version; /* 12080 is 12.8 */
	struct nvrtc_calls calls;
	char reason[160]; /* if not found */
};

/* Registered pages of the user, shared by the buffers that wrap them. */
struct cuda_pages;

enum { CUDA_HELPERS = 3 };

/* Lane of the core that helps to copy. */
struct cuda_helper {
	struct cuda_copier *copier;
	plait_backend_queue *lane;
	bool requested; /* guarded by the copier's lock */
};

/* The host copy under way that has helpers. */
struct cuda_copier {
	struct cuda_helper helpers[CUDA_HELPERS];
	uint32_t helper_count;
	pthread_mutex_t lock; /* guards the fields below; leaf lock */
	pthread_cond_t ended;
	char *to;
	const char *from;
	uint64_t bytes; /* 0: none is under way */
	uint64_t taken, copied;
};

struct plait_backend {
	union {
		struct driven driven;
		struct { /* the first members of struct driven */
			plait_host *host;
			const plait_host_services *services;
		};
	};
	struct cuda_calls cu;
	int driver_version;
	const char *nvrtc; /* from the options */
	bool strict;	   /* from the options */
	bool fills_by_calls, marks_each, pilots_each, pilots_direct,
		copies_alone; /* from the options */
	uint32_t look_ns;  /* from the options */
	uint32_t device_count;
	struct cuda_device devices[CUDA_MAX_DEVICES];
	struct cuda_compiler compiler;
	struct cuda_copier copier;

	struct cuda_streams *flying; /* of queues with commands in flight;
				      * guarded by driven.lock */
	bool reached_more; /* in this pass of collect */

	/* Lock of the memory accounting; guards the field below.  No call of
	 * the driver is made inside it. */
	pthread_mutex_t accounting_lock;
	struct cuda_unfreed *unfreed;

	/* Guards the opening of contexts and of paths between them, also while
	 * the driver does it.  Callbacks do not take it. */
	pthread_mutex_t contexts_lock;

	/* Guards the registered pages, also while the driver registers them.
	 * Callbacks do not take it. */
	pthread_mutex_t pages_lock;
	struct cuda_pages *pages;
};

struct cuda_map;

struct plait_backend_memory {
	struct cuda_device *device;
	CUdeviceptr address;
	uint64_t size_bytes, charged_bytes, alignment_bytes;
	struct cuda_block *block; /* the pool's, contains `address`; or null */
	struct cuda_image *image; /* then there is no address; or null */
	char *wrapped;		  /* the user's memory, or null */
	struct cuda_pages *pages; /* pages that contain `wrapped` */
	struct cuda_map *maps;	  /* guarded by accounting_lock */
};

/* Kernel with its arguments, immutable outside cuGraph calls that take them. */
struct plait_backend_launch {
	uint64_t total_bytes;
	CUfunction function;
	unsigned grid[3];
	unsigned block[3];
	unsigned shared_bytes; /* dynamic shared memory of a block */
	void **arguments; /* one address for each argument */
	struct cuda_loop *loop; /* of a kernel that decides, or null */
	bool may_skip; /* may leave the condition unset */
};

/* Last arguments of kernels that decide; zeros: not in a loop. */
struct cuda_loop {
	CUgraphConditionalHandle condition;
	CUdeviceptr word, stop;
	CUdeviceptr arrived; /* control block of the loop: graph.h */
	bool guarded; /* no argument: a kernel before it sets the condition */
};

/* --- driver.c: the library and its error codes */

const char *plaitp_cuda_code_name(CUresult code);
/* Advice for a code of cuInit. */
const char *plaitp_cuda_code_hint(CUresult code);
/* Returns true if no later call for this device can succeed. */
bool plaitp_cuda_is_sticky(CUresult code);
/* Report that the call `name` returned `code`; mark the device lost if the code is
 * sticky and its context is open.  `where` may be empty.  Calls no driver. */
plait_status plaitp_cuda_fail_call(plait_backend *self, uint32_t device,
				   plait_error *error, const char *name,
				   CUresult code, const char *where);
/* Mark the device lost, with a sticky code; the first one stays.  On any thread. */
void plaitp_cuda_lose(plait_backend *self, uint32_t device, CUresult code);
bool plaitp_cuda_is_lost(plait_backend *self, uint32_t device);
/* Look up all functions.  PLAIT_E_UNAVAILABLE names the missing one. */
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

/* --- context.c: contexts of devices, which open at first use */

/* Make the device's context current; the first call opens it, under contexts_lock.
 * Call leave only after PLAIT_OK. */
plait_status plaitp_cuda_enter(plait_backend *self, uint32_t device,
			       plait_error *error);
void plaitp_cuda_leave(plait_backend *self);
bool plaitp_cuda_is_open(const struct cuda_device *device);
void plaitp_cuda_close_context(plait_backend *self, struct cuda_device *device);
/* Returns true if `from` can access the memory of `to`.  Opens the path at the
 * first call, under contexts_lock.  Both contexts are open. */
bool plaitp_cuda_has_path(plait_backend *self, struct cuda_device *from,
			  struct cuda_device *to);
plait_status plaitp_cuda_link_query(plait_backend *self, uint32_t from, uint32_t to,
				    plait_link_info *out, plait_error *error);

/* --- wrapped_memory.c: memory of the user */

/* Context is current. */
plait_status plaitp_cuda_wrap_memory(plait_backend *self,
				     plait_backend_memory *memory,
				     void *pointer, uint64_t bytes,
				     plait_error *error);
void plaitp_cuda_unwrap_memory(plait_backend *self,
			       plait_backend_memory *memory);

/* --- pool.c: reuse of device memory and pinned memory.  Context is current,
 * unless stated otherwise. */

/* Allocate at least `bytes`, from the pool if it has a block. */
CUresult plaitp_cuda_pool_acquire(plait_backend *self,
				  struct cuda_device *device, uint64_t bytes,
				  struct cuda_block **out,
				  CUdeviceptr *out_address);
/* Needs no current context; the caller holds no lock. */
void plaitp_cuda_pool_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_block *block);
/* `entered`: the context is current; else only the records are freed. */
void plaitp_cuda_pool_clear(plait_backend *self, struct cuda_device *device, bool entered);
/* `size`: index of the free list; `bytes`: the same for each call with it. */
CUresult plaitp_cuda_acquire_pinned(plait_backend *self,
				    struct cuda_device *device, int size,
				    uint64_t bytes, void **out);
/* Needs no current context.  The caller then enters and leaves `driven`. */
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
/* Free maps that could not be unmapped, without copying. */
void plaitp_cuda_forget_maps(plait_backend *self,
			     plait_backend_memory *memory);

/* --- native.c: native handles */

plait_status plaitp_cuda_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error);
/* Import objects, which the user keeps.  Context is current. */
plait_status plaitp_cuda_import_memory(plait_backend *self,
				       plait_backend_memory *memory,
				       const plait_memory_request *request,
				       plait_error *error);
plait_status plaitp_cuda_import_stream(plait_backend *self, uint32_t device,
				       const plait_queue_request *request,
				       CUstream *out, plait_error *error);

/* --- compiler.c, program.c, launch.c: kernels */

enum { CUDA_LOG_BYTES = 8192 };

/* Load a cubin or PTX.  Context is current.  The driver's messages about an
 * image that it rejects are in `log`, of CUDA_LOG_BYTES. */
CUresult plaitp_cuda_load_image(plait_backend *self, const void *image,
				char *log, CUmodule *out);

/* PLAIT_E_UNAVAILABLE: no compiler; the text says why. */
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

/* --- copy3d.c: copies of rows in one call of the driver */

bool plaitp_cuda_is_copy3d(const plait_work *work);
CUDA_MEMCPY3D_v2 plaitp_cuda_copy3d(const plait_work *work);
/* Between devices; their contexts have to be open for the copy. */
bool plaitp_cuda_is_far_copy3d(const plait_work *work);
CUDA_MEMCPY3D_PEER_v1 plaitp_cuda_far_copy3d(const plait_work *work);

/* --- enqueue.c: operations of the driver */

extern const struct driven_ops plaitp_cuda_ops;

#endif
