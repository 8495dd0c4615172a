/* SPDX-License-Identifier: MIT */
/* Batches in flight, and their callbacks; see flight.h. */
#include "flight.h"

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

/* --- the list of a queue -------------------------------------------------- */

/* Let the batch get a callback: settle adds it. */
static void announce(plait_backend *self, driven_batch *batch)
{
	if (batch->announced || !batch->in_flight)
		return;
	batch->announced = true;
	batch->next_completion = self->to_announce;
	self->to_announce = batch;
}

void plaitp_opencl_flight_add(driven_batch *batch, cl_event event)
{
	driven_queue *queue = batch->queue;
	plait_backend *self = backend_of(queue->self);

	/* The event of earlier works of this batch has completed. */
	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
	batch->event = event;
	batch->in_flight = true;
	batch->announced = false;
	batch->next_flight = NULL;
	if (queue->flight_head == NULL)
		queue->flight_head = batch;
	else
		queue->flight_last->next_flight = batch;
	queue->flight_last = batch;
	if (plaitp_driven_is_awaited(batch))
		announce(self, batch);
	if (queue->unsettled)
		return;
	queue->unsettled = true;
	queue->next_unsettled = self->unsettled;
	self->unsettled = queue;
}

void plaitp_opencl_flight_share(driven_queue *queue)
{
	if (queue->flight_head != NULL)
		announce(backend_of(queue->self), queue->flight_last);
}

/* --- ends ----------------------------------------------------------------- */

/* Returns true if the driver says that the commands of a quiet batch have ended. */
static bool has_ended(plait_backend *self, driven_batch *batch)
{
	cl_int state = CL_SUBMITTED;
	const cl_int code = self->cl.clGetEventInfo(
		batch->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state),
		&state, NULL);

	/* A driver that lost its device may not say: the queue's last end does. */
	if (code != CL_SUCCESS && !batch->queue->flight_last->in_flight)
		state = code;
	if (state > CL_COMPLETE)
		return false;
	batch->code = state < 0 ? state : 0;
	return true;
}

/* The batches of a queue end in their order.  An announced one waits for its
 * callback, which has the batch. */
static void collect_queue(plait_backend *self, driven_queue *queue)
{
	driven_batch *batch;

	while ((batch = queue->flight_head) != NULL) {
		if (batch->in_flight &&
		    (batch->announced || !has_ended(self, batch)))
			return;
		queue->flight_head = batch->next_flight;
		batch->in_flight = false;
		plaitp_driven_mark_dirty(&self->driven, queue);
	}
}

/* A callback came, or a thread polls.  The driver allows the query in callbacks. */
void plaitp_opencl_flight_collect(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	driven_queue *queue;

	if (!driven->has_ended)
		return;
	driven->has_ended = false;
	for (queue = driven->queues; queue != NULL; queue = queue->next_queue)
		collect_queue(self, queue);
}

void plaitp_opencl_flight_poll(struct driven *driven, driven_queue *behind)
{
	(void)behind;
	driven->has_ended = true;
}

/* --- callbacks ------------------------------------------------------------ */

/* Announce the batch of the queue that emits the point, if it is in flight. */
static void await_point(plait_backend *self, driven_queue *queue,
			const plait_backend_point *point)
{
	driven_batch *batch = queue->flight_head;

	while (batch != NULL && !plaitp_driven_emits(batch, point))
		batch = batch->next_flight;
	if (batch != NULL)
		announce(self, batch);
}

/* More threads sleep than there is room for points. */
static void await_all(plait_backend *self, driven_queue *queue)
{
	driven_batch *batch = queue->flight_head;

	for (; batch != NULL; batch = batch->next_flight)
		if (plaitp_driven_is_awaited(batch))
			announce(self, batch);
}

void plaitp_opencl_flight_await(struct driven *driven,
				const struct driven_sleepers *sleepers)
{
	plait_backend *self = backend_of(driven);
	driven_queue *queue;
	uint32_t i;

	for (queue = driven->queues; queue != NULL; queue = queue->next_queue)
		if (sleepers->count > DRIVEN_SLEEPERS)
			await_all(self, queue);
		else
			for (i = 0; i < sleepers->count; i++)
				await_point(self, queue, &sleepers->points[i]);
}

bool plaitp_opencl_flight_needs_driver(struct driven *driven)
{
	const plait_backend *self = backend_of(driven);

	return self->to_announce != NULL;
}

/* Runs on any thread, with any lock of the driver held. */
static void CL_CALLBACK on_complete(cl_event event, cl_int code, void *batch)
{
	(void)event;
	plaitp_driven_complete(batch, code < 0 ? code : 0);
}

/* Collected by the next look, which follows. */
static void end_batch(plait_backend *self, driven_batch *batch)
{
	batch->in_flight = false;
	plaitp_driven_mark_dirty(&self->driven, batch->queue);
	self->driven.has_ended = true;
}

/* The label of the last command in flight, or null. */
static const char *last_label(const driven_batch *batch)
{
	uint32_t i = batch->work_index;

	while (i > 0 && plaitp_driven_work_is_empty(&batch->works[i - 1]))
		i--;
	return i > 0 ? batch->works[i - 1].label : NULL;
}

/* Fail the queue and wait for the commands that the driver has accepted. */
static void fail_callback(plait_backend *self, driven_batch *batch, cl_int code)
{
	driven_queue *queue = batch->queue;
	plait_error failure = { .size = sizeof(failure) };

	plaitp_opencl_fail_work(self->services, &failure, "clSetEventCallback",
				code, last_label(batch), queue->label);
	plaitp_driven_fail_from(&self->driven, batch, &failure, "");
	self->cl.clFinish(queue->driver);
	/* The queue may have failed behind this batch only. */
	(void)has_ended(self, batch);
	end_batch(self, batch);
}

/* Commands that have ended well get none: the driver may call it behind later ones, on
 * the thread that runs those.  Behind a failed one the driver runs none. */
static void add_callback(plait_backend *self, driven_batch *batch)
{
	cl_int code;

	if (has_ended(self, batch) && batch->code == 0) {
		end_batch(self, batch);
		return;
	}
	code = self->cl.clSetEventCallback(batch->event, CL_COMPLETE,
					   on_complete, batch);
	if (code != CL_SUCCESS)
		fail_callback(self, batch, code);
}

void plaitp_opencl_flight_settle(struct driven *driven)
{
	plait_backend *self = backend_of(driven);
	driven_queue *queue;
	driven_batch *batch;

	while ((queue = self->unsettled) != NULL) {
		self->unsettled = queue->next_unsettled;
		queue->unsettled = false;
		if (queue->flight_head != NULL)
			announce(self, queue->flight_last);
	}
	while ((batch = self->to_announce) != NULL) {
		self->to_announce = batch->next_completion;
		add_callback(self, batch);
	}
}
