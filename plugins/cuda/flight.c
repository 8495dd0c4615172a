/* SPDX-License-Identifier: MIT */
/*
 * Commands in flight, and how their end is seen.  Behind the commands of each
 * batch the device writes the batch's ticket into a word of the queue in
 * pinned memory; the next holder of the lock retires all that the word covers.
 * One callback of each queue, the pilot, is outstanding at a time, because
 * callbacks are slow, and run one after the other:
 *
 *     stream           commands  ticket  event   commands  ticket  event ...
 *     callback_stream                      '--> wait  pilot
 *
 * A pilot that has run is armed again by a thread that may call the driver, at
 * one of the next batches.  Devices that cannot write words are seen by the
 * pilot alone: all commands before it in the stream have ended.
 *
 * A pilot is known to the driver by a number, so that a callback that comes
 * when its queue is gone finds nothing.
 */
#include <stddef.h>

#include "flight.h"

enum {
	/* Batches that a pilot passes over, at most. */
	PASS_MOST = 16,
	/* From the error that loses a device to the end of its commands, if
	 * the driver does not call back. */
	LOST_NS = 1000000000
};

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

static bool is_later(uint32_t ticket, uint32_t than)
{
	return ticket != than && ticket - than < UINT32_C(1) << 31;
}

/* --- pilots: all that are outstanding in this process --------------------- */

/* Guards the list, and the pilots that are in it or were.  Leaf lock, but for
 * the lock of completions. */
static pthread_mutex_t pilots_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cuda_streams *pilots;
static uintptr_t newest_pilot;

static void unlink_pilot(struct cuda_streams *streams)
{
	struct cuda_streams **link = &pilots;

	while (*link != NULL && *link != streams)
		link = &(*link)->pilot.next;
	if (*link != NULL)
		*link = streams->pilot.next;
}

static void *register_pilot(struct cuda_streams *streams, uint32_t ticket)
{
	uintptr_t number;

	pthread_mutex_lock(&pilots_lock);
	number = ++newest_pilot;
	streams->pilot = (struct cuda_pilot){ .next = pilots,
					      .number = number,
					      .ticket = ticket,
					      .outstanding = true };
	pilots = streams;
	pthread_mutex_unlock(&pilots_lock);
	return (void *)number;
}

void plaitp_cuda_forget_pilot(struct cuda_streams *streams)
{
	pthread_mutex_lock(&pilots_lock);
	unlink_pilot(streams);
	streams->pilot.outstanding = false;
	streams->pilot.arrived = false;
	pthread_mutex_unlock(&pilots_lock);
}

/* Returns true if a pilot has arrived since, with its result in *out. */
static bool take_pilot(struct cuda_streams *streams, CUresult *out)
{
	bool arrived;

	pthread_mutex_lock(&pilots_lock);
	arrived = streams->pilot.arrived;
	streams->pilot.arrived = false;
	*out = streams->pilot.code;
	pthread_mutex_unlock(&pilots_lock);
	return arrived;
}

static bool has_pilot(struct cuda_streams *streams)
{
	bool some;

	pthread_mutex_lock(&pilots_lock);
	some = streams->pilot.outstanding || streams->pilot.arrived;
	pthread_mutex_unlock(&pilots_lock);
	return some;
}

/* Runs on a thread of the driver. */
static void on_pilot(CUstream stream, CUresult code, void *number)
{
	struct driven *driven = NULL;
	struct cuda_streams *streams;

	(void)stream;
	pthread_mutex_lock(&pilots_lock);
	streams = pilots;
	while (streams != NULL && streams->pilot.number != (uintptr_t)number)
		streams = streams->pilot.next;
	if (streams != NULL) {
		unlink_pilot(streams);
		streams->pilot.outstanding = false;
		streams->pilot.arrived = true;
		streams->pilot.code = code;
		driven = streams->queue->self;
		plaitp_driven_begin_callback(driven);
	}
	pthread_mutex_unlock(&pilots_lock);
	if (driven != NULL)
		plaitp_driven_end_callback(driven);
}

/* --- batches in flight; caller holds driven.lock -------------------------- */

void plaitp_cuda_add_flight(plait_backend *self, struct cuda_streams *streams,
			    driven_batch *batch)
{
	batch->in_flight = true;
	batch->ticket = streams->issued;
	batch->next_completion = NULL;
	if (streams->flight_head == NULL) {
		CUresult ignored;

		/* A pilot whose batches had been seen before it came. */
		(void)take_pilot(streams, &ignored);
		streams->flight_tail = &streams->flight_head;
		streams->next_flying = self->flying;
		self->flying = streams;
	}
	*streams->flight_tail = batch;
	streams->flight_tail = &batch->next_completion;
	streams->flight_count++;
	plaitp_driven_watch(&self->driven);
}

static void end_batch(struct cuda_streams *streams, int32_t code)
{
	driven_batch *batch = streams->flight_head;

	streams->flight_head = batch->next_completion;
	streams->flight_count--;
	batch->code = code;
	batch->in_flight = false;
	plaitp_driven_mark_dirty(streams->queue->self, streams->queue);
}

static void end_all(struct cuda_streams *streams, CUresult code)
{
	while (streams->flight_head != NULL)
		end_batch(streams, (int32_t)code);
}

