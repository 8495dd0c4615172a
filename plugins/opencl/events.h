/* SPDX-License-Identifier: MIT */
/* Events for every command of a batch; see events.c. */
#ifndef PLAITP_OPENCL_EVENTS_H
#define PLAITP_OPENCL_EVENTS_H

#include "opencl.h"

struct opencl_events;

/* Allocate events for the works from work_index to `end` as batch->driver_data.
 * Drops those of earlier works of the batch.  Returns null if there is no
 * memory.  Caller holds driven.lock, as for all functions here. */
struct opencl_events *plaitp_opencl_events_begin(driven_batch *batch,
						 uint32_t end);
/* Read the times of works that ask for them, which have ended; null is
 * ignored. */
void plaitp_opencl_events_measure(plait_backend *self,
				  struct opencl_events *events);
/* Release the events; null is ignored. */
void plaitp_opencl_events_drop(plait_backend *self,
			       struct opencl_events *events);
/* Return the place for the event of the next command, of the work at
 * batch->work_index. */
cl_event *plaitp_opencl_events_next(struct opencl_events *events);
/* Add a callback to each event.  After an error some may have been added;
 * batch->in_flight is set only if there are any. */
cl_int plaitp_opencl_events_add_callbacks(struct opencl_events *events);
/* Return the label of the first command that failed, or null. */
const char *plaitp_opencl_events_label(const struct opencl_events *events);

#endif
