/* SPDX-License-Identifier: MIT */
/*
 * In-flight ring: the objects that a queue's work in flight holds, each with
 * the sequence of the queue's own signal after which its hold is dropped. It
 * grows to the maximum in flight, then allocates nothing. Guarded by the
 * queue's lock.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_INFLIGHT_RING_H
#define PLAIT_SRC_OBJECT_QUEUE_INFLIGHT_RING_H

#include "object/handle/object.h"

typedef struct plait__inflight_entry {
	plait__object *object;
	uint64_t sequence;
	uint64_t emission; /* the first one of this signal that the submission
			    * makes, or 0 */
} plait__inflight_entry;

typedef struct plait__inflight_ring {
	plait__inflight_entry *entries; /* null at first */
	uint32_t capacity;	      /* a power of two */
	uint32_t first;
	uint32_t count;	    /* all entries */
	uint32_t committed; /* entries of accepted submissions */
} plait__inflight_ring;

void plait__inflight_ring_fini(plait__inflight_ring *ring,
			       const plait_allocator *allocator);

/* Push a hold, which becomes the ring's, uncommitted. Returns false without
 * memory. */
bool plait__inflight_ring_push(plait__inflight_ring *ring,
			       const plait_allocator *allocator,
			       plait__object *object, uint64_t sequence);

/* Returns true if one of the last two uncommitted entries is this object with
 * this sequence. */
bool plait__inflight_ring_has_last(const plait__inflight_ring *ring,
				   const plait__object *object,
				   uint64_t sequence);

/* Note in such an entry that the submission makes this emission of the
 * signal. */
void plait__inflight_ring_note_emission(plait__inflight_ring *ring,
					const plait__object *signal,
					uint64_t sequence, uint64_t emission);
/* Returns true if a committed submission with an entry behind `sequence` makes
 * emission `emission` of the signal, or an earlier one. */
bool plait__inflight_ring_emits_behind(const plait__inflight_ring *ring,
				       const plait__object *signal,
				       uint64_t sequence, uint64_t emission);

/* Commit all entries: the submission was accepted. */
void plait__inflight_ring_commit(plait__inflight_ring *ring);
/* Pop the newest uncommitted entry; null: none is left. */
plait__object *plait__inflight_ring_cancel(plait__inflight_ring *ring);
/* The committed entry `index`, 0 being the oldest; or null. */
plait__object *plait__inflight_ring_at(const plait__inflight_ring *ring,
				       uint32_t index);
/* Pop the oldest committed entry, if its sequence is at most `reached`; else
 * null. */
plait__object *plait__inflight_ring_pop(plait__inflight_ring *ring,
					uint64_t reached);

#endif
