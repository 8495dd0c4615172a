/* SPDX-License-Identifier: MIT */
/* In-flight ring of a queue; see inflight_ring.h. */
#include "object/queue/inflight_ring.h"

#include "base/alloc.h"

#include <stddef.h>

enum { FIRST_CAPACITY = 16 };

static plait__inflight_entry *entry_at(const plait__inflight_ring *flight,
				       uint32_t index)
{
	return &flight->entries[(flight->first + index) &
				(flight->capacity - 1)];
}

void plait__inflight_ring_fini(plait__inflight_ring *flight,
			       const plait_allocator *allocator)
{
	plait__free(allocator, flight->entries,
		    (uint64_t)flight->capacity * sizeof(*flight->entries));
}

static bool grow(plait__inflight_ring *flight, const plait_allocator *allocator)
{
	uint32_t capacity = flight->capacity == 0 ? FIRST_CAPACITY
						  : flight->capacity * 2;
	plait__inflight_entry *entries;
	uint32_t i;

	if (capacity < flight->capacity)
		return false;
	entries = plait__alloc_array(allocator, capacity, sizeof(*entries));
	if (entries == NULL)
		return false;
	for (i = 0; i < flight->count; i++)
		entries[i] = *entry_at(flight, i);
	plait__inflight_ring_fini(flight, allocator);
	flight->entries = entries;
	flight->capacity = capacity;
	flight->first = 0;
	return true;
}

bool plait__inflight_ring_push(plait__inflight_ring *flight,
			       const plait_allocator *allocator,
			       plait__object *object, uint64_t sequence)
{
	plait__inflight_entry *entry;

	if (flight->count == flight->capacity && !grow(flight, allocator))
		return false;
	entry = entry_at(flight, flight->count++);
	entry->object = object;
	entry->sequence = sequence;
	return true;
}

bool plait__inflight_ring_has_last(const plait__inflight_ring *flight,
				   const plait__object *object,
				   uint64_t sequence)
{
	uint32_t i;

	for (i = 1; i <= 2 && i <= flight->count - flight->committed; i++) {
		const plait__inflight_entry *entry =
			entry_at(flight, flight->count - i);

		if (entry->object == object && entry->sequence == sequence)
			return true;
	}
	return false;
}

void plait__inflight_ring_commit(plait__inflight_ring *flight)
{
	flight->committed = flight->count;
}

plait__object *plait__inflight_ring_cancel(plait__inflight_ring *flight)
{
	if (flight->count == flight->committed)
		return NULL;
	return entry_at(flight, --flight->count)->object;
}

plait__object *plait__inflight_ring_at(const plait__inflight_ring *flight,
				       uint32_t index)
{
	return index < flight->committed ? entry_at(flight, index)->object :
					   NULL;
}

plait__object *plait__inflight_ring_pop(plait__inflight_ring *flight,
					uint64_t reached)
{
	plait__inflight_entry *entry;

	if (flight->committed == 0)
		return NULL;
	entry = entry_at(flight, 0);
	if (entry->sequence > reached)
		return NULL;
	flight->first = (flight->first + 1) & (flight->capacity - 1);
	flight->count--;
	flight->committed--;
	return entry->object;
}
