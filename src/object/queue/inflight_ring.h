/* SPDX-License-Identifier: MIT */
/*
 * What a queue's work in flight holds: a ring of objects, each with the
 * sequence of the queue's own signal after which it is not used any more.
 * Grows to what was ever in flight at the same time, then allocates nothing.
 * The queue's lock guards it.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_INFLIGHT_RING_H
#define PLAIT_SRC_OBJECT_QUEUE_INFLIGHT_RING_H

#include "object/handle/object.h"

typedef struct plait__inflight_entry {
	plait__object *object;
	uint64_t sequence;
} plait__inflight_entry;

typedef struct plait__inflight_ring {
	plait__inflight_entry *entries; /* null at first */
	uint32_t capacity;	      /* a power of two */
	uint32_t first;
	uint32_t count;	    /* all */
	uint32_t committed; /* those of stretches that were submitted */
} plait__inflight_ring;

void plait__inflight_ring_fini(plait__inflight_ring *flight,
			       const plait_allocator *allocator);

/* Take over a hold, behind what is committed.  False: no memory. */
bool plait__inflight_ring_push(plait__inflight_ring *flight,
			       const plait_allocator *allocator,
			       plait__object *object, uint64_t sequence);

/* Was this object pushed just now, by the same stretch? */
bool plait__inflight_ring_has_last(const plait__inflight_ring *flight,
				   const plait__object *object, uint64_t sequence);

/* What was pushed is in flight. */
void plait__inflight_ring_commit(plait__inflight_ring *flight);
/* Take back what was pushed last and not committed; null when all is. */
plait__object *plait__inflight_ring_cancel(plait__inflight_ring *flight);
/* The one that came in as number `index`, the oldest first; or null. */
plait__object *plait__inflight_ring_at(const plait__inflight_ring *flight, uint32_t index);
/* The oldest that is not used after `reached`, or null. */
plait__object *plait__inflight_ring_pop(plait__inflight_ring *flight, uint64_t reached);

#endif
