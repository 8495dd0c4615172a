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
typedef struct plait__team plait__team;

enum {
	/* What a job's data may have; it is copied. */
	PLAIT__TEAM_DATA_BYTES = 128,
	/* The result when a helper's thread was ended inside a part. */
	PLAIT__TEAM_LOST = INT32_MIN
};

/* Do part `number`; anything but 0 fails the job. */
typedef int32_t (*plait__team_part)(void *data, uint64_t number);

/* Null in *out when the pool has no workers.  PLAIT_E_NOMEM. */
plait_status plait__team_create(plait__pool *pool,
				const plait_allocator *allocator,
				plait__team **out, plait_error *error);

/* Nobody runs anything with it; not on a worker.  Null is fine. */
void plait__team_destroy(plait__team *team);

/* How many threads may do parts at the same time, the caller's included. */
uint32_t plait__team_size(const plait__team *team);

/*
 * Do parts 0 to count - 1, in any order, some at the same time.  Returns the
 * first result that is not 0; parts that were not begun then are left out.
 */
int32_t plait__team_run(plait__team *team, plait__team_part part,
			const void *data, uint64_t data_bytes,
			uint64_t count);

#endif
