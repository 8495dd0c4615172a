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

struct plait__ring_segment {
	struct plait__ring_segment *next;
	uint64_t capacity;
	struct plait__command commands[];
};

/* Where one side is. */
struct plait__command_ring_end {
	struct plait__ring_segment *segment;
	uint64_t index;
};

struct plait__command_ring {
	/* Who fills. */
	struct plait__command_ring_end tail;
	struct plait__ring_segment *spare;
	uint64_t spare_count; /* commands that fit into the spare ones */
	uint64_t last_capacity;
};

/* Zeroed before; false without memory.  `head` is where the other side starts. */
bool plait__command_ring_init(struct plait__command_ring *ring,
			      const plait_allocator *allocator,
			      struct plait__command_ring_end *head);

/* Make room for `count` more; false, with nothing changed, without memory. */
bool plait__command_ring_reserve(struct plait__command_ring *ring,
				 const plait_allocator *allocator, uint64_t count);

/*
 * The next free commands in one piece: at most `count` of those that were
 * reserved, at least one; how many in *out_count.
 */
struct plait__command *plait__command_ring_take(struct plait__command_ring *ring,
						uint64_t count, uint64_t *out_count);

/* The lock is held and the ring is empty: start the segment again. */
void plait__command_ring_rewind(struct plait__command_ring *ring,
				struct plait__command_ring_end *head);

/* The lock is held: a segment was emptied. */
void plait__command_ring_recycle(struct plait__command_ring *ring,
				 struct plait__ring_segment *segment);

/* Free everything; `head` is where the other side is. */
void plait__command_ring_fini(struct plait__command_ring *ring,
			      const plait_allocator *allocator,
			      struct plait__ring_segment *head);

#endif
