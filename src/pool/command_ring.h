/* SPDX-License-Identifier: MIT */
/*
 * The commands of a lane: a chain of segments that grows when it must and is
 * used over and over.  One end is filled under the lane's lock, the other is
 * emptied by the one thread that runs the lane; a segment changes sides under
 * that lock.  Called by lane.c and submit.c alone.
 */
#ifndef PLAIT_SRC_POOL_COMMAND_RING_H
#define PLAIT_SRC_POOL_COMMAND_RING_H

#include <stdbool.h>

#include "base/alloc.h"
#include "pool/command.h"

struct plait__segment {
	struct plait__segment *next;
	uint64_t capacity;
	struct plait__command commands[];
};

/* Where one side is. */
struct plait__ring_end {
	struct plait__segment *segment;
	uint64_t index;
};

struct plait__ring {
	/* Who fills. */
	struct plait__ring_end tail;
	struct plait__segment *spare;
	uint64_t spare_count; /* commands that fit into the spare ones */
	uint64_t last_capacity;
};

/* Zeroed before; false without memory.  `head` is where the other side starts. */
bool plait__ring_init(struct plait__ring *ring,
		      const plait_allocator *allocator,
		      struct plait__ring_end *head);

/* Make room for `count` more; false, with nothing changed, without memory. */
bool plait__ring_reserve(struct plait__ring *ring,
			 const plait_allocator *allocator, uint64_t count);

/*
 * The next free commands in one piece: at most `count` of those that were
 * reserved, at least one; how many in *out_count.
 */
struct plait__command *plait__ring_take(struct plait__ring *ring,
					uint64_t count, uint64_t *out_count);

/* The lock is held and the ring is empty: start the segment again. */
void plait__ring_rewind(struct plait__ring *ring,
			struct plait__ring_end *head);

/* The lock is held: a segment was emptied. */
void plait__ring_give_back(struct plait__ring *ring,
			   struct plait__segment *segment);

/* Free everything; `head` is where the other side is. */
void plait__ring_fini(struct plait__ring *ring,
		      const plait_allocator *allocator,
		      struct plait__segment *head);

#endif
