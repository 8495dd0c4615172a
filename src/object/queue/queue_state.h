/* SPDX-License-Identifier: MIT */
/*
 * State of a queue's work in flight: progress, flush, collection of what
 * finished work held.  Calls no other unit of queue/ but inflight_ring.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_STATE_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_STATE_H

#include "object/queue/queue.h"

/* Polls `progress`.  PLAIT_OK, PLAIT_PENDING or the queue's failure. */
plait_status plait__queue_poll(plait__queue *queue, uint64_t sequence,
			       uint64_t *out_reached, plait_error *error);

/* Returns true if all submitted work has completed without a failure.  Caller
 * holds queue->lock. */
bool plait__queue_is_clear(plait__queue *queue);

/* Start submitted work.  Caller holds queue->lock. */
plait_status plait__queue_flush(plait__queue *queue, plait_error *error);

enum {
	PLAIT__QUEUE_COLLECT = 32,
	/* Entries in flight from which on a submission collects. */
	PLAIT__QUEUE_COLLECT_FROM = 64
};

/* Take some objects that finished work held; returns how many.  Caller holds
 * queue->lock, and drops them without it. */
uint32_t plait__queue_collect(plait__queue *queue,
			      plait__object *out[PLAIT__QUEUE_COLLECT]);

/* Drop what finished work held. */
void plait__queue_reclaim(plait__queue *queue);

/* Drop it while much is in flight.  Caller holds queue->lock, which is given up
 * meanwhile. */
void plait__queue_collect_all(plait__queue *queue);

/* Take the lock, and first drop what finished work held if much is in flight:
 * the memory of a queue that its user never finishes stays bounded. */
static inline void plait__queue_lock_and_collect(plait__queue *queue)
{
	plait__mutex_lock(&queue->lock);
	if (queue->inflight.committed >= PLAIT__QUEUE_COLLECT_FROM)
		plait__queue_collect_all(queue);
}

/* Something is pending: have the context reclaim it.  Caller holds
 * queue->lock. */
void plait__queue_list(plait__queue *queue);

/* Keep the first failure that an owner of an inbox found; no command before it
 * has failed. */
void plait__queue_note_failure(plait__queue *queue,
			       const plait_error *failure);

#endif
