/* SPDX-License-Identifier: MIT */
/*
 * Calls of backend queues and signals: submission, listeners, recovery after a
 * failure.  Only the driver makes them, so one thread at a time per instance.
 * The completion callback is the exception: it runs on any thread.
 */
#include "run/queue/submit_batch.h"

#include "base/error.h"
#include "object/context/backend_result.h"
#include "object/progress/notification.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <string.h>

enum {
	/* Attempts of a recovery call that fails. */
	MAX_TRIES = 8,
	/* Passes of a run in which listeners are polled before they are armed:
	 * two for each step of the backoff of the waiting thread (wait_loop.c),
	 * but for its last steps. */
	POLLED_PASSES = 200
};

static plait__backend_port *port_of(const plait__run_driver *driver,
				    uint32_t lane)
{
	return driver->compiled->lanes[lane].device->port;
}

/* A lost device stays lost.  Returns `status`. */
static plait_status note_loss(plait__run_driver *driver, uint32_t lane,
			      plait_status status, const plait_error *why)
{
	if (status == PLAIT_E_LOST) {
		driver->lanes[lane].lost = true;
		driver->loss = *why;
	}
	return status;
}

/* ---- submitting ---- */

void plait__submit_number_waits(plait__run_driver *driver,
				const plait__queue_submission *submission)
{
	const plait__vector *waits = &driver->compiled->waits;

	for (uint32_t w = 0; w < submission->wait_count; w++)
		driver->state.waits[submission->wait_first + w].sequence =
			driver->marks[plait__queue_program_at(
				waits, submission->wait_first + w)];
}

/* Set the sequences of a batch's waits and emissions.  Commands are packed so
 * that each emission is submitted before every wait for it (compile_batches.c):
 * the marks have their values. */
static void number_emissions(plait__run_driver *driver,
			     const plait__queue_batch *batch)
{
	const plait__queue_program *compiled = driver->compiled;
	plait__lane_progress *queue = &driver->lanes[batch->lane];

	for (uint32_t i = 0; i < batch->submission_count; i++) {
		uint32_t at = batch->submission_first + i;
		const plait__queue_submission *submission =
			(const plait__queue_submission *)
				compiled->submissions.items +
			at;

		plait__submit_number_waits(driver, submission);
		if (submission->mark == PLAIT__NONE)
			continue;
		driver->state.emits[at].sequence = ++queue->emitted;
		driver->marks[submission->mark] = queue->emitted;
	}
}

/* The batch was refused: no later wait may name an emission of it. */
static void retract_emissions(plait__run_driver *driver,
			      const plait__queue_batch *batch,
			      uint64_t emitted)
{
	const plait__queue_submission *submissions =
		(const plait__queue_submission *)
			driver->compiled->submissions.items +
		batch->submission_first;

	for (uint32_t i = 0; i < batch->submission_count; i++)
		if (submissions[i].mark != PLAIT__NONE)
			driver->marks[submissions[i].mark] = emitted;
	driver->lanes[batch->lane].emitted = emitted;
}

/* The number of regions that the device decides in a batch. */
static uint32_t count_regions(const plait__run_driver *driver,
			      const plait__queue_batch *batch)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__queue_submission *submissions =
		(const plait__queue_submission *)compiled->submissions.items +
		batch->submission_first;
	const plait__queue_segment *segments =
		(const plait__queue_segment *)compiled->segments.items;
	uint32_t count = 0;

	for (uint32_t i = 0;
	     compiled->has_device_loops && i < batch->submission_count; i++)
		if (submissions[i].segment != PLAIT__NONE &&
		    driver->state.graphs[submissions[i].segment].raw != NULL)
			count += segments[submissions[i].segment].regions;
	return count;
}

plait_status plait__submit_batch(plait__run_driver *driver, uint32_t batch,
				 plait_error *error)
{
	const plait__queue_batch *at =
		(const plait__queue_batch *)driver->compiled->batches.items +
		batch;
	plait__backend_port *port = port_of(driver, at->lane);
	plait__lane_progress *queue = &driver->lanes[at->lane];
	uint64_t emitted = queue->emitted;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (queue->lost)
		return plait__error_copy(error, &driver->loss);
	number_emissions(driver, at);
	status = port->backend->table.queue_submit(
		port->backend->self, driver->state.queues[at->lane].raw,
		&driver->state.submissions[at->submission_first],
		at->submission_count, &room);
	status = plait__backend_result_check(port, status, "queue_submit",
					     &room, error);
	if (status == PLAIT_OK) {
		queue->unflushed = true;
		queue->accepted = true;
		driver->instance->device_regions += count_regions(driver, at);
	} else {
		retract_emissions(driver, at, emitted);
	}
	return note_loss(driver, at->lane, status, error);
}

