/* SPDX-License-Identifier: MIT */
/*
 * Commands of an OpenCL queue, encoded from works.  The first command of a
 * batch waits for the events of other queues; the event of the last one completes
 * the batch (flight.c).  With events=all each command has one (events.c).
 */
#include <stdio.h>
#include <string.h>

#include "events.h"
#include "flight.h"
#include "image.h"
#include "object.h"

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

/* State while the works of a batch are encoded. */
struct encoder {
	plait_backend *self;
	driven_batch *batch;
	cl_command_queue driver;
	cl_event *wait_events;   /* events of the sources of its waits */
	cl_uint wait_count; /* of wait_events, for the next command; then 0 */
	bool submitted;	    /* the driver has accepted a command */
	struct opencl_events *events; /* of all commands, or null */
	bool is_last;	    /* no work follows this one */
	cl_event event;	    /* of the last command, if `events` is null */
	const char *name;   /* last function called */
	const plait_work *work; /* it was called for, or null */
};

/* --- single commands ------------------------------------------------------ */

static const cl_event *waits_of(const struct encoder *encoder)
{
	return encoder->wait_count != 0 ? encoder->wait_events : NULL;
}

/* Returns the place for the event of the next command, or null.  `whole`: it is
 * the last command of its work. */
static cl_event *event_of(struct encoder *encoder, bool whole)
{
	if (encoder->events != NULL)
		return plaitp_opencl_events_next(encoder->events);
	return encoder->is_last && whole ? &encoder->event : NULL;
}

/* Record the result of an enqueue call. */
static cl_int check(struct encoder *encoder, const char *name, cl_int code)
{
	encoder->name = name;
	if (code != CL_SUCCESS)
		return code;
	encoder->submitted = true;
	encoder->wait_count = 0;
	return code;
}

static cl_int fill_piece(struct encoder *encoder, const plait_work *work,
			 const struct opencl_fill *piece)
{
	const uint64_t end = piece->at + piece->bytes;

	return check(encoder, "clEnqueueFillBuffer",
		     encoder->self->cl.clEnqueueFillBuffer(
			     encoder->driver, work->target->memory,
			     piece->pattern, piece->width,
			     work->target_offset + piece->at, piece->bytes,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, end == work->bytes)));
}

static cl_int fill(struct encoder *encoder, const plait_work *work)
{
	struct opencl_fill piece = { .bytes = 0 };
	cl_int code = CL_SUCCESS;

	while (code == CL_SUCCESS && plaitp_opencl_fill_next(work, &piece))
		code = fill_piece(encoder, work, &piece);
	return code;
}

