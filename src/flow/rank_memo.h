/* SPDX-License-Identifier: MIT */
/*
 * Memos of launches of several pieces: the accesses of all steps, so that the next
 * launch with the same descriptor prepares only the pieces of its rank.  Values of
 * arguments are no part of it, nor are ranks and transfers, which follow from the
 * owner maps.
 *
 * The flow_ranks own the memos.  Guarded by the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_RANK_MEMO_H
#define PLAIT_SRC_FLOW_RANK_MEMO_H

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
};

/* Find the memo of a launch of which piece 0 is prepared; one that is not whole is to
 * be made.  Null: a launch without memo, or no memory. */
plait__rank_memo *plait__rank_memo_find(plait__flow_ranks *ranks,
					const plait__flow_task *task,
					const plait_task_desc *desc);

/* Append a step.  Returns false without memory: the memo is not whole then. */
bool plait__rank_memo_add(plait__rank_memo *memo,
			  const plait__rank_memo_step *step,
			  const plait__vector *accesses);

/* A data was freed, perhaps one of a memo.  By any thread. */
void plait__rank_memo_forget(plait__flow_ranks *ranks);

void plait__rank_memo_free_all(plait__flow_ranks *ranks);

#endif
