/* SPDX-License-Identifier: MIT */
/*
 * Rank program: what one rank executes of a proved schedule.  Flat data, still
 * symbolic in size; the machine (rank_machine.h) executes it.
 *
 * Geometry is that of merge.h: sub-chunk j of k of a share of n elements has the
 * elements from floor(j * n / k) to floor((j + 1) * n / k).  The *part* of a
 * value is its sub-chunk, which decides how many elements it has.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_RANK_PROGRAM_H
#define PLAIT_SRC_COLL_PROJECT_RANK_PROGRAM_H

#include <stdbool.h>

#include "coll/schedule/schedule.h"
#include "base/vector.h"

enum { PLAIT__RANK_NONE = UINT32_MAX };

/* First chunk of a location.  In place, chunks of the smaller buffer are named
 * in the larger one. */
typedef struct plait__rank_place {
	uint32_t buffer;	/* enum plait__coll_buffer */
	uint32_t chunk;
} plait__rank_place;

typedef struct plait__rank_step {
	uint32_t kind;		/* enum plait__step_kind */
	uint32_t count;		/* chunks */
	plait__rank_place source, target;
	uint32_t first_part;	/* in `parts`, one for each chunk */
	uint32_t first_wait, wait_count; /* in `waits` */
} plait__rank_step;

/* A step of another lane: both count from 0 within the rank and the lane. */
typedef struct plait__rank_wait {
	uint32_t lane, step;
} plait__rank_wait;

typedef struct plait__rank_lane {
	uint32_t first_step, step_count;
	uint32_t send, receive;	/* in `links`, or NONE */
	bool stages;		/* sends sums that are stored nowhere */
} plait__rank_lane;

/* Half a link of the rank. */
typedef struct plait__rank_link {
	uint32_t peer, channel;
	bool receives;
} plait__rank_link;

typedef struct plait__rank_program {
	const plait_allocator *allocator;
	uint32_t rank;
	uint32_t share;		/* chunks of a share */
	uint32_t scratch_chunks;
	/* Chunks of input and output; in place both name the larger one. */
	uint32_t buffer_chunks[2];
	uint32_t message_chunks; /* most of a message of any rank */
	bool uses[2];		/* input and output, by the steps */
	bool in_place;
	bool reduces;		/* a step of any rank does */
	bool is_simple;		/* the protocol is; see rank_message.h */
	/* Chunks whose sizes differ meet, unless the share divides the count. */
	bool needs_multiple;
	plait__vector steps;	/* plait__rank_step */
	plait__vector lanes;	/* plait__rank_lane */
	plait__vector waits;	/* plait__rank_wait */
	plait__vector links;	/* plait__rank_link */
	plait__vector parts;	/* uint32_t */
} plait__rank_program;

/* Make the program of a rank of a proved schedule.  PLAIT_E_NOMEM,
 * PLAIT_E_INVALID: the schedule has no chunks.  Free it also after a failure. */
plait_status plait__rank_program_make(plait__rank_program *program,
				      const plait__schedule *schedule,
				      uint32_t rank, plait_error *error);
void plait__rank_program_free(plait__rank_program *program);

/* Element of a buffer at which a chunk starts. */
static inline uint64_t plait__rank_program_start(uint64_t chunk, uint32_t share,
						 uint64_t count)
{
	uint64_t part = chunk % share;

	return chunk / share * count + part * (count / share) +
	       part * (count % share) / share;
}

/* ---- step_parts.c ---- */

/* Find the parts of the values that the rank's steps move: a replay of all
 * ranks.  Returns -1 without memory. */
int plait__step_parts_find(plait__rank_program *program,
			   const plait__schedule *schedule);

#endif
