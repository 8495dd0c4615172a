/* SPDX-License-Identifier: MIT */
/*
 * plait/services.h - functions of the core that backends call; included by
 * plait/plugin.h, which has the rules.
 *
 * Example: memory of the host's allocator, or an error.
 *
 *     static void *allocate(plait_host *host,
 *                           const plait_host_services *services,
 *                           uint64_t bytes, plait_error *error)
 *     {
 *             void *block = services->resize(host, NULL, 0, bytes);
 *
 *             if (!block)
 *                     services->fail(error, PLAIT_E_NOMEM, 0, "no memory");
 *             return block;
 *     }
 */
#ifndef PLAIT_SERVICES_H
#define PLAIT_SERVICES_H

#include "plait/code.h"
#include "plait/memory.h"
#include "plait/native.h"
#include "plait/work.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_host plait_host; /* the core, opaque to the backend */

/* Flags of plait_queue_request. */
typedef uint32_t plait_queue_request_flags;
enum {
	/* Commands may ask for their times (plait_work.times). */
	PLAIT_QUEUE_TIMES = 1 << 0
};

typedef struct plait_queue_request {
	uint32_t size;
	plait_queue_request_flags flags;
	uint64_t capacity;
	int32_t priority;
	/* Not 0, PLAIT_CAP_NATIVE: use the queue `native`.  PLAIT_E_INVALID if
	 * it is not in-order. */
	plait_native_kind native_kind;
	const char *label;
	uint64_t native;
} plait_queue_request;

/* Flags of signal_create. */
typedef uint32_t plait_backend_signal_flags;
enum {
	/* A gate: signal_raise raises it; no queue emits it. */
	PLAIT_BACKEND_SIGNAL_GATE = 1 << 0
};

/*
 * Completion callback: runs on any thread of the backend, or inside
 * signal_notify if the point has happened.  It does not block and calls no
 * slot.
 */
typedef void (*plait_notify_function)(void *user_data, plait_status status);

typedef struct plait_host_services {
	uint32_t size;
	/* Lowest and highest plugin interface of this core. */
	uint32_t abi_min;
	uint32_t abi_max;
	uint32_t reserved0;

	/* Memory, as plait_allocator.resize; null: no memory. */
	void *(*resize)(plait_host *host, void *pointer, uint64_t old_bytes,
			uint64_t new_bytes);
	/* Log one line. */
	void (*log)(plait_host *host, plait_log_level level, const char *line);
	/* Fill an error record; return `status`. */
	plait_status (*fail)(plait_error *error, plait_status status,
			     int64_t origin, const char *text);
	/* Monotonic time in nanoseconds. */
	uint64_t (*clock_ns)(plait_host *host);
	/* Option `key` of this backend, or null. */
	const char *(*option)(plait_host *host, const char *key);

	/* Lanes: in-order queues of the core on its worker threads, for
	 * backends whose device is the host.  They take the structs of the
	 * slots of the same name, with host pointers in place of memory
	 * handles, and follow all rules above. */
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
	plait_status (*counter_create)(plait_host *host,
				       plait_backend_signal_flags flags,
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
	/* Number of workers; 0: waiting threads run the lanes. */
	uint32_t (*worker_count)(plait_host *host);
	/* Bind worker i to CPU cpus[i mod count]; count 0 unbinds. */
	plait_status (*worker_place)(plait_host *host, const uint32_t *cpus,
				     uint32_t count, plait_error *error);

	/* Append compiler messages of a kernel_build, failed or not; `log` is
	 * that of plait_code. */
	void (*build_log)(plait_host *host, plait_build_log *log,
			  const char *text, uint64_t bytes);

	/* Cache of compiled code on disk.  The key contains everything that
	 * the code depends on (text, options, device, driver); the core adds
	 * the versions and the backend's name.  cache_get returns PLAIT_OK and
	 * code that the backend frees by resize with `out_bytes`, or
	 * PLAIT_PENDING: no entry, or no cache.  cache_put replaces an entry
	 * and only logs failures.  `name` is for messages. */
	plait_status (*cache_get)(plait_host *host, const char *name,
				  const void *key, uint64_t key_bytes,
				  void **out, uint64_t *out_bytes,
				  plait_error *error);
	void (*cache_put)(plait_host *host, const char *name, const void *key,
			  uint64_t key_bytes, const void *code,
			  uint64_t code_bytes);

	/* Code of the form C for backends on the host, compiled by the
	 * system's compiler or read from the cache.  Fails like kernel_build.
	 * Parts of a launch may run concurrently on any thread.  If
	 * `out_group` is not 0, a part runs the groups of this size that begin
	 * in it; indivisible code runs with the part of the first item.
	 * arguments[i] points to the value; local memory's is an address. */
	plait_status (*host_code_build)(plait_host *host,
					const plait_code *code,
					plait_host_code **out,
					uint64_t out_group[3],
					plait_error *error);
	void (*host_code_destroy)(plait_host *host, plait_host_code *code);
	void (*host_code_run)(plait_host *host, const plait_host_code *code,
			      const plait_host_part *part,
			      void *const *arguments);

	/* Raise a counter that is no gate, for backends whose queues are not
	 * lanes; with `failure`, as failed.  Calls for one counter are
	 * serialised and in order, each sequence once.  The call may run
	 * completion callbacks and release lanes. */
	void (*counter_emit)(plait_host *host,
			     const plait_backend_point *point,
			     const plait_error *failure);
} plait_host_services;

#ifdef __cplusplus
}
#endif

#endif
