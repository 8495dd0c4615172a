/* SPDX-License-Identifier: MIT */
/*
 * Spans of work that the core runs outside of queues.  Each owner of spans is a
 * row of the host's process, beside the threads.
 */
#include <stdio.h>
#include <string.h>

#include "trace.h"

/* Returns the number of the owner, from 1; 0: the table is full. */
static uint32_t number_owner(trace *self, const char *name)
{
	uint32_t i = 0;

	pthread_mutex_lock(&self->lock);
	while (i < self->owner_count &&
	       strncmp(self->owners[i], name, TRACE_NAME - 1) != 0)
		i++;
	if (i == self->owner_count && i < TRACE_OWNERS)
		snprintf(self->owners[self->owner_count++], TRACE_NAME, "%s",
			 name);
	i = i < self->owner_count ? i + 1 : 0;
	pthread_mutex_unlock(&self->lock);
	return i;
}

void plaitp_trace_span(plait_backend *backend, const char *owner,
		       const char *label, const plait_work_times *times)
{
	trace *self = trace_of(backend);
	trace_event event = { .kind = TRACE_SPAN, .times = *times };

	if (times->start_ns < self->start_ns)
		return;
	event.start_ns -= self->start_ns;
	event.end_ns -= self->start_ns;
	event.subject = number_owner(self, owner);
	snprintf(event.label, sizeof(event.label), "%s", label);
	(void)plaitp_trace_record(self, &event);
	plaitp_forward_slots.host_span(backend, owner, label, times);
}
