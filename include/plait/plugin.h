/* SPDX-License-Identifier: MIT */
/*
 * plait/plugin.h - how a backend is written.
 *
 * A plugin is a shared object `plait_<name>.so` that links to nothing of
 * plait and exports one function, plait_plugin_entry.  It gets a table of
 * host services and fills a table of its own.  doc/plugins.md numbers what a
 * backend must promise; `plait conform <name>` tests it.  plugins/null is a
 * template with every slot, plugins/host the smallest real backend.
 *
 * The rules for every slot
 *
 * - `size` comes first in every struct.  Slots and fields are only appended.
 *   The core passes its own sizes; a plugin touches no byte behind them.
 * - A slot returns a plait_status.  On failure it has changed nothing, and
 *   `error` (never null here) says what, where and what to do, by
 *   services->fail.  Nothing aborts, prints, exits, installs a handler,
 *   changes the locale, the signal mask or the floating point state.
 * - The entry only describes.  It starts no thread, touches no device, reads
 *   no environment, allocates nothing.  `open` does all that; `close` undoes
 *   it.  Any number of instances may be open; a plugin has no writable
 *   globals.
 * - The core calls slots from any thread; those of one queue one at a time
 *   (submit, flush, recover, destroy), everything else at any time.
 * - A slot never calls back into the core, but for host services.
 * - Objects are destroyed when nothing uses them any more: the core sees to
 *   that.  Pointers in a request or submission are good during the call.
 *
 * Signals.  A signal is a 64-bit counter that starts at 0 and never goes
 * back.  A submission that emits {signal, n} raises it to n when all its
 * commands are done; the core emits every signal in order (n, n+1, ...) and
 * never lets two queues race for one signal.  A wait for {signal, n} is
 * submitted only after somebody submitted the emission n, or the signal is a
 * gate.
 *
 * Failure.  When a command fails, the queue has failed: what is behind it
 * does not run, but what it emits is raised all the same, as failed, with the
 * same error, until queue_recover.  A queue that waits for a point that failed
 * fails with that error, the text prefixed by "not run: " (once).  A signal
 * keeps the first failure; points below it stay good; later points fail too:
 * those of a gate at once, those of a queue when they are raised, not before.
 * A failed queue still waits for what queues emit, so that what it
 * emits itself is not early; it waits for no gate.
 *
 * Refusing.  What was refused with PLAIT_E_BUSY or PLAIT_E_NOMEM works again
 * when some of what the queue has is done, and within a second whatever the
 * queue has.  Where the core cannot do without (the end of a run's work, a flush,
 * how far a signal is) it asks again, a thousand times in a row, and for a
 * second at least unless time is simulated, whatever the status; then it takes
 * what the queue has for lost (PLAIT_E_LOST) and destroys nothing of it.
 *
 * Visibility.  What was done before a signal was raised can be seen by all who
 * saw it raised (release and acquire), on the host and on the device.  That
 * goes for signals too: who saw a point happen finds all points happened that
 * were raised before it, as by an earlier submission of the same queue.
 */
#ifndef PLAIT_PLUGIN_H
#define PLAIT_PLUGIN_H

#include "plait/code.h"
#include "plait/native.h"
#include "plait/work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The plugin interface that this header describes. */
enum { PLAIT_PLUGIN_ABI = 1 };

/* The core's: only passed back. */
typedef struct plait_host plait_host;

/*
 * What a backend can do; the same bits as plait_device_info.capabilities.
 * Most promise slots, these two something else:
 *
 * LASTS - no slot ever answers PLAIT_E_LOST, a queue fails by commands alone,
 * and a point that has happened well is good for ever, so that the core need
 * not ask again.
 *
 * HOST - memory is the host's own: a mapping is the bytes that commands work
 * on, at one address, and both see at once what the other one wrote.  So the
 * core may do itself, on its own threads, what a plan has to do there.  Goes
 * with MAP and HOST_CALL, and without `forms`.
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
	PLAIT_CAP_HOST = 1 << 12
};

/* ------------------------------------------------------------------------
 * What passes through the slots
 */

