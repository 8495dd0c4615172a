/* SPDX-License-Identifier: MIT */
/* Priority queue of t numbers; see priority_queue.h. */
#include "plan/schedule/priority_queue.h"

#include <stdbool.h>

static bool is_before(const plait__priority_queue_entry *a,
		      const plait__priority_queue_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

plait_status plait__priority_queue_push(plait__workspace *work,
					plait__priority_queue *queue,
					uint32_t *next, uint64_t key,
					uint32_t t, uint64_t *steps)
{
	plait__priority_queue_entry entry = { key, queue->pushed, t };
	uint32_t i = queue->count;

	if (i > 0 && queue->tail != UINT32_MAX && queue->tail_key == key) {
		next[t] = UINT32_MAX;
		next[queue->tail] = t;
		queue->tail = t;
		return PLAIT_OK;
	}
	if (plait__workspace_reserve(work, (void **)&queue->entries,
				     &queue->capacity, i + 1ull,
				     sizeof(entry)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	next[t] = UINT32_MAX;
	queue->tail = t;
	queue->tail_key = key;
	queue->pushed++;
	queue->count++;
	while (i > 0 && is_before(&entry, &queue->entries[(i - 1) / 2])) {
		queue->entries[i] = queue->entries[(i - 1) / 2];
		i = (i - 1) / 2;
		*steps += 1;
	}
	queue->entries[i] = entry;
	return PLAIT_OK;
}

/* The queue is not empty. */
static void drop_top(plait__priority_queue *queue, uint64_t *steps)
{
	plait__priority_queue_entry last = queue->entries[--queue->count];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < queue->count) {
		if (child + 1 < queue->count &&
		    is_before(&queue->entries[child + 1],
			      &queue->entries[child]))
			child++;
		*steps += 1;
		if (!is_before(&queue->entries[child], &last))
			break;
		queue->entries[i] = queue->entries[child];
		i = child;
	}
	if (queue->count > 0)
		queue->entries[i] = last;
}

uint32_t plait__priority_queue_pop(plait__priority_queue *queue,
				   const uint32_t *next, uint64_t *steps)
{
	uint32_t t = queue->entries[0].first;

	queue->entries[0].first = next[t];
	if (queue->tail == t)
		queue->tail = UINT32_MAX;
	if (next[t] == UINT32_MAX)
		drop_top(queue, steps);
	return t;
}
