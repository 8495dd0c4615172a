/* SPDX-License-Identifier: MIT */
/*
 * Images.  A texture fixes filter and edges when it is made, so each image has
 * one for each sampler, and a sampler of a launch is the number of one.  Moves
 * are copies of rows between arrays and linear memory.
 */
#include <string.h>

#include "image.h"

/* --- creation; context is current ----------------------------------------- */

static plait_status check_size(plait_backend *self,
			       const plait_backend_memory *memory,
			       const plait_memory_request *request,
			       plait_error *error)
{
	const uint64_t *most = memory->device->limits.surface;

	if (request->width <= most[0] && request->height <= most[1] &&
	    request->bytes / request->height <= CUDA_STAGING_BYTES)
		return PLAIT_OK;
	return plaitp_driven_fail(
		self->services, error, PLAIT_E_UNSUPPORTED, 0,
		"cuda:%u: an image of %u x %u pixels; at most %llu x %llu",
		plaitp_cuda_number(self, memory->device),
		(unsigned)request->width, (unsigned)request->height,
		(unsigned long long)most[0], (unsigned long long)most[1]);
}

/* Retry with an empty pool if the driver has no memory. */
static struct cuda_call make_array(plait_backend *self,
				   struct cuda_device *device,
				   struct cuda_image *image)
{
	const bool bytes = image->in.format == PLAIT_IMAGE_RGBA8;
	const CUDA_ARRAY3D_DESCRIPTOR_v2 desc = {
		.Width = image->in.width, .Height = image->in.height,
		.Format = bytes ? CU_AD_FORMAT_UNSIGNED_INT8 :
				  CU_AD_FORMAT_FLOAT,
		.NumChannels = image->in.format == PLAIT_IMAGE_R32F ? 1 : 4,
		.Flags = CUDA_ARRAY3D_SURFACE_LDST
	};
	CUresult code = self->cu.cuArray3DCreate(&image->array, &desc);

	if (code == CUDA_ERROR_OUT_OF_MEMORY) {
		plaitp_cuda_pool_clear(self, device, true);
		code = self->cu.cuArray3DCreate(&image->array, &desc);
	}
	if (code != CUDA_SUCCESS)
		image->array = NULL;
	return (struct cuda_call){ "cuArray3DCreate", code };
}

static struct cuda_call make_surface(plait_backend *self,
				     struct cuda_image *image)
{
	const CUDA_RESOURCE_DESC_v1 resource = {
		.resType = CU_RESOURCE_TYPE_ARRAY, .res.array = image->array
	};
	CUresult code = self->cu.cuSurfObjectCreate(&image->out.surface,
						    &resource);

	if (code != CUDA_SUCCESS)
		image->out.surface = 0;
	return (struct cuda_call){ "cuSurfObjectCreate", code };
}

/* Coordinates in pixels, and bytes as numbers from 0 to 1, are the flags 0. */
static struct cuda_call make_texture(plait_backend *self,
				     struct cuda_image *image,
				     plait_sampler_flags by)
{
	const CUaddress_mode mode = (by & PLAIT_SAMPLER_ZERO) != 0 ?
				    CU_TR_ADDRESS_MODE_BORDER :
				    CU_TR_ADDRESS_MODE_CLAMP;
	const CUDA_RESOURCE_DESC_v1 resource = {
		.resType = CU_RESOURCE_TYPE_ARRAY, .res.array = image->array
	};
	const CUDA_TEXTURE_DESC_v1 desc = {
		.addressMode = { mode, mode, mode },
		.filterMode = (by & PLAIT_SAMPLER_LINEAR) != 0 ?
			      CU_TR_FILTER_MODE_LINEAR :
			      CU_TR_FILTER_MODE_POINT
	};
	CUresult code = self->cu.cuTexObjectCreate(&image->in.textures[by],
						   &resource, &desc, NULL);

	if (code != CUDA_SUCCESS)
		image->in.textures[by] = 0;
	return (struct cuda_call){ "cuTexObjectCreate", code };
}

static struct cuda_call make_all(plait_backend *self,
				 struct cuda_device *device,
				 struct cuda_image *image)
{
	struct cuda_call call = make_array(self, device, image);

	if (call.code == CUDA_SUCCESS)
		call = make_surface(self, image);
	for (uint32_t i = 0; i < CUDA_TEXTURES && call.code == CUDA_SUCCESS;
	     i++)
		call = make_texture(self, image, i);
	return call;
}

static void free_image(plait_backend *self, struct cuda_unfreed *one,
		       bool entered)
{
	struct cuda_image *image = (struct cuda_image *)(void *)one;
	const struct cuda_calls *cu = &self->cu;

	for (uint32_t i = 0; i < CUDA_TEXTURES && entered; i++)
		if (image->in.textures[i] != 0)
			cu->cuTexObjectDestroy(image->in.textures[i]);
	if (entered && image->out.surface != 0)
		cu->cuSurfObjectDestroy(image->out.surface);
	if (entered && image->array != NULL)
		cu->cuArrayDestroy(image->array);
	self->services->resize(self->host, image, sizeof(*image), 0);
}