static void collect_queue(struct cuda_streams *streams)
{
	uint32_t ticket = streams->retired;
	CUresult code = CUDA_SUCCESS;
	bool arrived = take_pilot(streams, &code);

	if (streams->word != NULL &&
	    is_later(plaitp_driven_load(streams->word->host), ticket))
		ticket = plaitp_driven_load(streams->word->host);
	if (arrived && code == CUDA_SUCCESS &&
	    is_later(streams->pilot.ticket, ticket))
		ticket = streams->pilot.ticket;
	streams->retired = ticket;
	while (streams->flight_head != NULL &&
	       !is_later(streams->flight_head->ticket, ticket))
		end_batch(streams, 0);
	/* After an error no command of the device ends. */
	if (code != CUDA_SUCCESS && arrived)
		end_all(streams, code);
}

static void unlink_ended(plait_backend *self)
{
	struct cuda_streams **link = &self->flying, *streams;

	while ((streams = *link) != NULL) {
		if (streams->flight_head != NULL) {
			link = &streams->next_flying;
			continue;
		}
		*link = streams->next_flying;
	}
}

void plaitp_cuda_collect(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	struct cuda_streams *streams;

	for (streams = self->flying; streams != NULL;
	     streams = streams->next_flying)
		collect_queue(streams);
	unlink_ended(self);
}

/* --- calls of the driver; caller holds driven.lock ------------------------ */

static const driven_batch *choose_batch(const struct cuda_streams *streams)
{
	const driven_batch *batch = streams->flight_head;
	uint32_t pass = streams->flight_count / 2;

	if (pass > PASS_MOST)
		pass = PASS_MOST;
	while (pass-- > 1)
		batch = batch->next_completion;
	return batch;
}

/* Context is current. */
static struct cuda_call add_pilot(plait_backend *self,
				  struct cuda_streams *streams)
{
	const driven_batch *batch = choose_batch(streams);
	const struct cuda_event *event = batch->event;
	struct cuda_call call = { "cuStreamWaitEvent", CUDA_SUCCESS };

	call.code = self->cu.cuStreamWaitEvent(streams->callback_stream,
					       event->event, 0);
	if (call.code != CUDA_SUCCESS)
		return call;
	call.name = "cuStreamAddCallback";
	call.code = self->cu.cuStreamAddCallback(
		streams->callback_stream, on_pilot,
		register_pilot(streams, batch->ticket), 0);
	if (call.code != CUDA_SUCCESS)
		plaitp_cuda_forget_pilot(streams);
	return call;
}

/* Fail the queue, and wait for what the driver has accepted. */
static void fail_flight(plait_backend *self, struct cuda_streams *streams,
			const struct cuda_call *call)
{
	driven_queue *queue = streams->queue;
	plait_error failure = { .size = sizeof(failure) };
	CUresult code;

	plaitp_cuda_fail_call(self, queue->device, &failure, call->name,
			      call->code, queue->label);
	plaitp_driven_fail_queue(&self->driven, queue, &failure, "");
	code = self->cu.cuStreamSynchronize(streams->stream);
	end_all(streams, plaitp_cuda_is_sticky(code) ? code : CUDA_SUCCESS);
}

static void arm(plait_backend *self, struct cuda_streams *streams)
{
	plait_error failure = { .size = sizeof(failure) };
	struct cuda_call call;

	if (plaitp_cuda_enter(self, streams->queue->device, &failure) !=
	    PLAIT_OK) {
		plaitp_driven_fail_queue(&self->driven, streams->queue,
					 &failure, "");
		end_all(streams, CUDA_SUCCESS);
		return;
	}
	call = add_pilot(self, streams);
	if (call.code != CUDA_SUCCESS)
		fail_flight(self, streams, &call);
	plaitp_cuda_leave(self);
}

/* Returns true if the driver has had its time to call back. */
static bool is_overdue(plait_backend *self, const struct cuda_device *device)
{
	return plaitp_driven_load(&device->lost) != 0 &&
	       self->services->clock_ns(self->host) -
			       plaitp_driven_load64(&device->lost_ns) >=
		       LOST_NS;
}

static struct cuda_device *device_of(plait_backend *self,
				     const struct cuda_streams *streams)
{
	return &self->devices[streams->queue->device];
}

static void abandon(plait_backend *self, struct cuda_streams *streams)
{
	plaitp_cuda_forget_pilot(streams);
	end_all(streams, (CUresult)plaitp_driven_load(
				 &device_of(self, streams)->lost));
}

void plaitp_cuda_settle(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	struct cuda_streams *streams;

	for (streams = self->flying; streams != NULL;
	     streams = streams->next_flying) {
		if (is_overdue(self, device_of(self, streams)))
			abandon(self, streams);
		else if (!has_pilot(streams))
			arm(self, streams);
	}
	unlink_ended(self);
	if (self->flying == NULL)
		plaitp_cuda_free_unfreed(self, NULL);
}

bool plaitp_cuda_needs_driver(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	struct cuda_streams *streams = self->flying;

	if (streams == NULL)
		return plaitp_cuda_has_unfreed(self);
	while (streams != NULL && has_pilot(streams))
		streams = streams->next_flying;
	return streams != NULL;
}

/* --- streams that do not advance ------------------------------------------ */

/* A device is lost when a stream of it says so. */
static void query(plait_backend *self, const struct cuda_streams *streams)
{
	plait_error ignored = { .size = sizeof(ignored) };
	CUresult code;

	if (plaitp_cuda_enter(self, streams->queue->device, &ignored) !=
	    PLAIT_OK)
		return;
	code = self->cu.cuStreamQuery(streams->stream);
	plaitp_cuda_leave(self);
	if (plaitp_cuda_is_sticky(code))
		plaitp_cuda_lose(self, streams->queue->device, code);
}

bool plaitp_cuda_look(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	const struct cuda_streams *streams;

	for (streams = self->flying; streams != NULL;
	     streams = streams->next_flying)
		query(self, streams);
	return self->flying != NULL;
}