plait_status plait__submit_parts(plait__run_driver *driver, uint32_t lane,
				 const plait_submission *parts, uint32_t count,
				 uint32_t mark, plait_backend_point *emit,
				 plait_error *error)
{
	plait__backend_port *port = port_of(driver, lane);
	plait__lane_progress *queue = &driver->lanes[lane];
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (queue->lost)
		return plait__error_copy(error, &driver->loss);
	*emit = (plait_backend_point){ driver->state.queues[lane].signal,
				       queue->emitted + 1 };
	status = port->backend->table.queue_submit(
		port->backend->self, driver->state.queues[lane].raw, parts,
		count, &room);
	status = plait__backend_result_check(port, status, "queue_submit",
					     &room, error);
	if (status == PLAIT_OK && mark != PLAIT__NONE)
		driver->marks[mark] = ++queue->emitted;
	queue->unflushed = queue->unflushed || status == PLAIT_OK;
	queue->accepted = queue->accepted || status == PLAIT_OK;
	return note_loss(driver, lane, status, error);
}

/* Flush the queue of a lane, if it has unflushed submissions.  A refusal is
 * retried in the next pass of the driver (retry.h). */
static void flush(plait__run_driver *driver, uint32_t lane)
{
	plait__backend_port *port = port_of(driver, lane);
	plait__lane_progress *queue = &driver->lanes[lane];
	plait_error room = { .size = sizeof(room) };
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_OK;

	if (!queue->unflushed || queue->lost)
		return;
	if (port->backend->table.queue_flush != NULL)
		status = port->backend->table.queue_flush(
			port->backend->self, driver->state.queues[lane].raw,
			&room);
	status = plait__backend_result_check(port, status, "queue_flush", &room,
					     &why);
	queue->unflushed = status != PLAIT_OK;
	if (status == PLAIT_OK)
		plait__retry_reset(driver, lane, PLAIT__RETRY_FLUSH);
	else if (note_loss(driver, lane, status, &why) != PLAIT_E_LOST)
		(void)plait__retry_refused(driver, lane, PLAIT__RETRY_FLUSH,
					   &why);
}

void plait__submit_flush(plait__run_driver *driver)
{
	for (uint32_t i = 0; i < driver->compiled->program->plan->lanes_count;
	     i++)
		flush(driver, i);
}

/* ---- listeners ---- */

/* Notification callback (plait_notify_function), on any thread: post the note,
 * then touch nothing. */
static void on_completion(void *user_data, plait_status status)
{
	plait__queue_listener *listener = user_data;
	/* The listener's driver; of a fallback driver, the main one, whose
	 * instance and records are the same. */
	const plait__run_driver *driver =
		(const plait__run_driver *)(const void *)listener->note.whose;

	if (driver->compiled->records)
		listener->completed_ns = plait__clock_now_ns();
	plait__progress_post(driver->instance->program->context,
			     &listener->note, status);
}

static plait_backend_point point_of(const plait__run_driver *driver,
				    const plait__queue_listener *listener)
{
	return (plait_backend_point){
		driver->state.queues[listener->lane].signal, listener->sequence
	};
}

/* Returns true if the thread that called the run waits, drives it and has no
 * other duty, and the backend wants polls: until that thread is about to sleep it
 * sees completions sooner than a notification comes. */
static bool caller_polls(const plait__run_driver *driver, uint32_t lane)
{
	const plait__context *context = driver->instance->program->context;
	const plait__backend_port *port = port_of(driver, lane);

	return (port->all & PLAIT_CAP_POLLS) != 0 &&
	       at_load_relaxed_u32(&driver->instance->called) ==
		       PLAIT__CALLER_WAITS &&
	       plait__run_driver_is_caller_free(context) &&
	       (port->any &
		(PLAIT_CAP_NEEDS_PUMP | PLAIT_CAP_VIRTUAL_TIME)) == 0;
}

/* Returns false if the backend refused. */
static bool arm(const plait__run_driver *driver,
		plait__queue_listener *listener)
{
	const plait_backend_point point = point_of(driver, listener);
	plait_error ignored = { .size = sizeof(ignored) };

	return plait__notification_arm(port_of(driver, listener->lane), &point,
				       on_completion, listener,
				       &ignored) == PLAIT_OK;
}

void plait__submit_arm_polled(plait__run_driver *driver)
{
	uint32_t count = plait__queue_program_listener_count(driver->compiled);

	for (uint32_t i = 0; driver->polled_count > 0 && i < count; i++) {
		plait__queue_listener *listener = &driver->listeners[i];

		if (!listener->polled)
			continue;
		/* Armed, it may be notified and polled again in this call. */
		listener->polled = false;
		if (arm(driver, listener))
			driver->polled_count--;
		else
			listener->polled = true;
	}
}

void plait__submit_subscribe(plait__run_driver *driver, uint32_t number)
{
	plait__submit_subscribe_at(
		driver, number, driver->marks[driver->listeners[number].mark]);
}

void plait__submit_subscribe_at(plait__run_driver *driver, uint32_t number,
				uint64_t sequence)
{
	plait__queue_listener *listener = &driver->listeners[number];

	listener->sequence = sequence;
	listener->awaited = true;
	if (caller_polls(driver, listener->lane))
		driver->polls_left = POLLED_PASSES;
	else if (arm(driver, listener))
		return;
	listener->polled = true;
	driver->polled_count++;
}

