/* SPDX-License-Identifier: MIT */
/*
 * Ranks of tasks, and transfers between ranks.  The owner map of a data is its
 * coherence, with a rank in place of a memory: `valid` has the ranks with the
 * newest value of a box, `writer` the task that wrote it, `memory` its owner: the
 * rank of that task, or of values that all ranks wrote its home.  Homes are equal
 * slabs of the outermost dimension.  Calls in the same order give the same
 * results on all ranks.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_RANK_TASK_RANKS_H
#define PLAIT_SRC_FLOW_RANK_TASK_RANKS_H

#include "flow/memory/coherence.h"

/* Ranks of a map; in place of a rank: all of them. */
enum { PLAIT__TASK_RANKS_MOST = 64, PLAIT__TASK_RANKS_ALL = 64 };

/* Access of a task. */
typedef struct plait__rank_access {
	plait__coherence *owners;
	const plait_box *whole;
	plait_box box;
	uint64_t each; /* bytes of an element; 0: a token */
	uint32_t mode; /* PLAIT__ACCESS_... */
} plait__rank_access;

/* Box that goes from rank to rank before a task. */
typedef struct plait__rank_transfer {
	uint32_t access; /* index of the access of the task */
	uint32_t from, to;
	plait_box box;
} plait__rank_transfer;

/* Begin with values that all ranks have.  Returns false without memory. */
bool plait__task_ranks_init(plait__coherence *owners,
			    const plait_allocator *allocator,
			    const plait_box *whole, uint32_t ranks);

/* The rank that owns most bytes of what the task writes, of several the lowest;
 * rank 0 if it writes nothing but tokens. */
uint32_t plait__task_ranks_choose(const plait__rank_access *accesses,
				  uint32_t count, uint32_t ranks);

/* Ranks and number of a task; numbers are unique, but for wrapping. */
typedef struct plait__rank_task {
	uint32_t rank; /* or PLAIT__TASK_RANKS_ALL */
	uint32_t ranks;
	uint32_t number;
} plait__rank_task;

/*
 * Append the transfers that the task needs where it runs, and note them and what
 * it writes in the owner maps.  A transfer has values that one task wrote: if
 * that failed, all of them are poison.  Returns false without memory: the maps
 * are of no use then.
 */
bool plait__task_ranks_run(const plait__rank_access *accesses, uint32_t count,
			   const plait__rank_task *task, plait__vector *room,
			   plait__vector *out);

#endif
