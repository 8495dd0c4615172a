/* SPDX-License-Identifier: MIT */
/*
 * The core's one pool of host threads.  It runs lanes (lane.h), which are
 * ordered by counters (counter.h).  A context owns one pool; the services for
 * plugins pass through to it.  README.md has the protocol.
 *
 * With no workers, threads that wait (plait__counter_wait) and threads that
 * pump run what is ready.
 */
#ifndef PLAIT_SRC_POOL_POOL_H
#define PLAIT_SRC_POOL_POOL_H

#include <stdbool.h>

#include "plait/plugin.h"

typedef struct plait__pool plait__pool;

enum { PLAIT__POOL_MAX_WORKERS = 1024 };

/*
 * A pool with `workers` threads named plait/0, plait/1, ...; 0 is fine.  The
 * allocator's record is copied.  PLAIT_E_INVALID (too many), PLAIT_E_NOMEM,
 * PLAIT_E_UNAVAILABLE (the system gives no thread; origin is the errno).
 */
plait_status plait__pool_create(const plait_allocator *allocator,
				uint32_t workers, plait__pool **out,
				plait_error *error);

/*
 * All lanes and counters are gone.  Joins the workers, so never on one of
 * them (plait__callback_scope_is_in_pool): hand it to another thread.  The same goes for
 * plait__lane_destroy inside that very lane.  Null is fine.
 */
void plait__pool_destroy(plait__pool *pool);

uint32_t plait__pool_worker_count(const plait__pool *pool);
/* CPUs that the thread which made the pool could use then: workers inherit
 * that.  At least 1. */
uint32_t plait__pool_processor_count(const plait__pool *pool);

/*
 * Bind worker i to CPU cpus[i mod count]; count 0 lifts it.  PLAIT_E_INVALID
 * for a CPU that the system does not let us use; then nothing has changed.
 */
plait_status plait__affinity_place(plait__pool *pool, const uint32_t *cpus,
				   uint32_t count, plait_error *error);

/*
 * Run a bounded piece of what is ready.  PLAIT_OK: something was done or is
 * being done by another thread; PLAIT_PENDING: nothing can go on by itself.
 */
plait_status plait__external_thread_pump(plait__pool *pool, plait_error *error);

/* Without workers: is there something that a thread which waits could run? */
bool plait__external_thread_has_work(const plait__pool *pool);

/* Is the calling thread inside a host function or a notification that some
 * pool runs?  Such a thread must not wait. */
bool plait__callback_scope_is_active(void);

/* Is the calling thread a worker of this pool, or inside one of its lanes? */
bool plait__callback_scope_is_in_pool(const plait__pool *pool);

#endif
