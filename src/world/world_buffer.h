/* SPDX-License-Identifier: MIT */
/*
 * Memory of a world that peers read in place: pieces that a port shares, each of
 * which is the memory of a buffer.  The buffer frees its piece.
 */
#ifndef PLAIT_SRC_WORLD_WORLD_BUFFER_H
#define PLAIT_SRC_WORLD_WORLD_BUFFER_H

#include "world/world.h"

/* A piece; zeros: none. */
typedef struct plait__world_piece {
	unsigned char *start;
	uint64_t bytes;
	uint64_t place;		/* its name for peers */
} plait__world_piece;

/* Find the piece that has a range of memory.  Returns zeros if there is none. */
plait__world_piece plait__world_buffer_find(plait__world *world,
					    const void *memory, uint64_t bytes);

/* Returns true if a peer can read pieces of this rank. */
bool plait__world_buffer_reaches(const plait__world *world, uint32_t peer);

#endif
