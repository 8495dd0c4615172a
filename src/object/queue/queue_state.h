/* SPDX-License-Identifier: MIT */
/*
 * Progress of a queue: poll, flush, collection of holds of finished work. It
 * calls only inflight_ring in this folder.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_STATE_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_STATE_H

#include "object/queue/idle_section.h"
#include "object/queue/queue.h"

/* Poll `progress`. PLAIT_OK, PLAIT_PENDING or the queue's failure; `out_reached` and
 * `error` may be null. Needs no lock. */
plait_status plait__queue_poll(plait__queue *queue, uint64_t sequence,
			       uint64_t *out_reached, plait_error *error);

/* Returns true if the answer to a poll of the newest sequence is no failure of
 * the queue, whose point fails when it is raised: the backend refused the
 * poll, which proves nothing. */
static inline bool plait__queue_is_refusal(plait_status answer,
					   uint64_t reached, uint64_t submitted)
{
	return answer < 0 && answer != PLAIT_E_LOST && reached < submitted;
}

/* Returns true if none of the submitted work is in flight: all has completed or
 * failed, or the device is lost. A poll that the backend refuses proves
 * nothing. Caller holds queue->lock. */
bool plait__queue_poll_ended(plait__queue *queue, uint64_t *out_reached);

/* The slow path of the next one, which polls the queue. */
bool plait__queue_poll_clear(plait__queue *queue);

/* Returns true if all submitted work has completed without a failure. Caller
 * holds queue->lock. Fast path: `clear` says so, and nothing was submitted
 * since. */
static inline bool plait__queue_is_clear(plait__queue *queue)
{
	if (plait__idle_section_exists(queue))
		return false;
	return (queue->cannot_be_lost &&
		queue->clear == plait__queue_submitted(queue)) ||
	       plait__queue_poll_clear(queue);
}

/* Flush submitted work to the device; after a failure the queue is `unflushed`, and
 * listed for reclaim. `error` may be null. Caller holds queue->lock. */
plait_status plait__queue_flush(plait__queue *queue, plait_error *error);

enum {
	PLAIT__QUEUE_COLLECT = 32,
	/* Number in flight from which on a submission collects. */
	PLAIT__QUEUE_COLLECT_FROM = 64
};

/* Pop holds of finished work; returns how many. Abandons a draining queue if its
 * backend keeps refusing polls or flushes. Caller holds queue->lock, and drops the
 * holds without it. */
uint32_t plait__queue_collect(plait__queue *queue,
			      plait__object *out[PLAIT__QUEUE_COLLECT]);

/* Drop all holds of finished work, after another flush if the last one failed. Takes
 * queue->lock. */
void plait__queue_reclaim(plait__queue *queue);

/* Drop holds of finished work while many are in flight. Caller holds
 * queue->lock, which is released meanwhile. */
void plait__queue_collect_all(plait__queue *queue);

/* Take the lock, and first drop holds of finished work if many are in flight: a
 * queue that its user never finishes must not fill the memory. */
static inline void plait__queue_lock_and_collect(plait__queue *queue)
{
	plait__mutex_lock(&queue->lock);
	if (queue->inflight.committed >= PLAIT__QUEUE_COLLECT_FROM)
		plait__queue_collect_all(queue);
}

/* Add the queue to the context's reclaim list. Caller holds queue->lock. */
void plait__queue_list(plait__queue *queue);

/* Keep the first failure that an inbox's owner, or a run in a section, reports; no
 * command in front of it has failed. Takes queue->lock. */
void plait__queue_note_failure(plait__queue *queue,
			       const plait_error *failure);

#endif
