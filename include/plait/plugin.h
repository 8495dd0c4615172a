/* SPDX-License-Identifier: MIT */
/*
 * plait/plugin.h - the interface of backends.
 *
 * A plugin is a shared object `plait_NAME.so` that does not link to libplait
 * and exports one function, plait_plugin_entry.  It receives a table of host
 * services and fills a table of its own.  doc/plugins.md numbers the
 * requirements; `plait conform NAME` tests them.  plugins/null is a template
 * with all slots, plugins/host the smallest real backend.
 *
 * Example:
 *
 *     plait_status plait_plugin_entry(const plait_host_services *services,
 *                                     plait_backend_table *table,
 *                                     plait_error *error)
 *     {
 *             if (services->abi_min > PLAIT_PLUGIN_ABI)
 *                     return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
 *                                           "the core is too new");
 *             table->abi = table->abi_min = table->abi_max = 1;
 *             return PLAIT_OK;
 *     }
 *
 * Rules for all slots
 *
 * - Every struct begins with `size`.  Slots and fields are appended only.  The
 *   core passes its own sizes; a plugin accesses no byte beyond them.
 * - A slot returns a plait_status.  A failed slot has changed nothing and has
 *   written `error` (never null) by services->fail: cause, place, remedy.  No
 *   slot aborts, prints, exits, installs a handler, or changes the locale, the
 *   signal mask or the floating point state.
 * - The entry only describes: no threads, devices, environment or allocations.
 *   `open` acquires resources, `close` releases them.  Any number of instances
 *   may be open; a plugin has no writable globals.
 * - The core calls slots on any thread: those of one queue (submit, flush,
 *   recover, destroy) one at a time, all others concurrently.
 * - A slot calls the core through host services only.
 * - The core destroys an object after its last use.  Pointers in a request or
 *   submission are valid during the call.
 *
 * Signals.  A signal is a 64-bit counter that starts at 0 and never decreases.
 * A submission that emits {signal, n} raises it to n when all its commands are
 * complete.  The core emits each signal in order (n, n+1, ...), never from two
 * queues concurrently, and submits a wait for {signal, n} only after emission
 * n, unless the signal is a gate.
 *
 * Failure.  A failed command fails its queue: the commands behind it do not
 * run, and its emissions are raised as failed, with the same error, until
 * queue_recover.  A queue that waits for a failed point fails with that error,
 * its text prefixed by "not run: " (once).  A signal keeps its first failure;
 * points below stay good; later points fail too: those of a gate at once,
 * those of a queue when they are raised.  A failed queue still waits for points
 * of queues, so that its own emissions are not early; it waits for no gate.
 *
 * Refusal.  A call refused with PLAIT_E_BUSY or PLAIT_E_NOMEM succeeds after
 * some work of the queue completes, and within a second in any case.  Where
 * the core cannot go on without the call (the end of a run, a flush, the state
 * of a signal), it retries, whatever the status, a thousand times in a row and
 * for at least a second unless time is simulated; then it gives up the work of
 * the queue (PLAIT_E_LOST) and destroys none of its objects.
 *
 * Visibility.  Effects before a signal is raised happen before the return of a
 * call that observes it raised (release and acquire), on host and device.  This
 * includes signals: after a point was observed, all points raised before it,
 * as by earlier submissions of the same queue, are observed too.
 */
#ifndef PLAIT_PLUGIN_H
#define PLAIT_PLUGIN_H

#include "plait/code.h"
#include "plait/link.h"
#include "plait/memory.h"
#include "plait/native.h"
#include "plait/services.h"
#include "plait/transport.h"
#include "plait/work.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAIT_PLUGIN_ABI = 1 }; /* the interface that this header describes */

