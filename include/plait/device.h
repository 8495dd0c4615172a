/* SPDX-License-Identifier: MIT */
/*
 * plait/device.h - contexts, devices and buffers.  Queues and signals are in
 * plait/queue.h, inboxes in plait/inbox.h.
 *
 * A context loads backends (plugins) and owns their devices.  A buffer is
 * memory of one device.
 *
 * Example:
 *
 *     plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 4096 };
 *     void *memory;
 *
 *     plait_context_open(NULL, &context, &error);
 *     plait_context_device(context, 0, &device, &error);
 *     plait_buffer_create(device, &desc, &buffer, &error);
 *     plait_buffer_map(buffer, 0, 4096, PLAIT_MAP_WRITE, &memory, &error);
 *     memset(memory, 0, 4096);
 *     plait_buffer_unmap(buffer, memory, &error);
 *     plait_buffer_release(buffer);
 *     plait_context_release(context);
 *
 * Lifetime.  Children hold their parents: a queue its device, a device its
 * context.  Work in flight holds its queue, signals and buffers.  A release
 * never blocks.
 */
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include "plait/base.h"
#include "plait/image.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_context plait_context;
typedef struct plait_device plait_device;
typedef struct plait_queue plait_queue;
typedef struct plait_signal plait_signal;
typedef struct plait_buffer plait_buffer;
typedef struct plait_inbox plait_inbox;
typedef struct plait_run plait_run;

/* ------------------------------------------------------------------------
 * Contexts
 */

/* Flags of plait_context_desc. */
typedef uint32_t plait_context_flags;
enum {
	/* No worker threads: waiting threads execute the work. */
	PLAIT_CONTEXT_NO_WORKERS = 1 << 0,
	/* Every submission waits for completion and reports failures; also
	 * PLAIT_SYNC=1.  A submission that waits for a gate returns when
	 * another thread has raised the gate. */
	PLAIT_CONTEXT_SYNC = 1 << 1
};

/*
 * Options of a context; a null descriptor means all defaults.  A null or zero
 * field takes the value of the environment variable named beside it (not in a
 * privileged, setuid process), else the default.
 */
typedef struct plait_context_desc {
	uint32_t size;
	plait_context_flags flags;
	/*
	 * An ordered list such as "cuda?,opencl?,host": exactly these backends.
	 * All of them must be usable, except for those with a ? behind, which
	 * are left out where they are missing or find no device.
	 * PLAIT_BACKEND.  Default: every usable backend
	 * that is found, best first, except those that are used only if named
	 * (PLAIT_PLUGIN_EXPLICIT: opencl, cuda, chaos).
	 */
	const char *backends;
	/*
	 * Search path of plugins: absolute directories or .so files, separated
	 * by colons.  PLAIT_PLUGIN_PATH.  Default: the directory of libplait,
	 * then the installation directory.
	 */
	const char *plugin_path;
	/* Interposers around every backend, outermost first, such as
	 * "check,trace".  PLAIT_WRAP.  Default: none. */
	const char *wrap;
	/* Backend options, "backend:key=value,key=value;backend:...".
	 * PLAIT_OPTIONS. */
	const char *options;
	/* Copied; null means malloc and free. */
	const plait_allocator *allocator;
	/* Null means stderr, at the level named by PLAIT_LOG (none, error,
	 * warning, info, debug; default none). */
	plait_log_hook log;
	void *log_user_data;
	/* PLAIT_LOG. */
	plait_log_level log_level;
	/* Number of worker threads.  PLAIT_WORKERS (0 there means none).
	 * Default: the CPUs permitted by affinity mask and cgroup quota. */
	uint32_t workers;
} plait_context_desc;

