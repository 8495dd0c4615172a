/* SPDX-License-Identifier: MIT */
/*
 * A priority queue of t numbers, smallest key first, then first come.  What is
 * pushed in a row with one key shares one entry of the heap, so that graphs
 * with few different costs pay no logarithm.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PRIORITY_QUEUE_H
#define PLAIT_SRC_PLAN_SCHEDULE_PRIORITY_QUEUE_H

#include "plan/schedule/arena.h"

typedef struct plait__heap_entry {
	uint64_t key;
	uint32_t order;		/* of making: first come, first served */
	uint32_t first;		/* of its list, linked through `next` */
} plait__heap_entry;

typedef struct plait__heap {
	plait__heap_entry *entries;
	uint32_t count;		/* entries */
	uint32_t capacity;
	uint32_t made;
	uint32_t tail;		/* of the list pushed to last, or none */
	uint64_t tail_key;
} plait__heap;

/*
 * `next` links what is in the heap, by t; several heaps may share it, since
 * nothing is in two.  0 or PLAIT_E_NOMEM.  *steps counts comparisons.
 */
plait_status plait__heap_push(plait__work *work, plait__heap *heap,
			      uint32_t *next, uint64_t key, uint32_t t,
			      uint64_t *steps);

/* The heap must not be empty (count > 0); entries[0].key is the key. */
uint32_t plait__heap_pop(plait__heap *heap, const uint32_t *next,
			 uint64_t *steps);

#endif
