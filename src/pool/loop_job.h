/* SPDX-License-Identifier: MIT */
/*
 * Job of a parallel loop: a function, its data, and the shares of the threads
 * that run its pieces. Share 0 is the caller's, share i + 1 that of helper slot
 * i; see loop_share.h. Jobs belong to a team (parallel_for.h) and are reused.
 */
#ifndef PLAIT_SRC_POOL_LOOP_JOB_H
#define PLAIT_SRC_POOL_LOOP_JOB_H

#include "pool/cacheline.h"
#include "pool/callback_scope.h"
#include "pool/parallel_for.h"
#include "sys/eventcount.h"
#include "sys/thread.h"

struct plait__loop_share {
	PLAIT__CACHELINE_ALIGNED at_u64 word;
};

/* One call of plait__parallel_for_run. A job outlives a caller's thread that
 * ends inside a part. */
struct plait__loop_job {
	PLAIT__CACHELINE_ALIGNED at_u32 result; /* the first that is not 0 */
	PLAIT__CACHELINE_ALIGNED at_u32 in_use; /* by a caller */
	at_u32 active; /* slots that it has reserved, is posted in or runs in */
	struct plait__eventcount event; /* `active` decreased */
	struct plait__loop_share *shares; /* constant; of the slots */
	uint32_t share_count; /* constant; shares[], without the own one */
	uint32_t id; /* constant; 1 plus the index, as in the shares */
	plait__parallel_for *team; /* constant */
	/* Written by the caller before the job is posted. */
	plait__parallel_for_part part;
	struct plait__callback_run run; /* of the caller's function */
	bool helpers_stay; /* the next job is likely to come soon */
	int caller_cpu;
	struct plait__thread_guard guard; /* of the caller */
	_Alignas(16) unsigned char data[PLAIT__PARALLEL_FOR_DATA_BYTES];
	struct plait__loop_share own; /* the caller's */
};

/* Run pieces of the share `index`, then stolen ones, until none is left or one
 * has failed. Returns the number of pieces. */
uint64_t plait__loop_job_run(struct plait__loop_job *job, uint32_t index);

/* Set the result, unless another one was first: no thread begins a piece any
 * more. */
void plait__loop_job_fail(struct plait__loop_job *job, int32_t result);

/* Give pieces begin to end - 1 to share `index`, which no thread uses. */
void plait__loop_job_give(struct plait__loop_job *job, uint32_t index,
			  uint64_t begin, uint64_t end);

#endif
