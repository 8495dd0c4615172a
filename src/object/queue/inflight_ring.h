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

typedef struct plait__flight_entry {
	plait__object *object;
	uint64_t sequence;
} plait__flight_entry;

typedef struct plait__flight {
	plait__flight_entry *entries; /* null at first */
	uint32_t capacity;	      /* a power of two */
	uint32_t first;
	uint32_t count;	    /* all */
	uint32_t committed; /* those of stretches that were submitted */
} plait__flight;

void plait__flight_fini(plait__flight *flight,
			const plait_allocator *allocator);

/* Take over a hold, behind what is committed.  False: no memory. */
bool plait__flight_push(plait__flight *flight,
			const plait_allocator *allocator,
			plait__object *object, uint64_t sequence);

/* Was this object pushed just now, by the same stretch? */
bool plait__flight_has_last(const plait__flight *flight,
			    const plait__object *object, uint64_t sequence);

/* What was pushed is in flight. */
void plait__flight_commit(plait__flight *flight);
/* Take back what was pushed last and not committed; null when all is. */
plait__object *plait__flight_cancel(plait__flight *flight);
/* The one that came in as number `index`, the oldest first; or null. */
plait__object *plait__flight_at(const plait__flight *flight, uint32_t index);
/* The oldest that is not used after `reached`, or null. */
plait__object *plait__flight_pop(plait__flight *flight, uint64_t reached);

#endif