/*
 * Capabilities of a device, with the bits of plait_device_capabilities.  Most
 * require slots; four are other guarantees:
 *
 * LASTS - no slot returns PLAIT_E_LOST, only commands fail a queue, and a point
 * that has happened without failure stays so: the core need not poll again.
 *
 * HOST - device memory is host memory: a mapping is the memory of commands, at
 * one address, coherent both ways.  The core may execute the commands of plans
 * on its own threads.  Requires MAP and HOST_CALL, excludes `forms`.
 *
 * POLLS - a poll is cheap, a notification is not: a waiting thread polls first.
 *
 * IMAGE - memory_create makes images; COPY, READ and WRITE move whole rows of
 * them, without `rows`, also in segments; launches take an image as a whole.
 */
enum {
	PLAIT_CAP_MAP = 1 << 0,
	PLAIT_CAP_WRAP = 1 << 1,
	PLAIT_CAP_HOST_CALL = 1 << 2,
	PLAIT_CAP_GATE = 1 << 3,
	PLAIT_CAP_NOTIFY = 1 << 4,
	PLAIT_CAP_NEEDS_PUMP = 1 << 5,
	PLAIT_CAP_VIRTUAL_TIME = 1 << 6,
	PLAIT_CAP_NATIVE = 1 << 7,
	PLAIT_CAP_SEGMENT = 1 << 8,
	PLAIT_CAP_ROWS = 1 << 9,
	PLAIT_CAP_REGION = 1 << 10,
	PLAIT_CAP_LASTS = 1 << 11,
	PLAIT_CAP_HOST = 1 << 12,
	PLAIT_CAP_POLLS = 1 << 13,
	PLAIT_CAP_IMAGE = 1 << 14
};

/* ------------------------------------------------------------------------
 * Structs of the slots
 */

/* Properties of a device. */
typedef struct plait_backend_device {
	uint32_t size;
	plait_device_capabilities capabilities;
	/* Maximum number of concurrent commands, at least 1. */
	uint32_t parallel;
	/* Devices with equal numbers share a memory; 0: it has its own. */
	uint32_t memory;
	uint64_t memory_bytes;
	uint64_t alignment_bytes;
	/* Costs, 0: unknown: a batch; each command; a wait for a queue. */
	uint64_t submit_ns;
	uint64_t command_ns;
	uint64_t hop_ns;
	char description[256];
	/* Forms that kernel_build accepts: bits 1 << PLAIT_SOURCE_...; 0: no
	 * kernels.  Never PORTABLE, which the core translates to the first
	 * of OPENCL_C, CUDA_C and C in the set. */
	uint32_t forms;
	uint32_t in_order_segments; /* see plait_segment_request */
	uint64_t local_bytes; /* limit of a group; 0: unknown */
	uint32_t repeats; /* takes plait_submission.times */
	uint32_t reserved1;
} plait_backend_device;

/* Request of native_query. */
typedef struct plait_native_request {
	uint32_t size;
	plait_native_kind kind;
	uint32_t device;
	uint32_t reserved0;
	/* An object of the device; both null: the device. */
	plait_backend_queue *queue;
	plait_backend_memory *memory;
} plait_native_request;

/* The memory of the program, as an end of link_query. */
#define PLAIT_LINK_HOST UINT32_MAX

/* ------------------------------------------------------------------------
 * The table of a backend
 */

/* Sanitizer of a build; plugin and process must have the same one. */
typedef uint32_t plait_sanitizer;
enum {
	PLAIT_SANITIZER_NONE = 0,
	PLAIT_SANITIZER_ADDRESS = 1,
	PLAIT_SANITIZER_THREAD = 2,
	PLAIT_SANITIZER_MEMORY = 3
};

#if defined(__SANITIZE_ADDRESS__)
#define PLAIT_SANITIZER_KIND PLAIT_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define PLAIT_SANITIZER_KIND PLAIT_SANITIZER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLAIT_SANITIZER_KIND PLAIT_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define PLAIT_SANITIZER_KIND PLAIT_SANITIZER_THREAD
#elif __has_feature(memory_sanitizer)
#define PLAIT_SANITIZER_KIND PLAIT_SANITIZER_MEMORY
#endif
#endif
#ifndef PLAIT_SANITIZER_KIND
#define PLAIT_SANITIZER_KIND PLAIT_SANITIZER_NONE
#endif

