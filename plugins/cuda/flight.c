/* SPDX-License-Identifier: MIT */
/*
 * Commands in flight, and how their end is seen.  The device writes tickets into
 * a word of each queue (mark.c), and the next holder of the lock retires all that
 * the word covers: a thread that submits or polls, or the watcher.
 *
 * Threads that sleep need a callback.  It is slow, and the driver runs one after
 * the other with a lock held, so one of each queue, the pilot, is outstanding at a
 * time, as long as a thread sleeps for a batch in flight, or the backend itself
 * waits: a host function, or memory to free.
 *
 *     stream           commands  ticket  event   commands  ...
 *     callback_stream                      '--> wait  pilot
 *
 * A pilot that has run is armed again by a thread that may call the driver.
 * Devices that cannot write words are seen by the pilot alone: all commands
 * before it in the stream have ended.
 */
#include <stddef.h>

#include "flight.h"

enum {
	/* Batches that a pilot passes over, at most. */
	PASS_MOST = 16,
	/* Batches that are searched for one that is awaited. */
	SEARCH_MOST = 64,
	/* From the error that loses a device to the end of its commands, if
	 * the driver does not call back. */
	LOST_NS = 1000000000
};

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

static struct cuda_device *device_of(plait_backend *self,
				     const struct cuda_streams *streams)
{
	return &self->devices[streams->queue->device];
}

/* --- tickets -------------------------------------------------------------- */

static bool is_later(uint32_t ticket, uint32_t than)
{
	return ticket != than && ticket - than < UINT32_C(1) << 31;
}

bool plaitp_cuda_has_ended(const struct cuda_streams *streams, uint32_t ticket)
{
	return !is_later(ticket, streams->retired) ||
	       (streams->word != NULL &&
		!is_later(ticket, plaitp_driven_load(streams->word->host)));
}

static void want(struct cuda_streams *streams, uint32_t ticket)
{
	if (is_later(ticket, streams->wanted))
		streams->wanted = ticket;
}

void plaitp_cuda_want(struct cuda_streams *streams, const driven_batch *batch)
{
	const struct cuda_event *event = batch->event;

	if (plaitp_driven_is_awaited(batch))
		want(streams, event->ticket);
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
		(void)plaitp_cuda_take_pilot(streams, &ignored);
		streams->flight_tail = &streams->flight_head;
		streams->next_flying = self->flying;
		self->flying = streams;
	}
	*streams->flight_tail = batch;
	streams->flight_tail = &batch->next_completion;
	streams->flight_last = batch;
	streams->flight_count++;
	plaitp_cuda_want(streams, batch);
	plaitp_driven_watch(&self->driven);
}

/* The batches of other queues that the driver has waited for have ended, too:
 * their streams need no tickets for that. */
static void end_sources(plait_backend *self, const driven_batch *batch)
{
	uint32_t i;

	for (i = 0; i < batch->wait_count && batch->sources > 0; i++) {
		const driven_batch *source = batch->waits[i].source;
		const struct cuda_event *event;
		struct cuda_streams *streams;

		if (source == NULL || source->event == NULL)
			continue;
		event = source->event;
		streams = source->queue->driver;
		if (is_later(event->ticket, streams->reached)) {
			streams->reached = event->ticket;
			self->reached_more = true;
		}
	}
}