plait_status plaitp_cuda_image_create(plait_backend *self,
				      plait_backend_memory *memory,
				      const plait_memory_request *request,
				      plait_error *error)
{
	plait_status status = check_size(self, memory, request, error);
	struct cuda_image *image;
	struct cuda_call call;

	if (status != PLAIT_OK)
		return status;
	image = self->services->resize(self->host, NULL, 0, sizeof(*image));
	if (image == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for the record "
					  "of an image");
	memset(image, 0, sizeof(*image));
	image->in.width = image->out.width = request->width;
	image->in.height = image->out.height = request->height;
	image->in.format = image->out.format = request->format;
	image->row_bytes = request->bytes / request->height;
	call = make_all(self, memory->device, image);
	if (call.code == CUDA_SUCCESS) {
		memory->image = image;
		return PLAIT_OK;
	}
	free_image(self, &image->unfreed, true);
	return plaitp_cuda_fail_call(self,
				     plaitp_cuda_number(self, memory->device),
				     error, call.name, call.code, "an image");
}

void plaitp_cuda_image_release(plait_backend *self,
			       struct cuda_device *device,
			       struct cuda_image *image)
{
	plaitp_cuda_free_later(self, device, &image->unfreed, free_image);
	plaitp_driven_enter(&self->driven);
	plaitp_driven_leave(&self->driven);
}

/* --- moves ---------------------------------------------------------------- */

static bool is_image(const plait_backend_memory *memory)
{
	return memory != NULL && memory->image != NULL;
}

const plait_backend_memory *plaitp_cuda_image_of(const plait_work *work)
{
	if (work->kind != PLAIT_WORK_COPY && work->kind != PLAIT_WORK_READ &&
	    work->kind != PLAIT_WORK_WRITE)
		return NULL;
	return is_image(work->target) ? work->target :
	       is_image(work->source) ? work->source : NULL;
}

/* Returns true for memory that the device reaches by itself. */
static bool stays(const plait_backend_memory *memory,
		  const struct cuda_device *device)
{
	return memory == NULL || memory->wrapped != NULL ||
	       memory->device == device;
}

bool plaitp_cuda_image_stays(const plait_work *work,
			     const struct cuda_device *device)
{
	return stays(work->target, device) && stays(work->source, device);
}

static void set_target(CUDA_MEMCPY3D_v2 *rows, const plait_work *work)
{
	const plait_backend_memory *memory = work->target;

	rows->dstPitch = rows->WidthInBytes;
	rows->dstHeight = rows->Height;
	if (is_image(memory)) {
		rows->dstMemoryType = CU_MEMORYTYPE_ARRAY;
		rows->dstArray = memory->image->array;
		rows->dstY = work->target_offset / memory->image->row_bytes;
	} else if (work->kind == PLAIT_WORK_READ || memory->wrapped != NULL) {
		rows->dstMemoryType = CU_MEMORYTYPE_HOST;
		rows->dstHost = work->kind == PLAIT_WORK_READ ? work->host :
				memory->wrapped + work->target_offset;
	} else {
		rows->dstMemoryType = CU_MEMORYTYPE_DEVICE;
		rows->dstDevice = memory->address + work->target_offset;
	}
}

static void set_source(CUDA_MEMCPY3D_v2 *rows, const plait_work *work)
{
	const plait_backend_memory *memory = work->source;

	rows->srcPitch = rows->WidthInBytes;
	rows->srcHeight = rows->Height;
	if (is_image(memory)) {
		rows->srcMemoryType = CU_MEMORYTYPE_ARRAY;
		rows->srcArray = memory->image->array;
		rows->srcY = work->source_offset / memory->image->row_bytes;
	} else if (work->kind == PLAIT_WORK_WRITE || memory->wrapped != NULL) {
		rows->srcMemoryType = CU_MEMORYTYPE_HOST;
		rows->srcHost = work->kind == PLAIT_WORK_WRITE ? work->host :
				memory->wrapped + work->source_offset;
	} else {
		rows->srcMemoryType = CU_MEMORYTYPE_DEVICE;
		rows->srcDevice = memory->address + work->source_offset;
	}
}

CUDA_MEMCPY3D_v2 plaitp_cuda_image_rows(const plait_work *work)
{
	const uint64_t row_bytes = plaitp_cuda_image_of(work)->image->row_bytes;
	CUDA_MEMCPY3D_v2 rows = { .WidthInBytes = row_bytes,
				  .Height = work->bytes / row_bytes,
				  .Depth = 1 };

	set_target(&rows, work);
	set_source(&rows, work);
	return rows;
}

/* The context of one side; the host's memory has any. */
static CUcontext context_of(plait_backend *self, struct cuda_device *device,
			    const plait_backend_memory *memory)
{
	if (stays(memory, device))
		return device->context;
	(void)plaitp_cuda_has_path(self, device, memory->device);
	return memory->device->context;
}

/* Between devices. */
static struct cuda_call move_far(plait_backend *self,
				 struct cuda_device *device, CUstream stream,
				 const plait_work *work)
{
	const CUDA_MEMCPY3D_v2 rows = plaitp_cuda_image_rows(work);
	CUDA_MEMCPY3D_PEER_v1 far;

	_Static_assert(sizeof(far) == sizeof(rows), "one layout");
	memcpy(&far, &rows, sizeof(far));
	far.dstContext = context_of(self, device, work->target);
	far.srcContext = context_of(self, device, work->source);
	return (struct cuda_call){ "cuMemcpy3DPeerAsync",
				   self->cu.cuMemcpy3DPeerAsync(&far, stream) };
}

struct cuda_call plaitp_cuda_image_move(plait_backend *self,
					struct cuda_device *device,
					CUstream stream,
					const plait_work *work)
{
	CUDA_MEMCPY3D_v2 rows;

	if (!plaitp_cuda_image_stays(work, device))
		return move_far(self, device, stream, work);
	rows = plaitp_cuda_image_rows(work);
	return (struct cuda_call){ "cuMemcpy3DAsync",
				   self->cu.cuMemcpy3DAsync(&rows, stream) };
}
