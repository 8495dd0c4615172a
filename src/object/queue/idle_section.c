/* SPDX-License-Identifier: MIT */
/*
 * Passages that are lone: their queue had nothing when they came to it, so it
 * only notes the passage, and most are left before anything comes behind them.
 * Who leaves first tries without the lock; all else is done under it:
 *
 *     enter:   lone = it
 *     leave:   from it to null, and no gate is raised; or, as it is marked,
 *              the same under the lock, unless lone is null by now
 *     submit:  is there one? mark it; then first a wait for its gate, in the
 *              same submission; once that is in, lone = null
 *
 * So either who leaves sees that something waits for the gate, or who submits
 * sees that nothing has to.  One that failed stays, for what is submitted next
 * must not run; so does the queue of one that the user has released.
 */
#include "object/queue/external_section.h"
#include "object/queue/queue.h"

/* Somebody has seen it. */
enum { MARK = 1 };

static plait__passage *passage_of(void *lone)
{
	return (plait__passage *)((uintptr_t)lone & ~(uintptr_t)MARK);
}

/* The lock is held; it is marked, or the caller's to leave. */
static plait__passage *there(plait__queue *queue)
{
	return passage_of(at_load_relaxed_ptr(&queue->lone));
}

static void forget(plait__queue *queue)
{
	/* Relaxed: who looks has the lock, or sees that it does not have what
	 * it looks for. */
	at_store_relaxed_ptr(&queue->lone, NULL);
}

bool plait__queue_has_lone(plait__queue *queue)
{
	/* Acquire: pairs with leave. */
	return at_load_acquire_ptr(&queue->lone) != NULL;
}

plait__passage *plait__queue_see_lone(plait__queue *queue)
{
	/* Acquire, as in the compare that fails: pairs with leave. */
	void *lone = at_load_acquire_ptr(&queue->lone);
	plait__passage *passage = passage_of(lone);

	if (lone == NULL || lone != passage)
		return passage;
	return at_cas_ptr(&queue->lone, &lone, (char *)lone + MARK) ? passage :
								      NULL;
}

bool plait__passage_enter_lone(plait__passage *passage)
{
	plait__queue *queue = passage->queue;
	bool clear;

	plait__mutex_lock(&queue->lock);
	clear = plait__queue_is_clear(queue);
	if (clear)
		/* Relaxed: who leaves is who came in, others have the lock. */
		at_store_relaxed_ptr(&queue->lone, passage);
	plait__mutex_unlock(&queue->lock);
	passage->lone = clear;
	return clear;
}

/* The lock is held. */
static void keep_failed(plait__queue *queue, plait__passage *passage)
{
	plait__object_hold(&passage->object);
	queue->lone_failed = true;
}

static bool leave_locked(plait__passage *passage, bool failed)
{
	plait__queue *queue = passage->queue;
	bool unseen;
	bool held;

	plait__mutex_lock(&queue->lock);
	unseen = there(queue) == passage;
	if (unseen && failed)
		keep_failed(queue, passage);
	else if (unseen)
		forget(queue);
	held = queue->lone_holds;
	queue->lone_holds = false;
	plait__mutex_unlock(&queue->lock);
	/* Who leaves may be a thread that must not call slots. */
	if (held)
		plait__object_drop_later(&queue->object);
	return unseen && !failed;
}

bool plait__passage_leave_lone(plait__passage *passage, bool failed)
{
	void *unseen = passage;

	/* Release: who finds nothing there sees what was done. */
	if (!failed && at_cas_ptr(&passage->queue->lone, &unseen, NULL))
		return true;
	return leave_locked(passage, failed);
}

void plait__queue_follow_lone(plait__queue *queue)
{
	plait__passage *passage = there(queue);

	forget(queue);
	/* Not the last hold: the flight has one. */
	if (queue->lone_failed)
		plait__object_drop_later(&passage->object);
	queue->lone_failed = false;
}

void plait__queue_abandon_lone(plait__queue *queue)
{
	if (plait__queue_see_lone(queue) == NULL || queue->lone_failed)
		return;
	queue->lone_holds = true;
	plait__object_hold(&queue->object);
}

void plait__queue_forget_lone(plait__queue *queue)
{
	if (queue->lone_failed)
		plait__object_drop(&there(queue)->object);
}