/* Flags of plait_backend_table. */
typedef uint32_t plait_plugin_flags;
enum {
	/* An interposer around another backend's table; see `wrap`. */
	PLAIT_PLUGIN_INTERPOSER = 1 << 0,
	/* Used only if named; never a default. */
	PLAIT_PLUGIN_EXPLICIT = 1 << 1,
	/* A transport without devices (plait/transport.h): of the slots it has
	 * open, close, those of ports, and pump. */
	PLAIT_PLUGIN_TRANSPORT = 1 << 2
};

typedef struct plait_backend_table plait_backend_table;

struct plait_backend_table {
	/* In: size in the core.  Out: size filled by the plugin. */
	uint32_t size;
	/* Interface selected by the plugin, within the core's range. */
	uint32_t abi;
	/* Lowest and highest interface of the plugin. */
	uint32_t abi_min;
	uint32_t abi_max;
	/* Identity, checked before any slot is called. */
	plait_sanitizer sanitizer;
	uint32_t pointer_bytes;
	plait_plugin_flags flags;
	/* Rank among the defaults, highest first: host 10, accelerators 50 to
	 * 100. */
	int32_t priority;
	/* NAME of the file name. */
	char name[32];
	char vendor[64];
	char version[32];

	/* --- life cycle; mandatory */

	/* Open one instance.  PLAIT_E_UNAVAILABLE if there is no driver or no
	 * device; the text has the missing part and the search path. */
	plait_status (*open)(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error);
	/* All other objects were destroyed before. */
	void (*close)(plait_backend *self);
	/* At least 1 after a successful open; constant. */
	uint32_t (*device_count)(plait_backend *self);
	plait_status (*device_query)(plait_backend *self, uint32_t device,
				     plait_backend_device *out,
				     plait_error *error);

	/* --- memory; mandatory, map and unmap with PLAIT_CAP_MAP */

	plait_status (*memory_create)(plait_backend *self, uint32_t device,
				      const plait_memory_request *request,
				      plait_backend_memory **out,
				      plait_error *error);
	void (*memory_destroy)(plait_backend *self,
			       plait_backend_memory *memory);
	plait_status (*memory_map)(plait_backend *self,
				   plait_backend_memory *memory,
				   uint64_t offset, uint64_t bytes,
				   plait_map_flags flags, void **out,
				   plait_error *error);
	/* After a failure the mapping stays, until a retry or destruction. */
	plait_status (*memory_unmap)(plait_backend *self,
				     plait_backend_memory *memory,
				     void *pointer, plait_error *error);

	/* --- queues; mandatory, flush may be null */

	plait_status (*queue_create)(plait_backend *self, uint32_t device,
				     const plait_queue_request *request,
				     plait_backend_queue **out,
				     plait_error *error);
	/* The queue has no pending work. */
	void (*queue_destroy)(plait_backend *self, plait_backend_queue *queue);
	/* Append `count` submissions, all or none, without waiting for work.
	 * PLAIT_E_BUSY if the pending work would exceed the requested
	 * capacity, PLAIT_E_INVALID if these submissions alone exceed it. */
	plait_status (*queue_submit)(plait_backend *self,
				     plait_backend_queue *queue,
				     const plait_submission *submissions,
				     uint32_t count, plait_error *error);
	/* Start submitted work; does not block. */
	plait_status (*queue_flush)(plait_backend *self,
				    plait_backend_queue *queue,
				    plait_error *error);
	/* Clear the failure of a failed queue.  PLAIT_E_BUSY while work is
	 * pending (the core tries again), PLAIT_E_LOST without a device. */
	plait_status (*queue_recover)(plait_backend *self,
				      plait_backend_queue *queue,
				      plait_error *error);

	/* --- signals; mandatory, notify with PLAIT_CAP_NOTIFY, raise with
	 *     PLAIT_CAP_GATE, pump with PLAIT_CAP_NEEDS_PUMP */

