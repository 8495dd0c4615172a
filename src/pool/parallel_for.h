/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops: the workers of the pool help a calling thread with the pieces
 * of its work. The caller runs pieces itself meanwhile, so it never waits for a
 * busy worker. A run allocates nothing, and no helper is inside the job when it
 * returns.
 *
 *     caller:  decide whether help pays; acquire a job (loop_job.h), deal its
 *              pieces in equal shares to itself and the helper slots
 *              (loop_helper.h), run and steal pieces, withdraw the job where
 *              no worker took it, wait for helpers
 *
 * A thread keeps its share from run to run, so it finds its memory in its
 * caches. A team, plait__parallel_for, is the helper slots and the jobs of one
 * pool.
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
	PLAIT__PARALLEL_FOR_THREAD_LOST = INT32_MIN,
	/* Below this duration, in ns, no other thread can help in time. */
	PLAIT__PARALLEL_FOR_ALONE_NS = 1750
};

/* Run pieces begin to end - 1; a result other than 0 fails the job. */
typedef int32_t (*plait__parallel_for_part)(void *data, uint64_t begin,
					    uint64_t end);

/* Create the slots and jobs; *out is null if the pool has no workers.
 * PLAIT_E_NOMEM. */
plait_status plait__parallel_for_create(plait__pool *pool,
					const plait_allocator *allocator,
					plait__parallel_for **out,
					plait_error *error);

/* Destroy it while no run is active; not on a worker. Null is allowed. */
void plait__parallel_for_destroy(plait__parallel_for *team);

/* Returns the maximum number of threads that run pieces at a time, including
 * the caller; 1 for null. */
uint32_t plait__parallel_for_size(const plait__parallel_for *team);

/*
 * Run pieces 0 to count - 1, in any order, some concurrently. Returns the
 * first result that is not 0; pieces not yet begun are then skipped. `part` gets
 * `data` or a copy of its `data_bytes`, at most PLAIT__PARALLEL_FOR_DATA_BYTES.
 * With a null team, or less than 2 pieces, the caller calls `part` once for all.
 * *duration_ns is the expected time of one thread for all pieces, 0 if unknown:
 * it decides how many workers are called. A run of 2 or more with a team that
 * succeeds sets it to the measured one; after a failure it is no measure.
 */
int32_t plait__parallel_for_run(plait__parallel_for *team,
				plait__parallel_for_part part, void *data,
				uint64_t data_bytes, uint64_t count,
				uint64_t *duration_ns);

#endif