/*
 * plait_context_open - load the backends and start the worker threads.
 *
 * Contexts share nothing.  If no backend is usable, the error's detail
 * (plait_error_detail) lists each candidate with its path and the reason.
 *
 * @param desc  borrowed, nullable: options; null means all defaults
 * @param out   owned, non-null: the context, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a malformed descriptor, list or option),
 *         PLAIT_E_UNSUPPORTED (a field of newer headers is set),
 *         PLAIT_E_UNAVAILABLE (a requested backend, or all backends),
 *         PLAIT_E_NOMEM, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_open(const plait_context_desc *desc,
					  plait_context **out,
					  plait_error *error);

/*
 * plait_context_retain - add one reference.
 *
 * @param context borrowed, nullable: the context; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_context_retain(plait_context *context);

/*
 * plait_context_release - give one reference back.
 *
 * The context ends when the context and all its objects are released and the
 * work in flight has completed, or cannot complete any more: waits that no
 * handle is left to end are cancelled.  Runs that wait for emissions of each
 * other, or for more emissions than their plans make, keep the context:
 * cancel them before.  The last release does not wait for the end;
 * plait_context_close does.
 *
 * @param context consumed, nullable: the context; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_context_release(plait_context *context);

/*
 * plait_context_close - give one reference back and wait for the end of the
 * context.
 *
 * After PLAIT_OK all its objects, memory and threads are gone, all work in
 * flight has completed, and interposers have written their files.  Release
 * the other references and the objects before: a context with any of them
 * does not end.  One with flows over a world waits for the other ranks, until they
 * have submitted as much: the error of a timed close and, after 5 s, the log name
 * the one.  After PLAIT_E_TIMEOUT the reference is given back all the
 * same, and the context ends later.  PLAIT_E_LOST: a backend has work of which
 * it does not tell the end (plait/plugin.h, "Refusal"), so the context never
 * ends; the reference is given back, too.  A close that waits returns it once
 * the library has given that work up and the user has no handle left.
 * PLAIT_E_FAILED: the context has ended, but a flow over a world had failed, or its
 * ranks have run different programs, and no call on it told so; origin is the
 * status.  After any other failure the reference is the caller's.
 *
 * @param context    consumed, non-null: the context
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_TIMEOUT, PLAIT_E_LOST, PLAIT_E_FAILED,
 *         PLAIT_E_DEADLOCK (in a host function, or one that an inbox of the
 *         context runs), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_close(plait_context *context,
					   uint64_t timeout_ns,
					   plait_error *error);

/*
 * plait_context_report - list the backends that were found, chosen and
 * rejected, with reasons.
 *
 * @param context        borrowed, non-null: the context
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: size of the whole text with its NUL
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_report(plait_context *context,
					    char *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error);

/*
 * plait_backend_report - list the backends without opening a context.
 *
 * Probes the candidates of plait_context_open, even if none is usable.
 *
 * @param desc           borrowed, nullable: as for plait_context_open
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: size of the whole text with its NUL
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK (even if no backend is usable), PLAIT_E_INVALID,
 *         PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_backend_report(const plait_context_desc *desc,
					    char *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error);

/* ------------------------------------------------------------------------
 * Devices
 */

/* Capabilities of a device. */
typedef uint32_t plait_device_capabilities;
enum {
	/* Buffers can be mapped. */
	PLAIT_DEVICE_MAP = 1 << 0,
	/* Host memory can be wrapped as a buffer without a copy. */
	PLAIT_DEVICE_WRAP = 1 << 1,
	/* The backend calls host functions itself; elsewhere the core does. */
	PLAIT_DEVICE_HOST_CALL = 1 << 2,
	/* Gates: signals that the host raises. */
	PLAIT_DEVICE_GATE = 1 << 3,
	/* Completions are announced; without it a thread must wait. */
	PLAIT_DEVICE_NOTIFY = 1 << 4,
	/* Work advances only while an application thread waits. */
	PLAIT_DEVICE_NEEDS_PUMP = 1 << 5,
	/* Time on this device is simulated. */
	PLAIT_DEVICE_VIRTUAL_TIME = 1 << 6,
	/* Native handles of its objects are available; see native.h. */
	PLAIT_DEVICE_NATIVE = 1 << 7,
	/* Segments of plans run as one command. */
	PLAIT_DEVICE_SEGMENT = 1 << 8,
	/* Copies, reads and writes of rows are one command each. */
	PLAIT_DEVICE_ROWS = 1 << 9,
	/* Segments may contain loops and branches, decided by the device. */
	PLAIT_DEVICE_REGION = 1 << 10,
	/* The device is never lost: a successful completion is final. */
	PLAIT_DEVICE_LASTS = 1 << 11,
	/* The device is the host: plans on such devices alone run as function
	 * calls on threads of the library, without queues. */
	PLAIT_DEVICE_HOST = 1 << 12,
	/* A waiting thread polls before it asks for a notification. */
	PLAIT_DEVICE_POLLS = 1 << 13,
	/* Buffers can be images; see image.h. */
	PLAIT_DEVICE_IMAGE = 1 << 14
};

