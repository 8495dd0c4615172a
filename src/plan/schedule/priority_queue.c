/* SPDX-License-Identifier: MIT */
/* The planner's priority queues; see priority_queue.h. */
#include "plan/schedule/priority_queue.h"

#include <stdbool.h>

static bool is_before(const plait__heap_entry *a, const plait__heap_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

plait_status plait__heap_push(plait__work *work, plait__heap *heap,
			      uint32_t *next, uint64_t key, uint32_t t,
			      uint64_t *steps)
{
	plait__heap_entry entry = { key, heap->made, t };
	uint32_t i = heap->count;

	if (i > 0 && heap->tail != UINT32_MAX && heap->tail_key == key) {
		next[t] = UINT32_MAX;
		next[heap->tail] = t;
		heap->tail = t;
		return PLAIT_OK;
	}
	if (plait__work_reserve(work, (void **)&heap->entries,
				&heap->capacity, i + 1ull,
				sizeof(entry)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	next[t] = UINT32_MAX;
	heap->tail = t;
	heap->tail_key = key;
	heap->made++;
	heap->count++;
	while (i > 0 && is_before(&entry, &heap->entries[(i - 1) / 2])) {
		heap->entries[i] = heap->entries[(i - 1) / 2];
		i = (i - 1) / 2;
		*steps += 1;
	}
	heap->entries[i] = entry;
	return PLAIT_OK;
}

static void drop_top(plait__heap *heap, uint64_t *steps)
{
	plait__heap_entry last = heap->entries[--heap->count];
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

uint32_t plait__heap_pop(plait__heap *heap, const uint32_t *next,
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
