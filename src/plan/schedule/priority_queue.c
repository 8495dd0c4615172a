/* SPDX-License-Identifier: MIT */
/* The planner's priority queues; see priority_queue.h. */
#include "plan/schedule/priority_queue.h"

#include <stdbool.h>

static bool is_before(const plait__priority_queue_entry *a, const plait__priority_queue_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

plait_status plait__priority_queue_push(plait__workspace *arena, plait__priority_queue *heap,
					uint32_t *next, uint64_t key, uint32_t t,
					uint64_t *steps)
{
	plait__priority_queue_entry entry = { key, heap->pushed, t };
	uint32_t i = heap->count;

	if (i > 0 && heap->tail != UINT32_MAX && heap->tail_key == key) {
		next[t] = UINT32_MAX;
		next[heap->tail] = t;
		heap->tail = t;
		return PLAIT_OK;
	}
	if (plait__workspace_reserve(arena, (void **)&heap->entries,
				 &heap->capacity, i + 1ull,
				 sizeof(entry)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	next[t] = UINT32_MAX;
	heap->tail = t;
	heap->tail_key = key;
	heap->pushed++;
	heap->count++;
	while (i > 0 && is_before(&entry, &heap->entries[(i - 1) / 2])) {
		heap->entries[i] = heap->entries[(i - 1) / 2];
		i = (i - 1) / 2;
		*steps += 1;
	}
	heap->entries[i] = entry;
	return PLAIT_OK;
}

static void drop_top(plait__priority_queue *heap, uint64_t *steps)
{
	plait__priority_queue_entry last = heap->entries[--heap->count];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    is_before(&heap->entries[child + 1],
			      &heap->entries[child]))
			child++;
		*steps += 1;
		if (!is_before(&heap->entries[child], &last))
			break;
		heap->entries[i] = heap->entries[child];
		i = child;
	}
	if (heap->count > 0)
		heap->entries[i] = last;
}

uint32_t plait__priority_queue_pop(plait__priority_queue *heap, const uint32_t *next,
				   uint64_t *steps)
{
	uint32_t t = heap->entries[0].first;

	heap->entries[0].first = next[t];
	if (heap->tail == t)
		heap->tail = UINT32_MAX;
	if (next[t] == UINT32_MAX)
		drop_top(heap, steps);
	return t;
}
