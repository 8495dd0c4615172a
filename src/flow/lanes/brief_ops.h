/* SPDX-License-Identifier: MIT */
/*
 * Functions that took less time lately than to wake a worker, in flows whose workers
 * poll.  A worker that begins such an op wakes no other one for ops that are ready:
 * it runs them next.  If the op takes long all the same, the thread of the flow wakes
 * a worker (plait__flow_lanes_share_late), and no function is brief until it is known
 * again: that worker may begin an op that takes as long, and wakes the next one.
 *
 * Hints: all accesses are relaxed, and of two functions with one place neither may be
 * known.
 */
#ifndef PLAIT_SRC_FLOW_LANES_BRIEF_OPS_H
#define PLAIT_SRC_FLOW_LANES_BRIEF_OPS_H

#include "sys/atomic.h"

enum {
	PLAIT__BRIEF_PLACES = 16,
	PLAIT__BRIEF_NS = 10000,
	/* Runs in a row, before a function counts as brief. */
	PLAIT__BRIEF_RUNS = 16
};

/* By place: the address of a function, and below it the runs. */
typedef struct plait__brief_ops {
	at_u64 places[PLAIT__BRIEF_PLACES];
} plait__brief_ops;

static inline at_u64 *plait__brief_ops_place(plait__brief_ops *brief,
					     uint64_t function)
{
	return &brief->places[(function >> 4 ^ function >> 8) &
			      (PLAIT__BRIEF_PLACES - 1)];
}

static inline bool plait__brief_ops_has(plait__brief_ops *brief,
					uint64_t function)
{
	return at_load_relaxed_u64(plait__brief_ops_place(brief, function)) ==
	       (function << 8 | PLAIT__BRIEF_RUNS);
}

/* The function ran for so long. */
static inline void plait__brief_ops_note(plait__brief_ops *brief,
					 uint64_t function, uint64_t ns)
{
	at_u64 *place = plait__brief_ops_place(brief, function);
	uint64_t known = at_load_relaxed_u64(place), next = function << 8;

	if (ns < PLAIT__BRIEF_NS)
		next = known >> 8 != next >> 8 ? next | 1 :
		       known == (next | PLAIT__BRIEF_RUNS) ? known : known + 1;
	if (next != known)
		at_store_relaxed_u64(place, next);
}

/* No function is known any more. */
static inline void plait__brief_ops_forget(plait__brief_ops *brief)
{
	for (int i = 0; i < PLAIT__BRIEF_PLACES; i++)
		at_store_relaxed_u64(&brief->places[i], 0);
}

#endif
