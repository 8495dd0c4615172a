/* SPDX-License-Identifier: MIT */
/*
 * Helper slots of parallel loops: the places at which a caller posts its job
 * for a worker.
 *
 *               reserve              publish             a worker enters
 *     IDLE ---------------> RESERVED -------> POSTED(job) -------> INSIDE(job)
 *      ^ '- WAITING ---------'                  | withdrawn          |
 *      |      ^  ^------------------------------'                    |
 *      '------'---------------------------------------------------- leaves
 *
 * A slot has a lane of its own with at most one pending call; the call serves
 * the job that is posted when it runs. While jobs follow each other closely, the
 * worker stays for a moment when it leaves one (WAITING): the next post then
 * takes one store, and no wake-up. It leaves as soon as the pool has other work.
 */
#ifndef PLAIT_SRC_POOL_LOOP_HELPER_H
#define PLAIT_SRC_POOL_LOOP_HELPER_H

#include "pool/lane.h"
#include "pool/loop_job.h"

struct plait__helper_slot {
	PLAIT__CACHELINE_ALIGNED at_u32 state; /* see loop_helper.c */
	at_u32 call_pending; /* on the lane */
	at_u32 lane_failed; /* a helper's thread ended */
	plait__lane *lane;
	plait__pool *pool;
	struct plait__loop_job *jobs; /* constant; of the team */
	uint32_t index; /* constant */
	struct plait__loop_job *job; /* of the helper */
	struct plait__thread_guard guard; /* of the helper */
};

/* Returns true if a worker waits in the slot. A hint. */
bool plait__loop_helper_is_present(const struct plait__helper_slot *slot);

/* Reserve the slot for a job; with `present`, only if a worker waits in it.
 * Returns false if it is in use, or no worker can be called. The job counts it
 * as active. */
bool plait__loop_helper_reserve(struct plait__helper_slot *slot,
				struct plait__loop_job *job, bool present);

/* Post the job in the slot that it has reserved; its share is dealt. */
void plait__loop_helper_publish(struct plait__helper_slot *slot,
				struct plait__loop_job *job);

/* Returns true if this job has reserved or posted the slot, or runs in it. */
bool plait__loop_helper_has_job(const struct plait__helper_slot *slot,
				const struct plait__loop_job *job);

/* Take back a job that no worker has entered. */
void plait__loop_helper_withdraw(struct plait__helper_slot *slot,
				 struct plait__loop_job *job);

#endif
