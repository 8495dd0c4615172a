/* SPDX-License-Identifier: MIT */
/*
 * The driver's calls of backends: submitting, being told, and what has to be
 * made good after a failure.  One thread at a time does this for an instance.
 */
#include "run/queue/queue_engine.h"

#include "base/error.h"
#include "object/context/backend_result.h"
#include "object/progress/notification.h"
#include "sys/clock.h"

#include <string.h>

/* How often what may fail for a moment is tried. */
enum { MAX_TRIES = 8 };

static plait__backend_port *port_of(const plait__queue_instance *state, uint32_t lane)
{
	return state->compiled->lanes[lane].device->port;
}

/* A device that is lost is lost for good. */
static plait_status note_loss(plait__queue_instance *state, uint32_t lane,
			      plait_status status, const plait_error *why)
{
	if (status == PLAIT_E_LOST) {
		state->queues[lane].lost = true;
		state->loss = *why;
	}
	return status;
}

/* ---- submitting ---- */

void plait__submit_number_waits(plait__queue_instance *state,
				const plait__queue_submission *submission)
{
	const plait__vector *waits = &state->compiled->waits;

	for (uint32_t w = 0; w < submission->wait_count; w++)
		state->waits[submission->wait_first + w].sequence =
			state->marks[plait__queue_program_at(
				waits, submission->wait_first + w)];
}

/* The sequences of this run. */
static void number_emissions(plait__queue_instance *state,
		   const plait__queue_batch *batch)
{
	const plait__queue_program *compiled = state->compiled;
	plait__lane_queue *queue = &state->queues[batch->lane];

	for (uint32_t i = 0; i < batch->submission_count; i++) {
		uint32_t at = batch->submission_first + i;
		const plait__queue_submission *submission =
			(const plait__queue_submission *)
				compiled->submissions.items + at;

		plait__submit_number_waits(state, submission);
		if (submission->mark == PLAIT__NONE)
			continue;
		state->emits[at].sequence = ++queue->emitted;
		state->marks[submission->mark] = queue->emitted;
	}
}

/* That the devices of a batch decide: what is in its segments. */
static uint32_t count_regions(const plait__queue_instance *state,
			      const plait__queue_batch *batch)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_submission *submissions =
		(const plait__queue_submission *)compiled->submissions.items +
		batch->submission_first;
	const plait__queue_segment *segments =
		(const plait__queue_segment *)compiled->segments.items;
	uint32_t count = 0;

	for (uint32_t i = 0; compiled->has_device_loops && i < batch->submission_count;
	     i++)
		if (submissions[i].segment != PLAIT__NONE &&
		    state->graphs[submissions[i].segment].raw != NULL)
			count += segments[submissions[i].segment].regions;
	return count;
}

plait_status plait__submit_batch(plait__queue_instance *state, uint32_t batch,
				 plait_error *error)
{
	const plait__queue_batch *at =
		(const plait__queue_batch *)state->compiled->batches.items +
		batch;
	plait__backend_port *port = port_of(state, at->lane);
	plait__lane_queue *queue = &state->queues[at->lane];
	uint64_t emitted = queue->emitted;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (queue->lost)
		return plait__error_copy(error, &state->loss);
	number_emissions(state, at);
	status = port->backend->table.queue_submit(
		port->backend->self, queue->raw,
		&state->submissions[at->submission_first], at->submission_count,
		&room);
	status = plait__backend_result_check(port, status, "queue_submit", &room, error);
	if (status == PLAIT_OK) {
		queue->unflushed = true;
		queue->accepted = true;
		state->instance->device_regions += count_regions(state, at);
	} else {
		queue->emitted = emitted;
	}
	return note_loss(state, at->lane, status, error);
}

plait_status plait__submit_parts(plait__queue_instance *state,
				 uint32_t lane,
				 const plait_submission *parts,
				 uint32_t count, uint32_t mark,
				 plait_backend_point *emit,
				 plait_error *error)
{
	plait__backend_port *port = port_of(state, lane);
	plait__lane_queue *queue = &state->queues[lane];
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (queue->lost)
		return plait__error_copy(error, &state->loss);
	*emit = (plait_backend_point){ queue->signal, queue->emitted + 1 };
	status = port->backend->table.queue_submit(port->backend->self,
						   queue->raw, parts, count,
						   &room);
	status = plait__backend_result_check(port, status, "queue_submit", &room, error);
	if (status == PLAIT_OK && mark != PLAIT__NONE)
		state->marks[mark] = ++queue->emitted;
	queue->unflushed = queue->unflushed || status == PLAIT_OK;
	queue->accepted = queue->accepted || status == PLAIT_OK;
	return note_loss(state, lane, status, error);
}

static void flush(plait__queue_instance *state, uint32_t lane)
{
	plait__backend_port *port = port_of(state, lane);
	plait__lane_queue *queue = &state->queues[lane];
	plait_error room = { .size = sizeof(room) };
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_OK;

	if (!queue->unflushed || queue->lost)
		return;
	if (port->backend->table.queue_flush != NULL)
		status = port->backend->table.queue_flush(port->backend->self,
							  queue->raw, &room);
	status = plait__backend_result_check(port, status, "queue_flush", &room, &why);
	queue->unflushed = status != PLAIT_OK;
	if (status == PLAIT_OK)
		plait__retry_reset(state, lane, PLAIT__RETRY_FLUSH);
	else if (note_loss(state, lane, status, &why) != PLAIT_E_LOST)
		(void)plait__retry_refused(state, lane, PLAIT__RETRY_FLUSH,
					   &why);
}

