/* SPDX-License-Identifier: MIT */
/*
 * Copies between memories: what a task reads, less what is valid where it runs.
 * They are cut along the tasks that wrote the values, so that each begins when
 * its producer is done, and along the blocks of both ends.  Memories that are no
 * peers copy by way of the host, which has the newest values from then on.
 * Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_COPY_MAKER_H
#define PLAIT_SRC_FLOW_MEMORY_COPY_MAKER_H

#include "flow/memory/memory_state.h"

typedef struct plait__copy_need {
	uint32_t task;
	uint32_t device; /* of the task; or NONE: the host */
	uint32_t data;
	uint32_t memory;
	const plait__vector *boxes; /* disjoint; boxes that touch are in one block */
} plait__copy_need;

/* Make the copies; parts without a value need none. */
void plait__copy_maker_fetch(plait__memory_state *state,
			     const plait__copy_need *need);

/* Copy what only the memory has of the boxes, which it is about to lose, to the
 * host's, or to one with a faster link that has room. */
void plait__copy_maker_save(plait__memory_state *state,
			    const plait__copy_need *need);

#endif
