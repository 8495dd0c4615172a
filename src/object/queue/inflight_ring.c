/* SPDX-License-Identifier: MIT */
/* In-flight ring of a queue; see inflight_ring.h. */
#include "object/queue/inflight_ring.h"

#include "base/alloc.h"

#include <stddef.h>

enum { FIRST_CAPACITY = 16 };

/* The capacity is a power of two, and not 0. */
static plait__inflight_entry *entry_at(const plait__inflight_ring *ring,
				       uint32_t index)
{
	return &ring->entries[(ring->first + index) & (ring->capacity - 1)];
}

void plait__inflight_ring_fini(plait__inflight_ring *ring,
			       const plait_allocator *allocator)
{
	plait__free(allocator, ring->entries,
		    (uint64_t)ring->capacity * sizeof(*ring->entries));
}

/* Returns false without memory. */
static bool grow(plait__inflight_ring *ring, const plait_allocator *allocator)
{
	uint32_t capacity = ring->capacity == 0 ? FIRST_CAPACITY
						: ring->capacity * 2;
	plait__inflight_entry *entries;
	uint32_t i;

	if (capacity < ring->capacity)
		return false;
	entries = plait__alloc_array(allocator, capacity, sizeof(*entries));
	if (entries == NULL)
		return false;
	for (i = 0; i < ring->count; i++)
		entries[i] = *entry_at(ring, i);
	plait__inflight_ring_fini(ring, allocator);
	ring->entries = entries;
	ring->capacity = capacity;
	ring->first = 0;
	return true;
}

bool plait__inflight_ring_push(plait__inflight_ring *ring,
			       const plait_allocator *allocator,
			       plait__object *object, uint64_t sequence)
{
	plait__inflight_entry *entry;

	if (ring->count == ring->capacity && !grow(ring, allocator))
		return false;
	entry = entry_at(ring, ring->count++);
	entry->object = object;
	entry->sequence = sequence;
	entry->emission = 0;
	return true;
}

/* One of the last two uncommitted entries, or null. */
static plait__inflight_entry *find_last(const plait__inflight_ring *ring,
					const plait__object *object,
					uint64_t sequence)
{
	uint32_t i;

	for (i = 1; i <= 2 && i <= ring->count - ring->committed; i++) {
		plait__inflight_entry *entry = entry_at(ring, ring->count - i);

		if (entry->object == object && entry->sequence == sequence)
			return entry;
	}
	return NULL;
}

bool plait__inflight_ring_has_last(const plait__inflight_ring *ring,
				   const plait__object *object,
				   uint64_t sequence)
{
	return find_last(ring, object, sequence) != NULL;
}

void plait__inflight_ring_note_emission(plait__inflight_ring *ring,
					const plait__object *signal,
					uint64_t sequence, uint64_t emission)
{
	plait__inflight_entry *entry = find_last(ring, signal, sequence);

	if (entry->emission == 0)
		entry->emission = emission;
}

bool plait__inflight_ring_emits_behind(const plait__inflight_ring *ring,
				       const plait__object *signal,
				       uint64_t sequence, uint64_t emission)
{
	for (uint32_t i = ring->committed; i-- > 0;) {
		const plait__inflight_entry *entry = entry_at(ring, i);

		if (entry->sequence <= sequence)
			return false;
		if (entry->object == signal && entry->emission != 0 &&
		    entry->emission <= emission)
			return true;
	}
	return false;
}

void plait__inflight_ring_commit(plait__inflight_ring *ring)
{
	ring->committed = ring->count;
}

plait__object *plait__inflight_ring_cancel(plait__inflight_ring *ring)
{
	if (ring->count == ring->committed)
		return NULL;
	return entry_at(ring, --ring->count)->object;
}

plait__object *plait__inflight_ring_at(const plait__inflight_ring *ring,
				       uint32_t index)
{
	return index < ring->committed ? entry_at(ring, index)->object : NULL;
}

plait__object *plait__inflight_ring_pop(plait__inflight_ring *ring,
					uint64_t reached)
{
	plait__inflight_entry *entry;

	if (ring->committed == 0)
		return NULL;
	entry = entry_at(ring, 0);
	if (entry->sequence > reached)
		return NULL;
	ring->first = (ring->first + 1) & (ring->capacity - 1);
	ring->count--;
	ring->committed--;
	return entry->object;
}
