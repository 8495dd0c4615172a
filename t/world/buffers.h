/* SPDX-License-Identifier: MIT */
/* Buffers that peers read in place, mapped by the rank that made them. */
#ifndef T_WORLD_BUFFERS_H
#define T_WORLD_BUFFERS_H

#include "world/threads.h"

static inline plait_buffer *make(struct rank *rank, uint64_t bytes, void **out)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = bytes };
	plait_buffer *buffer = NULL;

	*out = NULL;
	if (rank_did(rank, plait_world_buffer(rank->world, NULL, &desc, &buffer,
					      &rank->error)) && bytes > 0)
		rank_did(rank, plait_buffer_map(buffer, 0, bytes,
						PLAIT_MAP_READ |
						PLAIT_MAP_WRITE, out,
						&rank->error));
	return buffer;
}

static inline void drop(struct rank *rank, plait_buffer *buffer, void *pointer)
{
	if (pointer != NULL)
		rank_did(rank, plait_buffer_unmap(buffer, pointer,
						  &rank->error));
	plait_buffer_release(buffer);
}

#endif
