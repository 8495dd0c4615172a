/* SPDX-License-Identifier: MIT */
/*
 * What a picture leaves out: stretches of time in which nothing but further
 * rounds of loops happens.  Each is shown as a band of one width; all else
 * keeps its scale, moved to the left.
 */
#ifndef PLAIT_SRC_RENDER_ELISION_H
#define PLAIT_SRC_RENDER_ELISION_H

#include "base/vector.h"

#include <stdbool.h>

/* From `from` to `to` a loop is in rounds that need not be seen. */
typedef struct plait__gap_rounds {
	uint64_t from;
	uint64_t to;
	uint64_t rounds;	/* how many, if that is known; else 0 */
	uint32_t region;
	uint32_t depth;		/* of regions around it */
} plait__gap_rounds;

typedef struct plait__gap {
	uint64_t from;
	uint64_t to;
	uint64_t shown;		/* where the band begins */
	uint64_t rounds;	/* that it stands for, or 0 */
	uint32_t region;	/* the outermost loop that is in it */
} plait__gap;

typedef struct plait__gaps {
	plait__vector list;	/* plait__gap, by time */
	/* What it is made of: moments that have to be seen, and rounds that
	 * need not be. */
	plait__vector moments;	/* uint64_t */
	plait__vector rounds;	/* plait__gap_rounds */
	uint64_t band;		/* how long one is shown */
	bool failed;		/* memory ran out */
} plait__gaps;

void plait__gaps_init(plait__gaps *gaps, const plait_allocator *allocator);
void plait__gaps_fini(plait__gaps *gaps);

void plait__gaps_see(plait__gaps *gaps, uint64_t moment);
void plait__gaps_pass_over(plait__gaps *gaps, const plait__gap_rounds *rounds);

/* Of a picture that is so long and would have so many boxes side by side
 * without what is passed over. */
void plait__gaps_find(plait__gaps *gaps, uint64_t makespan, uint64_t boxes);

/* When something is shown that happens at `time`, and what happens then. */
uint64_t plait__gaps_shown(const plait__gaps *gaps, uint64_t time);
uint64_t plait__gaps_real(const plait__gaps *gaps, uint64_t shown);

/* The one that all of this time is in, or null. */
const plait__gap *plait__gaps_around(const plait__gaps *gaps, uint64_t from,
				     uint64_t to);

static inline const plait__gap *plait__gaps_at(const plait__gaps *gaps,
					       uint32_t number)
{
	return plait__vector_at(&gaps->list, number);
}

#endif
