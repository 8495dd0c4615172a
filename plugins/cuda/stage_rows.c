/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of rows.  A call of the driver for each row takes longer than
 * short rows do, and pageable memory adds a host function for each.  Here rows lie
 * without gaps in the staging buffer: the device copies as many as fit in one call,
 * and one host function copies them to their places in host memory, or from there.
 */
#include <string.h>

#include "flight.h"
#include "stage.h"

/* --- parts ---------------------------------------------------------------- */

/* Step to the next part of at most `most` rows; returns false behind the last. */
static bool next_part(struct cuda_part *part, const plait_work_rows *rows,
		      uint64_t most)
{
	uint64_t slices = most / rows->rows;

	part->row += part->rows;
	if (part->row == rows->rows) {
		part->row = 0;
		part->slice += part->slices;
	}
	part->slices = slices == 0 ? 1 : rows->slices - part->slice;
	if (slices > 0 && part->slices > slices)
		part->slices = slices;
	part->rows = rows->rows - part->row;
	if (part->rows > most)
		part->rows = most;
	return part->slice < rows->slices;
}

static uint64_t source_at(const plait_work_rows *rows,
			  const struct cuda_part *part)
{
	return part->slice * rows->source_slice + part->row * rows->source_row;
}

static uint64_t target_at(const plait_work_rows *rows,
			  const struct cuda_part *part)
{
	return part->slice * rows->target_slice + part->row * rows->target_row;
}

/* --- host memory ---------------------------------------------------------- */

/* Copy a part between host memory and memory without gaps. */
static void copy_part(char *host, char *packed, uint64_t bytes, bool to_host,
		      const plait_work_rows *rows, const struct cuda_part *part)
{
	const uint64_t row = to_host ? rows->target_row : rows->source_row;
	const uint64_t slice = to_host ? rows->target_slice :
					 rows->source_slice;

	for (uint64_t i = 0; i < part->slices; i++)
		for (uint64_t k = 0; k < part->rows; k++) {
			char *at = host + (part->slice + i) * slice +
				   (part->row + k) * row;

			memcpy(to_host ? at : packed, to_host ? packed : at,
			       bytes);
			packed += bytes;
		}
}

/* Runs on a thread of the driver. */
static void copy_next(void *arg)
{
	struct cuda_transfer *transfer = arg;

	(void)next_part(&transfer->part, transfer->rows,
			transfer->chunk / transfer->row_bytes);
	copy_part(transfer->host, transfer->staging, transfer->row_bytes,
		  transfer->to_host, transfer->rows, &transfer->part);
}

/* --- the device ----------------------------------------------------------- */

static bool check(struct cuda_call *call, const char *name, CUresult code)
{
	*call = (struct cuda_call){ name, code };
	return code == CUDA_SUCCESS;
}

/* Pinned memory of the host, as one side of a box: `slice` bytes per slice, rows
 * `row` bytes apart. */
struct side {
	char *at;
	uint64_t row, slice;
};

static bool send_box(plait_backend *self, CUstream stream,
		     const plait_work *work, const struct cuda_part *part,
		     const struct side *host, struct cuda_call *call)
{
	const plait_work_rows *rows = work->rows;
	CUDA_MEMCPY3D_v2 box = {
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED,
		.srcPitch = host->row, .srcHeight = host->slice / host->row,
		.dstPitch = host->row, .dstHeight = host->slice / host->row,
		.WidthInBytes = work->bytes, .Height = part->rows,
		.Depth = part->slices
	};

	box.srcDevice = box.dstDevice = (CUdeviceptr)(uintptr_t)host->at;
	if (work->kind == PLAIT_WORK_READ) {
		box.srcDevice = work->source->address + work->source_offset +
				source_at(rows, part);
		box.srcPitch = rows->source_row;
		box.srcHeight = rows->source_slice / rows->source_row;
	} else {
		box.dstDevice = work->target->address + work->target_offset +
				target_at(rows, part);
		box.dstPitch = rows->target_row;
		box.dstHeight = rows->target_slice / rows->target_row;
	}
	return check(call, "cuMemcpy3DAsync",
		     self->cu.cuMemcpy3DAsync(&box, stream));
}

static bool send_packed(plait_backend *self, CUstream stream,
			const plait_work *work, const struct cuda_part *part,
			char *packed, struct cuda_call *call)
{
	const struct side side = { packed, work->bytes,
				   work->bytes * part->rows };

	return send_box(self, stream, work, part, &side, call);
}

static struct cuda_part all_of(const plait_work_rows *rows)
{
	return (struct cuda_part){ .slices = rows->slices,
				   .rows = rows->rows };
}

/* --- whole transfers ------------------------------------------------------ */

static uint64_t host_row(const plait_work *work)
{
	return work->kind == PLAIT_WORK_READ ? work->rows->target_row :
					       work->rows->source_row;
}

