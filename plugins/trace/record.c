/* SPDX-License-Identifier: MIT */
/*
 * Buffer of events, allocated in chunks when the backend is wrapped; recording
 * allocates nothing.  Events beyond the limit are counted.
 */
#include <string.h>

#include "trace.h"

plait_status plaitp_trace_record_prepare(trace *self, plait_error *error)
{
	uint64_t count = (self->limit + TRACE_CHUNK - 1) / TRACE_CHUNK;
	uint64_t bytes = 1 + count * sizeof(*self->chunks);

	self->chunks = forward_resize(&self->base, NULL, 0, bytes);
	if (!self->chunks)
		goto no_memory;
	while (self->chunk_count < count) {
		trace_event *chunk = forward_resize(
			&self->base, NULL, 0, TRACE_CHUNK * sizeof(*chunk));

		if (!chunk)
			goto no_memory;
		self->chunks[self->chunk_count++] = chunk;
	}
	return PLAIT_OK;
no_memory:
	return self->base.services->fail(error, PLAIT_E_NOMEM, 0,
					 "trace: no memory for so many events; "
					 "set the option limit");
}

void plaitp_trace_record_free(trace *self)
{
	uint64_t count = (self->limit + TRACE_CHUNK - 1) / TRACE_CHUNK;

	while (self->chunk_count > 0)
		forward_resize(&self->base, self->chunks[--self->chunk_count],
			       TRACE_CHUNK * sizeof(trace_event), 0);
	if (self->chunks)
		forward_resize(&self->base, self->chunks, 1 +
			       count * sizeof(*self->chunks), 0);
}

uint64_t plaitp_trace_record_now(trace *self)
{
	return self->base.services->clock_ns(self->base.host) - self->start_ns;
}

/* Number threads by first use, from 1; beyond the table all are 0. */
static uint32_t thread_number(trace *self)
{
	pthread_t thread = pthread_self();

	for (uint32_t i = 0; i < self->thread_count; i++)
		if (pthread_equal(self->threads[i], thread))
			return i + 1;
	if (self->thread_count == TRACE_THREADS)
		return 0;
	self->threads[self->thread_count++] = thread;
	return self->thread_count;
}

trace_event *plaitp_trace_record(trace *self, const trace_event *event)
{
	trace_event *slot = NULL;

	pthread_mutex_lock(&self->lock);
	if (self->count < self->limit) {
		slot = &self->chunks[self->count / TRACE_CHUNK]
			[self->count % TRACE_CHUNK];
		*slot = *event;
		slot->thread = thread_number(self);
		self->count++;
	} else {
		self->dropped++;
	}
	pthread_mutex_unlock(&self->lock);
	return slot;
}
