/* SPDX-License-Identifier: MIT */
/*
 * Marks behind the batches of a stream: the ticket that the device writes into a
 * word of the queue in pinned memory, and the event for which other streams
 * wait.  Both calls cost as much as a small launch, so they are made when
 * something needs them, and then cover all that the stream has been given:
 *
 *     ticket   behind a batch that finds its queue idle, as long as threads poll,
 *              and behind each MARK_EVERY-th; else when a thread waits
 *     event    when another queue, or a callback, is to wait for the batch
 *
 * A need for a batch that is not the last of its stream, for which a mark comes
 * late, makes the stream exact: marks then follow each batch.
 *
 * Caller holds driven.lock; context is current, unless stated otherwise.
 */
#include "flight.h"

enum { MARK_EVERY = 16 };

/* --- events --------------------------------------------------------------- */

static struct cuda_event *new_event(plait_backend *self, uint32_t device,
				    struct cuda_call *call)
{
	struct cuda_event *event = self->services->resize(
		self->host, NULL, 0, sizeof(*event));

	call->name = "cuEventCreate";
	call->code = CUDA_ERROR_OUT_OF_MEMORY;
	if (event == NULL)
		return NULL;
	*event = (struct cuda_event){ .device = device };
	call->code = self->cu.cuEventCreate(&event->event,
					    CU_EVENT_DISABLE_TIMING);
	if (call->code == CUDA_SUCCESS)
		return event;
	self->services->resize(self->host, event, sizeof(*event), 0);
	return NULL;
}

static struct cuda_event *acquire_event(plait_backend *self, uint32_t device,
					uint32_t ticket,
					struct cuda_call *call)
{
	struct cuda_device *place = &self->devices[device];
	struct cuda_event *event = place->free_events;

	if (event != NULL)
		place->free_events = event->next;
	else
		event = new_event(self, device, call);
	if (event == NULL)
		return NULL;
	event->references = 1;
	event->recorded = false;
	event->ticket = ticket;
	return event;
}

/* Waits already enqueued refer to the recording at that time, so the event can
 * be recorded again. */
void plaitp_cuda_release_event(plait_backend *self, struct cuda_event *event)
{
	struct cuda_device *place;

	if (event == NULL || --event->references > 0)
		return;
	place = &self->devices[event->device];
	event->next = place->free_events;
	place->free_events = event;
}

static bool record(plait_backend *self, struct cuda_streams *streams,
		   struct cuda_event *event, struct cuda_call *call)
{
	if (event->recorded)
		return true;
	call->name = "cuEventRecord";
	call->code = self->cu.cuEventRecord(event->event, streams->stream);
	event->recorded = call->code == CUDA_SUCCESS;
	return event->recorded;
}

/* --- tickets -------------------------------------------------------------- */

bool plaitp_cuda_has_words(plait_backend *self,
			   const struct cuda_streams *streams)
{
	const struct cuda_device *device =
		&self->devices[streams->queue->device];

	return streams->word != NULL &&
	       plaitp_driven_load(&device->writes_words) != 0;
}

/* Callers that record an event for a callback write the newest ticket first: where
 * the event has happened the ticket is there.  An event for another queue may come
 * without one.  Without words callbacks are enough. */
bool plaitp_cuda_write_ticket(plait_backend *self,
			      struct cuda_streams *streams,
			      struct cuda_call *call)
{
	struct cuda_device *device = &self->devices[streams->queue->device];

	streams->mark_wanted = false;
	if (streams->marked == streams->issued ||
	    !plaitp_cuda_has_words(self, streams))
		return true;
	call->name = "cuStreamWriteValue32";
	call->code = self->cu.cuStreamWriteValue32(
		streams->stream, streams->word->address, streams->issued, 0);
	if (call->code == CUDA_ERROR_NOT_SUPPORTED) {
		plaitp_driven_store(&device->writes_words, 0);
		call->code = CUDA_SUCCESS;
		return true;
	}
	streams->marked = streams->issued;
	return call->code == CUDA_SUCCESS;
}

/* A thread is likely to poll for the only batch, but in queues of which only
 * other queues and threads that sleep wait. */
static bool is_idle(struct cuda_streams *streams)
{
	return streams->flight_head == NULL &&
	       streams->idle_marks++ < MARK_EVERY;
}

/* --- batches -------------------------------------------------------------- */

static bool is_exact(plait_backend *self, const struct cuda_streams *streams)
{
	return self->marks_each || streams->exact ||
	       !plaitp_cuda_has_words(self, streams);
}

bool plaitp_cuda_mark_batch(plait_backend *self, driven_batch *batch,
			    struct cuda_call *call)
{
	struct cuda_streams *streams = batch->queue->driver;
	struct cuda_event *event = acquire_event(self, batch->queue->device,
						 streams->issued + 1, call);

	if (event == NULL)
		return false;
	/* The event of earlier works of this batch has completed. */
	plaitp_cuda_release_event(self, batch->event);
	batch->event = event;
	streams->issued++;
	if ((is_exact(self, streams) || is_idle(streams) ||
	     streams->issued - streams->marked >= MARK_EVERY) &&
	    !plaitp_cuda_write_ticket(self, streams, call))
		return false;
	return !is_exact(self, streams) ||
	       record(self, streams, event, call);
}

/* The event may be that of an earlier batch, behind which this one has no
 * commands. */
bool plaitp_cuda_mark_source(plait_backend *self, driven_batch *batch,
			     struct cuda_call *call)
{
	struct cuda_streams *streams = batch->queue->driver;
	struct cuda_event *event = batch->event;

	if (event->recorded)
		return true;
	streams->exact |= event->ticket != streams->issued;
	return record(self, streams, event, call);
}
