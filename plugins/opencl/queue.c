/* SPDX-License-Identifier: MIT */
/* Queues of the driver, their events and errors; the operations for driven. */
#include <stddef.h>

#include "events.h"
#include "flight.h"

/* Status of a command after one that failed.  Some drivers report
 * OPENCL_UNKNOWN for both. */
#define AFTER_FAILED CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

/* Make the driver's queue, or import the program's. */
static plait_status open_queue(struct driven *driven, driven_queue *queue,
			       const plait_queue_request *request,
			       plait_error *error)
{
	plait_backend *self = backend_of(driven);
	const struct opencl_device *device = &self->devices[queue->device];
	cl_command_queue check_call = NULL;
	cl_int code = CL_SUCCESS;
	plait_status status;

	if (request->native_kind != 0) {
		status = plaitp_opencl_import_queue(self, device, request,
						    &check_call, error);
		queue->driver = check_call;
		return status;
	}
	queue->driver = self->cl.clCreateCommandQueue(self->context,
						      device->id,
						      queue->timed ?
						      CL_QUEUE_PROFILING_ENABLE
						      : 0, &code);
	if (queue->driver != NULL)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error,
				       "clCreateCommandQueue", code,
				       queue->label);
}

static void close_queue(struct driven *driven, driven_queue *queue)
{
	if (queue->driver != NULL)
		backend_of(driven)->cl.clReleaseCommandQueue(queue->driver);
}

static void share_event(struct driven *driven, driven_batch *batch,
			const driven_batch *before)
{
	plait_backend *self = backend_of(driven);

	if (self->cl.clRetainEvent(before->event) == CL_SUCCESS)
		batch->event = before->event;
	plaitp_opencl_flight_share(batch->queue);
}

static void measure(struct driven *driven, driven_batch *batch)
{
	plaitp_opencl_events_measure(backend_of(driven), batch->driver_data);
}

static void drop(struct driven *driven, driven_batch *batch)
{
	plait_backend *self = backend_of(driven);

	plaitp_opencl_events_drop(self, batch->driver_data);
	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
}

static void *hold_event(struct driven *driven, const driven_batch *batch)
{
	plait_backend *self = backend_of(driven);
	cl_int state = CL_COMPLETE;

	if (self->cl.clGetEventInfo(batch->event,
				    CL_EVENT_COMMAND_EXECUTION_STATUS,
				    sizeof(state), &state,
				    NULL) != CL_SUCCESS ||
	    state <= CL_COMPLETE ||
	    self->cl.clRetainEvent(batch->event) != CL_SUCCESS)
		return NULL;
	return batch->event;
}

/* A failure arrives by the callback, too. */
static void await_event(struct driven *driven, void *held)
{
	plait_backend *self = backend_of(driven);
	cl_event event = held;

	(void)self->cl.clWaitForEvents(1, &event);
	self->cl.clReleaseEvent(event);
}

/* Returns the label of the last enqueued work, or null. */
static const char *label_of(const driven_batch *batch)
{
	return batch->work_index > 0 ?
	       batch->works[batch->work_index - 1].label : NULL;
}

static void flush(struct driven *driven, driven_queue *queue)
{
	plait_backend *self = backend_of(driven);
	plait_error failure = { .size = sizeof(failure) };
	cl_int code = self->cl.clFlush(queue->driver);

	if (code == CL_SUCCESS)
		return;
	plaitp_opencl_fail_work(self->services, &failure, "clFlush", code,
				queue->last_enqueued != NULL ?
				label_of(queue->last_enqueued) : NULL,
				queue->label);
	plaitp_driven_fail_queue(driven, queue, &failure, "");
	/* Without a flush the commands may never start. */
	self->cl.clFinish(queue->driver);
}

/* The failing command is known only if each has an event. */
static void describe(struct driven *driven, const driven_batch *batch,
		     plait_error *out)
{
	bool each = batch->driver_data != NULL;

	plaitp_opencl_fail_end(driven->services, out,
			       batch->code == OPENCL_UNKNOWN && !each ?
			       "a command, or one before it," :
			       batch->code == AFTER_FAILED ?
			       "a command after a failed one" :
			       "a command", batch->code,
			       each ?
			       plaitp_opencl_events_label(batch->driver_data) :
			       label_of(batch), batch->queue->label);
}

const struct driven_ops plaitp_opencl_ops = {
	.name = "opencl",
	.segments = true,
	.repeats = true,
	.open_queue = open_queue,
	.close_queue = close_queue,
	.enqueue = plaitp_opencl_enqueue,
	.share_event = share_event,
	.drop = drop,
	.measure = measure,
	.flush = flush,
	.hold_event = hold_event,
	.await_event = await_event,
	.describe = describe,
	.collect = plaitp_opencl_flight_collect,
	.needs_driver = plaitp_opencl_flight_needs_driver,
	.settle = plaitp_opencl_flight_settle,
	.await = plaitp_opencl_flight_await,
	.poll = plaitp_opencl_flight_poll,
};