static void end_batch(struct cuda_streams *streams, int32_t code)
{
	driven_batch *batch = streams->flight_head;

	if (code == 0)
		end_sources(backend_of(streams->queue->self), batch);
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

/* Retire what the word, the pilot or another queue's end covers, without a call
 * of the driver. */
static void collect_queue(struct cuda_streams *streams)
{
	uint32_t ticket = streams->retired;
	CUresult code = CUDA_SUCCESS;
	bool arrived = plaitp_cuda_take_pilot(streams, &code);

	if (streams->word != NULL &&
	    is_later(plaitp_driven_load(streams->word->host), ticket))
		ticket = plaitp_driven_load(streams->word->host);
	if (arrived && code == CUDA_SUCCESS &&
	    is_later(streams->pilot.ticket, ticket))
		ticket = streams->pilot.ticket;
	if (is_later(streams->reached, ticket))
		ticket = streams->reached;
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

	do {
		self->reached_more = false;
		for (streams = self->flying; streams != NULL;
		     streams = streams->next_flying)
			collect_queue(streams);
	} while (self->reached_more);
	unlink_ended(self);
}

/* --- callbacks that are wanted; caller holds driven.lock ------------------- */

/* Threads sleep: want callbacks up to the last batch for which one does.  A
 * batch without commands ends behind those of an earlier one. */
static void await_queue(struct cuda_streams *streams)
{
	const driven_queue *queue = streams->queue;
	const driven_batch *batch = queue->head;
	const struct cuda_event *event = NULL, *last = NULL;
	uint32_t count = 0;

	for (; batch != queue->next && count < SEARCH_MOST; count++) {
		if (batch->event != NULL)
			event = batch->event;
		if (plaitp_driven_is_awaited(batch))
			last = event;
		batch = batch->next;
	}
	if (count == SEARCH_MOST) {
		want(streams, streams->issued);
	} else if (last != NULL) {
		want(streams, last->ticket);
		streams->exact |= last->ticket != streams->issued;
	}
}

void plaitp_cuda_await(struct driven *driven,
		       const struct driven_sleepers *sleepers)
{
	struct cuda_streams *streams;

	(void)sleepers;
	for (streams = backend_of(driven)->flying; streams != NULL;
	     streams = streams->next_flying)
		await_queue(streams);
}

void plaitp_cuda_poll(struct driven *driven, driven_queue *behind)
{
	struct cuda_streams *streams;

	for (streams = backend_of(driven)->flying; streams != NULL;
	     streams = streams->next_flying) {
		streams->mark_wanted = true;
		streams->idle_marks = 0;
		streams->exact |= streams->queue == behind;
	}
}

/* Commands that the driver does not have yet, or memory, wait for an end; so do
 * emissions of a failed queue, whose batches have no events. */
static void want_for_backend(plait_backend *self, struct cuda_streams *streams,
			     bool frees)
{
	if (frees || self->pilots_each || streams->queue->next != NULL ||
	    streams->queue->failed ||
	    plaitp_driven_load(&device_of(self, streams)->lost) != 0)
		want(streams, streams->issued);
}

static bool needs_ticket(plait_backend *self,
			 const struct cuda_streams *streams)
{
	return streams->mark_wanted && streams->marked != streams->issued &&
	       plaitp_cuda_has_words(self, streams);
}

/* Without words nothing else reports. */
static bool needs_pilot(plait_backend *self, struct cuda_streams *streams)
{
	return (is_later(streams->wanted, streams->retired) ||
		!plaitp_cuda_has_words(self, streams)) &&
	       !plaitp_cuda_has_pilot(streams);
}

/* --- calls of the driver; caller holds driven.lock, context is current ------ */

/* Returns the batch whose end a callback is to report: that for which a thread
 * sleeps, or one before it. */
static driven_batch *choose_batch(const struct cuda_streams *streams)
{
	driven_batch *batch = streams->flight_head;
	uint32_t pass = streams->flight_count / 2;

	if (pass > PASS_MOST)
		pass = PASS_MOST;
	while (pass-- > 1 && batch->ticket != streams->wanted)
		batch = batch->next_completion;
	return ((struct cuda_event *)batch->event)->recorded ?
	       batch : streams->flight_last;
}

/* Nothing comes behind the commands before they have ended: the callback need
 * not have a stream of its own. */
static struct cuda_call add_direct(plait_backend *self,
				   struct cuda_streams *streams)
{
	return plaitp_cuda_add_pilot(self, streams, streams->stream,
				     streams->flight_last->ticket);
}

static struct cuda_call add_beside(plait_backend *self,
				   struct cuda_streams *streams)
{
	driven_batch *batch = choose_batch(streams);
	const struct cuda_event *event = batch->event;
	struct cuda_call call = { "cuStreamWaitEvent", CUDA_SUCCESS };

	if (!plaitp_cuda_write_ticket(self, streams, &call) ||
	    !plaitp_cuda_mark_source(self, batch, &call))
		return call;
	call.name = "cuStreamWaitEvent";
	call.code = self->cu.cuStreamWaitEvent(streams->callback_stream,
					       event->event, 0);
	return call.code != CUDA_SUCCESS ? call :
	       plaitp_cuda_add_pilot(self, streams, streams->callback_stream,
				     batch->ticket);
}

static bool is_direct(plait_backend *self, const struct cuda_streams *streams)
{
	if (self->pilots_direct)
		return streams->wanted == streams->issued;
	return streams->queue->next != NULL && !streams->imported &&
	       !self->pilots_each;
}

static struct cuda_call add_pilot(plait_backend *self,
				  struct cuda_streams *streams)
{
	return is_direct(self, streams) ? add_direct(self, streams) :
					  add_beside(self, streams);
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

/* Arm the pilot, write the ticket that is wanted.  A failure fails the queue
 * and ends its batches. */
static void make_calls(plait_backend *self, struct cuda_streams *streams,
		       bool pilot)
{
	plait_error failure = { .size = sizeof(failure) };
	struct cuda_call call = { NULL, CUDA_SUCCESS };

	if (plaitp_cuda_enter(self, streams->queue->device, &failure) !=
	    PLAIT_OK) {
		plaitp_driven_fail_queue(&self->driven, streams->queue,
					 &failure, "");
		end_all(streams, CUDA_SUCCESS);
		return;
	}
	if (pilot)
		call = add_pilot(self, streams);
	if (call.code == CUDA_SUCCESS && streams->mark_wanted)
		(void)plaitp_cuda_write_ticket(self, streams, &call);
	if (call.code != CUDA_SUCCESS)
		fail_flight(self, streams, &call);
	plaitp_cuda_leave(self);
}

/* --- all queues; caller holds driven.lock --------------------------------- */

/* Returns true if the driver has had its time to call back. */
static bool is_overdue(plait_backend *self, const struct cuda_device *device)
{
	return plaitp_driven_load(&device->lost) != 0 &&
	       self->services->clock_ns(self->host) -
			       plaitp_driven_load64(&device->lost_ns) >=
		       LOST_NS;
}

static void abandon(plait_backend *self, struct cuda_streams *streams)
{
	plaitp_cuda_forget_pilot(streams);
	end_all(streams, (CUresult)plaitp_driven_load(
				 &device_of(self, streams)->lost));
}

static void settle_queue(plait_backend *self, struct cuda_streams *streams,
			 bool frees)
{
	bool pilot;

	if (is_overdue(self, device_of(self, streams))) {
		abandon(self, streams);
		return;
	}
	want_for_backend(self, streams, frees);
	pilot = needs_pilot(self, streams);
	if (pilot || needs_ticket(self, streams))
		make_calls(self, streams, pilot);
}

void plaitp_cuda_settle(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	bool frees = plaitp_cuda_has_unfreed(self);
	struct cuda_streams *streams;

	for (streams = self->flying; streams != NULL;
	     streams = streams->next_flying)
		settle_queue(self, streams, frees);
	unlink_ended(self);
	if (self->flying == NULL)
		plaitp_cuda_free_unfreed(self, NULL);
}

bool plaitp_cuda_needs_driver(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	bool frees = plaitp_cuda_has_unfreed(self), needs = false;
	struct cuda_streams *streams = self->flying;

	if (streams == NULL)
		return frees;
	for (; streams != NULL && !needs; streams = streams->next_flying) {
		want_for_backend(self, streams, frees);
		needs = needs_pilot(self, streams) ||
			needs_ticket(self, streams);
	}
	return needs;
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

/* Also see the end of commands that nothing awaits. */
bool plaitp_cuda_look(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	struct cuda_streams *streams;

	for (streams = self->flying; streams != NULL;
	     streams = streams->next_flying) {
		streams->mark_wanted = true;
		query(self, streams);
	}
	return self->flying != NULL;
}
