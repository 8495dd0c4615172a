/* SPDX-License-Identifier: MIT */
/* Fast path of external sections: a section entered while its queue is idle. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_IDLE_SECTION_H
#define PLAIT_SRC_OBJECT_QUEUE_IDLE_SECTION_H

#include "object/queue/external_section.h"
#include "object/queue/queue.h"

/* Returns true if the queue has an idle section.  Without the lock the section
 * may be left at any time; a caller that reads false sees all that was done in
 * it. */
static inline bool plait__idle_section_exists(plait__queue *queue)
{
	/* Acquire: pairs with leave. */
	return at_load_acquire_ptr(&queue->idle_section) != NULL;
}

/* The idle section, which stays until the lock is given up; or null.  Caller
 * holds queue->lock, as of the next two. */
plait__section *plait__idle_section_pin(plait__queue *queue);
/* A wait for the pinned section was submitted. */
void plait__idle_section_submitted(plait__queue *queue);
/* The queue has no user any more. */
void plait__idle_section_abandon(plait__queue *queue);
/* The queue ends. */
void plait__idle_section_drop(plait__queue *queue);

/* False: the queue has something, so the section has to be submitted. */
bool plait__idle_section_enter(plait__section *section);
/* True: nothing waits for its gate, nor is to fail; it is left. */
bool plait__idle_section_leave(plait__section *section, bool failed);

#endif
