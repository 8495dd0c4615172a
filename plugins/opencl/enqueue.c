/* SPDX-License-Identifier: MIT */
/*
 * From works to commands of the driver.  A stretch of works is enqueued one
 * by one: the first waits for the events of other queues, the last has the
 * event that says when all are done.
 */
#include <string.h>

#include "opencl.h"

/* What a stretch needs while it is enqueued. */
struct stretch {
	plait_backend *self;
	opencl_batch *batch;
	cl_command_queue driver;
	cl_uint wait_count; /* left, for the next command */
	bool begun;	    /* the driver has some of it */
	const char *name;   /* of the function called last */
};

/* --- one command ---------------------------------------------------------- */

static const cl_event *waits_of(const struct stretch *stretch)
{
	return stretch->wait_count != 0 ? stretch->batch->events : NULL;
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
			 uint64_t at, uint64_t bytes, cl_event *event)
{
	return taken(stretch, "clEnqueueFillBuffer",
		     stretch->self->cl.clEnqueueFillBuffer(
			     stretch->driver, work->target->memory, pattern,
			     width, work->target_offset + at, bytes,
			     stretch->wait_count, waits_of(stretch), event));
}

/* The pattern as it looks when it starts at byte `shift`. */
static void rotate(unsigned char out[8], const unsigned char pattern[8],
		   size_t width, uint64_t shift)
{
	size_t i;

	for (i = 0; i < width; i++)
		out[i] = pattern[(i + shift) % width];
}

/*
 * The driver takes only patterns that are whole, at offsets that are multiples
 * of them; what is around that is filled byte by byte.
 */
static cl_int fill(struct stretch *stretch, const plait_work *work,
		   cl_event *event)
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
		rotate(shifted, pattern, width, at % width);
		code = fill_piece(stretch, work, shifted, whole ? width : 1,
				  at, bytes, at + bytes == work->bytes ?
				  event : NULL);
		at += bytes;
	}
	return code;
}

static cl_int copy(struct stretch *stretch, const plait_work *work,
		   cl_event *event)
{
	return taken(stretch, "clEnqueueCopyBuffer",
		     stretch->self->cl.clEnqueueCopyBuffer(
			     stretch->driver, work->source->memory,
			     work->target->memory, work->source_offset,
			     work->target_offset, work->bytes,
			     stretch->wait_count, waits_of(stretch), event));
}

static cl_int read_back(struct stretch *stretch, const plait_work *work,
			cl_event *event)
{
	return taken(stretch, "clEnqueueReadBuffer",
		     stretch->self->cl.clEnqueueReadBuffer(
			     stretch->driver, work->source->memory, CL_FALSE,
			     work->source_offset, work->bytes, work->host,
			     stretch->wait_count, waits_of(stretch), event));
}

static cl_int write_out(struct stretch *stretch, const plait_work *work,
			cl_event *event)
{
	return taken(stretch, "clEnqueueWriteBuffer",
		     stretch->self->cl.clEnqueueWriteBuffer(
			     stretch->driver, work->target->memory, CL_FALSE,
			     work->target_offset, work->bytes, work->host,
			     stretch->wait_count, waits_of(stretch), event));
}

static cl_int launch(struct stretch *stretch, const plait_work *work,
		     cl_event *event)
{
	const plait_backend_launch *launch = work->launch;

	return taken(stretch, "clEnqueueNDRangeKernel",
		     stretch->self->cl.clEnqueueNDRangeKernel(
			     stretch->driver, launch->kernel,
			     launch->dimensions, NULL, launch->items,
			     launch->grouped ? launch->group : NULL,
			     stretch->wait_count, waits_of(stretch), event));
}

static cl_int mark(struct stretch *stretch, cl_event *event)
{
	return taken(stretch, "clEnqueueMarkerWithWaitList",
		     stretch->self->cl.clEnqueueMarkerWithWaitList(
			     stretch->driver, stretch->wait_count,
			     waits_of(stretch), event));
}

