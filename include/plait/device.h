/* SPDX-License-Identifier: MIT */
/*
 * plait/device.h - contexts, devices and buffers: what there is.
 * (Queues and signals, what runs: plait/queue.h.  Inboxes: plait/inbox.h.)
 *
 * A context loads backends (plugins) and knows their devices.  A buffer is
 * memory of one device.
 *
 * Lifetime.  Children keep parents: a queue its device, a device its
 * context.  Work in flight keeps the queue, the signals and the buffers that
 * it uses.  Releasing never blocks.
 */
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include "plait/base.h"

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

enum {
	/* No worker threads: the threads that wait do the work. */
	PLAIT_CONTEXT_NO_WORKERS = 1 << 0,
	/* Every submission waits and reports; also PLAIT_SYNC=1.  One that
	 * waits for a gate returns when another thread has raised it. */
	PLAIT_CONTEXT_SYNC = 1 << 1
};

/*
 * How to open a context.  A null descriptor means all defaults.  What is null
 * or zero here is taken from the environment variable named beside it, unless
 * the process is privileged (setuid), and then from the default.
 */
typedef struct plait_context_desc {
	uint32_t size;
	uint32_t flags;
	/*
	 * An ordered list such as "cuda,host": exactly these, each must be
	 * usable.  PLAIT_BACKEND.  Default: every backend that is found and
	 * usable, best first.
	 */
	const char *backends;
	/*
	 * Where plugins are: absolute directories or .so files with colons
	 * between.  PLAIT_PLUGIN_PATH.  Default: the directory of libplait
	 * itself, then the directory it was installed to.
	 */
	const char *plugin_path;
	/* Interposers around every backend, outermost first, such as
	 * "check,trace".  PLAIT_WRAP.  Default: none. */
	const char *wrap;
	/* Settings, "backend:key=value,key=value;backend:...".
	 * PLAIT_OPTIONS. */
	const char *options;
	/* Copied; null means malloc and free. */
	const plait_allocator *allocator;
	/* Null means the error stream, at the level that PLAIT_LOG names
	 * (none, error, warning, info, debug; default none). */
	plait_log_hook log;
	void *log_user_data;
	/* One of PLAIT_LOG_...; PLAIT_LOG. */
	int32_t log_level;
	/* Worker threads.  PLAIT_WORKERS (0 there means none).  Default: the
	 * CPUs that the affinity mask and the cgroup quota leave. */
	uint32_t workers;
} plait_context_desc;

/*
 * plait_context_open - find and load the backends and start the workers.
 *
 * Two contexts share nothing.  When no backend is usable, the error's detail
 * (plait_error_detail) lists each candidate, each path and each reason.
 *
 * @param desc  borrowed, nullable: how; null means all defaults
 * @param out   owned, non-null: the context, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a malformed descriptor, list or option),
 *         PLAIT_E_UNSUPPORTED (set by a newer header), PLAIT_E_UNAVAILABLE (a
 *         backend that was asked for, or any at all), PLAIT_E_NOMEM,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_open(const plait_context_desc *desc,
					  plait_context **out,
					  plait_error *error);

/*
 * plait_context_retain - one more reference.
 *
 * @param context borrowed, nullable: the context; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_context_retain(plait_context *context);

/*
 * plait_context_release - give one reference back.
 *
 * The context ends when it and everything made from it was released and the
 * work in flight has drained.  The last release does not wait for that.
 *
 * @param context consumed, nullable: the context; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_context_release(plait_context *context);

/*
 * plait_context_report - which backends were found, chosen, rejected, and why.
 *
 * @param context        borrowed, non-null: the context
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: what the whole text needs
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
 * plait_backend_report - the same without a context: look, and tell.
 *
 * Tries what plait_context_open would try, also when nothing is usable.
 *
 * @param desc           borrowed, nullable: as for plait_context_open
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: what the whole text needs
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK (also when nothing is usable), PLAIT_E_INVALID,
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

/* What a device can do; bits of plait_device_info.capabilities. */
enum {
	/* Buffers can be mapped. */
	PLAIT_DEVICE_MAP = 1 << 0,
	/* Foreign host memory can be wrapped without a copy. */
	PLAIT_DEVICE_WRAP = 1 << 1,
	/* Host functions run in a queue without a detour over the core. */
	PLAIT_DEVICE_HOST_CALL = 1 << 2,
	/* Gates can be raised by the host. */
	PLAIT_DEVICE_GATE = 1 << 3,
	/* Completions are announced; otherwise somebody must wait. */
	PLAIT_DEVICE_NOTIFY = 1 << 4,
	/* Work advances only while a thread of yours waits. */
	PLAIT_DEVICE_NEEDS_PUMP = 1 << 5,
	/* Time on this device is simulated. */
	PLAIT_DEVICE_VIRTUAL_TIME = 1 << 6,
	/* It tells what its objects are to the system below; native.h. */
	PLAIT_DEVICE_NATIVE = 1 << 7,
	/* Stretches of plans are frozen and run as one command. */
	PLAIT_DEVICE_SEGMENT = 1 << 8,
	/* Copies, reads and writes of rows are one command each. */
	PLAIT_DEVICE_ROWS = 1 << 9,
	/* Stretches have loops and branches too, which it decides itself. */
	PLAIT_DEVICE_REGION = 1 << 10,
	/* It is never lost: what has happened well stays so. */
	PLAIT_DEVICE_LASTS = 1 << 11,
	/* It is the host itself: plans of such devices alone run as calls, on
	 * threads of the library, without queues. */
	PLAIT_DEVICE_HOST = 1 << 12
};