	plait_status (*signal_create)(plait_backend *self, uint32_t device,
				      plait_backend_signal_flags flags,
				      plait_backend_signal **out,
				      plait_error *error);
	/* The signal has no waits and no pending emissions. */
	void (*signal_destroy)(plait_backend *self,
			       plait_backend_signal *signal);
	/* PLAIT_OK if the point has happened, PLAIT_PENDING, or the failure.
	 * `out_reached` receives the counter, failed emissions included. */
	plait_status (*signal_poll)(plait_backend *self,
				    const plait_backend_point *point,
				    uint64_t *out_reached, plait_error *error);
	/* Wait for all points, or for any, and drive work meanwhile.  The
	 * first failure among the points that count ends the wait with that
	 * error.  PLAIT_E_TIMEOUT is never early.  On a thread that runs a
	 * host function of this backend, return PLAIT_E_DEADLOCK. */
	plait_status (*signal_wait)(plait_backend *self,
				    const plait_backend_point *points,
				    uint32_t count, uint32_t any,
				    uint64_t timeout_ns, plait_error *error);
	/* Call `function` exactly once, after the point has happened. */
	plait_status (*signal_notify)(plait_backend *self,
				      const plait_backend_point *point,
				      plait_notify_function function,
				      void *user_data, plait_error *error);
	/* Raise a gate to the point; with `failure`, fail it from there on.
	 * The core never lowers a gate. */
	plait_status (*signal_raise)(plait_backend *self,
				     const plait_backend_point *point,
				     const plait_error *failure,
				     plait_error *error);
	/* Clear the failure of a signal without pending work. */
	plait_status (*signal_reset)(plait_backend *self,
				     plait_backend_signal *signal,
				     plait_error *error);
	/* Do a bounded amount of pending work on the calling thread.  PLAIT_OK
	 * if work was done, PLAIT_PENDING if there is none (pending commands
	 * then need a gate, or never run). */
	plait_status (*pump)(plait_backend *self, plait_error *error);

	/* --- interposers; mandatory with PLAIT_PLUGIN_INTERPOSER, else null */

	/* Wrap an open backend.  `inner_table` and `inner` live until `close`
	 * of the wrapper, which closes `inner`.  After a failure the core
	 * still owns `inner`. */
	plait_status (*wrap)(plait_host *host,
			     const plait_host_services *services,
			     const plait_backend_table *inner_table,
			     plait_backend *inner, plait_backend **out,
			     plait_error *error);

	/* --- kernels; with `forms` of any device mandatory, but for
	 *     kernel_query */

	/* Compile code for a device.  PLAIT_E_INVALID: the code does not
	 * compile, or has no such entry with these parameters; compiler
	 * messages go to services->build_log.  PLAIT_E_UNSUPPORTED: the device
	 * cannot run it, for example without f64.  PLAIT_E_UNAVAILABLE: no
	 * compiler. */
	plait_status (*kernel_build)(plait_backend *self, uint32_t device,
				     const plait_code *code,
				     plait_backend_kernel **out,
				     plait_error *error);
	void (*kernel_destroy)(plait_backend *self,
			       plait_backend_kernel *kernel);
	/* `out` is zero except for `size`. */
	plait_status (*kernel_query)(plait_backend *self,
				     plait_backend_kernel *kernel,
				     plait_kernel_facts *out,
				     plait_error *error);
	/* Bind a kernel to arguments and geometry.  PLAIT_E_UNSUPPORTED if the
	 * device cannot run them (group size, offset); the text names the
	 * argument. */
	plait_status (*launch_create)(plait_backend *self,
				      const plait_launch_request *request,
				      plait_backend_launch **out,
				      plait_error *error);
	void (*launch_destroy)(plait_backend *self,
			       plait_backend_launch *launch);

	/* --- with PLAIT_CAP_NATIVE */

