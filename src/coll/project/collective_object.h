/* SPDX-License-Identifier: MIT */
/*
 * Collectives of a world: for each schedule, this rank's program and machine, and
 * its halves of links.  Created on all ranks, which compare their schedules.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_COLLECTIVE_OBJECT_H
#define PLAIT_SRC_COLL_PROJECT_COLLECTIVE_OBJECT_H

#include "coll/project/rank_machine.h"
#include "world/world.h"

/* A schedule of a collective. */
typedef struct plait__collective_part {
	plait__rank_program program;
	plait__rank_machine machine;
	plait_backend_link **raw; /* by program link */
	const plait__slot_link *bell; /* a link whose bell all share, or null */
	uint32_t depth;
	uint32_t chunks;	/* of the larger buffer of any rank */
	uint64_t min_bytes, max_bytes;
} plait__collective_part;

typedef struct plait__collective {
	plait__object object;
	plait__world *world;	/* held */
	uint64_t number;	/* in the world, equal on all ranks */
	uint64_t refused_by;	/* rank + 1 that could not create it, or 0 */
	uint32_t part_count;
	plait__collective_part *parts;
	const plait__backend *spans; /* takes spans of calls, or null */
	at_u64 begun;		/* numbers that calls have taken */
	at_u32 busy;		/* a call is in progress */
	struct plait__mutex submit_lock; /* guards the next two fields */
	struct plait__collective_submits *submits; /* or null */
	void (*free_submits)(struct plait__collective *collective);
	/* The rest belongs to the call in progress. */
	uint64_t calls;		/* its number */
	unsigned char *scratch;
	uint64_t scratch_bytes;
} plait__collective;

PLAIT__OBJECT_ENTER(collective, PLAIT_OBJECT_COLLECTIVE);

/* Name of a record's content, for a rank that could not create its part. */
#define PLAIT__COLLECTIVE_REFUSED UINT64_MAX

/* ---- collective_slots.c ---- */

/* Choose slots and part->depth: more depth than the schedule's only removes
 * order.  PLAIT_E_UNSUPPORTED: a message does not fit. */
plait_status plait__collective_slots_choose(const plait__world *world,
					    const plait__schedule *schedule,
					    plait__collective_part *part,
					    uint64_t *out_bytes,
					    plait_error *error);

/* ---- collective_links.c ---- */

/* Create the halves of links of all parts; waits for the peers. */
plait_status plait__collective_links_make(plait__collective *collective,
					  plait_error *error);

/* PLAIT_E_CANCELLED: a rank could not create its part, behind the agreement. */
plait_status plait__collective_links_check(plait__collective *collective,
					   plait_error *error);

/* Destroy them, when the peers have taken what was sent, or after a second. */
void plait__collective_links_free(plait__collective *collective);

#endif
