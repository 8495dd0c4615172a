/* SPDX-License-Identifier: MIT */
/*
 * Elision: omits stretches of time in which only further iterations of loops
 * happen.
 * Each is drawn as a band of fixed width; everything else keeps its scale and
 * moves left.
 */
#ifndef PLAIT_SRC_RENDER_ELISION_H
#define PLAIT_SRC_RENDER_ELISION_H

#include "base/vector.h"

#include <stdbool.h>

/* A stretch of time [from, to) of loop iterations that need not be shown. */
typedef struct plait__elision_rounds {
	uint64_t from;
	uint64_t to;
	uint64_t rounds;	/* number of iterations if known, else 0 */
	uint32_t region;
	uint32_t depth;		/* number of enclosing regions */
} plait__elision_rounds;

typedef struct plait__elision_gap {
	uint64_t from;
	uint64_t to;
	uint64_t shown;		/* shown time of the band */
	uint64_t rounds;	/* iterations omitted; 0: unknown, or counted in
				 * the next gap */
	uint32_t region;	/* outermost loop that contains it */
} plait__elision_gap;

typedef struct plait__elision {
	/* plait__elision_gap, by time; filled by plait__elision_compute. */
	plait__vector list;
	/* Input: moments that must be shown, iterations that need not be. */
	plait__vector moments;	/* uint64_t */
	plait__vector rounds;	/* plait__elision_rounds */
	uint64_t band;		/* length of a band in shown time */
	bool failed;		/* memory ran out, in any function here */
} plait__elision;

void plait__elision_init(plait__elision *elision,
			 const plait_allocator *allocator);
void plait__elision_fini(plait__elision *elision);

/* Add a moment that must be shown, or iterations that need not be. */
void plait__elision_keep(plait__elision *elision, uint64_t moment);
void plait__elision_add_rounds(plait__elision *elision,
			       const plait__elision_rounds *rounds);

/* Compute the gaps, once, after all calls of the two above: a gap is between two
 * adjacent moments.  `makespan` is the length, and `boxes` the number of boxes
 * side by side, without elision. */
void plait__elision_compute(plait__elision *elision, uint64_t makespan,
			    uint64_t boxes);

/* Convert a time to shown time, and back. */
uint64_t plait__elision_to_shown(const plait__elision *elision, uint64_t time);
uint64_t plait__elision_to_time(const plait__elision *elision, uint64_t shown);

/* Returns the gap that contains the whole range, or null. */
const plait__elision_gap *
plait__elision_enclosing(const plait__elision *elision, uint64_t from,
			 uint64_t to);

static inline const plait__elision_gap *
plait__elision_at(const plait__elision *elision,
		  uint32_t number)
{
	return plait__vector_at(&elision->list, number);
}

#endif
