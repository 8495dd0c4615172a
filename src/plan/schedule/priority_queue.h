/* SPDX-License-Identifier: MIT */
/*
 * Priority queue of t numbers: smallest key first, then first in first out.
 * Consecutive pushes with equal keys share one heap entry, so that graphs with
 * few distinct costs pay no logarithm.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PRIORITY_QUEUE_H
#define PLAIT_SRC_PLAN_SCHEDULE_PRIORITY_QUEUE_H

#include "plan/schedule/workspace.h"

typedef struct plait__priority_queue_entry {
	uint64_t key;
	uint32_t order;		/* creation number: first in, first out */
	uint32_t first;		/* head of its list, linked through `next` */
} plait__priority_queue_entry;

typedef struct plait__priority_queue {
	plait__priority_queue_entry *entries;
	uint32_t count;		/* entries in use */
	uint32_t capacity;
	uint32_t pushed;
	uint32_t tail;		/* end of the list that was pushed to last, or
				 * none */
	uint64_t tail_key;
} plait__priority_queue;

/*
 * `next` links the queued nodes, by t; several queues may share it, since no
 * node is in two.  Returns PLAIT_OK or PLAIT_E_NOMEM.  *steps counts
 * comparisons.
 */
plait_status plait__priority_queue_push(plait__workspace *work,
					plait__priority_queue *queue,
					uint32_t *next, uint64_t key,
					uint32_t t, uint64_t *steps);

/* Remove and return the first node.  The queue must not be empty (count > 0);
 * entries[0].key is its key. */
uint32_t plait__priority_queue_pop(plait__priority_queue *queue,
				   const uint32_t *next, uint64_t *steps);

#endif
