/* SPDX-License-Identifier: MIT */
/*
 * Commands of a CUDA stream, encoded from works.  A batch waits for the events
 * of other queues, then its commands follow, then the marks of mark.c.  flight.c
 * sees the end of the commands.
 */
#include <string.h>

#include "fill.h"
#include "image.h"
#include "segment.h"
#include "stage.h"

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

/* State while the works of a batch are encoded. */
struct encoder {
	plait_backend *self;
	driven_batch *batch;
	CUstream stream;
	uint32_t device;
	bool submitted; /* the driver has accepted a command */
	struct cuda_call call; /* the last call */
};

/* --- single commands ------------------------------------------------------ */

static bool check(struct encoder *encoder, const char *name, CUresult code)
{
	encoder->call = (struct cuda_call){ name, code };
	encoder->submitted |= code == CUDA_SUCCESS;
	return code == CUDA_SUCCESS;
}

/* Without a path the driver copies through the host. */
static void open_path(struct encoder *encoder, struct cuda_device *to)
{
	struct cuda_device *from = &encoder->self->devices[encoder->device];

	if (from != to)
		(void)plaitp_cuda_has_path(encoder->self, from, to);
}

/* Wrapped memory is of the host, so the driver finds the direction; devices
 * copy directly where they can. */
static bool copy(struct encoder *encoder, const plait_work *work)
{
	const struct cuda_calls *cu = &encoder->self->cu;
	const plait_backend_memory *target = work->target;
	const plait_backend_memory *source = work->source;
	CUdeviceptr to = target->address + work->target_offset;
	CUdeviceptr from = source->address + work->source_offset;

	if (target->wrapped != NULL || source->wrapped != NULL)
		return check(encoder, "cuMemcpyAsync",
			     cu->cuMemcpyAsync(to, from, work->bytes,
					       encoder->stream));
	if (target->device != source->device) {
		open_path(encoder, target->device);
		open_path(encoder, source->device);
		return check(encoder, "cuMemcpyPeerAsync",
			     cu->cuMemcpyPeerAsync(to, target->device->context,
						   from,
						   source->device->context,
						   work->bytes,
						   encoder->stream));
	}
	return check(encoder, "cuMemcpyDtoDAsync",
		     cu->cuMemcpyDtoDAsync(to, from, work->bytes,
					   encoder->stream));
}

static bool copy_image(struct encoder *encoder, const plait_work *work)
{
	const struct cuda_call call = plaitp_cuda_image_move(
		encoder->self, &encoder->self->devices[encoder->device],
		encoder->stream, work);

	return check(encoder, call.name, call.code);
}

static bool transfer(struct encoder *encoder, const plait_work *work)
{
	/* After a failure a part of it may be in the stream. */
	encoder->submitted = true;
	return plaitp_cuda_transfer(encoder->self, encoder->batch, work,
				    &encoder->call);
}

static bool launch(struct encoder *encoder, const plait_work *work)
{
	const plait_backend_launch *launch = work->launch;

	return check(encoder, "cuLaunchKernel",
		     encoder->self->cu.cuLaunchKernel(
			     launch->function, launch->grid[0],
			     launch->grid[1], launch->grid[2],
			     launch->block[0], launch->block[1],
			     launch->block[2], launch->shared_bytes,
			     encoder->stream,
			     launch->arguments, NULL));
}

static bool run_segment(struct encoder *encoder, const plait_work *work)
{
	return check(encoder, "cuGraphLaunch",
		     encoder->self->cu.cuGraphLaunch(work->segment->exec,
						     encoder->stream));
}

/* --- fills ---------------------------------------------------------------- */

/* Single elements, `pitch` bytes apart. */
static bool fill_apart(struct encoder *encoder,
		       const CUDA_MEMSET_NODE_PARAMS_v1 *chunk)
{
	const struct cuda_calls *cu = &encoder->self->cu;

	if (chunk->elementSize == 1)
		return check(encoder, "cuMemsetD2D8Async",
			     cu->cuMemsetD2D8Async(
				     chunk->dst, chunk->pitch,
				     (unsigned char)chunk->value, chunk->width,
				     chunk->height, encoder->stream));
	return check(encoder, "cuMemsetD2D32Async",
		     cu->cuMemsetD2D32Async(chunk->dst, chunk->pitch,
					    chunk->value, chunk->width,
					    chunk->height, encoder->stream));
}