/* What a device is. */
typedef struct plait_backend_device {
	uint32_t size;
	uint32_t capabilities;
	/* Commands that can run at the same time, at least 1. */
	uint32_t parallel;
	uint32_t reserved0;
	uint64_t memory_bytes;
	uint64_t alignment_bytes;
	/* What scheduling wants to know; 0 = not known.  Submission of one
	 * batch; each command of it; a hop to another queue. */
	uint64_t submit_ns;
	uint64_t command_ns;
	uint64_t hop_ns;
	char description[256];
	/* What kernel_build takes: 1 << PLAIT_SOURCE_C and so on; 0: it runs
	 * no kernels.  Never PORTABLE, which the core writes out in the first
	 * of OPENCL_C, CUDA_C and C that is there. */
	uint32_t forms;
	uint32_t reserved1;
} plait_backend_device;

enum {
	/* `pointer` is the user's memory: use it, do not allocate. */
	PLAIT_MEMORY_WRAP = 1 << 0,
	/* With PLAIT_CAP_NATIVE: `native` is, and lives longer than this. */
	PLAIT_MEMORY_NATIVE = 1 << 1
};

typedef struct plait_memory_request {
	uint32_t size;
	uint32_t flags;
	uint64_t bytes;
	uint64_t alignment_bytes;
	void *pointer;
	uint32_t native_kind; /* PLAIT_NATIVE_... */
	uint32_t reserved0;
	uint64_t native;
} plait_memory_request;

typedef struct plait_queue_request {
	uint32_t size;
	uint32_t flags;
	uint64_t capacity;
	int32_t priority;
	/* Not 0, with PLAIT_CAP_NATIVE: this is to be the queue; see
	 * plait_memory_request.  PLAIT_E_INVALID when it does not keep
	 * order. */
	uint32_t native_kind;
	const char *label;
	uint64_t native;
} plait_queue_request;

/* What is asked of native_query. */
typedef struct plait_native_request {
	uint32_t size;
	uint32_t kind; /* PLAIT_NATIVE_... */
	uint32_t device;
	uint32_t reserved0;
	/* Which of the device's objects; both null: the device. */
	plait_backend_queue *queue;
	plait_backend_memory *memory;
} plait_native_request;

enum {
	/* The host raises it by signal_raise; no queue emits it. */
	PLAIT_BACKEND_SIGNAL_GATE = 1 << 0
};

/*
 * Completion upcall.  Runs on any thread of the backend, or inside
 * signal_notify itself when the point has happened already.  It does not
 * block and calls no slot.
 */
typedef void (*plait_notify_function)(void *user_data, plait_status status);

/* ------------------------------------------------------------------------
 * Host services: what a plugin may call
 */