/* Properties of a device, filled by plait_device_query. */
typedef struct plait_device_info {
	uint32_t size;
	/* Position among the devices of its backend. */
	uint32_t index;
	plait_device_capabilities capabilities;
	/* Maximum number of concurrent commands, at least 1. */
	uint32_t parallel;
	/* 0: unknown. */
	uint64_t memory_bytes;
	/* Limit of the memory of all buffers; UINT64_MAX: none. */
	uint64_t budget_bytes;
	uint64_t used_bytes;
	/* Minimum alignment of a buffer. */
	uint64_t alignment_bytes;
	/* Backend and index, "host:0". */
	char name[48];
	char backend[32];
	/* Text of the backend. */
	char description[256];
	/* Number of repeated completion notices: 0 unless the backend has a
	 * bug.  Each is ignored, counted and logged as a warning. */
	uint64_t stray_notifications;
	/* Accepted source forms: bits 1 << PLAIT_SOURCE_...; 0: kernels are
	 * host functions, if the device can run them. */
	uint32_t forms;
	/* Number of its memory in the context; devices with equal ones share
	 * it.  0: that of the program. */
	uint32_t memory;
	/* Limit of the local memory of one group of a kernel; 0: unknown. */
	uint64_t local_bytes;
} plait_device_info;

/*
 * plait_context_device_count - get the number of devices of a context.
 *
 * @param context   borrowed, non-null: the context
 * @param out_count borrowed, non-null: the number
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_device_count(plait_context *context,
						  uint32_t *out_count,
						  plait_error *error);

/*
 * plait_context_device - get a device by its number, the best backend's first.
 *
 * The handle is borrowed and valid while the context lives.
 *
 * @param context borrowed, non-null: the context
 * @param index   value: below plait_context_device_count
 * @param out     borrowed, non-null: the device
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such index), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_device(plait_context *context,
					    uint32_t index, plait_device **out,
					    plait_error *error);

/*
 * plait_context_find_device - get a device by name, "host:0" or "host".
 *
 * @param context borrowed, non-null: the context
 * @param name    borrowed, non-null: backend, or backend:index
 * @param out     borrowed, non-null: the device, as plait_context_device
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_UNAVAILABLE (no such device; the text lists the
 *         existing ones), PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_find_device(plait_context *context,
						 const char *name,
						 plait_device **out,
						 plait_error *error);

/*
 * plait_device_query - get the properties of a device.
 *
 * @param device borrowed, non-null: the device
 * @param info   borrowed, non-null: set `size`; the rest is filled
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_device_query(plait_device *device,
					  plait_device_info *info,
					  plait_error *error);

/*
 * plait_device_set_budget - limit the memory of all buffers of a device.
 *
 * Existing buffers stay, even above the limit.
 *
 * @param device       borrowed, non-null: the device
 * @param budget_bytes value: limit in bytes; UINT64_MAX removes it
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_device_set_budget(plait_device *device,
					       uint64_t budget_bytes,
					       plait_error *error);

/* ------------------------------------------------------------------------
 * Buffers
 */

/* Flags of a buffer. */
typedef uint32_t plait_buffer_flags;
enum {
	/* A temporary: memory of plans.  The buffer has no memory itself; each
	 * instance of each plan whose nodes name it has some, aligned to 256
	 * bytes, with undefined contents when a run starts.  It keeps its
	 * contents from node to node, in loops from iteration to iteration,
	 * until the run ends.  So runs of a plan do not conflict by it, and no
	 * run has to bind it.  Only nodes accept it, and its views. */
	PLAIT_BUFFER_TEMPORARY = 1 << 0
};

typedef struct plait_buffer_desc {
	uint32_t size;
	plait_buffer_flags flags;
	/* May be 0. */
	uint64_t bytes;
	/* A power of two; 0 means the device's alignment.  A device may refuse
	 * a larger one with PLAIT_E_UNSUPPORTED. */
	uint64_t alignment_bytes;
	/* Copied; names the buffer in errors. */
	const char *label;
	/* Not NONE: an image of width times height pixels, each at least 1; see
	 * image.h.  `bytes` and `alignment_bytes` are 0 then. */
	plait_image_format format;
	uint32_t width;
	uint32_t height;
	uint32_t reserved0;
} plait_buffer_desc;

/*
 * plait_host_function - a function of the application, called by a queue, a
 * plan or an event.
 *
 * Returns 0 for success.  Any other value fails the command and becomes
 * plait_error.origin.
 */
typedef int32_t (*plait_host_function)(void *user_data);

/* Flags of a host function. */
typedef uint32_t plait_call_flags;
enum {
	/* The function may run on any thread and needs no inbox. */
	PLAIT_CALL_ANY_THREAD = 1 << 0,
	/* CALL nodes, with PLAIT_CALL_ANY_THREAD: the function may suspend
	 * itself; see plait/coroutine.h. */
	PLAIT_CALL_COROUTINE = 1 << 2,
	/* With PLAIT_CALL_COROUTINE: the function continues only on the worker
	 * that began it, or the one that replaces it (plait/coroutine.h). */
	PLAIT_CALL_FIRST_WORKER = 1 << 3
};

