/* SPDX-License-Identifier: MIT */
/*
 * Queues: their streams, priorities, words and staging buffers.  The commands
 * of the streams are in enqueue.c.
 */
#include <string.h>

#include "flight.h"

/* Larger is more urgent in plait, smaller in the driver. */
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

/*
 * Priority of the callback stream: different from those of queues and of maps,
 * if there are enough.  Streams that share a connection may block each other,
 * and the waits of this one must not block commands.
 */
static int callback_priority(const struct cuda_device *device, int priority)
{
	int urgent = device->priority_most + 1;

	return urgent < device->priority_least ? urgent : priority;
}

/* The queue's stream, one for callbacks, and a word if the device writes words.
 * After a failure the caller destroys what there is. */
static CUresult make_streams(plait_backend *self, driven_queue *queue,
			     struct cuda_streams *streams, int32_t wanted)
{
	const struct cuda_device *device = &self->devices[queue->device];
	int priority = priority_of(device, wanted);
	CUresult code = CUDA_SUCCESS;

	if (!streams->imported)
		code = self->cu.cuStreamCreateWithPriority(
			&streams->stream, CU_STREAM_NON_BLOCKING, priority);
	if (code != CUDA_SUCCESS) {
		streams->stream = NULL;
		return code;
	}
	code = self->cu.cuStreamCreateWithPriority(
		&streams->callback_stream, CU_STREAM_NON_BLOCKING,
		callback_priority(device, priority));
	if (code != CUDA_SUCCESS)
		streams->callback_stream = NULL;
	else if (plaitp_driven_load(&device->writes_words) != 0)
		(void)plaitp_cuda_word_acquire(
			self, &self->devices[queue->device], &streams->word);
	return code;
}

/* Import the program's stream, which is not destroyed, or make one. */
static plait_status fill_streams(plait_backend *self, driven_queue *queue,
				 struct cuda_streams *streams,
				 const plait_queue_request *request,
				 plait_error *error)
{
	plait_status status;
	CUresult code;

	if (request->native_kind != 0) {
		status = plaitp_cuda_import_stream(self, queue->device, request,
						   &streams->stream, error);
		if (status != PLAIT_OK)
			return status;
		streams->imported = true;
	}
	code = make_streams(self, queue, streams, request->priority);
	if (code == CUDA_SUCCESS)
		return PLAIT_OK;
	return plaitp_cuda_fail_call(self, queue->device, error,
				     "cuStreamCreateWithPriority", code,
				     queue->label);
}

plait_status plaitp_cuda_open_queue(struct driven *driven, driven_queue *queue,
				    const plait_queue_request *request,
				    plait_error *error)
{
	plait_backend *self = (plait_backend *)(void *)driven;
	struct cuda_streams *streams = self->services->resize(self->host, NULL,
							      0,
							      sizeof(*streams));
	plait_status status;

	if (streams == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a queue");
	memset(streams, 0, sizeof(*streams));
	streams->queue = queue;
	queue->driver = streams;
	status = plaitp_cuda_enter(self, queue->device, error);
	if (status != PLAIT_OK)
		return status;
	status = fill_streams(self, queue, streams, request, error);
	plaitp_cuda_leave(self);
	return status;
}

static void close_streams(plait_backend *self, const driven_queue *queue)
{
	struct cuda_streams *streams = queue->driver;
	int i;

	if (streams->stream != NULL && !streams->imported)
		self->cu.cuStreamDestroy(streams->stream);
	if (streams->callback_stream != NULL)
		self->cu.cuStreamDestroy(streams->callback_stream);
	for (i = 0; i < CUDA_PINNED_SIZES; i++)
		if (streams->staging[i] != NULL)
			plaitp_cuda_release_pinned(
				self, &self->devices[queue->device], i,
				streams->staging[i]);
}

/* A ticket that the device has yet to write, perhaps behind work of the user's in an
 * imported stream, would come to the word's next owner: then the word is not used
 * again. */
static void give_word_back(plait_backend *self, const driven_queue *queue)
{
	const struct cuda_streams *streams = queue->driver;

	if (streams->word != NULL &&
	    plaitp_driven_load(streams->word->host) == streams->marked)
		plaitp_cuda_word_release(self, &self->devices[queue->device],
					 streams->word);
}

void plaitp_cuda_close_queue(struct driven *driven, driven_queue *queue)
{
	plait_backend *self = (plait_backend *)(void *)driven;
	struct cuda_streams *streams = queue->driver;
	plait_error ignored = { .size = sizeof(ignored) };

	if (streams == NULL)
		return;
	give_word_back(self, queue);
	if (plaitp_cuda_enter(self, queue->device, &ignored) == PLAIT_OK) {
		close_streams(self, queue);
		plaitp_cuda_leave(self);
	}
	self->services->resize(self->host, streams, sizeof(*streams), 0);
	plaitp_driven_enter(driven);
	plaitp_driven_leave(driven);
}