typedef struct plait_host_services {
	uint32_t size;
	/* Plugin interfaces that this core can talk, lowest and highest. */
	uint32_t abi_min;
	uint32_t abi_max;
	uint32_t reserved0;

	/* Memory, as plait_allocator.resize; null when there is none. */
	void *(*resize)(plait_host *host, void *pointer, uint64_t old_bytes,
			uint64_t new_bytes);
	/* One line for the log, at a PLAIT_LOG_... level. */
	void (*log)(plait_host *host, int32_t level, const char *line);
	/* Fill an error record; returns `status`. */
	plait_status (*fail)(plait_error *error, plait_status status,
			     int64_t origin, const char *text);
	/* Monotonic time in nanoseconds. */
	uint64_t (*clock_ns)(plait_host *host);
	/* The user's setting `key` for this backend, or null. */
	const char *(*option)(plait_host *host, const char *key);

	/*
	 * Lanes: the core's own in-order queues on its worker threads, for
	 * backends whose device is the host.  They take the same structs as
	 * the slots of the same name below, with host pointers in place of
	 * memory handles, and keep all the rules above.
	 */
	plait_status (*lane_create)(plait_host *host,
				    const plait_queue_request *request,
				    plait_backend_queue **out,
				    plait_error *error);
	void (*lane_destroy)(plait_host *host, plait_backend_queue *lane);
	plait_status (*lane_submit)(plait_host *host,
				    plait_backend_queue *lane,
				    const plait_submission *submissions,
				    uint32_t count, plait_error *error);
	plait_status (*lane_recover)(plait_host *host,
				     plait_backend_queue *lane,
				     plait_error *error);
	plait_status (*counter_create)(plait_host *host, uint32_t flags,
				       plait_backend_signal **out,
				       plait_error *error);
	void (*counter_destroy)(plait_host *host,
				plait_backend_signal *counter);
	plait_status (*counter_poll)(plait_host *host,
				     const plait_backend_point *point,
				     uint64_t *out_reached,
				     plait_error *error);
	plait_status (*counter_wait)(plait_host *host,
				     const plait_backend_point *points,
				     uint32_t count, uint32_t any,
				     uint64_t timeout_ns, plait_error *error);
	plait_status (*counter_notify)(plait_host *host,
				       const plait_backend_point *point,
				       plait_notify_function function,
				       void *user_data, plait_error *error);
	plait_status (*counter_raise)(plait_host *host,
				      const plait_backend_point *point,
				      const plait_error *failure,
				      plait_error *error);
	plait_status (*counter_reset)(plait_host *host,
				      plait_backend_signal *counter,
				      plait_error *error);
	plait_status (*pump)(plait_host *host, plait_error *error);
	/* Workers that run lanes; 0 when only waiting threads do. */
	uint32_t (*worker_count)(plait_host *host);
	/* Bind worker i to CPU cpus[i mod count]; count 0 lifts it. */
	plait_status (*worker_place)(plait_host *host, const uint32_t *cpus,
				     uint32_t count, plait_error *error);

	/* Add what a compiler said to the log that the user gets, with the
	 * source, when kernel_build fails; `log` is that of plait_code. */
	void (*build_log)(plait_host *host, plait_build_log *log,
			  const char *text, uint64_t bytes);

	/*
	 * The cache of compiled code on disk.  The key has to have everything
	 * that the code depends on (text, options, device, driver); the core
	 * adds plait's version and the backend's name.  cache_get: PLAIT_OK, and the
	 * code is yours, to be given back by resize with `out_bytes`; or
	 * PLAIT_PENDING: there is none, or no cache.  cache_put replaces;
	 * what goes wrong is only logged.  `name` is for people.
	 */
	plait_status (*cache_get)(plait_host *host, const char *name,
				  const void *key, uint64_t key_bytes,
				  void **out, uint64_t *out_bytes,
				  plait_error *error);
	void (*cache_put)(plait_host *host, const char *name, const void *key,
			  uint64_t key_bytes, const void *code,
			  uint64_t code_bytes);

	/*
	 * For backends that run C on the host: code of the form C, compiled
	 * by the system's compiler or found in the cache.  Fails like
	 * kernel_build.  Parts of a launch may run at the same time and on
	 * any thread; where `out_group` is not 0, a part runs the groups of
	 * that many items that begin in it; code that cannot be divided runs
	 * with the part of the first item.  arguments[i] points to the value.
	 */
	plait_status (*host_code_build)(plait_host *host,
					const plait_code *code,
					plait_host_code **out,
					uint64_t out_group[3],
					plait_error *error);
	void (*host_code_destroy)(plait_host *host, plait_host_code *code);
	void (*host_code_run)(plait_host *host, const plait_host_code *code,
			      const plait_host_part *part,
			      void *const *arguments);

	/*
	 * Raise a counter that is no gate, as a lane does, for backends whose
	 * queues are not lanes; with `failure`, as failed.  For each counter
	 * one call at a time, in order, each sequence once.  It may call
	 * notifications, and set lanes free, before it returns.
	 */
	void (*counter_emit)(plait_host *host,
			     const plait_backend_point *point,
			     const plait_error *failure);
} plait_host_services;

/* ------------------------------------------------------------------------
 * The backend's table
 */

/* How the plugin was built; it must fit the process it is loaded into. */
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

enum {
	/* Wraps another backend's table; see `wrap`. */
	PLAIT_PLUGIN_INTERPOSER = 1 << 0,
	/* Only used when it is named; never chosen by itself. */
	PLAIT_PLUGIN_EXPLICIT = 1 << 1
};

typedef struct plait_backend_table plait_backend_table;

struct plait_backend_table {
	/* In: how much the core reads.  Out: how much the plugin filled. */
	uint32_t size;
	/* The interface the plugin chose, within the core's range. */
	uint32_t abi;
	/* Lowest and highest interface that the plugin can talk. */
	uint32_t abi_min;
	uint32_t abi_max;
	/* Identity, checked before any slot is called. */
	uint32_t sanitizer;
	uint32_t pointer_bytes;
	uint32_t flags;
	/* Which is tried first when the user did not choose: host 10,
	 * accelerators 50 to 100. */
	int32_t priority;
	/* Equal to <name> in the file name. */
	char name[32];
	char vendor[64];
	char version[32];

