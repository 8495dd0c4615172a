/* SPDX-License-Identifier: MIT */
/*
 * Blocks of one data in one memory: disjoint boxes, each an allocation.  A need
 * that no block contains makes a new block, which takes over the blocks that it
 * meets, and reaches as far as the needs that are anticipated.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_BLOCKS_H
#define PLAIT_SRC_FLOW_MEMORY_BLOCKS_H

#include "flow/memory/box_list.h"

typedef struct plait__block {
	plait_box box;
	uint32_t number; /* from 1 */
	uint32_t last_use; /* index of the task */
} plait__block;

typedef struct plait__blocks {
	plait__vector items;	   /* plait__block */
	plait__vector anticipated; /* boxes, disjoint */
} plait__blocks;

void plait__blocks_init(plait__blocks *blocks,
			const plait_allocator *allocator);
void plait__blocks_fini(plait__blocks *blocks);

/* Note a need to come.  Returns false without memory. */
bool plait__blocks_anticipate(plait__blocks *blocks, const plait_box *need);

/* Returns the block that contains a box, or null. */
plait__block *plait__blocks_find(const plait__blocks *blocks,
				 const plait_box *box);

/* Returns the box of the block that a need makes: it contains the blocks and the
 * anticipated boxes that it overlaps; `anticipated` may be null. */
plait_box plait__blocks_plan(const plait__blocks *blocks,
			     const plait__vector *anticipated,
			     const plait_box *need);

/* Move the blocks that overlap `box` to `out`.  Returns false without
 * memory. */
bool plait__blocks_take(plait__blocks *blocks, const plait_box *box,
			plait__vector *out);

/* Add a block that no task has used.  Returns false without memory. */
bool plait__blocks_add(plait__blocks *blocks, const plait_box *box,
		       uint32_t number);

/* Remove the block of a number. */
void plait__blocks_remove(plait__blocks *blocks, uint32_t number);

static inline plait__block *plait__blocks_at(const plait__blocks *blocks,
					     uint32_t i)
{
	return plait__vector_at(&blocks->items, i);
}

#endif
