/* SPDX-License-Identifier: MIT */
/*
 * Passages that are lone: their queue had nothing when they came to it, so it
 * only notes the section, and most are left before anything comes behind them.
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
#include "object/queue/idle_section.h"

#include "object/queue/queue_state.h"

/* Somebody has seen it. */
enum { MARK = 1 };

static plait__section *section_of(void *lone)
{
	return (plait__section *)((uintptr_t)lone & ~(uintptr_t)MARK);
}

/* The lock is held; it is marked, or the caller's to leave. */
static plait__section *current(plait__queue *queue)
{
	return section_of(at_load_relaxed_ptr(&queue->idle_section));
}

static void forget(plait__queue *queue)
{
	/* Relaxed: who looks has the lock, or sees that it does not have what
	 * it looks for. */
	at_store_relaxed_ptr(&queue->idle_section, NULL);
}

plait__section *plait__idle_section_pin(plait__queue *queue)
{
	/* Acquire, as in the compare that fails: pairs with leave. */
	void *lone = at_load_acquire_ptr(&queue->idle_section);
	plait__section *section = section_of(lone);

	if (lone == NULL || lone != section)
		return section;
	return at_cas_ptr(&queue->idle_section, &lone, (char *)lone + MARK) ? section :
								      NULL;
}

bool plait__idle_section_enter(plait__section *section)
{
	plait__queue *queue = section->queue;
	bool clear;

	plait__mutex_lock(&queue->lock);
	clear = plait__queue_is_clear(queue);
	if (clear)
		/* Relaxed: who leaves is who came in, others have the lock. */
		at_store_relaxed_ptr(&queue->idle_section, section);
	plait__mutex_unlock(&queue->lock);
	section->was_idle = clear;
	return clear;
}

/* The lock is held. */
static void keep_failed(plait__queue *queue, plait__section *section)
{
	plait__object_hold(&section->object);
	queue->idle_section_failed = true;
}

static bool leave_locked(plait__section *section, bool failed)
{
	plait__queue *queue = section->queue;
	bool unseen;
	bool held;

	plait__mutex_lock(&queue->lock);
	unseen = current(queue) == section;
	if (unseen && failed)
		keep_failed(queue, section);
	else if (unseen)
		forget(queue);
	held = queue->idle_section_holds_queue;
	queue->idle_section_holds_queue = false;
	plait__mutex_unlock(&queue->lock);
	/* Who leaves may be a thread that must not call slots. */
	if (held)
		plait__object_drop_deferred(&queue->object);
	return unseen && !failed;
}

bool plait__idle_section_leave(plait__section *section, bool failed)
{
	void *unseen = section;

	/* Release: who finds nothing there sees what was done. */
	if (!failed && at_cas_ptr(&section->queue->idle_section, &unseen, NULL))
		return true;
	return leave_locked(section, failed);
}

void plait__idle_section_submitted(plait__queue *queue)
{
	plait__section *section = current(queue);

	forget(queue);
	/* Not the last hold: the flight has one. */
	if (queue->idle_section_failed)
		plait__object_drop_deferred(&section->object);
	queue->idle_section_failed = false;
}

void plait__idle_section_abandon(plait__queue *queue)
{
	if (plait__idle_section_pin(queue) == NULL || queue->idle_section_failed)
		return;
	queue->idle_section_holds_queue = true;
	plait__object_hold(&queue->object);
}

void plait__idle_section_drop(plait__queue *queue)
{
	if (queue->idle_section_failed)
		plait__object_drop(&current(queue)->object);
}
