/* SPDX-License-Identifier: MIT */
/*
 * From works to commands in a stream.  A stretch of works is enqueued one by
 * one, behind the events of other queues, and an event is recorded behind it.
 *
 *     stream    waits  works  event
 *     notices                   '--> wait  callback
 *
 * The host is told on a second stream, so that the device need not stand still
 * meanwhile.  It is told by a callback and not by a host function, because
 * after an error of the device only callbacks come.
 */
#include <string.h>

#include "backend.h"

static plait_backend *backend_of(struct driven *driven)
{
	return (plait_backend *)(void *)driven;
}

/* What a stretch needs while it is enqueued. */
struct stretch {
	plait_backend *self;
	driven_batch *batch;
	CUstream stream;
	uint32_t device;
	bool begun; /* the driver has some of it */
	struct cuda_call call; /* the last one */
};

/* --- events; the lock is held, the device's context is the thread's ------- */

static struct cuda_event *new_event(plait_backend *self, uint32_t device,
				    struct cuda_call *call)
{
	struct cuda_event *event = self->services->resize(
		self->host, NULL, 0, sizeof(*event));

	call->name = "cuEventCreate";
	call->code = CUDA_ERROR_OUT_OF_MEMORY;
	if (event == NULL)
		return NULL;
	*event = (struct cuda_event){ .device = device };
	call->code = self->cu.cuEventCreate(&event->event,
					    CU_EVENT_DISABLE_TIMING);
	if (call->code == CUDA_SUCCESS)
		return event;
	self->services->resize(self->host, event, sizeof(*event), 0);
	return NULL;
}

static struct cuda_event *take_event(plait_backend *self, uint32_t device,
				     struct cuda_call *call)
{
	struct cuda_device *place = &self->devices[device];
	struct cuda_event *event = place->spare;

	if (event != NULL)
		place->spare = event->next;
	else
		event = new_event(self, device, call);
	if (event != NULL)
		event->references = 1;
	return event;
}

/* Who waits for it took what was recorded then: it can be recorded again. */
static void drop_event(plait_backend *self, struct cuda_event *event)
{
	struct cuda_device *place;

	if (event == NULL || --event->references > 0)
		return;
	place = &self->devices[event->device];
	event->next = place->spare;
	place->spare = event;
}

/* --- one command ---------------------------------------------------------- */

static bool taken(struct stretch *stretch, const char *name, CUresult code)
{
	stretch->call.name = name;
	stretch->call.code = code;
	stretch->begun |= code == CUDA_SUCCESS;
	return code == CUDA_SUCCESS;
}

static bool copy(struct stretch *stretch, const plait_work *work)
{
	const struct cuda_calls *cu = &stretch->self->cu;
	const plait_backend_memory *target = work->target;
	const plait_backend_memory *source = work->source;
	CUdeviceptr to = target->address + work->target_offset;
	CUdeviceptr from = source->address + work->source_offset;

	if (target->wrapped != NULL || source->wrapped != NULL)
		return taken(stretch, "cuMemcpyAsync",
			     cu->cuMemcpyAsync(to, from, work->bytes,
					       stretch->stream));
	if (target->device != source->device)
		return taken(stretch, "cuMemcpyPeerAsync",
			     cu->cuMemcpyPeerAsync(to, target->device->context,
						   from,
						   source->device->context,
						   work->bytes,
						   stretch->stream));
	return taken(stretch, "cuMemcpyDtoDAsync",
		     cu->cuMemcpyDtoDAsync(to, from, work->bytes,
					   stretch->stream));
}

static bool transfer(struct stretch *stretch, const plait_work *work)
{
	/* Some of it may be in the stream also when it fails. */
	stretch->begun = true;
	return plaitp_cuda_transfer(stretch->self, stretch->batch, work,
				    &stretch->call);
}

static bool launch(struct stretch *stretch, const plait_work *work)
{
	const plait_backend_launch *launch = work->launch;

	return taken(stretch, "cuLaunchKernel",
		     stretch->self->cu.cuLaunchKernel(
			     launch->function, launch->grid[0],
			     launch->grid[1], launch->grid[2],
			     launch->block[0], launch->block[1],
			     launch->block[2], 0, stretch->stream,
			     launch->arguments, NULL));
}

static bool run_segment(struct stretch *stretch, const plait_work *work)
{
	return taken(stretch, "cuGraphLaunch",
		     stretch->self->cu.cuGraphLaunch(work->segment->exec,
						     stretch->stream));
}

