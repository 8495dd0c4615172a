/* SPDX-License-Identifier: MIT */
/*
 * Passages that are lone: their queue had nothing when they came to it, so it
 * only notes the passage, and most are left before anything comes behind them.
 * All changes under the queue's lock:
 *
 *     enter:   lone = it
 *     leave:   is it still that? then lone = null, and no gate is raised
 *     submit:  is there one? then first a wait for its gate, in the same
 *              submission; once that is in, lone = null
 *
 * So either who leaves sees that something waits for the gate, or who submits
 * sees that nothing has to.  One that failed stays, for what is submitted next
 * must not run; so does the queue of one that the user has released.
 */
#include "object/passage.h"
#include "object/queue.h"

bool plait__passage_enter_lone(plait__passage *passage)
{
	plait__queue *queue = passage->queue;
	bool clear;

	plait__mutex_lock(&queue->lock);
	clear = plait__queue_is_clear(queue);
	if (clear)
		queue->lone = passage;
	plait__mutex_unlock(&queue->lock);
	passage->lone = clear;
	return clear;
}

/* The lock is held. */
static void keep_failed(plait__queue *queue)
{
	plait__object_hold(&queue->lone->object);
	queue->lone_failed = true;
}

bool plait__passage_leave_lone(plait__passage *passage, bool failed)
{
	plait__queue *queue = passage->queue;
	bool unseen;
	bool held;

	plait__mutex_lock(&queue->lock);
	unseen = queue->lone == passage;
	if (unseen && failed)
		keep_failed(queue);
	else if (unseen)
		queue->lone = NULL;
	held = queue->lone_holds;
	queue->lone_holds = false;
	plait__mutex_unlock(&queue->lock);
	/* Who leaves may be a thread that must not call slots. */
	if (held)
		plait__object_drop_later(&queue->object);
	return unseen && !failed;
}

void plait__queue_follow_lone(plait__queue *queue)
{
	plait__passage *passage = queue->lone;

	queue->lone = NULL;
	/* Not the last hold: the flight has one. */
	if (queue->lone_failed)
		plait__object_drop_later(&passage->object);
	queue->lone_failed = false;
}

void plait__queue_abandon_lone(plait__queue *queue)
{
	if (queue->lone == NULL || queue->lone_failed)
		return;
	queue->lone_holds = true;
	plait__object_hold(&queue->object);
}

void plait__queue_forget_lone(plait__queue *queue)
{
	if (queue->lone != NULL && queue->lone_failed)
		plait__object_drop(&queue->lone->object);
}