/* A piece is elements in a row or, with a height, single ones apart. */
static bool fill_piece(struct encoder *encoder,
		       const CUDA_MEMSET_NODE_PARAMS_v1 *chunk)
{
	const struct cuda_calls *cu = &encoder->self->cu;
	CUstream stream = encoder->stream;

	if (chunk->height > 1)
		return fill_apart(encoder, chunk);
	switch (chunk->elementSize) {
	case 1:
		return check(encoder, "cuMemsetD8Async",
			     cu->cuMemsetD8Async(chunk->dst,
						 (unsigned char)chunk->value,
						 chunk->width, stream));
	case 2:
		return check(encoder, "cuMemsetD16Async",
			     cu->cuMemsetD16Async(chunk->dst,
						  (unsigned short)chunk->value,
						  chunk->width, stream));
	default:
		return check(encoder, "cuMemsetD32Async",
			     cu->cuMemsetD32Async(chunk->dst, chunk->value,
						  chunk->width, stream));
	}
}

static bool fill_by_kernel(struct encoder *encoder,
			   const struct cuda_fill *fill)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 *params = &fill->params;

	return check(encoder, "cuLaunchKernel",
		     encoder->self->cu.cuLaunchKernel(
			     params->func, params->gridDimX, params->gridDimY,
			     params->gridDimZ, params->blockDimX,
			     params->blockDimY, params->blockDimZ,
			     params->sharedMemBytes, encoder->stream,
			     params->kernelParams, NULL));
}

static bool fill_by_calls(struct encoder *encoder, const plait_work *work)
{
	CUDA_MEMSET_NODE_PARAMS_v1 chunks[CUDA_FILL_PARTS], rows;
	uint32_t count = plaitp_cuda_split_fill(work, chunks), i;

	for (i = 0; i < count; i++)
		while (plaitp_cuda_next_rows(&chunks[i], &rows))
			if (!fill_piece(encoder, &rows))
				return false;
	return true;
}

static bool fill(struct encoder *encoder, const plait_work *work)
{
	plait_backend *self = encoder->self;
	struct cuda_fill fill;

	return plaitp_cuda_fill_kernel(self, &self->devices[encoder->device],
				       work, &fill) ?
	       fill_by_kernel(encoder, &fill) : fill_by_calls(encoder, work);
}

/* --- rows ----------------------------------------------------------------- */

static bool enqueue(struct encoder *encoder, const plait_work *work);

/* Rows as commands of their own, where one copy cannot take them. */
static bool enqueue_each_row(struct encoder *encoder, const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	bool reads = work->kind == PLAIT_WORK_READ;
	uint64_t i, k;

	for (i = 0; i < rows->slices; i++)
		for (k = 0; k < rows->rows; k++) {
			uint64_t to = i * rows->target_slice +
				      k * rows->target_row;
			uint64_t from = i * rows->source_slice +
					k * rows->source_row;
			plait_work row = *work;

			row.rows = NULL;
			row.target_offset += to;
			row.source_offset += from;
			if (work->host != NULL)
				row.host = (char *)work->host +
					   (reads ? to : from);
			if (!enqueue(encoder, &row))
				return false;
		}
	return true;
}

static bool copy_box(struct encoder *encoder, const plait_work *work)
{
	const CUDA_MEMCPY3D_v2 box = plaitp_cuda_copy3d(work);

	return check(encoder, "cuMemcpy3DAsync",
		     encoder->self->cu.cuMemcpy3DAsync(&box, encoder->stream));
}

/* Between devices. */
static bool copy_far_box(struct encoder *encoder, const plait_work *work)
{
	const CUDA_MEMCPY3D_PEER_v1 box = plaitp_cuda_far_copy3d(work);

	open_path(encoder, work->target->device);
	open_path(encoder, work->source->device);
	return check(encoder, "cuMemcpy3DPeerAsync",
		     encoder->self->cu.cuMemcpy3DPeerAsync(&box,
							   encoder->stream));
}

