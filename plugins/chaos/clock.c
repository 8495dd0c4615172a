/* SPDX-License-Identifier: MIT */
/*
 * Virtual clock: a binary heap of events.  An object reserves room in the heap
 * when it is created, so scheduling cannot fail.
 */
#include <string.h>

#include "chaos.h"

static bool before(const chaos_event *a, const chaos_event *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->order < b->order;
}

static void put(chaos *system, uint64_t index, chaos_event *event)
{
	system->heap[index] = event;
	event->place = index + 1;
}

static void sift_up(chaos *system, uint64_t index)
{
	chaos_event *event = system->heap[index];

	while (index > 0) {
		uint64_t parent = (index - 1) / 2;

		if (!before(event, system->heap[parent]))
			break;
		put(system, index, system->heap[parent]);
		index = parent;
	}
	put(system, index, event);
}

static void sift_down(chaos *system, uint64_t index)
{
	chaos_event *event = system->heap[index];

	for (;;) {
		uint64_t child = 2 * index + 1;

		if (child >= system->heap_count)
			break;
		if (child + 1 < system->heap_count &&
		    before(system->heap[child + 1], system->heap[child]))
			child++;
		if (!before(system->heap[child], event))
			break;
		put(system, index, system->heap[child]);
		index = child;
	}
	put(system, index, event);
}

/* Reserve room for one event, until unreserve.  PLAIT_E_NOMEM. */
plait_status plaitp_chaos_clock_reserve(chaos *system, plait_error *error)
{
	uint64_t capacity = system->heap_capacity;
	void *heap;

	if (system->heap_reserved < capacity) {
		system->heap_reserved++;
		return PLAIT_OK;
	}
	capacity = capacity ? 2 * capacity : 64;
	heap = system->services->resize(
		system->host, system->heap,
		system->heap_capacity * sizeof(*system->heap),
		capacity * sizeof(*system->heap));
	if (!heap)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for %llu events",
					 (unsigned long long)capacity);
	system->heap = heap;
	system->heap_capacity = capacity;
	system->heap_reserved++;
	return PLAIT_OK;
}

void plaitp_chaos_clock_unreserve(chaos *system)
{
	system->heap_reserved--;
}

/* The event has a reservation, and is not scheduled. */
void plaitp_chaos_clock_schedule(chaos *system, chaos_event *event,
				 uint64_t delay_ns)
{
	if (__builtin_add_overflow(system->now_ns, delay_ns, &event->time_ns))
		event->time_ns = UINT64_MAX - 1;
	/* Events of one nanosecond run in random order. */
	event->order = plaitp_chaos_random(system) << 20 |
		(system->order++ & 0xfffff);
	put(system, system->heap_count++, event);
	sift_up(system, system->heap_count - 1);
}

/* Unschedule the event, if it is scheduled. */
void plaitp_chaos_clock_cancel(chaos *system, chaos_event *event)
{
	uint64_t index = event->place - 1;
	chaos_event *last;

	if (event->place == 0)
		return;
	event->place = 0;
	last = system->heap[--system->heap_count];
	if (last == event)
		return;
	put(system, index, last);
	sift_down(system, index);
	sift_up(system, last->place - 1);
}

uint64_t plaitp_chaos_clock_next_ns(const chaos *system)
{
	return system->heap_count ? system->heap[0]->time_ns : UINT64_MAX;
}

/* The callback may release the lock, for a host function or a notification, and
 * take it again. */
void plaitp_chaos_clock_step(chaos *system)
{
	chaos_event *event = system->heap[0];

	plaitp_chaos_clock_cancel(system, event);
	if (event->time_ns > system->now_ns)
		system->now_ns = event->time_ns;
	event->callback(system, event->owner);
}
