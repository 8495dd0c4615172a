/* SPDX-License-Identifier: MIT */
/* Blocks of data in memories of devices; see device_block.h. */
#include "flow/device/device_block.h"

#include <string.h>

void plait__device_block_set(plait__device_block *block, const plait_box *box,
			     uint32_t element_bytes)
{
	uint64_t bytes = element_bytes;

	block->buffer = NULL;
	block->is_whole = false;
	block->box = *box;
	for (int d = 0; d < 3; d++) {
		block->pitch[d] = bytes;
		bytes *= box->high[d] - box->low[d];
	}
	block->bytes = bytes;
}

void plait__device_block_fill(plait__device_block *block,
			      const plait_box *whole, plait__buffer *buffer)
{
	block->buffer = buffer;
	block->is_whole = memcmp(&block->box, whole, sizeof(*whole)) == 0;
}

plait__buffer *plait__device_block_empty(plait__device_block *block)
{
	plait__buffer *buffer = block->buffer;

	block->buffer = NULL;
	block->is_whole = false;
	return buffer;
}
