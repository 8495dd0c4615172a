/* SPDX-License-Identifier: MIT */
/*
 * From works to commands of the driver.  A stretch of works is enqueued one
 * by one: the first waits for the events of other queues, the last has the
 * event that says when all are done.  With events=all each has one (watch.c).
 */
#include <string.h>

#include "watch.h"

/* What a command ends with because of one in front of it; some drivers say
 * OPENCL_UNKNOWN of both. */
#define FOLLOWED CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

/* What a stretch needs while it is enqueued. */
struct stretch {
	plait_backend *self;
	driven_batch *batch;
	cl_command_queue driver;
	cl_event *events;   /* of its sources */
	cl_uint wait_count; /* left, for the next command */
	bool begun;	    /* the driver has some of it */
	struct opencl_watch *watch; /* of all of them, or null */
	bool is_last;	    /* nothing comes behind this work */
	cl_event event;	    /* of the last command, where there is no watch */
	const char *name;   /* of the function called last */
	const char *label;  /* of the work that it was for, or null */
};

/* --- one command ---------------------------------------------------------- */

static const cl_event *waits_of(const struct stretch *stretch)
{
	return stretch->wait_count != 0 ? stretch->events : NULL;
}

/* Where the event of the next command goes, if it is to have one; `whole`: no
 * more of this work comes behind it. */
static cl_event *event_of(struct stretch *stretch, bool whole)
{
	if (stretch->watch != NULL)
		return plaitp_opencl_watch_next(stretch->watch);
	return stretch->is_last && whole ? &stretch->event : NULL;
}

/* `code` is what enqueuing gave. */
static cl_int taken(struct stretch *stretch, const char *name, cl_int code)
{
	stretch->name = name;
	if (code != CL_SUCCESS)
		return code;
	stretch->begun = true;
	stretch->wait_count = 0;
	return code;
}

static cl_int fill_piece(struct stretch *stretch, const plait_work *work,
			 const unsigned char *pattern, size_t width,
			 uint64_t at, uint64_t bytes)
{
	return taken(stretch, "clEnqueueFillBuffer",
		     stretch->self->cl.clEnqueueFillBuffer(
			     stretch->driver, work->target->memory, pattern,
			     width, work->target_offset + at, bytes,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, at + bytes == work->bytes)));
}

/*
 * The driver takes only patterns that are whole, at offsets that are multiples
 * of them; what is around that is filled byte by byte.
 */
static cl_int fill(struct stretch *stretch, const plait_work *work)
{
	size_t width = work->pattern_bytes;
	unsigned char pattern[8], shifted[8];
	cl_int code = CL_SUCCESS;
	uint64_t at = 0;

	memcpy(pattern, &work->pattern, sizeof(pattern));
	while (at < work->bytes && code == CL_SUCCESS) {
		uint64_t left = work->bytes - at, bytes = 1;
		bool whole = (work->target_offset + at) % width == 0 &&
			     left >= width;

		if (whole)
			bytes = left / width * width;
		plaitp_driven_rotate_pattern(shifted, pattern, width, at % width);
		code = fill_piece(stretch, work, shifted, whole ? width : 1,
				  at, bytes);
		at += bytes;
	}
	return code;
}

