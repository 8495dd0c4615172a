/* SPDX-License-Identifier: MIT */
/* A stand-in for libcuda.so.1: copies, as commands and as nodes, of linear memory
 * and of arrays. */
#include <string.h>

#include "standin.h"

/* --- copies --------------------------------------------------------------- */

/* Memory that the driver does not know is copied through a buffer of its own:
 * it waits for the stream, and from a device also for the copy itself. */
static CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes,
		     CUstream handle, bool from_host, bool to_host)
{
	CUstream stream = standin_stream(handle);
	struct work work = { .kind = WORK_COPY,
			     .target = (char *)(uintptr_t)to,
			     .source = (const char *)(uintptr_t)from,
			     .bytes = bytes };
	bool source_known = standin_is_known(work.source, bytes);
	bool target_known = standin_is_known(work.target, bytes);
	CUcontext context = standin_current();
	struct op *op;

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (bytes == 0)
		return CUDA_SUCCESS;
	if ((!source_known && !from_host) || (!target_known && !to_host) ||
	    to == 0 || from == 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (!source_known && standin.options.pageable_waits) {
		if (stream->last != NULL)
			standin_await(stream->last);
		work.staged = standin_new(bytes);
		memcpy(work.staged, work.source, bytes);
		work.source = work.staged;
	}
	op = standin_enqueue(stream, &work);
	if (!target_known && standin.options.pageable_waits)
		standin_await(op);
	return context->sticky;
}

CUresult standin_cuMemcpyHtoDAsync(CUdeviceptr target, const void *source,
				   size_t bytes, CUstream stream)
{
	return copy(target, (CUdeviceptr)(uintptr_t)source, bytes, stream,
		    true, false);
}

CUresult standin_cuMemcpyDtoHAsync(void *target, CUdeviceptr source,
				   size_t bytes, CUstream stream)
{
	return copy((CUdeviceptr)(uintptr_t)target, source, bytes, stream,
		    false, true);
}

CUresult standin_cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source,
				   size_t bytes, CUstream stream)
{
	return copy(target, source, bytes, stream, false, false);
}

CUresult standin_cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source,
			       size_t bytes, CUstream stream)
{
	return copy(target, source, bytes, stream, true, true);
}

CUresult standin_cuMemcpyPeerAsync(CUdeviceptr target,
				   CUcontext target_context,
				   CUdeviceptr source,
				   CUcontext source_context, size_t bytes,
				   CUstream stream)
{
	if (standin_find(target_context, STANDIN_CONTEXT) == NULL ||
	    standin_find(source_context, STANDIN_CONTEXT) == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy(target, source, bytes, stream, false, false);
}

/* Too large a value is refused even where it does not matter. */
static bool are_pitches_right(const CUDA_MEMCPY3D_v2 *box)
{
	size_t most = (size_t)standin.options.most_pitch;

	return box->srcPitch <= most && box->dstPitch <= most;
}

/* One side of a box: where it begins, and the distances of its rows and
 * slices. */
struct side {
	CUmemorytype said;
	char *at;
	size_t pitch, slice;
};

static bool find_array_side(struct side *side, CUarray array, size_t x,
			    size_t y, size_t z, const CUDA_MEMCPY3D_v2 *box)
{
	return z == 0 && box->Depth == 1 &&
	       standin_find_rows(array, x, y, box->WidthInBytes, box->Height,
				 &side->at, &side->pitch);
}

static bool find_target(const CUDA_MEMCPY3D_v2 *box, struct side *side)
{
	side->said = box->dstMemoryType;
	side->pitch = box->dstPitch;
	side->slice = box->dstHeight * box->dstPitch;
	side->at = side->said == CU_MEMORYTYPE_HOST ? (char *)box->dstHost :
		   (char *)(uintptr_t)box->dstDevice;
	if (side->said == CU_MEMORYTYPE_ARRAY)
		return find_array_side(side, box->dstArray, box->dstXInBytes,
				       box->dstY, box->dstZ, box);
	side->at += box->dstXInBytes + box->dstY * box->dstPitch;
	return true;
}

static bool find_source(const CUDA_MEMCPY3D_v2 *box, struct side *side)
{
	side->said = box->srcMemoryType;
	side->pitch = box->srcPitch;
	side->slice = box->srcHeight * box->srcPitch;
	side->at = side->said == CU_MEMORYTYPE_HOST ?
		   (char *)(uintptr_t)box->srcHost :
		   (char *)(uintptr_t)box->srcDevice;
	if (side->said == CU_MEMORYTYPE_ARRAY)
		return find_array_side(side, box->srcArray, box->srcXInBytes,
				       box->srcY, box->srcZ, box);
	side->at += box->srcXInBytes + box->srcY * box->srcPitch;
	return true;
}

/* Linear memory has its pitches, and an array on one side allows any memory on
 * the other. */
static bool is_box(const CUDA_MEMCPY3D_v2 *box)
{
	bool to_array = box->dstMemoryType == CU_MEMORYTYPE_ARRAY;
	bool from_array = box->srcMemoryType == CU_MEMORYTYPE_ARRAY;

	return box->WidthInBytes != 0 && box->Height != 0 && box->Depth != 0 &&
	       (from_array || (box->srcPitch >= box->WidthInBytes &&
			       box->srcHeight >= box->Height)) &&
	       (to_array || (box->dstPitch >= box->WidthInBytes &&
			     box->dstHeight >= box->Height)) &&
	       are_pitches_right(box) &&
	       (to_array || from_array ||
		(box->srcMemoryType == box->dstMemoryType &&
		 (box->srcMemoryType == CU_MEMORYTYPE_DEVICE ||
		  box->srcMemoryType == CU_MEMORYTYPE_UNIFIED)));
}

/* Memory that the driver need not know. */
static bool is_any(const struct side *side)
{
	return side->said == CU_MEMORYTYPE_UNIFIED ||
	       side->said == CU_MEMORYTYPE_HOST;
}

/* One command for each row. */
static CUresult copy_box(const CUDA_MEMCPY3D_v2 *box, CUstream stream)
{
	CUresult code = CUDA_SUCCESS;
	struct side to, from;
	size_t i, k;

	if (!is_box(box) || !find_target(box, &to) || !find_source(box, &from))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < box->Depth; i++)
		for (k = 0; k < box->Height && code == CUDA_SUCCESS; k++)
			code = copy((uintptr_t)(to.at + i * to.slice +
						k * to.pitch),
				    (uintptr_t)(from.at + i * from.slice +
						k * from.pitch),
				    box->WidthInBytes, stream, is_any(&from),
				    is_any(&to));
	return code;
}

