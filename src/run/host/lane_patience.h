/* SPDX-License-Identifier: MIT */
/*
 * Decision of a lane in a loop to return its thread: at the end of an iteration,
 * if other tasks want the thread or its time slice is over.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_PATIENCE_H
#define PLAIT_SRC_RUN_HOST_LANE_PATIENCE_H

#include "pool/task.h"

#include <stdbool.h>

/* The rest until the next check.  Zeroed memory: no iteration has ended. */
typedef struct plait__lane_patience {
	uint32_t left;		/* iterations */
	uint32_t whole;		/* from one check to the next */
	uint64_t checked_ns;	/* if the slice is limited */
} plait__lane_patience;

/* Check now; see plait__lane_patience_ends. */
bool plait__lane_patience_check(plait__lane_patience *patience,
				const plait__task *task);

/* An iteration has ended.  Returns true if the thread has to leave the lane. */
static inline bool plait__lane_patience_ends(plait__lane_patience *patience,
					     const plait__task *task)
{
	if (patience->left > 1) {
		patience->left--;
		return false;
	}
	return plait__lane_patience_check(patience, task);
}

#endif
