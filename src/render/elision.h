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
typedef struct plait__elision_rounds {
	uint64_t from;
	uint64_t to;
	uint64_t rounds;	/* how many, if that is known; else 0 */
	uint32_t region;
	uint32_t depth;		/* of regions around it */
} plait__elision_rounds;

typedef struct plait__elision_gap {
	uint64_t from;
	uint64_t to;
	uint64_t shown;		/* where the band begins */
	uint64_t rounds;	/* that it stands for, or 0 */
	uint32_t region;	/* the outermost loop that is in it */
} plait__elision_gap;

typedef struct plait__elision {
	plait__vector list;	/* plait__elision_gap, by time */
	/* What it is made of: moments that have to be seen, and rounds that
	 * need not be. */
	plait__vector moments;	/* uint64_t */
	plait__vector rounds;	/* plait__elision_rounds */
	uint64_t band;		/* how long one is shown */
	bool failed;		/* memory ran out */
} plait__elision;

void plait__elision_init(plait__elision *elision, const plait_allocator *allocator);
void plait__elision_fini(plait__elision *elision);

void plait__elision_keep(plait__elision *elision, uint64_t moment);
void plait__elision_add_rounds(plait__elision *elision, const plait__elision_rounds *rounds);

/* Of a picture that is so long and would have so many boxes side by side
 * without what is passed over. */
void plait__elision_compute(plait__elision *elision, uint64_t makespan, uint64_t boxes);

/* When something is shown that happens at `time`, and what happens then. */
uint64_t plait__elision_to_shown(const plait__elision *elision, uint64_t time);
uint64_t plait__elision_to_time(const plait__elision *elision, uint64_t shown);

/* The one that all of this time is in, or null. */
const plait__elision_gap *plait__elision_enclosing(const plait__elision *elision, uint64_t from,
						   uint64_t to);

static inline const plait__elision_gap *plait__elision_at(const plait__elision *elision,
							  uint32_t number)
{
	return plait__vector_at(&elision->list, number);
}

#endif