static bool transfer_rows(struct encoder *encoder, const plait_work *work)
{
	/* After a failure a part of it may be in the stream. */
	encoder->submitted = true;
	return plaitp_cuda_transfer_rows(encoder->self, encoder->batch, work,
					 &encoder->call);
}

static bool enqueue_rows(struct encoder *encoder, const plait_work *work)
{
	if (plaitp_cuda_is_copy3d(work))
		return copy_box(encoder, work);
	if (plaitp_cuda_is_far_copy3d(work))
		return copy_far_box(encoder, work);
	return plaitp_cuda_can_stage_rows(work) ?
		       transfer_rows(encoder, work) :
		       enqueue_each_row(encoder, work);
}

/* --- any work ------------------------------------------------------------- */

static bool enqueue(struct encoder *encoder, const plait_work *work)
{
	if (work->rows != NULL)
		return enqueue_rows(encoder, work);
	switch (work->kind) {
	case PLAIT_WORK_COPY:
		return plaitp_cuda_image_of(work) != NULL ?
		       copy_image(encoder, work) : copy(encoder, work);
	case PLAIT_WORK_FILL:
		return fill(encoder, work);
	case PLAIT_WORK_LAUNCH:
		return launch(encoder, work);
	case PLAIT_WORK_SEGMENT:
		return run_segment(encoder, work);
	default:
		return transfer(encoder, work);
	}
}

/* --- batches -------------------------------------------------------------- */

/* Record the event of the source, if it is not: its stream may be another
 * device's. */
static bool mark_source(struct encoder *encoder, driven_batch *source)
{
	plait_backend *self = encoder->self;
	plait_error ignored = { .size = sizeof(ignored) };
	uint32_t device = source->queue->device;
	bool marked;

	if (device == encoder->device)
		return plaitp_cuda_mark_source(self, source, &encoder->call);
	encoder->call = (struct cuda_call){ "cuCtxPushCurrent",
					    CUDA_ERROR_INVALID_CONTEXT };
	if (plaitp_cuda_enter(self, device, &ignored) != PLAIT_OK)
		return false;
	marked = plaitp_cuda_mark_source(self, source, &encoder->call);
	plaitp_cuda_leave(self);
	return marked;
}

static bool wait_for_source(struct encoder *encoder, driven_batch *source)
{
	plait_backend *self = encoder->self;
	const struct cuda_event *event = source->event;

	if (plaitp_cuda_has_ended(source->queue->driver, event->ticket))
		return true;
	return mark_source(encoder, source) &&
	       check(encoder, "cuStreamWaitEvent",
		     self->cu.cuStreamWaitEvent(encoder->stream, event->event,
						0));
}

static bool wait_for_sources(struct encoder *encoder)
{
	const driven_batch *batch = encoder->batch;
	bool good = true;
	uint32_t i;

	for (i = 0; i < batch->wait_count && batch->sources > 0 && good; i++)
		if (batch->waits[i].source != NULL)
			good = wait_for_source(encoder, batch->waits[i].source);
	return good;
}

static bool enqueue_all(struct encoder *encoder, uint32_t end)
{
	driven_batch *batch = encoder->batch;

	for (; batch->work_index < end; batch->work_index++) {
		const plait_work *work = &batch->works[batch->work_index];

		if (!plaitp_driven_work_is_empty(work) &&
		    !enqueue(encoder, work))
			return false;
	}
	return true;
}

/* Mark the end of the commands. */
static bool add_completion(struct encoder *encoder)
{
	driven_batch *batch = encoder->batch;

	if (!plaitp_cuda_mark_batch(encoder->self, batch, &encoder->call))
		return false;
	plaitp_cuda_add_flight(encoder->self, batch->queue->driver, batch);
	return true;
}

/* Label of the only command, else of the queue: the failing one is not
 * known. */
static const char *label_of_all(const driven_batch *batch)
{
	const char *label = batch->work_count == 1 ? batch->works[0].label :
						     NULL;

	return label != NULL ? label : batch->queue->label;
}

/* Label of the current command; after the last one it may be any. */
static const char *label_of(const driven_batch *batch)
{
	uint32_t i = batch->work_index;
	const char *label = i < batch->work_count ? batch->works[i].label :
						    NULL;

	return label != NULL ? label : label_of_all(batch);
}