	/* --- life; mandatory */

	/*
	 * Open one instance.  PLAIT_E_UNAVAILABLE, with a text that says what
	 * is missing and where it was looked for, when there is no driver or
	 * no device.
	 */
	plait_status (*open)(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error);
	/* Everything else was destroyed before. */
	void (*close)(plait_backend *self);
	/* At least 1 after a successful open; never changes. */
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
				   uint32_t flags, void **out,
				   plait_error *error);
	/* If it fails it stays mapped, until it is tried again or destroyed. */
	plait_status (*memory_unmap)(plait_backend *self,
				     plait_backend_memory *memory,
				     void *pointer, plait_error *error);

	/* --- queues; mandatory, flush may be null */

	plait_status (*queue_create)(plait_backend *self, uint32_t device,
				     const plait_queue_request *request,
				     plait_backend_queue **out,
				     plait_error *error);
	/* Nothing is pending in it. */
	void (*queue_destroy)(plait_backend *self, plait_backend_queue *queue);
	/*
	 * Take `count` submissions, one behind the other; all or none of
	 * them.  Never waits for work to happen.  PLAIT_E_BUSY when more work
	 * than the requested capacity would be pending, PLAIT_E_INVALID when
	 * these alone are more.
	 */
	plait_status (*queue_submit)(plait_backend *self,
				     plait_backend_queue *queue,
				     const plait_submission *submissions,
				     uint32_t count, plait_error *error);
	/* Start what was submitted; does not block. */
	plait_status (*queue_flush)(plait_backend *self,
				    plait_backend_queue *queue,
				    plait_error *error);
	/*
	 * Nothing is pending in it and it has failed: forget the failure.
	 * PLAIT_E_LOST when the device did not survive it.
	 */
	plait_status (*queue_recover)(plait_backend *self,
				      plait_backend_queue *queue,
				      plait_error *error);

	/* --- signals; mandatory, notify with PLAIT_CAP_NOTIFY, raise with
	 *     PLAIT_CAP_GATE, pump with PLAIT_CAP_NEEDS_PUMP */

	plait_status (*signal_create)(plait_backend *self, uint32_t device,
				      uint32_t flags,
				      plait_backend_signal **out,
				      plait_error *error);
	/* Nobody waits for it and no emission is on its way. */
	void (*signal_destroy)(plait_backend *self,
			       plait_backend_signal *signal);
	/*
	 * PLAIT_OK when the point has happened, PLAIT_PENDING, or the failure.
	 * `out_reached` gets the counter, failed emissions included.
	 */
	plait_status (*signal_poll)(plait_backend *self,
				    const plait_backend_point *point,
				    uint64_t *out_reached, plait_error *error);
	/*
	 * Wait for all of the points, or for any, and drive work meanwhile.
	 * The first failure seen among those that count ends it with that
	 * error.  PLAIT_E_TIMEOUT never comes early.  On a thread that runs a
	 * host function of this backend, PLAIT_E_DEADLOCK instead of waiting.
	 */
	plait_status (*signal_wait)(plait_backend *self,
				    const plait_backend_point *points,
				    uint32_t count, uint32_t any,
				    uint64_t timeout_ns, plait_error *error);
	/* Call `function` exactly once, when the point has happened. */
	plait_status (*signal_notify)(plait_backend *self,
				      const plait_backend_point *point,
				      plait_notify_function function,
				      void *user_data, plait_error *error);
	/*
	 * Raise a gate to the point; with `failure`, fail it from there on.
	 * The core never raises it to less than before.
	 */
	plait_status (*signal_raise)(plait_backend *self,
				     const plait_backend_point *point,
				     const plait_error *failure,
				     plait_error *error);
	/* Nothing is pending on it: forget its failure. */
	plait_status (*signal_reset)(plait_backend *self,
				     plait_backend_signal *signal,
				     plait_error *error);
	/*
	 * Do a bounded piece of pending work on the calling thread.  PLAIT_OK
	 * when something was done, PLAIT_PENDING when there is nothing to do
	 * (then it needs a gate to be raised, or it will never go on).
	 */
	plait_status (*pump)(plait_backend *self, plait_error *error);

	/* --- interposers; mandatory with PLAIT_PLUGIN_INTERPOSER, else null */

	/*
	 * Wrap an open backend: `inner_table` and `inner` live until `close`
	 * of the wrapper, which then closes `inner` itself.  On failure
	 * `inner` stays open and the core's.
	 */
	plait_status (*wrap)(plait_host *host,
			     const plait_host_services *services,
			     const plait_backend_table *inner_table,
			     plait_backend *inner, plait_backend **out,
			     plait_error *error);

	/* --- kernels; with `forms` of any device mandatory, but for
	 *     kernel_query */

	/*
	 * Make code ready to run on a device.  PLAIT_E_INVALID: the text is
	 * wrong, or has no such entry, or one with other parameters; what the
	 * compiler says goes to services->build_log.  PLAIT_E_UNSUPPORTED:
	 * the device cannot run it, as when it has no f64.
	 * PLAIT_E_UNAVAILABLE: there is no compiler.
	 */
	plait_status (*kernel_build)(plait_backend *self, uint32_t device,
				     const plait_code *code,
				     plait_backend_kernel **out,
				     plait_error *error);
	void (*kernel_destroy)(plait_backend *self,
			       plait_backend_kernel *kernel);
	/* `out` is zeroed but for `size`. */
	plait_status (*kernel_query)(plait_backend *self,
				     plait_backend_kernel *kernel,
				     plait_kernel_facts *out,
				     plait_error *error);
	/*
	 * Bind a kernel to arguments and geometry.  PLAIT_E_UNSUPPORTED when
	 * the device cannot: a group that is too large, an offset that it
	 * cannot address; the text names the argument.
	 */
	plait_status (*launch_create)(plait_backend *self,
				      const plait_launch_request *request,
				      plait_backend_launch **out,
				      plait_error *error);
	void (*launch_destroy)(plait_backend *self,
			       plait_backend_launch *launch);

	/* --- with PLAIT_CAP_NATIVE */

	/*
	 * What an object is to the system below.  PLAIT_E_UNSUPPORTED when it
	 * is nothing of that kind.
	 */
	plait_status (*native_query)(plait_backend *self,
				     const plait_native_request *request,
				     uint64_t *out, plait_error *error);

	/* --- segments; with PLAIT_CAP_SEGMENT mandatory
	 *
	 * A segment is *idle* but from its submission until that has happened.
	 * The core patches, submits and destroys it only then, and one call at
	 * a time.  The memory of its commands lives as long as it does.  A
	 * launch may be destroyed before, while the segment is idle; then it
	 * is patched before it is submitted again.  Launches that runs have to
	 * tell something come with anything in its place (zeros, no memory, one
	 * item), and are patched before the segment is submitted at all. */

	/* PLAIT_E_UNSUPPORTED when the device cannot run these commands as
	 * one: then they are submitted one by one. */
	plait_status (*segment_create)(plait_backend *self, uint32_t device,
				       const plait_segment_request *request,
				       plait_backend_segment **out,
				       plait_error *error);
	void (*segment_destroy)(plait_backend *self,
				plait_backend_segment *segment);
	/* Command `index`, no REGION, is another one of the same kind from now
	 * on.  PLAIT_E_UNSUPPORTED when that cannot be: then the segment is
	 * destroyed and made anew. */
	plait_status (*segment_patch)(plait_backend *self,
				      plait_backend_segment *segment,
				      uint32_t index, const plait_work *work,
				      plait_error *error);
	/*
	 * With PLAIT_CAP_REGION mandatory.  With `stop`: from now on regions
	 * of it run nothing that they have not begun, and loops end with the
	 * iteration in hand, or with the next one if that was decided already;
	 * also while it is not idle.  Without: no more, and then it is idle.
	 */
	plait_status (*segment_stop)(plait_backend *self,
				     plait_backend_segment *segment,
				     uint32_t stop, plait_error *error);
};

/* The name and the type of the one symbol that a plugin exports. */
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
 * plait_plugin_entry - fill `table`; only describe.
 *
 * `table` is zeroed but for `size`.  A plugin that knows a longer table fills
 * `size` bytes only; one that knows a shorter one sets `size` to its own.
 * When the ranges of interfaces do not meet, it returns PLAIT_E_UNSUPPORTED.
 */
PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
