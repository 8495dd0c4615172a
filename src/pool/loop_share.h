/* SPDX-License-Identifier: MIT */
/*
 * Share of a parallel loop: the pieces that one thread has still to run, as one
 * word that other threads can steal from. The owner takes pieces from the front,
 * a thief half of what is left from the back. A word names the job that it
 * belongs to, because a slow thief may look at a share of the next job.
 *
 *     63        48 47             24 23              0
 *     |   job     |      begin      |      end       |
 *
 * Pieces are run once, and steals only split a share, so no word comes back
 * within a job.
 */
#ifndef PLAIT_SRC_POOL_LOOP_SHARE_H
#define PLAIT_SRC_POOL_LOOP_SHARE_H

#include <stdbool.h>

#include "sys/atomic.h"

enum {
	PLAIT__LOOP_SHARE_BITS = 24,
	PLAIT__LOOP_SHARE_PIECES = (1 << PLAIT__LOOP_SHARE_BITS) - 1
};

struct plait__loop_span {
	uint64_t begin, end;
};

static inline uint64_t plait__loop_share_pack(uint32_t job, uint64_t begin,
					      uint64_t end)
{
	return (uint64_t)job << 2 * PLAIT__LOOP_SHARE_BITS |
	       begin << PLAIT__LOOP_SHARE_BITS | end;
}

/* Returns the pieces of a word of this job; none for another job's. */
static inline struct plait__loop_span plait__loop_share_unpack(uint64_t word,
							       uint32_t job)
{
	struct plait__loop_span none = { 0, 0 };

	if (word >> 2 * PLAIT__LOOP_SHARE_BITS != job)
		return none;
	return (struct plait__loop_span){
		word >> PLAIT__LOOP_SHARE_BITS & PLAIT__LOOP_SHARE_PIECES,
		word & PLAIT__LOOP_SHARE_PIECES
	};
}

/* Take the first piece of the own share; returns false if none is left. */
static inline bool plait__loop_share_take(at_u64 *share, uint32_t job,
					  struct plait__loop_span *out)
{
	/* Relaxed: only numbers change hands; posting and leaving order the
	 * pieces. */
	uint64_t word = at_load_relaxed_u64(share);
	struct plait__loop_span left;

	do {
		left = plait__loop_share_unpack(word, job);
		if (left.begin >= left.end)
			return false;
	} while (!at_cas_u64(share, &word,
			     plait__loop_share_pack(job, left.begin + 1,
						    left.end)));
	*out = (struct plait__loop_span){ left.begin, left.begin + 1 };
	return true;
}

/* Steal the second half of another thread's share, rounded up; returns false
 * if none is left. */
static inline bool plait__loop_share_steal(at_u64 *share, uint32_t job,
					   struct plait__loop_span *out)
{
	uint64_t word = at_load_relaxed_u64(share), middle;
	struct plait__loop_span left;

	do {
		left = plait__loop_share_unpack(word, job);
		if (left.begin >= left.end)
			return false;
		middle = left.begin + (left.end - left.begin) / 2;
	} while (!at_cas_u64(share, &word,
			     plait__loop_share_pack(job, left.begin, middle)));
	*out = (struct plait__loop_span){ middle, left.end };
	return true;
}

#endif
