/* SPDX-License-Identifier: MIT */
/*
 * External sections that were submitted to a queue and are not left, in order:
 * a thread that waits for the queue finds the work of the first one there.
 * Guarded by the queue's lock.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_ENTERED_SECTIONS_H
#define PLAIT_SRC_OBJECT_QUEUE_ENTERED_SECTIONS_H

#include "object/queue/external_section.h"

/* Add a section as the last one of its queue, or the first. Caller holds the
 * lock. */
void plait__entered_sections_add(plait__section *section, bool first);
/* Remove a section, if it was added. Caller holds the lock. */
void plait__entered_sections_remove(plait__section *section);

/* Wait in a driver for the work of the first section: PLAIT_OK, or
 * PLAIT_PENDING if there is none. Caller does not hold the lock. */
plait_status plait__entered_sections_enter_driver(plait__queue *queue);

#endif
