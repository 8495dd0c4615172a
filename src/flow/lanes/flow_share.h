/* SPDX-License-Identifier: MIT */
/*
 * Ready ops for other workers: a worker that begins an op wakes another one if
 * there is another ready op.  Included by flow_worker.c.
 */
#ifndef PLAIT_SRC_FLOW_LANES_FLOW_SHARE_H
#define PLAIT_SRC_FLOW_LANES_FLOW_SHARE_H

#include "flow/lanes/held_ops.h"

/* Returns true if the worker that spins sleeps, which finds nothing until it is
 * woken. */
static inline bool plait__flow_poller_sleeps(const plait__flow_lanes *lanes)
{
	if (lanes->poll_wake == NULL)
		return false;
	/* Between the end of this worker's last op and the load; pairs with the
	 * fence in sleep_some. */
	at_fence_seq_cst();
	return at_load_relaxed_u32(&lanes->sleeping) != 0;
}

/* Returns true if the worker's op takes less time than to wake another worker, which has
 * to be woken later otherwise. */
static inline bool plait__flow_is_brief(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;
	const plait__op *op = plait__op_at(&lanes->ring, worker->number);

	if (lanes->poll == NULL)
		return false;
	/* Relaxed: written before the claim.  A transfer is brief, too. */
	if (plait__op_is_function(at_load_relaxed_u64(&op->meta)) &&
	    !plait__brief_ops_has(&lanes->brief, plait__op_function(op)))
		return false;
	/* Relaxed: see plait__flow_lanes_share_late. */
	at_store_relaxed_u64(&lanes->unshared, worker->number);
	return true;
}

/* Another worker is parked, or may sleep: wake it if there is another ready op. */
static inline void plait__flow_share(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;
	uint64_t found;

	if (plait__flow_is_brief(worker))
		return;
	if (at_load_relaxed_u32(&lanes->spinning) != 0 ?
		    !plait__flow_poller_sleeps(lanes) :
		    at_load_relaxed_u64(&lanes->idle) == 0)
		return;
	found = plait__flow_claim_look(worker, worker->from,
				       PLAIT__CLAIM_REACH);
	if (found == 0 && lanes->held != NULL)
		found = plait__held_ops_peek(lanes);
	/* No worker that is awake looks at the other lanes. */
	for (uint32_t i = 0; found == 0 && lanes->poll_wake != NULL &&
	     i < lanes->count + 2; i++)
		found = plait__flow_claim_look(worker, i, PLAIT__CLAIM_REACH);
	if (found != 0)
		plait__flow_lanes_stir(lanes);
}

/* The worker's op has ended, or goes on elsewhere: it looks for ops now. */
static inline void plait__flow_share_end(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;

	/* Relaxed: hints.  Another worker looks for ops behind its own one. */
	if (lanes->poll != NULL &&
	    at_load_relaxed_u64(&lanes->unshared) == worker->number)
		at_store_relaxed_u64(&lanes->unshared, 0);
	worker->number = 0;
}

#endif
