/* SPDX-License-Identifier: MIT */
/* Segments of a lane's commands; see command_ring.h. */
#include "pool/command_ring.h"

#include <stddef.h>

enum {
	FIRST_CAPACITY = 32,
	/* 160 KiB. Larger segments would not stay in a cache. */
	MAX_CAPACITY = 4096
};

static uint64_t segment_bytes(uint64_t capacity)
{
	return sizeof(struct plait__ring_segment) +
	       capacity * sizeof(struct plait__command);
}

static uint64_t room_in_tail(const struct plait__command_ring *ring)
{
	if (ring->tail.segment == NULL)
		return 0;
	return ring->tail.segment->capacity - ring->tail.index;
}

static uint64_t choose_capacity(const struct plait__command_ring *ring,
				uint64_t missing)
{
	uint64_t capacity = 2 * ring->last_capacity;

	if (capacity < FIRST_CAPACITY)
		capacity = FIRST_CAPACITY;
	while (capacity < missing && capacity < MAX_CAPACITY)
		capacity *= 2;
	return capacity < MAX_CAPACITY ? capacity : MAX_CAPACITY;
}

bool plait__command_ring_reserve(struct plait__command_ring *ring,
				 const plait_allocator *allocator,
				 uint64_t count)
{
	uint64_t room = room_in_tail(ring);
	struct plait__ring_segment *segment;
	uint64_t capacity;

	/* Segments added before memory ran out stay for the next
	 * reservation. */
	while (room + ring->spare_count < count) {
		capacity = choose_capacity(ring,
					   count - room - ring->spare_count);
		segment = plait__realloc(allocator, NULL, 0,
					 segment_bytes(capacity));
		if (segment == NULL)
			return false;
		segment->capacity = capacity;
		ring->last_capacity = capacity;
		plait__command_ring_recycle(ring, segment);
	}
	return true;
}

static void move_tail(struct plait__command_ring *ring)
{
	struct plait__ring_segment *segment = ring->spare;

	ring->spare = segment->next;
	ring->spare_count -= segment->capacity;
	segment->next = NULL;
	/* The running thread reads `next` once a command in the new segment
	 * is published. */
	if (ring->tail.segment != NULL)
		ring->tail.segment->next = segment;
	ring->tail.segment = segment;
	ring->tail.index = 0;
}

struct plait__command *plait__command_ring_take(
	struct plait__command_ring *ring, uint64_t count, uint64_t *out_count)
{
	struct plait__command *first;

	if (room_in_tail(ring) == 0)
		move_tail(ring);
	first = &ring->tail.segment->commands[ring->tail.index];
	*out_count = room_in_tail(ring) < count ? room_in_tail(ring) : count;
	ring->tail.index += *out_count;
	return first;
}

void plait__command_ring_rewind(struct plait__command_ring *ring,
				struct plait__command_ring_end *head)
{
	/* The ring is empty, so both ends are at one index of one segment. */
	ring->tail.index = 0;
	head->index = 0;
}

void plait__command_ring_recycle(struct plait__command_ring *ring,
				 struct plait__ring_segment *segment)
{
	segment->next = ring->spare;
	ring->spare = segment;
	ring->spare_count += segment->capacity;
}

static void free_chain(const plait_allocator *allocator,
		       struct plait__ring_segment *segment)
{
	struct plait__ring_segment *next;

	for (; segment != NULL; segment = next) {
		next = segment->next;
		plait__free(allocator, segment,
			    segment_bytes(segment->capacity));
	}
}

bool plait__command_ring_init(struct plait__command_ring *ring,
			      const plait_allocator *allocator,
			      struct plait__command_ring_end *head)
{
	if (!plait__command_ring_reserve(ring, allocator, FIRST_CAPACITY))
		return false;
	move_tail(ring);
	*head = ring->tail;
	return true;
}

void plait__command_ring_fini(struct plait__command_ring *ring,
			      const plait_allocator *allocator,
			      struct plait__ring_segment *head)
{
	free_chain(allocator, head);
	free_chain(allocator, ring->spare);
}
