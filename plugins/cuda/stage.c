/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of pageable host memory, through staging buffers in pinned
 * memory.  The driver would copy such memory inside the call: a read would wait
 * for the device, and a write would take the bytes before its turn.  Here host
 * functions in the stream copy each chunk between staging buffer and host
 * memory.  The stream is in order, so one buffer is enough.
 *
 * A host function delays its stream by some 16 us.  A small write is therefore
 * copied into the staging buffer early, when it is enqueued: each gets a place of
 * its own until the stream is idle.  Not if anything in front of it may still
 * change the host memory or the buffer:
 *
 *     the stream waits for other queues, which may read into the memory
 *     a read, or a staged write, is in the stream
 *     the stream may have commands of the user
 *
 * Host functions of the queue hold later batches back until they have ended.
 */
#include <string.h>

#include "copy_host.h"
#include "flight.h"
#include "image.h"
#include "stage.h"

/* Of the places of early writes in the small buffer. */
enum { EARLY_ALIGNMENT = 256 };

static const uint64_t staging_bytes[CUDA_PINNED_SIZES] = {
	64 << 10, CUDA_STAGING_BYTES
};

static uint64_t next_chunk_bytes(const struct cuda_transfer *transfer)
{
	return transfer->left < transfer->chunk ? transfer->left :
						  transfer->chunk;
}

/* Runs on a thread of the driver. */
static void copy_chunk(void *arg)
{
	struct cuda_transfer *transfer = arg;
	uint64_t bytes = next_chunk_bytes(transfer);

	if (transfer->to_host)
		plaitp_cuda_copy_host(transfer->self, transfer->host,
				      transfer->staging, bytes);
	else
		plaitp_cuda_copy_host(transfer->self, transfer->staging,
				      transfer->host, bytes);
	transfer->host += bytes;
	transfer->left -= bytes;
}

CUresult plaitp_cuda_stage_acquire(plait_backend *self,
				   const driven_queue *queue,
				   struct cuda_transfer *transfer)
{
	struct cuda_streams *streams = queue->driver;
	int size = transfer->left > staging_bytes[0];
	CUresult code = CUDA_SUCCESS;

	if (streams->staging[size] == NULL)
		code = plaitp_cuda_acquire_pinned(
			self, &self->devices[queue->device], size,
			staging_bytes[size], &streams->staging[size]);
	if (code != CUDA_SUCCESS)
		streams->staging[size] = NULL;
	transfer->staging = streams->staging[size];
	transfer->chunk = staging_bytes[size] -
			  staging_bytes[size] % transfer->row_bytes;
	return code;
}

static bool is_host_memory(plait_backend *self, const char *byte)
{
	unsigned type = 0;

	return self->cu.cuPointerGetAttribute(
		       &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		       (CUdeviceptr)(uintptr_t)byte) == CUDA_SUCCESS &&
	       type == CU_MEMORYTYPE_HOST;
}

enum cuda_pinning plaitp_cuda_stage_pinning(plait_backend *self,
					    const char *host, uint64_t bytes)
{
	bool first = is_host_memory(self, host);
	bool last = is_host_memory(self, host + bytes - 1);

	return first && last ? CUDA_PINNED_ALL :
	       first || last ? CUDA_PINNED_PART : CUDA_PINNED_NONE;
}

/* --- chunks --------------------------------------------------------------- */

static bool check(struct cuda_call *call, const char *name, CUresult code)
{
	call->name = name;
	call->code = code;
	return code == CUDA_SUCCESS;
}

/* Host memory of the work is pinned. */
static bool send(plait_backend *self, const driven_queue *queue,
		 const plait_work *work, struct cuda_call *call)
{
	CUstream stream = ((struct cuda_streams *)queue->driver)->stream;

	if (plaitp_cuda_image_of(work) != NULL)
		*call = plaitp_cuda_image_move(
			self, &self->devices[queue->device], stream, work);
	else if (work->kind == PLAIT_WORK_READ)
		(void)check(call, "cuMemcpyDtoHAsync",
			    self->cu.cuMemcpyDtoHAsync(
				    work->host, work->source->address +
						work->source_offset,
				    work->bytes, stream));
	else
		(void)check(call, "cuMemcpyHtoDAsync",
			    self->cu.cuMemcpyHtoDAsync(
				    work->target->address +
					    work->target_offset,
				    work->host, work->bytes, stream));
	return call->code == CUDA_SUCCESS;
}

static bool copy_later(plait_backend *self, CUstream stream,
		       struct cuda_transfer *transfer, struct cuda_call *call)
{
	return check(call, "cuLaunchHostFunc",
		     self->cu.cuLaunchHostFunc(stream, copy_chunk, transfer));
}

/* The host functions own `transfer` once the first is enqueued.  One direction:
 * copy in or out of the staging memory around each chunk's transfer. */
static bool send_chunks(plait_backend *self, const driven_queue *queue,
			struct cuda_transfer *transfer, const plait_work *work,
			struct cuda_call *call)
{
	CUstream stream = ((struct cuda_streams *)queue->driver)->stream;
	uint64_t chunk = transfer->chunk, left = work->bytes;
	bool to_host = transfer->to_host, good = true;
	plait_work part = *work;

