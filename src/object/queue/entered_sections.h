/* SPDX-License-Identifier: MIT */
/*
 * External sections that were submitted to a queue and are not left, in order:
 * a thread that waits for the queue finds the work of the first one there.
 * Guarded by the queue's lock.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_ENTERED_SECTIONS_H
#define PLAIT_SRC_OBJECT_QUEUE_ENTERED_SECTIONS_H

#include "object/queue/external_section.h"
#include "object/wait/wait_loop.h"

/* Add a section as the last one of its queue, or the first. Caller holds the
 * lock. */
void plait__entered_sections_add(plait__section *section, bool first);
/* Remove a section, if it was added. Caller holds the lock. */
void plait__entered_sections_remove(plait__section *section);

/* Use the points that the work of the first section awaits: wait in a driver for
 * one, or poll them. PLAIT_PENDING if there are none. Caller does not hold the
 * lock. */
plait_status plait__entered_sections_enter_driver(plait__queue *queue,
						  plait__awaited_use *use);

#endif