bool plait__submit_poll(plait__run_driver *driver, uint32_t number,
			plait_status *out)
{
	const plait__queue_listener *listener = &driver->listeners[number];
	plait__backend_port *port = port_of(driver, listener->lane);
	const plait_backend_point point = point_of(driver, listener);
	plait_error room = { .size = sizeof(room) };
	plait_error why = { .size = sizeof(why) };
	uint64_t reached = 0;

	*out = port->backend->table.signal_poll(port->backend->self, &point,
						&reached, &room);
	*out = plait__backend_result_check_poll(port, *out, &room, &why);
	if (driver->compiled->records)
		driver->listeners[number].completed_ns = plait__clock_now_ns();
	/* A failed poll proves nothing about the point, unless the device is
	 * lost. */
	if (*out == PLAIT_OK || *out == PLAIT_E_LOST ||
	    (*out != PLAIT_PENDING && reached >= point.sequence))
		return true;
	if (*out == PLAIT_PENDING)
		plait__retry_reset(driver, listener->lane, PLAIT__RETRY_POINT);
	else
		(void)plait__retry_refused(driver, listener->lane,
					   PLAIT__RETRY_POINT, &why);
	return false;
}

void plait__submit_explain(plait__run_driver *driver, uint32_t number,
			   plait_status status, plait_error *out)
{
	static const char not_run[] = "not run: ";
	const plait__queue_listener *listener = &driver->listeners[number];
	plait__backend_port *port = port_of(driver, listener->lane);
	const plait_backend_point point = point_of(driver, listener);
	plait_error room = { .size = sizeof(room) };
	uint64_t reached;
	plait_status answer;

	answer = port->backend->table.signal_poll(port->backend->self, &point,
						  &reached, &room);
	answer = plait__backend_result_check_poll(port, answer, &room, out);
	if (answer >= 0)
		answer = plait__fail(out, status, "device \"%.60s\" failed",
				     driver->compiled->lanes[listener->lane]
					     .device->object.label);
	/* The run has failed, but commands of it did run. */
	if (strncmp(out->text, not_run, sizeof(not_run) - 1) == 0)
		memmove(out->text, out->text + sizeof(not_run) - 1,
			sizeof(out->text) - (sizeof(not_run) - 1));
	(void)note_loss(driver, listener->lane, answer, out);
}

/* ---- after a failure ---- */

/* Called when the run is complete: any answer but PLAIT_OK is a failure. */
static bool has_failed(const plait__run_driver *driver, uint32_t lane)
{
	plait__backend *backend = port_of(driver, lane)->backend;
	const plait_backend_point point = { driver->state.queues[lane].signal,
					    driver->lanes[lane].emitted };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached;

	return backend->table.signal_poll(backend->self, &point, &reached,
					  &ignored) != PLAIT_OK;
}

/* The run is complete: nothing is in flight on the queue. */
static plait_status recover_queue(plait__run_driver *driver, uint32_t lane,
				  plait_error *error)
{
	plait__backend *backend = port_of(driver, lane)->backend;
	const plait__lane_queue *queue = &driver->state.queues[lane];
	plait_status status = PLAIT_E_BUSY;

	for (int i = 0;
	     i < MAX_TRIES && status != PLAIT_OK && status != PLAIT_E_LOST; i++)
		status = backend->table.queue_recover(backend->self,
						      queue->raw, error);
	for (int i = 0; i < MAX_TRIES && status == PLAIT_OK; i++) {
		status = backend->table.signal_reset(backend->self,
						     queue->signal, error);
		if (status == PLAIT_OK)
			return PLAIT_OK;
		if (status != PLAIT_E_LOST && i + 1 < MAX_TRIES)
			status = PLAIT_OK;
	}
	return status;
}

/* Replace a queue that cannot recover; the run is complete.  The new signal
 * counts from 0.  Threads that use the old one return now, as nothing is in
 * flight. */
static plait_status remake_queue(plait__run_driver *driver, uint32_t lane,
				 plait_error *error)
{
	/* Acquire: pairs with the subtraction in wait_in_driver.c. */
	while (at_load_acquire_u32(&driver->entered) != 0)
		plait__thread_yield();
	driver->lanes[lane] = (plait__lane_progress){ .emitted = 0 };
	return plait__queue_instance_remake(&driver->state, lane, error);
}

void plait__submit_recover(plait__run_driver *driver)
{
	uint32_t lanes = driver->compiled->program->plan->lanes_count;

	for (uint32_t i = 0; i < lanes; i++) {
		plait_error why = { .size = sizeof(why) };
		plait_status status = PLAIT_OK;

		if (driver->lanes[i].lost || !has_failed(driver, i))
			continue;
		status = recover_queue(driver, i, &why);
		if (status != PLAIT_OK && status != PLAIT_E_LOST)
			status = remake_queue(driver, i, &why);
		if (status == PLAIT_OK)
			continue;
		driver->lanes[i].lost = true;
		why.status = status;
		driver->loss = why;
	}
}