void plait__submit_flush(plait__queue_instance *state)
{
	for (uint32_t i = 0; i < state->compiled->program->plan->lanes_count;
	     i++)
		flush(state, i);
}

/* ---- being told ---- */

/* Upcall. */
static void on_completion(void *user_data, plait_status status)
{
	plait__queue_listener *listener = user_data;
	/* Or its decider, which is the same here. */
	const plait__queue_instance *state =
		(const plait__queue_instance *)(const void *)listener->note.whose;

	if (state->compiled->records)
		listener->completed_ns = plait__clock_now_ns();
	plait__progress_post(state->instance->program->context, &listener->note,
			     status);
}

static plait_backend_point point_of(const plait__queue_instance *state,
				    const plait__queue_listener *listener)
{
	return (plait_backend_point){ state->queues[listener->lane].signal,
				      state->marks[listener->mark] };
}

void plait__submit_subscribe(plait__queue_instance *state, uint32_t number_emissions)
{
	plait__queue_listener *listener = &state->listeners[number_emissions];
	const plait_backend_point point = point_of(state, listener);
	plait_error ignored = { .size = sizeof(ignored) };

	if (plait__notification_arm(port_of(state, listener->lane), &point, on_completion,
				    listener, &ignored) == PLAIT_OK)
		return;
	listener->polled = true;
	state->polled_count++;
}

bool plait__submit_poll(plait__queue_instance *state, uint32_t number_emissions,
			plait_status *out)
{
	const plait__queue_listener *listener = &state->listeners[number_emissions];
	plait__backend_port *port = port_of(state, listener->lane);
	const plait_backend_point point = point_of(state, listener);
	plait_error room = { .size = sizeof(room) };
	plait_error why = { .size = sizeof(why) };
	uint64_t reached = 0;

	*out = port->backend->table.signal_poll(port->backend->self, &point,
						&reached, &room);
	*out = plait__backend_result_check_poll(port, *out, &room, &why);
	if (state->compiled->records)
		state->listeners[number_emissions].completed_ns = plait__clock_now_ns();
	/* A call that failed by itself says nothing of the point, unless
	 * nothing will ever be said again. */
	if (*out == PLAIT_OK || *out == PLAIT_E_LOST ||
	    (*out != PLAIT_PENDING && reached >= point.sequence))
		return true;
	if (*out == PLAIT_PENDING)
		plait__retry_reset(state, listener->lane, PLAIT__RETRY_POINT);
	else
		(void)plait__retry_refused(state, listener->lane,
					   PLAIT__RETRY_POINT, &why);
	return false;
}

void plait__submit_explain(plait__queue_instance *state, uint32_t number_emissions,
			   plait_status status, plait_error *out)
{
	static const char not_run[] = "not run: ";
	const plait__queue_listener *listener = &state->listeners[number_emissions];
	plait__backend_port *port = port_of(state, listener->lane);
	const plait_backend_point point = point_of(state, listener);
	plait_error room = { .size = sizeof(room) };
	uint64_t reached;
	plait_status answer;

	answer = port->backend->table.signal_poll(port->backend->self, &point,
						&reached, &room);
	answer = plait__backend_result_check_poll(port, answer, &room, out);
	if (answer >= 0)
		answer = plait__fail(out, status, "device \"%.60s\" failed",
				   state->compiled->lanes[listener->lane]
					   .device->object.label);
	/* The run was, only its rest was not. */
	if (strncmp(out->text, not_run, sizeof(not_run) - 1) == 0)
		memmove(out->text, out->text + sizeof(not_run) - 1,
			sizeof(out->text) - (sizeof(not_run) - 1));
	(void)note_loss(state, listener->lane, answer, out);
}

/* ---- after a failure ---- */

static bool has_failed(const plait__queue_instance *state, uint32_t lane)
{
	plait__backend *backend = port_of(state, lane)->backend;
	const plait__lane_queue *queue = &state->queues[lane];
	const plait_backend_point point = { queue->signal, queue->emitted };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached;

	return backend->table.signal_poll(backend->self, &point, &reached,
					  &ignored) != PLAIT_OK;
}

static plait_status recover_queue(plait__queue_instance *state, uint32_t lane,
			 plait_error *error)
{
	plait__backend *backend = port_of(state, lane)->backend;
	const plait__lane_queue *queue = &state->queues[lane];
	plait_status status = PLAIT_E_BUSY;

	for (int i = 0; i < MAX_TRIES && status != PLAIT_OK &&
	     status != PLAIT_E_LOST; i++)
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

void plait__submit_recover(plait__queue_instance *state)
{
	uint32_t lanes = state->compiled->program->plan->lanes_count;

	for (uint32_t i = 0; i < lanes; i++) {
		plait_error why = { .size = sizeof(why) };
		plait_status status = PLAIT_OK;

		if (state->queues[i].lost || !has_failed(state, i))
			continue;
		status = recover_queue(state, i, &why);
		if (status != PLAIT_OK && status != PLAIT_E_LOST)
			status = plait__queue_instance_remake(state, i, &why);
		if (status == PLAIT_OK)
			continue;
		state->queues[i].lost = true;
		why.status = status;
		state->loss = why;
	}
}