/* An array of another context needs the call for peers. */
static bool is_strange(CUmemorytype type, CUarray array)
{
	const struct object *object = type != CU_MEMORYTYPE_ARRAY ? NULL :
				      standin_find(array, STANDIN_ARRAY);

	return object != NULL && object->context != standin_current();
}

CUresult standin_cuMemcpy3DAsync(const CUDA_MEMCPY3D_v2 *box, CUstream stream)
{
	if (box->reserved0 != NULL || box->reserved1 != NULL ||
	    is_strange(box->srcMemoryType, box->srcArray) ||
	    is_strange(box->dstMemoryType, box->dstArray))
		return CUDA_ERROR_INVALID_VALUE;
	return copy_box(box, stream);
}

CUresult standin_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER_v1 *far,
				     CUstream stream)
{
	CUDA_MEMCPY3D_v2 box;

	if (standin_find(far->srcContext, STANDIN_CONTEXT) == NULL ||
	    standin_find(far->dstContext, STANDIN_CONTEXT) == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	memcpy(&box, far, sizeof(box));
	return copy_box(&box, stream);
}

/* --- nodes ---------------------------------------------------------------- */

/* From the first byte to behind the last. */
static size_t reach(const struct work *work, size_t pitch, size_t slice)
{
	return (work->depth - 1) * slice + (work->height - 1) * pitch +
	       work->bytes;
}

static void fill_rows(struct work *work, const CUDA_MEMCPY3D_v2 *params,
		      const struct side *to, const struct side *from)
{
	work->bytes = params->WidthInBytes;
	work->height = params->Height;
	work->depth = params->Depth;
	work->target = to->at;
	work->source = from->at;
	work->pitch = to->pitch;
	work->source_pitch = from->pitch;
	work->slice = to->slice;
	work->source_slice = from->slice;
}

CUresult standin_fill_copy(struct work *work, const CUDA_MEMCPY3D_v2 *params)
{
	struct side to, from;
	bool flat;

	if (params == NULL || params->reserved0 != NULL ||
	    params->reserved1 != NULL || params->WidthInBytes == 0)
		return CUDA_ERROR_INVALID_VALUE;
	flat = params->Height == 1 && params->Depth == 1;
	if ((flat ? !are_pitches_right(params) : !is_box(params)) ||
	    !find_target(params, &to) || !find_source(params, &from))
		return CUDA_ERROR_INVALID_VALUE;
	work->kind = WORK_COPY;
	fill_rows(work, params, &to, &from);
	work->from = standin_operand_at(work->source, params->srcMemoryType);
	work->to = standin_operand_at(work->target, params->dstMemoryType);
	if ((!standin_is_known(work->source, reach(work, work->source_pitch,
					   work->source_slice)) &&
	     params->srcMemoryType != CU_MEMORYTYPE_HOST) ||
	    (!standin_is_known(work->target, reach(work, work->pitch, work->slice)) &&
	     params->dstMemoryType != CU_MEMORYTYPE_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
