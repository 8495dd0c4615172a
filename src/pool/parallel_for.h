/* SPDX-License-Identifier: MIT */
/*
 * Work in parts: a thread that has something to do which falls into parts has
 * the pool's workers help it.  It does parts itself all the while, so nobody
 * waits for a worker that has no time; nothing is allocated, and when the
 * call returns nobody is inside any more.
 *
 *     caller:  take a job, post it at some places, do parts, withdraw what
 *              was not taken up, wait for those who are inside
 *     place:   IDLE --post--> POSTED(job) --helper--> INSIDE(job) --> IDLE
 *                                '------withdrawn by its caller------^
 *
 * A place has a lane of its own, on which at most one call is pending; the
 * call serves whatever is posted when it runs, which may be nothing.
 */
#ifndef PLAIT_SRC_POOL_PARALLEL_FOR_H
#define PLAIT_SRC_POOL_PARALLEL_FOR_H

#include "plait/base.h"

typedef struct plait__pool plait__pool;
typedef struct plait__parallel_for plait__parallel_for;

enum {
	/* What a job's data may have; it is copied. */
	PLAIT__PARALLEL_FOR_DATA_BYTES = 128,
	/* The result when a helper's thread was ended inside a part. */
	PLAIT__PARALLEL_FOR_THREAD_LOST = INT32_MIN
};

/* Do part `number`; anything but 0 fails the job. */
typedef int32_t (*plait__parallel_for_part)(void *data, uint64_t number);

/* Null in *out when the pool has no workers.  PLAIT_E_NOMEM. */
plait_status plait__parallel_for_create(plait__pool *pool,
					const plait_allocator *allocator,
					plait__parallel_for **out, plait_error *error);

/* Nobody runs anything with it; not on a worker.  Null is fine. */
void plait__parallel_for_destroy(plait__parallel_for *team);

/* How many threads may do parts at the same time, the caller's included. */
uint32_t plait__parallel_for_size(const plait__parallel_for *team);

/*
 * Do parts 0 to count - 1, in any order, some at the same time.  Returns the
 * first result that is not 0; parts that were not begun then are left out.
 */
int32_t plait__parallel_for_run(plait__parallel_for *team, plait__parallel_for_part part,
				const void *data, uint64_t data_bytes,
				uint64_t count);

#endif
