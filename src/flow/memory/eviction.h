/* SPDX-License-Identifier: MIT */
/*
 * Eviction of blocks from a memory with a capacity, in the order of the program:
 * first the block whose next use is farthest, as far as it is known, else the one
 * used longest ago; of equal ones a clean one, without a value that no other
 * memory has.  Values of others are copied away.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_EVICTION_H
#define PLAIT_SRC_FLOW_MEMORY_EVICTION_H

#include "flow/memory/memory_state.h"

typedef struct plait__eviction {
	plait__memory_state *state;
	uint32_t task;	 /* that needs the room */
	uint32_t device; /* of the task */
	uint32_t memory;
	/* Numbers of blocks that stay: uint32_t. */
	const plait__vector *pinned;
} plait__eviction;

/* Evict the block of a number. */
void plait__eviction_evict(const plait__eviction *eviction, uint32_t data,
			   uint32_t block);

/* Copy away what only the memory has in a box of a block. */
void plait__eviction_save(const plait__eviction *eviction, uint32_t data,
			  const plait_box *box);

/* Evict blocks until `bytes` more fit; returns false if pinned ones are in the
 * way. */
bool plait__eviction_make_room(const plait__eviction *eviction,
			       uint64_t bytes);

#endif
