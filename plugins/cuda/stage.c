/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of memory that the driver knows nothing of.  It would copy
 * that inside the call: a read would wait for the device, a write would take
 * what is there before its turn.  So it goes through pinned memory of the
 * queue, piece by piece, and host functions in the stream move each piece when
 * it is its turn.  A stream is in order, so one buffer is enough for all.
 */
#include <string.h>

#include "backend.h"

static const uint64_t staging_bytes[CUDA_PINNED_SIZES] = { 64 << 10, 4 << 20 };

/* What the host functions of one work share; they come one by one. */
struct cuda_transfer {
	struct cuda_transfer *next;
	char *host;
	char *staging;
	uint64_t left;
	uint64_t piece;
	bool to_host;
};

static uint64_t next_piece(const struct cuda_transfer *transfer)
{
	return transfer->left < transfer->piece ? transfer->left :
						  transfer->piece;
}

/* On a thread of the driver. */
static void move_piece(void *arg)
{
	struct cuda_transfer *transfer = arg;
	uint64_t bytes = next_piece(transfer);

	if (transfer->to_host)
		memcpy(transfer->host, transfer->staging, bytes);
	else
		memcpy(transfer->staging, transfer->host, bytes);
	transfer->host += bytes;
	transfer->left -= bytes;
}

static CUresult take_staging(plait_backend *self, const driven_queue *queue,
			     struct cuda_transfer *transfer)
{
	struct cuda_lane *lane = queue->driver;
	int size = transfer->left > staging_bytes[0];
	CUresult code = CUDA_SUCCESS;

	if (lane->staging[size] == NULL)
		code = plaitp_cuda_acquire_pinned(
			self, &self->devices[queue->device], size,
			staging_bytes[size], &lane->staging[size]);
	if (code != CUDA_SUCCESS)
		lane->staging[size] = NULL;
	transfer->staging = lane->staging[size];
	transfer->piece = staging_bytes[size];
	return code;
}

/* True when the device can reach all of it by itself. */
static bool is_pinned(plait_backend *self, const char *host, uint64_t bytes)
{
	unsigned first = 0, last = 0;

	return self->cu.cuPointerGetAttribute(
		       &first, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		       (CUdeviceptr)(uintptr_t)host) == CUDA_SUCCESS &&
	       self->cu.cuPointerGetAttribute(
		       &last, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		       (CUdeviceptr)(uintptr_t)(host + bytes - 1)) ==
		       CUDA_SUCCESS &&
	       first == CU_MEMORYTYPE_HOST && last == CU_MEMORYTYPE_HOST;
}

/* --- pieces --------------------------------------------------------------- */

static bool taken(struct cuda_call *call, const char *name, CUresult code)
{
	call->name = name;
	call->code = code;
	return code == CUDA_SUCCESS;
}

static bool read_direct(plait_backend *self, CUstream stream, void *host,
			CUdeviceptr from, uint64_t bytes,
			struct cuda_call *call)
{
	return taken(call, "cuMemcpyDtoHAsync",
		     self->cu.cuMemcpyDtoHAsync(host, from, bytes, stream));
}

static bool write_direct(plait_backend *self, CUstream stream,
			 const void *host, CUdeviceptr to, uint64_t bytes,
			 struct cuda_call *call)
{
	return taken(call, "cuMemcpyHtoDAsync",
		     self->cu.cuMemcpyHtoDAsync(to, host, bytes, stream));
}

static bool move_later(plait_backend *self, CUstream stream,
		       struct cuda_transfer *transfer, struct cuda_call *call)
{
	return taken(call, "cuLaunchHostFunc",
		     self->cu.cuLaunchHostFunc(stream, move_piece, transfer));
}

/* `transfer` is the host functions' as soon as there is one. */
static bool send_pieces(plait_backend *self, CUstream stream,
			struct cuda_transfer *transfer, CUdeviceptr address,
			uint64_t bytes, struct cuda_call *call)
{
	char *staging = transfer->staging;
	uint64_t piece = transfer->piece;
	bool to_host = transfer->to_host, good = true;
	uint64_t at;

	for (at = 0; at < bytes && good; at += piece) {
		uint64_t some = bytes - at < piece ? bytes - at : piece;

		if (to_host)
			good = read_direct(self, stream, staging, address + at,
					   some, call) &&
			       move_later(self, stream, transfer, call);
		else
			good = move_later(self, stream, transfer, call) &&
			       write_direct(self, stream, staging,
					    address + at, some, call);
	}
	return good;
}

/* --- the whole ------------------------------------------------------------ */

static struct cuda_transfer *new_transfer(plait_backend *self,
					  driven_batch *batch,
					  const plait_work *work)
{
	struct cuda_transfer *transfer = self->services->resize(
		self->host, NULL, 0, sizeof(*transfer));

	if (transfer == NULL)
		return NULL;
	*transfer = (struct cuda_transfer){
		.next = batch->load,
		.host = work->host,
		.left = work->bytes,
		.to_host = work->kind == PLAIT_WORK_READ
	};
	batch->load = transfer;
	return transfer;
}

static bool send_staged(plait_backend *self, driven_batch *batch,
			const plait_work *work, CUdeviceptr address,
			struct cuda_call *call)
{
	struct cuda_lane *lane = batch->queue->driver;
	struct cuda_transfer *transfer = new_transfer(self, batch, work);

	if (transfer == NULL)
		return taken(call, "a read or write",
			     CUDA_ERROR_OUT_OF_MEMORY);
	if (!taken(call, "cuMemHostAlloc", take_staging(self, batch->queue,
						  transfer)))
		return false;
	return send_pieces(self, lane->stream, transfer, address, work->bytes,
			   call);
}

bool plaitp_cuda_transfer(plait_backend *self, driven_batch *batch,
			  const plait_work *work, struct cuda_call *call)
{
	struct cuda_lane *lane = batch->queue->driver;
	bool reads = work->kind == PLAIT_WORK_READ;
	CUdeviceptr address = reads ?
			      work->source->address + work->source_offset :
			      work->target->address + work->target_offset;

	if (!is_pinned(self, work->host, work->bytes))
		return send_staged(self, batch, work, address, call);
	return reads ? read_direct(self, lane->stream, work->host, address,
				   work->bytes, call) :
		       write_direct(self, lane->stream, work->host, address,
				    work->bytes, call);
}

void plaitp_cuda_drop_transfers(plait_backend *self, driven_batch *batch)
{
	struct cuda_transfer *transfer;

	while ((transfer = batch->load) != NULL) {
		batch->load = transfer->next;
		self->services->resize(self->host, transfer, sizeof(*transfer),
				       0);
	}
}
