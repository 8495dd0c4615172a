/* SPDX-License-Identifier: MIT */
/*
 * Instructions that make blocks.  A block that has to grow is replaced: the new
 * one is made, it gets what is valid and not about to be overwritten, and the
 * old one ends behind its last use.  In a memory with a capacity an alloc comes
 * behind the frees that make its room.  Pure.
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

/* Returns the box of the block that a need would get: with the blocks that it
 * meets, and what is anticipated. */
plait_box plait__block_maker_plan(const plait__memory_state *state,
				  const plait__block_need *need);

/* Make a block of the box; it replaces those that it meets.  What these have
 * outside of it is lost for the memory. */
void plait__block_maker_make(plait__memory_state *state,
			     const plait__block_need *need);

/* End a block, of that box and number, behind its uses. */
void plait__block_maker_end(plait__memory_state *state,
			    const plait__block_need *need, uint32_t number);

/* Make a block that contains the box, unless there is one. */
void plait__block_maker_ensure(plait__memory_state *state,
			       const plait__block_need *need);

#endif
