/* SPDX-License-Identifier: MIT */
/*
 * Held ops of a flow whose workers poll: nearly all of its ops are behind transfers,
 * so looks at all of them would take longer than the ops.  Each is in one list, by
 * entry: of those that wait for one of its predecessors, or of those that are ready.  The
 * end of an op moves the ones that wait for it: to another predecessor that is not
 * done, or to the ready ones.
 *
 * No other thread than a worker takes a held op, and out of the list only.  So flows with
 * devices, whose queues take ops that are not ready, have no lists.  The lanes own the
 * lists; the lock is a leaf, and submissions and ends of ops take it.
 */
#ifndef PLAIT_SRC_FLOW_LANES_HELD_OPS_H
#define PLAIT_SRC_FLOW_LANES_HELD_OPS_H

#include "flow/lanes/flow_claim.h"

#include "sys/mutex.h"

/* No entry: the end of a list. */
#define PLAIT__HELD_NONE UINT32_MAX

struct plait__held_ops {
	struct plait__mutex lock;
	at_u32 ready;	/* the first ready entry, or none; written with the lock */
	uint32_t last;	/* the last ready one; guarded by lock, as the lists */
	uint32_t *next; /* by entry: the next one of its list */
	uint32_t *waiting; /* by entry: the first one that waits for its op */
};

/* Keep the held ops of the lanes in lists from now on; none is published yet.
 * Without memory workers look at all held ops, as in other flows. */
void plait__held_ops_begin(plait__flow_lanes *lanes);
void plait__held_ops_fini(plait__flow_lanes *lanes);

/* Op `number` was published, and is in no lane. */
void plait__held_ops_add(plait__flow_lanes *lanes, uint64_t number);

/* Op `number` is done.  By any thread. */
void plait__held_ops_end(plait__flow_lanes *lanes, uint64_t number);

/* Remove the op that has been ready longest from the list, for the caller to claim; 0:
 * none. */
uint64_t plait__held_ops_take(plait__flow_lanes *lanes);

/* That op, which stays; or 0. */
static inline uint64_t plait__held_ops_peek(const plait__flow_lanes *lanes)
{
	/* Relaxed: a thread that has to see it has a fence before. */
	uint32_t entry = at_load_relaxed_u32(&lanes->held->ready);

	return entry == PLAIT__HELD_NONE ?
		       0 :
		       at_load_relaxed_u64(&lanes->ring.ops[entry].word) / 4;
}

#endif