static uint64_t host_slice(const plait_work *work)
{
	return work->kind == PLAIT_WORK_READ ? work->rows->target_slice :
					       work->rows->source_slice;
}

/* From the first byte of host memory to behind the last. */
static uint64_t host_reach(const plait_work *work)
{
	return (work->rows->slices - 1) * host_slice(work) +
	       (work->rows->rows - 1) * host_row(work) + work->bytes;
}

static uint64_t count_bytes(const plait_work *work)
{
	return work->bytes * work->rows->rows * work->rows->slices;
}

bool plaitp_cuda_can_stage_rows(const plait_work *work)
{
	const bool reads = work->kind == PLAIT_WORK_READ;
	const plait_backend_memory *memory = reads ? work->source :
						     work->target;
	const plait_work_rows *rows = work->rows;

	return (reads || work->kind == PLAIT_WORK_WRITE) &&
	       memory->image == NULL && work->bytes <= CUDA_STAGING_BYTES &&
	       work->bytes <= memory->device->limits.pitch &&
	       (reads ? rows->source_row : rows->target_row) <=
		       memory->device->limits.pitch;
}

static bool send_early(plait_backend *self, const driven_queue *queue,
		       const plait_work *work, struct cuda_call *call)
{
	const struct cuda_part all = all_of(work->rows);
	char *place = NULL;

	if (!check(call, "cuMemHostAlloc",
		   plaitp_cuda_stage_place(self, queue, count_bytes(work),
					   &place)))
		return false;
	copy_part(work->host, place, work->bytes, false, work->rows, &all);
	return send_packed(self, ((struct cuda_streams *)queue->driver)->stream,
			   work, &all, place, call);
}

/* Host memory of the work is pinned. */
static bool send_pinned(plait_backend *self, CUstream stream,
			const plait_work *work, struct cuda_call *call)
{
	const struct side side = { work->host, host_row(work),
				   host_slice(work) };
	const struct cuda_part all = all_of(work->rows);

	return send_box(self, stream, work, &all, &side, call);
}

static bool copy_later(plait_backend *self, CUstream stream,
		       struct cuda_transfer *transfer, struct cuda_call *call)
{
	return check(call, "cuLaunchHostFunc",
		     self->cu.cuLaunchHostFunc(stream, copy_next, transfer));
}

/* The host functions own `transfer` once the first is enqueued. */
static bool send_parts(plait_backend *self, CUstream stream,
		       struct cuda_transfer *transfer, const plait_work *work,
		       struct cuda_call *call)
{
	const uint64_t most = transfer->chunk / work->bytes;
	const bool to_host = transfer->to_host;
	char *staging = transfer->staging;
	struct cuda_part part = { .rows = 0 };
	bool good = true;

	while (good && next_part(&part, work->rows, most))
		good = to_host ?
		       send_packed(self, stream, work, &part, staging, call) &&
			       copy_later(self, stream, transfer, call) :
		       copy_later(self, stream, transfer, call) &&
			       send_packed(self, stream, work, &part, staging,
					   call);
	return good;
}

static bool send_staged(plait_backend *self, driven_batch *batch,
			const plait_work *work, struct cuda_call *call)
{
	struct cuda_transfer *transfer = plaitp_cuda_stage_new(self, batch,
							       work);

	if (transfer == NULL)
		return check(call, "a read or write",
			     CUDA_ERROR_OUT_OF_MEMORY);
	transfer->left = count_bytes(work);
	transfer->row_bytes = work->bytes;
	transfer->rows = work->rows;
	if (!check(call, "cuMemHostAlloc",
		   plaitp_cuda_stage_acquire(self, batch->queue, transfer)))
		return false;
	return send_parts(self,
			  ((struct cuda_streams *)batch->queue->driver)->stream,
			  transfer, work, call);
}

bool plaitp_cuda_transfer_rows(plait_backend *self, driven_batch *batch,
			       const plait_work *work, struct cuda_call *call)
{
	const driven_queue *queue = batch->queue;
	const struct cuda_streams *streams = queue->driver;
	enum cuda_pinning pinned = plaitp_cuda_stage_pinning(
		self, work->host, host_reach(work));

	if (pinned == CUDA_PINNED_ALL &&
	    host_row(work) > self->devices[queue->device].limits.pitch)
		pinned = CUDA_PINNED_PART;
	if (pinned == CUDA_PINNED_NONE &&
	    plaitp_cuda_stage_is_early(queue, work, count_bytes(work)))
		return send_early(self, queue, work, call);
	plaitp_cuda_stage_note(queue, work, pinned);
	return pinned == CUDA_PINNED_ALL ?
		       send_pinned(self, streams->stream, work, call) :
		       send_staged(self, batch, work, call);
}
