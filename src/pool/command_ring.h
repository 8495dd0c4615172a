/* SPDX-License-Identifier: MIT */
/*
 * The command ring of a lane: a chain of segments that grows on demand and
 * recycles its segments. Submitters fill the tail under the lane's lock; the
 * one thread that runs the lane consumes the head; a segment moves from one
 * side to the other under that lock. Used by lane.c and lane_submit.c only.
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

/* The position of one end. */
struct plait__command_ring_end {
	struct plait__ring_segment *segment;
	uint64_t index;
};

struct plait__command_ring {
	/* The submitters' side. Guarded by the lane's lock. */
	struct plait__command_ring_end tail;
	struct plait__ring_segment *spare;
	uint64_t spare_count; /* commands that fit into the spare segments */
	uint64_t last_capacity;
};

/* Initialize zeroed memory; returns false without memory. *head receives the
 * consumer's position. */
bool plait__command_ring_init(struct plait__command_ring *ring,
			      const plait_allocator *allocator,
			      struct plait__command_ring_end *head);

/* Make room for `count` more commands. Returns false without memory; the
 * segments added before that stay. */
bool plait__command_ring_reserve(struct plait__command_ring *ring,
				 const plait_allocator *allocator,
				 uint64_t count);

/* Take the next reserved commands that are contiguous: at least one, at most
 * `count`. *out_count receives their number. */
struct plait__command *plait__command_ring_take(
	struct plait__command_ring *ring, uint64_t count, uint64_t *out_count);

/* Restart both ends at the segment's first command. Caller holds the lane's
 * lock; the ring is empty. */
void plait__command_ring_rewind(struct plait__command_ring *ring,
				struct plait__command_ring_end *head);

/* Add an empty segment to the spare ones. Caller holds the lane's lock. */
void plait__command_ring_recycle(struct plait__command_ring *ring,
				 struct plait__ring_segment *segment);

/* Free all segments; `head` is the consumer's segment. */
void plait__command_ring_fini(struct plait__command_ring *ring,
			      const plait_allocator *allocator,
			      struct plait__ring_segment *head);

#endif