	/* Get a native handle.  PLAIT_E_UNSUPPORTED if the object has none of
	 * this kind. */
	plait_status (*native_query)(plait_backend *self,
				     const plait_native_request *request,
				     uint64_t *out, plait_error *error);

	/* --- segments; with PLAIT_CAP_SEGMENT mandatory
	 *
	 * A segment is *idle* except from its submission to its completion.
	 * The core patches, submits and destroys idle segments only, one call
	 * at a time.  The memory of the commands outlives the segment.  A
	 * launch may be destroyed before, while the segment is idle; its
	 * command is then patched before the next submission.  Launches with
	 * parameters of a run have placeholders (zeros, no memory, one item)
	 * and are patched before the first submission. */

	/* PLAIT_E_UNSUPPORTED if the device cannot run these commands as one:
	 * the core then submits them one by one. */
	plait_status (*segment_create)(plait_backend *self, uint32_t device,
				       const plait_segment_request *request,
				       plait_backend_segment **out,
				       plait_error *error);
	void (*segment_destroy)(plait_backend *self,
				plait_backend_segment *segment);
	/* Replace command `index`, no REGION, by one of the same kind.
	 * PLAIT_E_UNSUPPORTED: the core destroys and recreates the segment. */
	plait_status (*segment_patch)(plait_backend *self,
				      plait_backend_segment *segment,
				      uint32_t index, const plait_work *work,
				      plait_error *error);
	/* Mandatory with PLAIT_CAP_REGION.  With `stop`, also on a running
	 * segment: its regions start no further body, and loops end after the
	 * current iteration, or the next one if that is already decided.
	 * Without `stop`, on an idle segment: revoke it. */
	plait_status (*segment_stop)(plait_backend *self,
				     plait_backend_segment *segment,
				     uint32_t stop, plait_error *error);

	/* --- optional */

	/* Wait in the driver until a command ends that the point depends on, no
	 * gate and no host function: for drivers that run commands on waiting
	 * threads.  PLAIT_PENDING: none now; PLAIT_E_UNSUPPORTED: never. */
	plait_status (*wait_in_driver)(plait_backend *self,
				       const plait_backend_point *point,
				       plait_error *error);
	/* The label of the signal, or of the queue that it belongs to. */
	void (*signal_label)(plait_backend *self, plait_backend_signal *signal,
			     const char *label);
	/* How bytes get from device `from` to `to`, not equal, or
	 * PLAIT_LINK_HOST (doc/plugins.md).  `out` may stay zero: unknown. */
	plait_status (*link_query)(plait_backend *self, uint32_t from,
				   uint32_t to, plait_link_info *out,
				   plait_error *error);

	/* --- ports (plait/transport.h): of a transport all, else none
	 *
	 * Called by one thread at a time, `pump` included; none waits for a
	 * peer.  Links are destroyed before their port. */

	/* Open an end for a rank.  PLAIT_E_INVALID: the ranks of the request and
	 * of the options or the launcher differ, or neither says them. */
	plait_status (*port_open)(plait_backend *self,
				  const plait_port_request *request,
				  plait_backend_port **out, plait_error *error);
	/* Mail that no peer has read is delivered, or dropped with the peer. */
	void (*port_close)(plait_backend *self, plait_backend_port *port);
	/* The same each time.  `out` is zero except for `size`. */
	plait_status (*port_query)(plait_backend *self, plait_backend_port *port,
				   plait_port *out, plait_error *error);
	/* Copy a record of 1 to mail_bytes bytes.  PLAIT_E_BUSY: no room now,
	 * nothing was sent; PLAIT_E_LOST: the peer has ended. */
	plait_status (*mail_send)(plait_backend *self, plait_backend_port *port,
				  uint32_t peer, const void *bytes,
				  uint64_t count, plait_error *error);
	/* Take the next record, of any peer; `capacity` is mail_bytes or more.
	 * PLAIT_PENDING: there is none. */
	plait_status (*mail_next)(plait_backend *self, plait_backend_port *port,
				  uint32_t *out_peer, void *buffer,
				  uint64_t capacity, uint64_t *out_bytes,
				  plait_error *error);
	/* Make half a link.  PLAIT_PENDING: the peer has not made its half, which
	 * this one needs; call again.  PLAIT_E_LOST: the peer has ended. */
	plait_status (*link_create)(plait_backend *self,
				    plait_backend_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out,
				    plait_error *error);
	void (*link_destroy)(plait_backend *self, plait_backend_link *link);
	/* Constant.  `out` is zero except for `size`. */
	plait_status (*link_view)(plait_backend *self, plait_backend_link *link,
				  plait_link_view *out, plait_error *error);
	/* PLAIT_OK, or PLAIT_E_LOST if the peer is known to have ended; the text
	 * names it. */
	plait_status (*peer_query)(plait_backend *self,
				   plait_backend_port *port, uint32_t peer,
				   plait_error *error);

