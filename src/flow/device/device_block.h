/* SPDX-License-Identifier: MIT */
/*
 * Block: a buffer in the memory of a device that has a box of a data, without
 * gaps.  That of all elements has them where the data has them.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_DEVICE_BLOCK_H
#define PLAIT_SRC_FLOW_DEVICE_DEVICE_BLOCK_H

#include "flow/region/box.h"

#include "object/memory/buffer.h"

typedef struct plait__device_block {
	plait__buffer *buffer; /* one reference, or null */
	/* Without a buffer: the box of the last one, or empty. */
	plait_box box;
	uint64_t pitch[3]; /* bytes from element to element, per dimension */
	uint64_t bytes;
	bool is_whole; /* the buffer has all elements */
} plait__device_block;

/* A block that replaces one; then, of the op that releases it, the old one. */
typedef struct plait__block_growth {
	plait__device_block block;
	void *flow; /* which its ops keep */
	uint32_t memory;
} plait__block_growth;

/* Let the block be one of a box, without a buffer yet. */
void plait__device_block_set(plait__device_block *block, const plait_box *box,
			     uint32_t element_bytes);

/* Give the block its buffer, with the reference. */
void plait__device_block_fill(plait__device_block *block,
			      const plait_box *whole, plait__buffer *buffer);

/* Take the buffer, or null: the box stays. */
plait__buffer *plait__device_block_empty(plait__device_block *block);

/* Returns true if the block has the elements of a box, which may be empty. */
static inline bool plait__device_block_has(const plait__device_block *block,
					   const plait_box *box)
{
	return block->is_whole ||
	       (block->buffer != NULL &&
		(plait__box_contains(&block->box, box) ||
		 plait__box_is_empty(box)));
}

/* Returns the distance in bytes of an element from the first one of the block;
 * below 0 for one before it. */
static inline int64_t
plait__device_block_distance(const plait__device_block *block,
			     const uint64_t element[3])
{
	uint64_t bytes = 0;

	for (int d = 0; d < 3; d++)
		bytes += (element[d] - block->box.low[d]) * block->pitch[d];
	return (int64_t)bytes;
}

#endif