/* --- fills ---------------------------------------------------------------- */

/* Lines of single elements, some bytes apart. */
static bool fill_apart(struct stretch *stretch,
		       const CUDA_MEMSET_NODE_PARAMS_v1 *piece)
{
	const struct cuda_calls *cu = &stretch->self->cu;

	if (piece->elementSize == 1)
		return taken(stretch, "cuMemsetD2D8Async",
			     cu->cuMemsetD2D8Async(
				     piece->dst, piece->pitch,
				     (unsigned char)piece->value, piece->width,
				     piece->height, stretch->stream));
	return taken(stretch, "cuMemsetD2D32Async",
		     cu->cuMemsetD2D32Async(piece->dst, piece->pitch,
					    piece->value, piece->width,
					    piece->height, stretch->stream));
}

static bool fill_piece(struct stretch *stretch,
		       const CUDA_MEMSET_NODE_PARAMS_v1 *piece)
{
	const struct cuda_calls *cu = &stretch->self->cu;
	CUstream stream = stretch->stream;

	if (piece->height > 1)
		return fill_apart(stretch, piece);
	switch (piece->elementSize) {
	case 1:
		return taken(stretch, "cuMemsetD8Async",
			     cu->cuMemsetD8Async(piece->dst,
						 (unsigned char)piece->value,
						 piece->width, stream));
	case 2:
		return taken(stretch, "cuMemsetD16Async",
			     cu->cuMemsetD16Async(piece->dst,
						  (unsigned short)piece->value,
						  piece->width, stream));
	default:
		return taken(stretch, "cuMemsetD32Async",
			     cu->cuMemsetD32Async(piece->dst, piece->value,
						  piece->width, stream));
	}
}

static bool fill(struct stretch *stretch, const plait_work *work)
{
	CUDA_MEMSET_NODE_PARAMS_v1 pieces[CUDA_FILL_PARTS];
	uint32_t count = plaitp_cuda_split_fill(work, pieces), i;

	for (i = 0; i < count; i++)
		if (!fill_piece(stretch, &pieces[i]))
			return false;
	return true;
}

/* --- rows ----------------------------------------------------------------- */

static bool enqueue(struct stretch *stretch, const plait_work *work);

static bool each_row(struct stretch *stretch, const plait_work *work)
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
			if (!enqueue(stretch, &row))
				return false;
		}
	return true;
}

static bool copy_box(struct stretch *stretch, const plait_work *work)
{
	const CUDA_MEMCPY3D_v2 box = plaitp_cuda_copy3d(work);

	return taken(stretch, "cuMemcpy3DAsync",
		     stretch->self->cu.cuMemcpy3DAsync(&box, stretch->stream));
}

/* --- any ------------------------------------------------------------------ */

static bool enqueue(struct stretch *stretch, const plait_work *work)
{
	if (work->rows != NULL)
		return plaitp_cuda_is_copy3d(work) ? copy_box(stretch, work) :
						  each_row(stretch, work);
	switch (work->kind) {
	case PLAIT_WORK_COPY:
		return copy(stretch, work);
	case PLAIT_WORK_FILL:
		return fill(stretch, work);
	case PLAIT_WORK_LAUNCH:
		return launch(stretch, work);
	case PLAIT_WORK_SEGMENT:
		return run_segment(stretch, work);
	default:
		return transfer(stretch, work);
	}
}

/* --- a stretch ------------------------------------------------------------ */

static bool wait_for_sources(struct stretch *stretch)
{
	const driven_batch *batch = stretch->batch;
	bool good = true;
	uint32_t i;

	for (i = 0; i < batch->wait_count && batch->sources > 0 && good; i++) {
		const driven_batch *source = batch->waits[i].source;
		const struct cuda_event *event;

		if (source == NULL)
			continue;
		event = source->event;
		good = taken(stretch, "cuStreamWaitEvent",
			     stretch->self->cu.cuStreamWaitEvent(
				     stretch->stream, event->event, 0));
	}
	return good;
}

static bool enqueue_all(struct stretch *stretch, uint32_t end)
{
	driven_batch *batch = stretch->batch;

	for (; batch->work_index < end; batch->work_index++) {
		const plait_work *work = &batch->works[batch->work_index];

		if (!plaitp_driven_work_is_empty(work) && !enqueue(stretch, work))
			return false;
	}
	return true;
}

