/* SPDX-License-Identifier: MIT */
/*
 * Memos of launches of several pieces: the accesses of all steps, so that the next
 * launch with the same descriptor prepares only the pieces of its rank, or takes those
 * from copies.  Values of arguments are no part of it, nor are ranks and transfers, which
 * follow from the owner maps.
 *
 * The flow_ranks own the memos.  Guarded by the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_RANK_MEMO_H
#define PLAIT_SRC_FLOW_RANK_MEMO_H

#include "flow/launch_copy.h"
#include "flow/rank/owner_memo.h"
#include "flow/rank_state.h"

enum {
	PLAIT__RANK_MEMOS = sizeof(((plait__flow_ranks *)0)->memos) /
			    sizeof(plait__rank_memo *) /* a power of two */
};

typedef struct plait__rank_memo_step {
	uint32_t index; /* of the step */
	uint32_t rank;	/* or a word of the planner's */
	uint32_t first, count; /* accesses */
	uint64_t word;	/* of the program's hash */
} plait__rank_memo_step;

struct plait__rank_memo {
	bool is_whole;
	uint32_t freed; /* data that were, when it was made */
	plait__vector key;	/* uint64_t */
	plait__vector accesses; /* plait__rank_access */
	plait__vector steps;	/* plait__rank_memo_step */
	/* Changes by planning these, for owner maps as they were then. */
	plait__owner_memo owners;
	uint32_t misses; /* of it, in a row */
	plait__vector own;  /* plait__rank_step; transfers from 0 */
	plait__vector ops;  /* uint64_t: of each rank */
	uint64_t transfers, word;
	uint32_t tasks;
	plait__launch_copies copies; /* of this rank's pieces */
};

/* Find the memo of a launch of which piece 0 is prepared; one that is not whole is to
 * be made.  Null: a launch without memo, or no memory. */
plait__rank_memo *plait__rank_memo_find(plait__flow_ranks *ranks,
					const plait__flow_task *task,
					const plait_task_desc *desc);

/* Returns the whole memo, with copies, of a launch that is not prepared, or null. */
plait__rank_memo *plait__rank_memo_recall(plait__flow_ranks *ranks,
					  const plait_task_desc *desc);

/* Counts of planning so far. */
typedef struct plait__rank_counts {
	uint64_t transfers;
	uint32_t tasks;
	uint64_t ops[PLAIT__TASK_RANKS_MOST];
} plait__rank_counts;

/* Begin to keep what planning the steps of a whole memo changes; *out is for the end.
 * Returns false if that is not to be kept. */
bool plait__rank_memo_begin(plait__rank_memo *memo,
			    const plait__flow_ranks *ranks,
			    plait__rank_counts *out);

/* All steps were planned, the maps are settled, and the hash of the task is `word`. */
void plait__rank_memo_end(plait__rank_memo *memo,
			  const plait__flow_ranks *ranks,
			  const plait__rank_counts *before, uint64_t word);

/* Returns true if the owner maps were as then, and all that planning changes was
 * changed, the list of steps too. */
bool plait__rank_memo_replay(plait__rank_memo *memo, plait__flow_ranks *ranks);

/* Append a step.  Returns false without memory: the memo is not whole then. */
bool plait__rank_memo_add(plait__rank_memo *memo,
			  const plait__rank_memo_step *step,
			  const plait__vector *accesses);

/* A data was freed, perhaps one of a memo.  By any thread. */
void plait__rank_memo_forget(plait__flow_ranks *ranks);

void plait__rank_memo_free_all(plait__flow_ranks *ranks);

#endif