static cl_int copy(struct encoder *encoder, const plait_work *work)
{
	return check(encoder, "clEnqueueCopyBuffer",
		     encoder->self->cl.clEnqueueCopyBuffer(
			     encoder->driver, work->source->memory,
			     work->target->memory, work->source_offset,
			     work->target_offset, work->bytes,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

static cl_int read_back(struct encoder *encoder, const plait_work *work)
{
	return check(encoder, "clEnqueueReadBuffer",
		     encoder->self->cl.clEnqueueReadBuffer(
			     encoder->driver, work->source->memory, CL_FALSE,
			     work->source_offset, work->bytes, work->host,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

static cl_int write_out(struct encoder *encoder, const plait_work *work)
{
	return check(encoder, "clEnqueueWriteBuffer",
		     encoder->self->cl.clEnqueueWriteBuffer(
			     encoder->driver, work->target->memory, CL_FALSE,
			     work->target_offset, work->bytes, work->host,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

/* --- rows ----------------------------------------------------------------- */

static const size_t origin[3];

static cl_int copy_row(struct encoder *encoder, const plait_work *work,
		       uint64_t slice, uint64_t row)
{
	const plait_work_rows *rows = work->rows;

	return check(encoder, "clEnqueueCopyBuffer",
		     encoder->self->cl.clEnqueueCopyBuffer(
			     encoder->driver, work->source->memory,
			     work->target->memory,
			     work->source_offset + slice * rows->source_slice +
				     row * rows->source_row,
			     work->target_offset + slice * rows->target_slice +
				     row * rows->target_row,
			     work->bytes, encoder->wait_count,
			     waits_of(encoder),
			     event_of(encoder, slice + 1 == rows->slices &&
				      row + 1 == rows->rows)));
}

/* The driver restricts overlapping rectangles of one memory object. */
static cl_int copy_each_row(struct encoder *encoder, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	cl_int code = CL_SUCCESS;
	uint64_t i, k;

	for (i = 0; i < rows->slices; i++)
		for (k = 0; k < rows->rows && code == CL_SUCCESS; k++)
			code = copy_row(encoder, work, i, k);
	return code;
}

static cl_int copy_rows(struct encoder *encoder, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const size_t from[3] = { work->source_offset }, to[3] = {
		work->target_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };

	if (work->source->memory == work->target->memory)
		return copy_each_row(encoder, work);
	return check(encoder, "clEnqueueCopyBufferRect",
		     encoder->self->cl.clEnqueueCopyBufferRect(
			     encoder->driver, work->source->memory,
			     work->target->memory, from, to, region,
			     rows->source_row, rows->source_slice,
			     rows->target_row, rows->target_slice,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

static cl_int read_rows(struct encoder *encoder, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const size_t from[3] = { work->source_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };

	return check(encoder, "clEnqueueReadBufferRect",
		     encoder->self->cl.clEnqueueReadBufferRect(
			     encoder->driver, work->source->memory, CL_FALSE,
			     from, origin, region, rows->source_row,
			     rows->source_slice, rows->target_row,
			     rows->target_slice, work->host,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

static cl_int write_rows(struct encoder *encoder, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const size_t to[3] = { work->target_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };

	return check(encoder, "clEnqueueWriteBufferRect",
		     encoder->self->cl.clEnqueueWriteBufferRect(
			     encoder->driver, work->target->memory, CL_FALSE,
			     to, origin, region, rows->target_row,
			     rows->target_slice, rows->source_row,
			     rows->source_slice, work->host,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

/* --- any work ------------------------------------------------------------- */

static cl_int launch(struct encoder *encoder, const plait_work *work)
{
	const struct opencl_call call = plaitp_opencl_object_enqueue(
		encoder->self, encoder->driver, work->launch,
		encoder->wait_count, waits_of(encoder),
		event_of(encoder, true));

	return check(encoder, call.name, call.code);
}

static cl_int enqueue_marker(struct encoder *encoder)
{
	return check(encoder, "clEnqueueMarkerWithWaitList",
		     encoder->self->cl.clEnqueueMarkerWithWaitList(
			     encoder->driver, encoder->wait_count,
			     waits_of(encoder), event_of(encoder, true)));
}

static cl_int enqueue_rows(struct encoder *encoder, const plait_work *work)
{
	return work->kind == PLAIT_WORK_COPY ? copy_rows(encoder, work) :
	       work->kind == PLAIT_WORK_READ ? read_rows(encoder, work) :
					       write_rows(encoder, work);
}

static cl_int move_image(struct encoder *encoder, const plait_work *work)
{
	const struct opencl_call call = plaitp_opencl_image_move(
		encoder->self, encoder->driver, work, encoder->wait_count,
		waits_of(encoder), event_of(encoder, true));

	return check(encoder, call.name, call.code);
}

static cl_int enqueue_one(struct encoder *encoder, const plait_work *work)
{
	if (plaitp_opencl_image_moves(work))
		return move_image(encoder, work);
	if (work->rows != NULL)
		return enqueue_rows(encoder, work);
	switch (work->kind) {
	case PLAIT_WORK_COPY:
		return copy(encoder, work);
	case PLAIT_WORK_FILL:
		return fill(encoder, work);
	case PLAIT_WORK_READ:
		return read_back(encoder, work);
	case PLAIT_WORK_LAUNCH:
		return launch(encoder, work);
	default:
		return write_out(encoder, work);
	}
}

/* --- segments ------------------------------------------------------------- */

/* Returns the number of the last command that is not empty: there is one. */
static uint32_t last_of(const plait_backend_segment *segment)
{
	uint32_t i = segment->work_count - 1;

	while (plaitp_driven_work_is_empty(&segment->works[i]))
		i--;
	return i;
}

/* Enqueue the commands of a segment one by one, in their order. */
static cl_int enqueue_each(struct encoder *encoder,
			   const plait_backend_segment *segment)
{
	const uint32_t last = last_of(segment);
	const bool is_last = encoder->is_last;
	cl_int code = CL_SUCCESS;
	uint32_t i;

	for (i = 0; i <= last && code == CL_SUCCESS; i++) {
		encoder->is_last = is_last && i == last;
		if (!plaitp_driven_work_is_empty(&segment->works[i]))
			code = enqueue_one(encoder, &segment->works[i]);
	}
	encoder->is_last = is_last;
	return code;
}

static cl_int enqueue(struct encoder *encoder, const plait_work *work)
{
	plait_backend *self = encoder->self;
	plait_backend_segment *segment = work->segment;

	if (work->kind != PLAIT_WORK_SEGMENT)
		return enqueue_one(encoder, work);
	/* Command buffers are for queues that measure no times. */
	if (encoder->batch->queue->timed ||
	    !plaitp_opencl_segment_begin(self, segment))
		return enqueue_each(encoder, segment);
	return check(encoder, "clEnqueueCommandBufferKHR",
		     self->buffers.clEnqueueCommandBufferKHR(
			     1, &encoder->driver, segment->buffer,
			     encoder->wait_count, waits_of(encoder),
			     event_of(encoder, true)));
}

/* --- batches -------------------------------------------------------------- */

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

/* Set the numbers of an execution, for each part of it between host functions. */
static cl_int set_numbers(const struct encoder *encoder, uint32_t execution)
{
	const driven_batch *batch = encoder->batch;
	cl_int code = CL_SUCCESS;
	uint32_t i;

	for (i = 0; i < batch->series_count && code == CL_SUCCESS; i++) {
		const plait_work_series *series = &batch->series[i];

		code = plaitp_opencl_object_number(
			encoder->self, batch->works[series->work].launch,
			series->argument,
			series->first + execution * series->step);
	}
	return code;
}

/* Enqueue the works up to `end` once.  `last` has the event of the batch. */
static cl_int enqueue_once(struct encoder *encoder, uint32_t execution,
			   uint32_t end, uint32_t last)
{
	driven_batch *batch = encoder->batch;
	cl_int code = set_numbers(encoder, execution);

	encoder->name = "clSetKernelArg";
	for (; batch->work_index < end && code == CL_SUCCESS;
	     batch->work_index++) {
		const plait_work *work = &batch->works[batch->work_index];

		encoder->work = work;
		encoder->is_last = batch->work_index == last;
		if (!plaitp_driven_work_is_empty(work))
			code = enqueue(encoder, work);
	}
	return code;
}

/* Enqueue the works up to `end`, as often as the batch says; `last` is the last
 * with a command, whose event the batch gets.  Advances work_index. */
static cl_int enqueue_all(struct encoder *encoder, uint32_t end, uint32_t last)
{
	driven_batch *batch = encoder->batch;
	const uint32_t first = batch->work_index;
	cl_int code = CL_SUCCESS;
	uint32_t i;

	for (i = 0; i < batch->times && code == CL_SUCCESS; i++) {
		batch->work_index = first;
		code = enqueue_once(encoder, i, end, i + 1 == batch->times ?
				    last : UINT32_MAX);
	}
	encoder->is_last = true;
	/* No command, but other queues may have to wait for what this batch
	 * waits for. */
	if (last == UINT32_MAX && encoder->wait_count > 0 &&
	    end == batch->work_count)
		code = enqueue_marker(encoder);
	return code;
}

/* Name the kernel if the driver has refused its launch. */
static plait_status fail_command(const struct encoder *encoder, cl_int code,
				 plait_error *error)
{
	const driven_batch *batch = encoder->batch;
	const plait_work *work = encoder->work;
	char what[200], name[240];

	if (work == NULL || work->kind != PLAIT_WORK_LAUNCH ||
	    strcmp(encoder->name, "clEnqueueNDRangeKernel") != 0)
		return plaitp_opencl_fail_work(encoder->self->services, error,
					       encoder->name, code,
					       work != NULL ? work->label :
					       NULL, batch->queue->label);
	plaitp_opencl_launch_describe(work->launch, what, sizeof(what));
	snprintf(name, sizeof(name), "%s (%s)", encoder->name, what);
	return plaitp_opencl_fail_work(encoder->self->services, error, name,
				       code, work->label, batch->queue->label);
}

/* Fail the queue and wait for the commands that the driver has accepted. */
static void fail_batch(struct encoder *encoder, cl_int code)
{
	plait_backend *self = encoder->self;
	plait_error failure = { .size = sizeof(failure) };

	fail_command(encoder, code, &failure);
	plaitp_driven_fail_from(&self->driven, encoder->batch, &failure, "");
	if (encoder->submitted)
		self->cl.clFinish(encoder->driver);
}

static void add_callbacks(struct encoder *encoder)
{
	cl_int code = plaitp_opencl_events_add_callbacks(encoder->events);

	encoder->name = "clSetEventCallback";
	if (code != CL_SUCCESS)
		fail_batch(encoder, code);
}

/* Returns false if there is no memory; the queue has failed then. */
static bool begin_events(struct encoder *encoder, uint32_t end)
{
	plait_backend *self = encoder->self;
	plait_error failure = { .size = sizeof(failure) };

	if (!self->each_event && !encoder->batch->queue->timed)
		return true;
	encoder->events = plaitp_opencl_events_begin(encoder->batch, end);
	if (encoder->events != NULL)
		return true;
	plaitp_driven_fail(self->services, &failure, PLAIT_E_NOMEM, 0,
			   "opencl: no memory for events");
	plaitp_driven_fail_from(&self->driven, encoder->batch, &failure, "");
	return false;
}

void plaitp_opencl_enqueue(struct driven *driven, driven_batch *batch)
{
	struct encoder encoder = { .self = backend_of(driven),
				   .batch = batch,
				   .driver = batch->queue->driver,
				   .wait_events = batch->events,
				   .wait_count = list_events(batch) };
	uint32_t last, end = plaitp_driven_batch_end(batch, &last);
	cl_int code;

	if (!begin_events(&encoder, end))
		return;
	pthread_mutex_lock(&encoder.self->arguments_lock);
	code = enqueue_all(&encoder, end, last);
	pthread_mutex_unlock(&encoder.self->arguments_lock);
	batch->queue->unflushed |= encoder.submitted;
	if (code != CL_SUCCESS)
		fail_batch(&encoder, code);
	else if (encoder.events != NULL)
		add_callbacks(&encoder);
	else if (encoder.event != NULL)
		plaitp_opencl_flight_add(batch, encoder.event);
}
