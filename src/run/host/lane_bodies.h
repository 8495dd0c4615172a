/* SPDX-License-Identifier: MIT */
/*
 * State of the lane compiler that lane_compiler.c and lane_bodies.c share, and
 * the part of each lane in each body.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_BODIES_H
#define PLAIT_SRC_RUN_HOST_LANE_BODIES_H

#include "run/host/lane_merge.h"
#include "run/host/lane_program.h"

/* One lane's part of one body, before it is compiled to the plait__part of the
 * same index.  Set by plait__lane_bodies_sort. */
typedef struct plait__lane_body {
	uint32_t lane;
	uint32_t body;
	uint32_t track;		/* the plan's or the merged one; or none: only
				 * its end */
} plait__lane_body;

typedef struct plait__lane_compiler {
	plait__lane_program *compiled;
	const plait__program *program;
	const plait__plan *plan;
	bool serial;
	const plait__lane_merge *merge; /* or null */
	plait__lane_body *lane_bodies;	/* by lane, then body */
	uint32_t lane_body_count;
	uint32_t *seen_of;	/* track -> word in `local` of this lane, or 0;
				 * at the end: track -> progress word */
	plait__vector seen_words; /* indices of `seen_of` that are set */
	uint32_t *list;		/* commands of the current part */
	uint64_t list_capacity;
	uint32_t lane;		/* the current one, as are body and part */
	uint32_t body;
	uint32_t part;
	uint32_t entry;		/* merged: the current index in its commands */
	bool failed;		/* no memory */
} plait__lane_compiler;

/* The lane that decides for a region. */
uint32_t plait__lane_bodies_home(const plait__lane_compiler *c,
				 uint32_t region);

/* Returns a track of the plan, or a merged one. */
const plait__plan_track *plait__lane_bodies_track(const plait__lane_compiler *c,
						  uint32_t track);

/* Returns the lanes of a region, and stores the index of the first among those
 * of all regions, and their number. */
const uint32_t *plait__lane_bodies_region_lanes(const plait__lane_compiler *c,
						uint32_t region,
						uint32_t *out_first,
						uint32_t *out_count);

/* Fill `lane_bodies`.  Returns false without memory. */
bool plait__lane_bodies_sort(plait__lane_compiler *c);

#endif
