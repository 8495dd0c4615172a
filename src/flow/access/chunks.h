/* SPDX-License-Identifier: MIT */
/* Chunks of a launch's items: whole groups, cut along the outermost one or two
 * dimensions.  Pure. */
#ifndef PLAIT_SRC_FLOW_ACCESS_CHUNKS_H
#define PLAIT_SRC_FLOW_ACCESS_CHUNKS_H

#include "plait/flow.h"

enum { PLAIT__CHUNKS_MOST = 256 };

typedef struct plait__chunks {
	plait_launch launch;
	uint32_t parts[3]; /* per dimension, at least 1 */
	uint32_t count;	   /* their product */
	/* Groups of the outermost dimension before each part, and their
	 * number; null: equal parts. */
	const uint64_t *borders;
} plait__chunks;

/* Cut a launch that was read, along `split` dimensions, into at most `pieces`
 * chunks: fewer if there are fewer groups. */
void plait__chunks_cut(plait__chunks *chunks, const plait_launch *launch,
		       uint32_t split, uint32_t pieces);

/* Returns the groups of the outermost dimension. */
uint64_t plait__chunks_groups(const plait_launch *launch);

/* The items of chunk i; of dimensions that there are not 0 to 1. */
plait_box plait__chunks_at(const plait__chunks *chunks, uint32_t i);

#endif