static void on_complete(CUstream stream, CUresult code, void *batch)
{
	(void)stream;
	plaitp_driven_complete(batch, (int32_t)code);
}

/* Be told when all of it is over. */
static bool watch(struct stretch *stretch)
{
	plait_backend *self = stretch->self;
	const struct cuda_lane *lane = stretch->batch->queue->driver;
	struct cuda_event *event = take_event(self, stretch->device,
					      &stretch->call);

	if (event == NULL)
		return false;
	/* That of an earlier stretch is over. */
	drop_event(self, stretch->batch->event);
	stretch->batch->event = event;
	if (!taken(stretch, "cuEventRecord",
		   self->cu.cuEventRecord(event->event, lane->stream)) ||
	    !taken(stretch, "cuStreamWaitEvent",
		   self->cu.cuStreamWaitEvent(lane->notices, event->event, 0)))
		return false;
	stretch->batch->flying = true;
	stretch->batch->flying = taken(
		stretch, "cuStreamAddCallback",
		self->cu.cuStreamAddCallback(lane->notices, on_complete,
					     stretch->batch, 0));
	return stretch->batch->flying;
}

/* Of its only command, or of its queue: nobody knows which of several. */
static const char *label_of_all(const driven_batch *batch)
{
	const char *label = batch->work_count == 1 ? batch->works[0].label :
						     NULL;

	return label != NULL ? label : batch->queue->label;
}

/* Of the command in hand; behind all of them it may be any. */
static const char *label_of(const driven_batch *batch)
{
	uint32_t i = batch->work_index;
	const char *label = i < batch->work_count ? batch->works[i].label :
						    NULL;

	return label != NULL ? label : label_of_all(batch);
}

/* The queue fails; what the driver has of the stretch is waited for. */
static void give_up(struct stretch *stretch)
{
	plait_backend *self = stretch->self;
	driven_batch *batch = stretch->batch;
	plait_error failure = { .size = sizeof(failure) };

	plaitp_cuda_fail_call(self, stretch->device, &failure,
			      stretch->call.name, stretch->call.code,
			      label_of(batch));
	plaitp_driven_fail_queue(&self->driven, batch->queue, &failure, "");
	if (stretch->begun)
		self->cu.cuStreamSynchronize(stretch->stream);
	/* Nobody may wait for what was not recorded. */
	drop_event(self, batch->event);
	batch->event = NULL;
}

static void enqueue_stretch(struct stretch *stretch)
{
	driven_batch *batch = stretch->batch;
	uint32_t last, end = plaitp_driven_batch_end(batch, &last);

	/* Nothing to run: but others may have to wait for what it waits. */
	if (last == UINT32_MAX &&
	    (batch->sources == 0 || end != batch->work_count)) {
		batch->work_index = end;
		return;
	}
	if (!wait_for_sources(stretch) || !enqueue_all(stretch, end) ||
	    !watch(stretch))
		give_up(stretch);
}

static void hand_on(struct driven *driven, driven_batch *batch)
{
	const struct cuda_lane *lane = batch->queue->driver;
	struct stretch stretch = { .self = backend_of(driven),
				   .batch = batch,
				   .stream = lane->stream,
				   .device = batch->queue->device };
	plait_error failure = { .size = sizeof(failure) };

	if (plaitp_cuda_enter(stretch.self, stretch.device, &failure) !=
	    PLAIT_OK) {
		plaitp_driven_fail_queue(driven, batch->queue, &failure, "");
		return;
	}
	enqueue_stretch(&stretch);
	plaitp_cuda_leave(stretch.self);
}

/* --- queues --------------------------------------------------------------- */

/* plait's larger numbers are more urgent, the driver's smaller ones. */
static int priority_of(const struct cuda_device *device, int32_t priority)
{
	int32_t most = -device->priority_most;
	int32_t least = -device->priority_least;

	if (priority > most)
		priority = most;
	if (priority < least)
		priority = least;
	return -priority;
}

/* Its waits are not to be in front of other queues' commands where streams share a
 * connection, nor of what stops loops: where there are enough, a priority of its
 * own. */
static int notice_priority(const struct cuda_device *device, int priority)
{
	int urgent = device->priority_most + 1;

	return urgent < device->priority_least ? urgent : priority;
}

