/* SPDX-License-Identifier: MIT */
/* Copies of rows and slices in one call of the driver. */
#include "backend.h"

/* Returns true if one call copies the rows of the work: within a device or with
 * wrapped memory, and with distances below the device's limit. */
bool plaitp_cuda_is_copy3d(const plait_work *work)
{
	const plait_work_rows *rows = work->rows;
	const plait_backend_memory *target = work->target;
	const plait_backend_memory *source = work->source;
	uint64_t most;

	if (work->kind != PLAIT_WORK_COPY)
		return false;
	most = target->device->limits.pitch;
	return (target->wrapped != NULL || source->wrapped != NULL ||
		target->device == source->device) &&
	       rows->target_row <= most && rows->source_row <= most;
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
