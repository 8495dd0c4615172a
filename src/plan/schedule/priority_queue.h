/* SPDX-License-Identifier: MIT */
/*
 * A priority queue of t numbers, smallest key first, then first come.  What is
 * pushed in a row with one key shares one entry of the heap, so that graphs
 * with few different costs pay no logarithm.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PRIORITY_QUEUE_H
#define PLAIT_SRC_PLAN_SCHEDULE_PRIORITY_QUEUE_H

#include "plan/schedule/workspace.h"

typedef struct plait__priority_queue_entry {
	uint64_t key;
	uint32_t order;		/* of making: first come, first served */
	uint32_t first;		/* of its list, linked through `next` */
} plait__priority_queue_entry;

typedef struct plait__priority_queue {
	plait__priority_queue_entry *entries;
	uint32_t count;		/* entries */
	uint32_t capacity;
	uint32_t pushed;
	uint32_t tail;		/* of the list pushed to last, or none */
	uint64_t tail_key;
} plait__priority_queue;

/*
 * `next` links what is in the heap, by t; several heaps may share it, since
 * nothing is in two.  0 or PLAIT_E_NOMEM.  *steps counts comparisons.
 */
plait_status plait__priority_queue_push(plait__workspace *arena, plait__priority_queue *heap,
					uint32_t *next, uint64_t key, uint32_t t,
					uint64_t *steps);

/* The heap must not be empty (count > 0); entries[0].key is the key. */
uint32_t plait__priority_queue_pop(plait__priority_queue *heap, const uint32_t *next,
				   uint64_t *steps);

#endif