/* Flags of wrapped memory, combined with PLAIT_CALL_ANY_THREAD. */
typedef uint32_t plait_wrap_flags;
enum {
	/* Read-only: commands, kernels and mappings that would write are
	 * refused. */
	PLAIT_WRAP_READ_ONLY = 1 << 1
};

/*
 * Application memory as a buffer.  The memory must stay valid until the
 * library announces its release, once: as an event in `inbox`, or by a call of
 * `released` on any thread if `inbox` is null and PLAIT_CALL_ANY_THREAD is
 * set.  Both are optional.
 */
typedef struct plait_wrap_desc {
	uint32_t size;
	plait_wrap_flags flags;
	void *pointer;
	uint64_t bytes;
	const char *label;
	plait_inbox *inbox;
	plait_host_function released;
	void *user_data;
	/* A plait_native_kind, or 0.  Not 0: `native` is a cl_mem, CUdeviceptr,
	 * ... of at least `bytes` bytes, in place of `pointer`; see native.h.
	 * Requires PLAIT_DEVICE_NATIVE. */
	uint32_t native_kind;
	uint32_t reserved0;
	uint64_t native;
} plait_wrap_desc;

/* Access of a mapping. */
typedef uint32_t plait_map_flags;
enum {
	PLAIT_MAP_READ = 1 << 0,
	PLAIT_MAP_WRITE = 1 << 1
};

/*
 * plait_buffer_create - allocate memory of a device, with undefined contents.
 *
 * @param device borrowed, non-null: the device
 * @param desc   borrowed, non-null: size and alignment
 * @param out    owned, non-null: the buffer, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_NOMEM (memory or budget of the device; the text has
 *         the numbers), PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_create(plait_device *device,
					   const plait_buffer_desc *desc,
					   plait_buffer **out,
					   plait_error *error);

/*
 * plait_buffer_wrap - make application memory a buffer, without a copy.
 *
 * The memory does not count against the device's budget.
 *
 * @param device borrowed, non-null: the device
 * @param desc   borrowed, non-null: the memory; the library takes over its
 *               user_data on success only
 * @param out    owned, non-null: the buffer, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_UNSUPPORTED (no PLAIT_DEVICE_WRAP),
 *         PLAIT_E_INVALID, PLAIT_E_STATE (the inbox is closed), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_wrap(plait_device *device,
					 const plait_wrap_desc *desc,
					 plait_buffer **out,
					 plait_error *error);

/*
 * plait_buffer_view - make a part of a buffer a buffer; the view holds the
 * whole.
 *
 * @param buffer       borrowed, non-null: the whole, or another view
 * @param offset_bytes value: start of the part
 * @param bytes        value: length of the part
 * @param out          owned, non-null: the view, one reference
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (out of range), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_view(plait_buffer *buffer,
					 uint64_t offset_bytes, uint64_t bytes,
					 plait_buffer **out,
					 plait_error *error);

/*
 * plait_buffer_retain - add one reference.
 *
 * @param buffer borrowed, nullable: the buffer; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_buffer_retain(plait_buffer *buffer);

/*
 * plait_buffer_release - give one reference back; work in flight holds its own.
 *
 * @param buffer consumed, nullable: the buffer; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_buffer_release(plait_buffer *buffer);

/*
 * plait_buffer_bytes - get the size of a buffer or view.
 *
 * @param buffer    borrowed, non-null: the buffer
 * @param out_bytes borrowed, non-null: size in bytes
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_bytes(plait_buffer *buffer,
					  uint64_t *out_bytes,
					  plait_error *error);

/*
 * plait_buffer_map - get a pointer to a buffer's memory.
 *
 * The call does not wait for queues: the caller finishes work that uses the
 * buffer before, and unmaps the buffer before submitting more.  A buffer may
 * have several mappings.
 *
 * @param buffer       borrowed, non-null: the buffer
 * @param offset_bytes value: start of the range
 * @param bytes        value: length of the range, at least 1
 * @param flags        value: PLAIT_MAP_READ, PLAIT_MAP_WRITE or both
 * @param out_pointer  borrowed, non-null: the memory, valid until unmapped
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_UNSUPPORTED (no PLAIT_DEVICE_MAP),
 *         PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_map(plait_buffer *buffer,
					uint64_t offset_bytes, uint64_t bytes,
					plait_map_flags flags,
					void **out_pointer,
					plait_error *error);

/*
 * plait_buffer_unmap - end one mapping.
 *
 * @param buffer  borrowed, non-null: the buffer
 * @param pointer borrowed, non-null: the pointer from plait_buffer_map
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a mapping of this buffer),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_unmap(plait_buffer *buffer, void *pointer,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