static cl_int copy(struct stretch *stretch, const plait_work *work)
{
	return taken(stretch, "clEnqueueCopyBuffer",
		     stretch->self->cl.clEnqueueCopyBuffer(
			     stretch->driver, work->source->memory,
			     work->target->memory, work->source_offset,
			     work->target_offset, work->bytes,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

static cl_int read_back(struct stretch *stretch, const plait_work *work)
{
	return taken(stretch, "clEnqueueReadBuffer",
		     stretch->self->cl.clEnqueueReadBuffer(
			     stretch->driver, work->source->memory, CL_FALSE,
			     work->source_offset, work->bytes, work->host,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

static cl_int write_out(struct stretch *stretch, const plait_work *work)
{
	return taken(stretch, "clEnqueueWriteBuffer",
		     stretch->self->cl.clEnqueueWriteBuffer(
			     stretch->driver, work->target->memory, CL_FALSE,
			     work->target_offset, work->bytes, work->host,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

/* --- rows ----------------------------------------------------------------- */

static const size_t origin[3];

static cl_int copy_row(struct stretch *stretch, const plait_work *work,
		       uint64_t slice, uint64_t row)
{
	const plait_work_rows *rows = work->rows;

	return taken(stretch, "clEnqueueCopyBuffer",
		     stretch->self->cl.clEnqueueCopyBuffer(
			     stretch->driver, work->source->memory,
			     work->target->memory,
			     work->source_offset + slice * rows->source_slice +
				     row * rows->source_row,
			     work->target_offset + slice * rows->target_slice +
				     row * rows->target_row,
			     work->bytes, stretch->wait_count,
			     waits_of(stretch),
			     event_of(stretch, slice + 1 == rows->slices &&
						       row + 1 == rows->rows)));
}

/* In one memory the driver has rules of its own for what overlaps. */
static cl_int copy_each_row(struct stretch *stretch, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	cl_int code = CL_SUCCESS;
	uint64_t i, k;

	for (i = 0; i < rows->slices; i++)
		for (k = 0; k < rows->rows && code == CL_SUCCESS; k++)
			code = copy_row(stretch, work, i, k);
	return code;
}

static cl_int copy_rows(struct stretch *stretch, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const size_t from[3] = { work->source_offset }, to[3] = {
		work->target_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };

	if (work->source->memory == work->target->memory)
		return copy_each_row(stretch, work);
	return taken(stretch, "clEnqueueCopyBufferRect",
		     stretch->self->cl.clEnqueueCopyBufferRect(
			     stretch->driver, work->source->memory,
			     work->target->memory, from, to, region,
			     rows->source_row, rows->source_slice,
			     rows->target_row, rows->target_slice,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

static cl_int read_rows(struct stretch *stretch, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const size_t from[3] = { work->source_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };

	return taken(stretch, "clEnqueueReadBufferRect",
		     stretch->self->cl.clEnqueueReadBufferRect(
			     stretch->driver, work->source->memory, CL_FALSE,
			     from, origin, region, rows->source_row,
			     rows->source_slice, rows->target_row,
			     rows->target_slice, work->host,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

static cl_int write_rows(struct stretch *stretch, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const size_t to[3] = { work->target_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };

	return taken(stretch, "clEnqueueWriteBufferRect",
		     stretch->self->cl.clEnqueueWriteBufferRect(
			     stretch->driver, work->target->memory, CL_FALSE,
			     to, origin, region, rows->target_row,
			     rows->target_slice, rows->source_row,
			     rows->source_slice, work->host,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

/* --- all ------------------------------------------------------------------ */

static cl_int launch(struct stretch *stretch, const plait_work *work)
{
	const plait_backend_launch *launch = work->launch;

	return taken(stretch, "clEnqueueNDRangeKernel",
		     stretch->self->cl.clEnqueueNDRangeKernel(
			     stretch->driver, launch->kernel,
			     launch->dimensions, NULL, launch->items,
			     launch->grouped ? launch->group : NULL,
			     stretch->wait_count, waits_of(stretch),
			     event_of(stretch, true)));
}

static cl_int mark(struct stretch *stretch)
{
	return taken(stretch, "clEnqueueMarkerWithWaitList",
		     stretch->self->cl.clEnqueueMarkerWithWaitList(
			     stretch->driver, stretch->wait_count,
			     waits_of(stretch), event_of(stretch, true)));
}

static cl_int enqueue_rows(struct stretch *stretch, const plait_work *work)
{
	switch (work->kind) {
	case PLAIT_WORK_COPY:
		return copy_rows(stretch, work);
	case PLAIT_WORK_READ:
		return read_rows(stretch, work);
	default:
		return write_rows(stretch, work);
	}
}

static cl_int enqueue(struct stretch *stretch, const plait_work *work)
{
	if (work->rows != NULL)
		return enqueue_rows(stretch, work);
	switch (work->kind) {
	case PLAIT_WORK_COPY:
		return copy(stretch, work);
	case PLAIT_WORK_FILL:
		return fill(stretch, work);
	case PLAIT_WORK_READ:
		return read_back(stretch, work);
	case PLAIT_WORK_LAUNCH:
		return launch(stretch, work);
	default:
		return write_out(stretch, work);
	}
}

/* --- a stretch ------------------------------------------------------------ */

static cl_uint list_events(driven_batch *batch)
{
	cl_event *events = batch->events;
	cl_uint count = 0;
	uint32_t i;

	for (i = 0; i < batch->wait_count && batch->sources > 0; i++)
		if (batch->waits[i].source != NULL)
			events[count++] = batch->waits[i].source->event;
	return count;
}

static cl_int enqueue_all(struct stretch *stretch, uint32_t end, uint32_t last)
{
	driven_batch *batch = stretch->batch;
	cl_int code = CL_SUCCESS;

	for (; batch->work_index < end && code == CL_SUCCESS;
	     batch->work_index++) {
		const plait_work *work = &batch->works[batch->work_index];

		stretch->label = work->label;
		stretch->is_last = batch->work_index == last;
		if (!plaitp_driven_work_is_empty(work))
			code = enqueue(stretch, work);
	}
	stretch->is_last = true;
	/* Nothing to run, but something that others may have to wait for. */
	if (last == UINT32_MAX && stretch->wait_count > 0 &&
	    end == batch->work_count)
		code = mark(stretch);
	return code;
}

/* The queue fails; what the driver has of the stretch is waited for. */
static void give_up(struct stretch *stretch, cl_int code)
{
	plait_backend *self = stretch->self;
	driven_queue *queue = stretch->batch->queue;
	plait_error failure = { .size = sizeof(failure) };

	plaitp_opencl_fail_work(self->services, &failure, stretch->name, code,
				stretch->label, queue->label);
	plaitp_driven_fail_queue(&self->driven, queue, &failure, "");
	if (stretch->begun)
		self->cl.clFinish(stretch->driver);
}

/* On any thread, with any of the driver's locks held. */
static void CL_CALLBACK on_complete(cl_event event, cl_int code, void *batch)
{
	(void)event;
	plaitp_driven_complete(batch, code < 0 ? code : 0);
}

/* Be told when the last command is over. */
static void watch(struct stretch *stretch)
{
	plait_backend *self = stretch->self;
	driven_batch *batch = stretch->batch;
	cl_int code;

	/* That of an earlier stretch is over. */
	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
	batch->event = stretch->event;
	batch->flying = true;
	stretch->name = "clSetEventCallback";
	code = self->cl.clSetEventCallback(batch->event, CL_COMPLETE,
					   on_complete, batch);
	if (code == CL_SUCCESS)
		return;
	batch->flying = false;
	give_up(stretch, code);
}

static void watch_all(struct stretch *stretch)
{
	cl_int code = plaitp_opencl_watch_all(stretch->watch);

	stretch->name = "clSetEventCallback";
	if (code != CL_SUCCESS)
		give_up(stretch, code);
}

/* False: there is no memory for it, and the queue has failed. */
static bool begin_watch(struct stretch *stretch, uint32_t end)
{
	plait_backend *self = stretch->self;
	plait_error failure = { .size = sizeof(failure) };

	if (!self->each_event)
		return true;
	stretch->watch = plaitp_opencl_watch_begin(stretch->batch, end);
	if (stretch->watch != NULL)
		return true;
	plaitp_driven_fail(self->services, &failure, PLAIT_E_NOMEM, 0,
			   "opencl: no memory for events");
	plaitp_driven_fail_queue(&self->driven, stretch->batch->queue,
				 &failure, "");
	return false;
}

static void hand_on(struct driven *driven, driven_batch *batch)
{
	struct stretch stretch = { .self = backend_of(driven),
				   .batch = batch,
				   .driver = batch->queue->driver,
				   .events = batch->events,
				   .wait_count = list_events(batch) };
	uint32_t last, end = plaitp_driven_batch_end(batch, &last);
	cl_int code;

	if (!begin_watch(&stretch, end))
		return;
	code = enqueue_all(&stretch, end, last);
	batch->queue->unflushed |= stretch.begun;
	if (code != CL_SUCCESS)
		give_up(&stretch, code);
	else if (stretch.watch != NULL)
		watch_all(&stretch);
	else if (stretch.event != NULL)
		watch(&stretch);
}

/* --- the rest ------------------------------------------------------------- */

static plait_status open_queue(struct driven *driven, driven_queue *queue,
			       const plait_queue_request *request,
			       plait_error *error)
{
	plait_backend *self = backend_of(driven);
	const struct opencl_device *device = &self->devices[queue->device];
	cl_command_queue taken = NULL;
	cl_int code = CL_SUCCESS;
	plait_status status;

	if (request->native_kind != 0) {
		status = plaitp_opencl_import_queue(self, device, request,
						    &taken, error);
		queue->driver = taken;
		return status;
	}
	queue->driver = self->cl.clCreateCommandQueue(self->context,
						      device->id, 0, &code);
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
}

static void drop(struct driven *driven, driven_batch *batch)
{
	plait_backend *self = backend_of(driven);

	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
	plaitp_opencl_watch_drop(self, batch->load);
}

/* Of the last work that the driver has, or null. */
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
				queue->handed != NULL ?
				label_of(queue->handed) : NULL, queue->label);
	plaitp_driven_fail_queue(driven, queue, &failure, "");
	/* It may be that nothing of it ever starts, if not so. */
	self->cl.clFinish(queue->driver);
}

/* Which it was is known only with an event for each. */
static void describe(struct driven *driven, const driven_batch *batch,
		     plait_error *out)
{
	bool each = batch->load != NULL;

	plaitp_opencl_fail_end(driven->services, out,
			       batch->code == OPENCL_UNKNOWN && !each ?
			       "a command, or one in front of it," :
			       batch->code == FOLLOWED ?
			       "a command behind one that failed" :
			       "a command", batch->code,
			       each ? plaitp_opencl_watch_label(batch->load) :
			       label_of(batch), batch->queue->label);
}

const struct driven_ops plaitp_opencl_ops = {
	.name = "opencl",
	.open_queue = open_queue,
	.close_queue = close_queue,
	.hand_on = hand_on,
	.share_event = share_event,
	.drop = drop,
	.flush = flush,
	.describe = describe,
};