/* What a device is; 400 bytes, filled by plait_device_query. */
typedef struct plait_device_info {
	uint32_t size;
	/* Position among the devices of its backend. */
	uint32_t index;
	uint32_t capabilities;
	/* Commands that can run at the same time, at least 1. */
	uint32_t parallel;
	/* 0 when it is not known. */
	uint64_t memory_bytes;
	/* The most that buffers may use; UINT64_MAX when not limited. */
	uint64_t budget_bytes;
	uint64_t used_bytes;
	/* Alignment that every buffer has at least. */
	uint64_t alignment_bytes;
	/* Backend and index, "host:0". */
	char name[48];
	char backend[32];
	/* What it is, in the backend's words. */
	char description[256];
	/* How often the backend told what it had told before: 0, unless it is
	 * broken.  Ignored, counted, and logged as a warning. */
	uint64_t stray_notifications;
	/* The code that it compiles itself: 1 << PLAIT_SOURCE_PORTABLE, and so
	 * on; 0: kernels are host functions there, if it can run those. */
	uint32_t forms;
	uint32_t reserved0;
} plait_device_info;

/*
 * plait_context_device_count - how many devices the context has.
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
 * plait_context_device - a device by its number, the best backend's first.
 *
 * The handle is borrowed: it is good as long as the context lives.
 *
 * @param context borrowed, non-null: the context
 * @param index   value: below plait_context_device_count
 * @param out     borrowed, non-null: the device
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (an index too high), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_device(plait_context *context,
					    uint32_t index, plait_device **out,
					    plait_error *error);

/*
 * plait_context_find_device - a device by name, "host:0" or just "host".
 *
 * @param context borrowed, non-null: the context
 * @param name    borrowed, non-null: backend, or backend:index
 * @param out     borrowed, non-null: the device, as plait_context_device
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_UNAVAILABLE (no such device; the text lists those
 *         that exist), PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_context_find_device(plait_context *context,
						 const char *name,
						 plait_device **out,
						 plait_error *error);

/*
 * plait_device_query - what a device is and what it has.
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
 * plait_device_set_budget - the most memory that buffers may use here.
 *
 * Buffers that exist stay, also when they use more.
 *
 * @param device       borrowed, non-null: the device
 * @param budget_bytes value: bytes; UINT64_MAX lifts the limit
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

typedef struct plait_buffer_desc {
	uint32_t size;
	uint32_t flags;
	/* May be 0. */
	uint64_t bytes;
	/* A power of two; 0 means the device's own alignment. */
	uint64_t alignment_bytes;
	/* Copied; names the buffer in errors. */
	const char *label;
} plait_buffer_desc;

/*
 * plait_host_function - code of yours that a queue or an event runs.
 *
 * Returns 0 for success.  Any other value fails the command and is found in
 * plait_error.origin.
 */
