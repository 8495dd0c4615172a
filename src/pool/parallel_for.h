/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops: the workers of the pool help a calling thread with the parts
 * of its work. The caller runs parts itself meanwhile, so it never waits for a
 * busy worker. A run allocates nothing, and no helper is inside the job when it
 * returns.
 *
 *     caller:  acquire a job, post it in helper slots, run parts,
 *              withdraw it where it was not taken, wait for helpers
 *     slot:    IDLE --post--> POSTED(job) --helper--> INSIDE(job) --> IDLE
 *                                 '------withdrawn by its caller------^
 *
 * A team, plait__parallel_for, is the helper slots and the jobs of one pool.
 * Each helper slot has a lane of its own with at most one pending call; the
 * call serves the job that is posted when it runs, if any.
 */
#ifndef PLAIT_SRC_POOL_PARALLEL_FOR_H
#define PLAIT_SRC_POOL_PARALLEL_FOR_H

#include "plait/base.h"

typedef struct plait__pool plait__pool;
typedef struct plait__parallel_for plait__parallel_for;

enum {
	/* The maximum size of a job's data, which is copied. */
	PLAIT__PARALLEL_FOR_DATA_BYTES = 128,
	/* The result if a helper's thread ended inside a part. */
	PLAIT__PARALLEL_FOR_THREAD_LOST = INT32_MIN
};

/* Run part `number`; a result other than 0 fails the job. */
typedef int32_t (*plait__parallel_for_part)(void *data, uint64_t number);

/* Create the slots and jobs; *out is null if the pool has no workers.
 * PLAIT_E_NOMEM. */
plait_status plait__parallel_for_create(plait__pool *pool,
					const plait_allocator *allocator,
					plait__parallel_for **out,
					plait_error *error);

/* Destroy it while no run is active; not on a worker. Null is allowed. */
void plait__parallel_for_destroy(plait__parallel_for *team);

/* Returns the maximum number of threads that run parts at a time, including
 * the caller. */
uint32_t plait__parallel_for_size(const plait__parallel_for *team);

/* Run parts 0 to count - 1, in any order, some concurrently. Returns the
 * first result that is not 0; parts not yet begun are then skipped. */
int32_t plait__parallel_for_run(plait__parallel_for *team,
				plait__parallel_for_part part, const void *data,
				uint64_t data_bytes, uint64_t count);

#endif