static cl_int enqueue(struct stretch *stretch, const plait_work *work,
		      cl_event *event)
{
	switch (work->kind) {
	case PLAIT_WORK_COPY:
		return copy(stretch, work, event);
	case PLAIT_WORK_FILL:
		return fill(stretch, work, event);
	case PLAIT_WORK_READ:
		return read_back(stretch, work, event);
	case PLAIT_WORK_LAUNCH:
		return launch(stretch, work, event);
	default:
		return write_out(stretch, work, event);
	}
}

/* --- a stretch ------------------------------------------------------------ */

static bool is_empty(const plait_work *work)
{
	return work->kind == PLAIT_WORK_NOP ||
	       (work->kind != PLAIT_WORK_LAUNCH && work->bytes == 0);
}

/* The end of the stretch, and in *last its last work that is not empty. */
static uint32_t find_end(const opencl_batch *batch, uint32_t *last)
{
	uint32_t i;

	*last = UINT32_MAX;
	for (i = batch->work_index; i < batch->work_count &&
	     batch->works[i].kind != PLAIT_WORK_CALL; i++)
		if (!is_empty(&batch->works[i]))
			*last = i;
	return i;
}

static cl_uint list_events(opencl_batch *batch)
{
	cl_uint count = 0;
	uint32_t i;

	for (i = 0; i < batch->wait_count && batch->sources > 0; i++)
		if (batch->waits[i].source != NULL)
			batch->events[count++] =
				batch->waits[i].source->event;
	return count;
}

static cl_int enqueue_all(struct stretch *stretch, uint32_t end, uint32_t last,
			  cl_event *event)
{
	opencl_batch *batch = stretch->batch;
	cl_int code = CL_SUCCESS;

	for (; batch->work_index < end && code == CL_SUCCESS;
	     batch->work_index++) {
		const plait_work *work = &batch->works[batch->work_index];

		if (!is_empty(work))
			code = enqueue(stretch, work,
				       batch->work_index == last ? event :
				       NULL);
	}
	/* Nothing to run, but something that others may have to wait for. */
	if (last == UINT32_MAX && stretch->wait_count > 0 &&
	    end == batch->work_count)
		code = mark(stretch, event);
	return code;
}

/* The queue fails; what the driver has of the stretch is waited for. */
static void give_up(struct stretch *stretch, cl_int code)
{
	plait_backend *self = stretch->self;
	opencl_queue *queue = stretch->batch->queue;
	plait_error failure = { .size = sizeof(failure) };

	plaitp_opencl_fail_call(self->services, &failure, stretch->name, code,
				queue->label);
	plaitp_opencl_fail_queue(self, queue, &failure, "");
	if (stretch->begun)
		self->cl.clFinish(stretch->driver);
}

/* Be told when `event` is over. */
static void watch(struct stretch *stretch, cl_event event)
{
	plait_backend *self = stretch->self;
	opencl_batch *batch = stretch->batch;
	cl_int code;

	/* That of an earlier stretch is over. */
	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
	batch->event = event;
	batch->flying = true;
	stretch->name = "clSetEventCallback";
	code = self->cl.clSetEventCallback(event, CL_COMPLETE,
					   plaitp_opencl_on_complete, batch);
	if (code == CL_SUCCESS)
		return;
	batch->flying = false;
	give_up(stretch, code);
}

void plaitp_opencl_enqueue(plait_backend *self, opencl_batch *batch)
{
	struct stretch stretch = { .self = self,
				   .batch = batch,
				   .driver = batch->queue->driver,
				   .wait_count = list_events(batch) };
	cl_event event = NULL;
	uint32_t last, end = find_end(batch, &last);
	cl_int code;

	code = enqueue_all(&stretch, end, last, &event);
	batch->queue->unflushed |= stretch.begun;
	if (code != CL_SUCCESS)
		give_up(&stretch, code);
	else if (event != NULL)
		watch(&stretch, event);
}