/* Fail the queue and wait for the commands that the driver has accepted. */
static void fail_batch(struct encoder *encoder)
{
	plait_backend *self = encoder->self;
	driven_batch *batch = encoder->batch;
	plait_error failure = { .size = sizeof(failure) };

	plaitp_cuda_fail_call(self, encoder->device, &failure,
			      encoder->call.name, encoder->call.code,
			      label_of(batch));
	plaitp_driven_fail_from(&self->driven, batch, &failure, "");
	if (encoder->submitted)
		self->cu.cuStreamSynchronize(encoder->stream);
	/* An event that was not recorded must not be waited for. */
	plaitp_cuda_release_event(self, batch->event);
	batch->event = NULL;
}

static void enqueue_range(struct encoder *encoder)
{
	driven_batch *batch = encoder->batch;
	uint32_t last, end = plaitp_driven_batch_end(batch, &last);

	/* No command, but other queues may have to wait for what this batch
	 * waits for. */
	if (last == UINT32_MAX &&
	    (batch->sources == 0 || end != batch->work_count)) {
		batch->work_index = end;
		return;
	}
	plaitp_cuda_stage_batch(batch);
	if (!wait_for_sources(encoder) || !enqueue_all(encoder, end) ||
	    !add_completion(encoder))
		fail_batch(encoder);
}

static void enqueue_batch(struct driven *driven, driven_batch *batch)
{
	const struct cuda_streams *streams = batch->queue->driver;
	struct encoder encoder = { .self = backend_of(driven), .batch = batch,
				   .stream = streams->stream,
				   .device = batch->queue->device };
	plait_error failure = { .size = sizeof(failure) };

	if (plaitp_cuda_enter(encoder.self, encoder.device, &failure) !=
	    PLAIT_OK) {
		plaitp_driven_fail_from(driven, batch, &failure, "");
		return;
	}
	enqueue_range(&encoder);
	plaitp_cuda_leave(encoder.self);
}

/* --- lost devices -------------------------------------------------------- */

static plait_status recover(struct driven *driven, driven_queue *queue,
			    plait_error *error)
{
	plait_backend *self = backend_of(driven);

	if (!plaitp_cuda_is_lost(self, queue->device))
		return PLAIT_OK;
	return plaitp_driven_fail(self->services, error, PLAIT_E_LOST, 0,
				  "cuda:%u: the device is lost to this "
				  "process: %.160s", queue->device,
				  queue->error.text);
}

/* --- events and errors ---------------------------------------------------- */

static void share_event(struct driven *driven, driven_batch *batch,
			const driven_batch *before)
{
	struct cuda_event *event = before->event;

	(void)driven;
	event->references++;
	batch->event = event;
	plaitp_cuda_want(batch->queue->driver, batch);
}

static void drop(struct driven *driven, driven_batch *batch)
{
	plaitp_cuda_release_event(backend_of(driven), batch->event);
	plaitp_cuda_drop_transfers(backend_of(driven), batch);
}

static void flush(struct driven *driven, driven_queue *queue)
{
	(void)driven, (void)queue;
}

static void describe(struct driven *driven, const driven_batch *batch,
		     plait_error *out)
{
	plaitp_cuda_fail_call(backend_of(driven), batch->queue->device, out,
			      "a command", (CUresult)batch->code,
			      label_of_all(batch));
}

static void unregister(driven_queue *queue)
{
	plaitp_cuda_forget_pilot(queue->driver);
}

const struct driven_ops plaitp_cuda_ops = {
	.name = "cuda",
	.segments = true,
	.open_queue = plaitp_cuda_open_queue,
	.close_queue = plaitp_cuda_close_queue,
	.recover = recover,
	.enqueue = enqueue_batch,
	.share_event = share_event,
	.drop = drop,
	.flush = flush,
	.describe = describe,
	.unregister = unregister,
	.collect = plaitp_cuda_collect,
	.needs_driver = plaitp_cuda_needs_driver,
	.settle = plaitp_cuda_settle,
	.polls_first = true,
	.await = plaitp_cuda_await,
	.poll = plaitp_cuda_poll,
	.look = plaitp_cuda_look,
};