typedef int32_t (*plait_host_function)(void *user_data);

enum {
	/* CALL and wrapped memory: the function may run on any thread. */
	PLAIT_CALL_ANY_THREAD = 1 << 0
};

/* Flags of wrapped memory, beside PLAIT_CALL_ANY_THREAD. */
enum {
	/* It is never written: commands, kernels and mappings that would
	 * are refused. */
	PLAIT_WRAP_READ_ONLY = 1 << 1
};

/*
 * Memory of yours as a buffer.  It must stay valid until the release is
 * announced: once, as an event in `inbox`, or by a call of `released` on any
 * thread if `inbox` is null and PLAIT_CALL_ANY_THREAD is set; both may be
 * left out.
 */
typedef struct plait_wrap_desc {
	uint32_t size;
	uint32_t flags;
	void *pointer;
	uint64_t bytes;
	const char *label;
	plait_inbox *inbox;
	plait_host_function released;
	void *user_data;
	/* Not 0: no `pointer` but a cl_mem, a CUdeviceptr, ... of the device's
	 * own system, of at least `bytes` bytes; see native.h.  Needs
	 * PLAIT_DEVICE_NATIVE. */
	uint32_t native_kind;
	uint32_t reserved0;
	uint64_t native;
} plait_wrap_desc;

/* How memory is mapped. */
enum {
	PLAIT_MAP_READ = 1 << 0,
	PLAIT_MAP_WRITE = 1 << 1
};

/*
 * plait_buffer_create - memory on a device; its contents are undefined.
 *
 * @param device borrowed, non-null: where
 * @param desc   borrowed, non-null: how much
 * @param out    owned, non-null: the buffer, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_NOMEM (the device or its budget; the text has the
 *         numbers), PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_create(plait_device *device,
					   const plait_buffer_desc *desc,
					   plait_buffer **out,
					   plait_error *error);

/*
 * plait_buffer_wrap - memory of yours as a buffer, without a copy.
 *
 * Does not count against the budget.
 *
 * @param device borrowed, non-null: where
 * @param desc   borrowed, non-null: which memory; its user_data is taken over
 *               on success only
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
 * plait_buffer_view - a part of a buffer as a buffer; it keeps the whole.
 *
 * @param buffer       borrowed, non-null: the whole, or another view
 * @param offset_bytes value: where the part starts
 * @param bytes        value: how long it is
 * @param out          owned, non-null: the view, one reference
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (outside), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_view(plait_buffer *buffer,
					 uint64_t offset_bytes, uint64_t bytes,
					 plait_buffer **out,
					 plait_error *error);

/*
 * plait_buffer_retain - one more reference.
 *
 * @param buffer borrowed, nullable: the buffer; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_buffer_retain(plait_buffer *buffer);

/*
 * plait_buffer_release - give one reference back; work in flight keeps it.
 *
 * @param buffer consumed, nullable: the buffer; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_buffer_release(plait_buffer *buffer);

/*
 * plait_buffer_bytes - the size of a buffer or view.
 *
 * @param buffer    borrowed, non-null: the buffer
 * @param out_bytes borrowed, non-null: its size
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_bytes(plait_buffer *buffer,
					  uint64_t *out_bytes,
					  plait_error *error);

/*
 * plait_buffer_map - a pointer to a buffer's memory.
 *
 * Does not wait for queues: finish what uses the buffer first, and unmap
 * before submitting work that uses it.  A buffer can be mapped many times.
 *
 * @param buffer       borrowed, non-null: the buffer
 * @param offset_bytes value: where the part starts
 * @param bytes        value: how long it is, at least 1
 * @param flags        value: PLAIT_MAP_READ, PLAIT_MAP_WRITE or both
 * @param out_pointer  borrowed, non-null: the memory, good until unmapped
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_UNSUPPORTED (no PLAIT_DEVICE_MAP),
 *         PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_map(plait_buffer *buffer,
					uint64_t offset_bytes, uint64_t bytes,
					uint32_t flags, void **out_pointer,
					plait_error *error);

/*
 * plait_buffer_unmap - end one mapping.
 *
 * @param buffer  borrowed, non-null: the buffer
 * @param pointer borrowed, non-null: what plait_buffer_map gave
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
