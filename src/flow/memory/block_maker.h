/* SPDX-License-Identifier: MIT */
/*
 * Instructions that make blocks.  A block that has to grow is replaced: the new
 * one is made, it gets what is valid and not about to be overwritten, and the
 * old one ends behind its last use.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_BLOCK_MAKER_H
#define PLAIT_SRC_FLOW_MEMORY_BLOCK_MAKER_H

#include "flow/memory/memory_state.h"

typedef struct plait__block_need {
	uint32_t task;
	uint32_t device; /* of the task; or NONE: the host */
	uint32_t data;
	uint32_t memory;
	plait_box box;
	/* Boxes that the task overwrites and does not read; null: none. */
	const plait__vector *overwritten;
} plait__block_need;

/* Make a block that contains the box, unless there is one. */
void plait__block_maker_ensure(plait__memory_state *state,
			       const plait__block_need *need);

#endif