	/* --- optional */

	/* A thread of the host ran a task of `owner`, outside of queues. */
	void (*host_span)(plait_backend *self, const char *owner,
			  const char *label, const plait_work_times *times);

	/* Memory of the next message of a link (plait/transport.h); both slots or
	 * none, and called only for views with `lent`.  `bytes` is not 0.  Of a
	 * sender `memory` holds the bytes behind the head of the slot; of a
	 * receiver it has room for them, and null means the slot.  A receiver's
	 * is for a message of just as many bytes; a later call replaces it.
	 * PLAIT_E_STATE, receiver: the message is there or on its way. */
	plait_status (*link_lend)(plait_backend *self, plait_backend_link *link,
				  void *memory, uint64_t bytes,
				  plait_error *error);
	/* Take lent memory back: messages that are not on their way go through
	 * slots.  PLAIT_PENDING: call again behind `pump`.  Comes before
	 * link_destroy, else the transport may still read lent memory. */
	plait_status (*link_reclaim)(plait_backend *self,
				     plait_backend_link *link,
				     plait_error *error);

	/* Memory of a port that its peers read in place
	 * (PLAIT_PORT_SHARES_MEMORY); all four slots or none.  Allocate `bytes`
	 * bytes, not 0, aligned to 4096.  `out_place` is their name for peers,
	 * which no other memory of the port ever has, and not 0. */
	plait_status (*shared_create)(plait_backend *self,
				      plait_backend_port *port, uint64_t bytes,
				      void **out, uint64_t *out_place,
				      plait_error *error);
	/* Peers that have it mapped may read anything from then on, without a
	 * fault.  Comes before port_close. */
	void (*shared_destroy)(plait_backend *self, plait_backend_port *port,
			       void *memory, uint64_t place, uint64_t bytes);
	/* Map memory of a peer to read it; a link to or from the peer exists.
	 * `place` and `bytes` are what the peer says.  Stays valid when the peer
	 * has ended.  PLAIT_E_INVALID: there is no such memory. */
	plait_status (*shared_map)(plait_backend *self,
				   plait_backend_port *port, uint32_t peer,
				   uint64_t place, uint64_t bytes,
				   const void **out, plait_error *error);
	/* Comes before port_close. */
	void (*shared_unmap)(plait_backend *self, plait_backend_port *port,
			     const void *memory, uint64_t bytes);
};

/* Name and type of the symbol that a plugin exports. */
#define PLAIT_PLUGIN_ENTRY_NAME "plait_plugin_entry"
typedef plait_status (*plait_plugin_entry_function)(
	const plait_host_services *services, plait_backend_table *table,
	plait_error *error);

#if defined(__GNUC__)
#define PLAIT_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define PLAIT_PLUGIN_EXPORT
#endif

/*
 * plait_plugin_entry - fill `table`.
 *
 * `table` is zero except for `size`.  A plugin with a longer table fills `size`
 * bytes only; a plugin with a shorter one sets `size` to its own size.  If the
 * ranges of interfaces do not overlap, it returns PLAIT_E_UNSUPPORTED.
 */
PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
