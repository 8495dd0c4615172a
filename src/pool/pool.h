/* SPDX-License-Identifier: MIT */
/*
 * The worker pool: the host threads of one context. They run lanes (lane.h),
 * which counters (counter.h) order, and tasks (task.h). The pool services of
 * plugins map to these functions. README.md has the protocols.
 *
 * In a pool without workers, threads that wait (plait__counter_wait) and
 * threads that pump run the ready items.
 */
#ifndef PLAIT_SRC_POOL_POOL_H
#define PLAIT_SRC_POOL_POOL_H

#include <stdbool.h>

#include "plait/plugin.h"

struct plait__eventcount;

typedef struct plait__pool plait__pool;

enum { PLAIT__POOL_MAX_WORKERS = 1024 };

/*
 * Create a pool with `workers` threads (0 is allowed) named plait/0, plait/1,
 * ... The allocator's record is copied. PLAIT_E_INVALID (too many workers),
 * PLAIT_E_NOMEM, PLAIT_E_UNAVAILABLE (the system creates no thread; origin is
 * the errno).
 */
plait_status plait__pool_create(const plait_allocator *allocator,
				uint32_t workers, plait__pool **out,
				plait_error *error);

/*
 * Destroy a pool that has no lanes and no counters. Joins the workers, so the
 * caller must not be one (callback_scope.h); nor may a command
 * of a lane call plait__lane_destroy for that lane. Null is allowed.
 */
void plait__pool_destroy(plait__pool *pool);

/* Have `waiters` notified of items, if the pool has no workers: threads that
 * sleep there pump. Called before the pool's first item; `waiters` outlives it. */
void plait__pool_notify_waiters(plait__pool *pool,
				struct plait__eventcount *waiters);

uint32_t plait__pool_worker_count(const plait__pool *pool);
/* Returns the number of CPUs, at least 1, in the affinity mask of the thread
 * that created the pool, which workers inherit. */
uint32_t plait__pool_processor_count(const plait__pool *pool);

/* Returns true if the ready queue has an item that no thread has taken. A
 * hint. */
bool plait__pool_has_ready_items(const plait__pool *pool);

/*
 * Bind worker i to CPU cpus[i mod count]; count 0 unbinds all. PLAIT_E_INVALID,
 * with nothing changed, for a CPU that the process may not use.
 */
plait_status plait__affinity_place(plait__pool *pool, const uint32_t *cpus,
				   uint32_t count, plait_error *error);

/* Run one item of the ready queue for a bounded time. PLAIT_OK: this thread or
 * another one made progress; PLAIT_PENDING: nothing is ready, nor running on an
 * external thread (items that workers run do not count).
 * PLAIT_E_NOMEM: no record for this thread. */
plait_status plait__external_thread_pump(plait__pool *pool, plait_error *error);

/* Returns true if the pool has no workers, and an item in its ready queue. */
bool plait__external_thread_has_work(const plait__pool *pool);

/* Returns the index of the worker that is the calling thread; -1 on other
 * threads. */
int32_t plait__worker_index(void);

#endif