static CUresult make_streams(plait_backend *self, driven_queue *queue,
			     struct cuda_lane *lane, int32_t wanted)
{
	const struct cuda_device *device = &self->devices[queue->device];
	int priority = priority_of(device, wanted);
	CUresult code = CUDA_SUCCESS;

	if (!lane->borrowed)
		code = self->cu.cuStreamCreateWithPriority(
			&lane->stream, CU_STREAM_NON_BLOCKING, priority);
	if (code != CUDA_SUCCESS) {
		lane->stream = NULL;
		return code;
	}
	code = self->cu.cuStreamCreateWithPriority(
		&lane->notices, CU_STREAM_NON_BLOCKING,
		notice_priority(device, priority));
	if (code != CUDA_SUCCESS)
		lane->notices = NULL;
	return code;
}

static plait_status fill_lane(plait_backend *self, driven_queue *queue,
			      struct cuda_lane *lane,
			      const plait_queue_request *request,
			      plait_error *error)
{
	plait_status status;
	CUresult code;

	if (request->native_kind != 0) {
		status = plaitp_cuda_import_stream(self, queue->device, request,
						   &lane->stream, error);
		if (status != PLAIT_OK)
			return status;
		lane->borrowed = true;
	}
	code = make_streams(self, queue, lane, request->priority);
	if (code == CUDA_SUCCESS)
		return PLAIT_OK;
	return plaitp_cuda_fail_call(self, queue->device, error,
				     "cuStreamCreateWithPriority", code,
				     queue->label);
}

static plait_status open_queue(struct driven *driven, driven_queue *queue,
			       const plait_queue_request *request,
			       plait_error *error)
{
	plait_backend *self = backend_of(driven);
	struct cuda_lane *lane = self->services->resize(self->host, NULL, 0,
							sizeof(*lane));
	plait_status status;

	if (lane == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a queue");
	memset(lane, 0, sizeof(*lane));
	queue->driver = lane;
	status = plaitp_cuda_enter(self, queue->device, error);
	if (status != PLAIT_OK)
		return status;
	status = fill_lane(self, queue, lane, request, error);
	plaitp_cuda_leave(self);
	return status;
}

static void close_streams(plait_backend *self, const driven_queue *queue)
{
	struct cuda_lane *lane = queue->driver;
	int i;

	if (lane->stream != NULL && !lane->borrowed)
		self->cu.cuStreamDestroy(lane->stream);
	if (lane->notices != NULL)
		self->cu.cuStreamDestroy(lane->notices);
	for (i = 0; i < CUDA_PINNED_SIZES; i++)
		if (lane->staging[i] != NULL)
			plaitp_cuda_release_pinned(self,
						   &self->devices[queue->device],
						   i, lane->staging[i]);
}

static void close_queue(struct driven *driven, driven_queue *queue)
{
	plait_backend *self = backend_of(driven);
	struct cuda_lane *lane = queue->driver;
	plait_error ignored = { .size = sizeof(ignored) };

	if (lane == NULL)
		return;
	if (plaitp_cuda_enter(self, queue->device, &ignored) == PLAIT_OK) {
		close_streams(self, queue);
		plaitp_cuda_leave(self);
	}
	self->services->resize(self->host, lane, sizeof(*lane), 0);
}

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

/* --- the rest ------------------------------------------------------------- */

static void share_event(struct driven *driven, driven_batch *batch,
			const driven_batch *before)
{
	struct cuda_event *event = before->event;

	(void)driven;
	event->references++;
	batch->event = event;
}

static void drop(struct driven *driven, driven_batch *batch)
{
	drop_event(backend_of(driven), batch->event);
	plaitp_cuda_drop_transfers(backend_of(driven), batch);
}

static void flush(struct driven *driven, driven_queue *queue)
{
	(void)driven;
	(void)queue;
}

static void describe(struct driven *driven, const driven_batch *batch,
		     plait_error *out)
{
	plaitp_cuda_fail_call(backend_of(driven), batch->queue->device, out,
			      "a command", (CUresult)batch->code,
			      label_of_all(batch));
}

const struct driven_ops plaitp_cuda_ops = {
	.name = "cuda",
	.segments = true,
	.open_queue = open_queue,
	.close_queue = close_queue,
	.recover = recover,
	.hand_on = hand_on,
	.share_event = share_event,
	.drop = drop,
	.flush = flush,
	.describe = describe,
};
