/* SPDX-License-Identifier: MIT */
/* Copies of rows and slices in one call of the driver. */
#include <string.h>

#include "backend.h"

/* Returns true if the distances of rows are below the limits of both devices. */
static bool are_pitches_right(const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const uint64_t target = work->target->device->limits.pitch;
	const uint64_t source = work->source->device->limits.pitch;
	const uint64_t most = target < source ? target : source;

	return rows->target_row <= most && rows->source_row <= most;
}

/* Returns true if one call copies the rows of the work: within a device or with
 * wrapped memory, and with distances below the device's limit. */
bool plaitp_cuda_is_copy3d(const plait_work *work)
{
	const plait_backend_memory *target = work->target;
	const plait_backend_memory *source = work->source;

	return work->kind == PLAIT_WORK_COPY &&
	       (target->wrapped != NULL || source->wrapped != NULL ||
		target->device == source->device) &&
	       are_pitches_right(work);
}

bool plaitp_cuda_is_far_copy3d(const plait_work *work)
{
	return work->kind == PLAIT_WORK_COPY && work->target->wrapped == NULL &&
	       work->source->wrapped == NULL &&
	       work->target->device != work->source->device &&
	       are_pitches_right(work);
}

/* plaitp_cuda_is_copy3d is true of the work. */
CUDA_MEMCPY3D_v2 plaitp_cuda_copy3d(const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	bool wrapped = work->target->wrapped != NULL ||
		       work->source->wrapped != NULL;
	CUmemorytype type = wrapped ? CU_MEMORYTYPE_UNIFIED :
				      CU_MEMORYTYPE_DEVICE;

	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = type, .dstMemoryType = type,
		.srcDevice = work->source->address + work->source_offset,
		.dstDevice = work->target->address + work->target_offset,
		.srcPitch = rows->source_row,
		.srcHeight = rows->source_slice / rows->source_row,
		.dstPitch = rows->target_row,
		.dstHeight = rows->target_slice / rows->target_row,
		.WidthInBytes = work->bytes, .Height = rows->rows,
		.Depth = rows->slices
	};
}

/* plaitp_cuda_is_far_copy3d is true of the work. */
CUDA_MEMCPY3D_PEER_v1 plaitp_cuda_far_copy3d(const plait_work *work)
{
	const CUDA_MEMCPY3D_v2 box = plaitp_cuda_copy3d(work);
	CUDA_MEMCPY3D_PEER_v1 far;

	_Static_assert(sizeof(far) == sizeof(box), "one layout");
	memcpy(&far, &box, sizeof(far));
	far.dstContext = work->target->device->context;
	far.srcContext = work->source->device->context;
	return far;
}