	part.host = transfer->staging;
	for (; left > 0 && good; left -= part.bytes) {
		part.bytes = left < chunk ? left : chunk;
		if (to_host)
			good = send(self, queue, &part, call) &&
			       copy_later(self, stream, transfer, call);
		else
			good = copy_later(self, stream, transfer, call) &&
			       send(self, queue, &part, call);
		part.source_offset += part.bytes;
		part.target_offset += part.bytes;
	}
	return good;
}

/* --- whole transfers ------------------------------------------------------ */

struct cuda_transfer *plaitp_cuda_stage_new(plait_backend *self,
					    driven_batch *batch,
					    const plait_work *work)
{
	const plait_backend_memory *image = plaitp_cuda_image_of(work);
	struct cuda_transfer *transfer = self->services->resize(
		self->host, NULL, 0, sizeof(*transfer));

	if (transfer == NULL)
		return NULL;
	*transfer = (struct cuda_transfer){
		.next = batch->driver_data,
		.self = self,
		.host = work->host,
		.left = work->bytes,
		.row_bytes = image != NULL ? image->image->row_bytes : 1,
		.to_host = work->kind == PLAIT_WORK_READ
	};
	batch->driver_data = transfer;
	return transfer;
}

static bool send_staged(plait_backend *self, driven_batch *batch,
			const plait_work *work, struct cuda_call *call)
{
	struct cuda_transfer *transfer = plaitp_cuda_stage_new(self, batch,
							       work);

	if (transfer == NULL)
		return check(call, "a read or write",
			     CUDA_ERROR_OUT_OF_MEMORY);
	if (!check(call, "cuMemHostAlloc",
		   plaitp_cuda_stage_acquire(self, batch->queue, transfer)))
		return false;
	return send_chunks(self, batch->queue, transfer, work, call);
}

/* --- early writes --------------------------------------------------------- */

void plaitp_cuda_stage_batch(const driven_batch *batch)
{
	struct cuda_streams *streams = batch->queue->driver;

	if (streams->flight_head == NULL) {
		streams->early_bytes = 0;
		streams->is_late = false;
	}
	streams->is_late |= batch->sources > 0;
}

bool plaitp_cuda_stage_is_early(const driven_queue *queue,
				const plait_work *work, uint64_t bytes)
{
	const struct cuda_streams *streams = queue->driver;

	return work->kind == PLAIT_WORK_WRITE && !streams->is_late &&
	       !streams->imported &&
	       plaitp_driven_load(&streams->is_shared) == 0 &&
	       bytes <= staging_bytes[0] - streams->early_bytes;
}

CUresult plaitp_cuda_stage_place(plait_backend *self,
				 const driven_queue *queue, uint64_t bytes,
				 char **out)
{
	struct cuda_streams *streams = queue->driver;
	struct cuda_transfer place = { .left = bytes, .row_bytes = 1 };
	CUresult code = plaitp_cuda_stage_acquire(self, queue, &place);
	uint64_t end = streams->early_bytes + bytes + EARLY_ALIGNMENT - 1;

	if (code != CUDA_SUCCESS)
		return code;
	*out = place.staging + streams->early_bytes;
	end -= end % EARLY_ALIGNMENT;
	streams->early_bytes = end < staging_bytes[0] ? end : staging_bytes[0];
	return CUDA_SUCCESS;
}

static bool send_early(plait_backend *self, const driven_queue *queue,
		       const plait_work *work, struct cuda_call *call)
{
	plait_work early = *work;
	char *place = NULL;

	if (!check(call, "cuMemHostAlloc",
		   plaitp_cuda_stage_place(self, queue, work->bytes, &place)))
		return false;
	early.host = place;
	memcpy(early.host, work->host, work->bytes);
	return send(self, queue, &early, call);
}

void plaitp_cuda_stage_note(const driven_queue *queue, const plait_work *work,
			    enum cuda_pinning pinned)
{
	struct cuda_streams *streams = queue->driver;

	streams->is_late |= pinned != CUDA_PINNED_ALL ||
			    work->kind == PLAIT_WORK_READ;
}

bool plaitp_cuda_transfer(plait_backend *self, driven_batch *batch,
			  const plait_work *work, struct cuda_call *call)
{
	enum cuda_pinning pinned = plaitp_cuda_stage_pinning(self, work->host,
							     work->bytes);

	if (pinned == CUDA_PINNED_NONE &&
	    plaitp_cuda_stage_is_early(batch->queue, work, work->bytes))
		return send_early(self, batch->queue, work, call);
	plaitp_cuda_stage_note(batch->queue, work, pinned);
	return pinned == CUDA_PINNED_ALL ?
		       send(self, batch->queue, work, call) :
		       send_staged(self, batch, work, call);
}

void plaitp_cuda_drop_transfers(plait_backend *self, driven_batch *batch)
{
	struct cuda_transfer *transfer;

	while ((transfer = batch->driver_data) != NULL) {
		batch->driver_data = transfer->next;
		self->services->resize(self->host, transfer, sizeof(*transfer),
				       0);
	}
}
