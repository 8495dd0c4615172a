/* SPDX-License-Identifier: MIT */
/* Fast path of external sections: a section entered while its queue is idle. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_IDLE_SECTION_H
#define PLAIT_SRC_OBJECT_QUEUE_IDLE_SECTION_H

#include "object/queue/external_section.h"
#include "object/queue/queue.h"

/* Returns true if the queue has an idle section. Without the lock the section
 * may be left at any time; a caller that gets false sees all that was done in
 * it. */
static inline bool plait__idle_section_exists(plait__queue *queue)
{
	/* Acquire: pairs with leave. */
	return at_load_acquire_ptr(&queue->idle_section) != NULL;
}

/* Pin and return the idle section, which then stays until the lock is released;
 * or null, also if it is left meanwhile. Caller holds queue->lock, as for the next
 * two. */
plait__section *plait__idle_section_pin(plait__queue *queue);
/* A wait for the pinned section's gate was submitted. */
void plait__idle_section_submitted(plait__queue *queue);
/* The queue was released by its user: keep it until the section is left. */
void plait__idle_section_abandon(plait__queue *queue);
/* The queue is destroyed. */
void plait__idle_section_drop(plait__queue *queue);

/* Execute work of the idle section on the calling thread, which waits for the
 * queue, until the section is left, there is nothing to do now, or the time is
 * over. */
void plait__idle_section_help(plait__queue *queue, uint64_t deadline_ns);

/* Returns false if the queue is not idle, so that the section has to be
 * submitted. Takes queue->lock; sets section->was_idle. */
bool plait__idle_section_enter(plait__section *section);
/* Returns true if the section is left: no command waits for its gate, and it
 * has not failed. Otherwise the caller raises the gate. Takes queue->lock unless
 * it succeeds at once. */
bool plait__idle_section_leave(plait__section *section, bool failed);

#endif
