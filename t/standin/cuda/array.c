/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: arrays, textures and surfaces.  Rows of an array
 * have gaps, as no program can tell where a device puts pixels.  Textures
 * interpolate with the 8 bits of fraction that devices have, and yield rubbish
 * in the numbers that the array has not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { MOST_WIDTH = 131072, MOST_HEIGHT = 65536, GAP = 48 };

struct CUarray_st {
	struct block block; /* first */
	CUDA_ARRAY3D_DESCRIPTOR_v2 desc;
	size_t pitch;
};

/* A texture or a surface; its handle is its address. */
struct view {
	struct object object;
	CUarray array;
	CUDA_TEXTURE_DESC_v1 desc;
};

/* --- arrays --------------------------------------------------------------- */

static size_t pixel_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *desc)
{
	return desc->NumChannels *
	       (desc->Format == CU_AD_FORMAT_FLOAT ? sizeof(float) : 1);
}

/* Two dimensions, and the formats that abi.h names. */
static bool is_sensible(const CUDA_ARRAY3D_DESCRIPTOR_v2 *desc)
{
	return desc->Width != 0 && desc->Width <= MOST_WIDTH &&
	       desc->Height != 0 && desc->Height <= MOST_HEIGHT &&
	       desc->Depth == 0 &&
	       (desc->Format == CU_AD_FORMAT_FLOAT ||
		desc->Format == CU_AD_FORMAT_UNSIGNED_INT8) &&
	       (desc->NumChannels == 1 || desc->NumChannels == 2 ||
		desc->NumChannels == 4) &&
	       (desc->Flags & ~(unsigned)CUDA_ARRAY3D_SURFACE_LDST) == 0;
}

CUresult standin_cuArray3DCreate(CUarray *out,
				 const CUDA_ARRAY3D_DESCRIPTOR_v2 *desc)
{
	CUcontext context = standin_current();
	CUarray array;
	CUresult code;

	if (out == NULL || desc == NULL || !is_sensible(desc))
		return CUDA_ERROR_INVALID_VALUE;
	array = standin_new(sizeof(*array));
	array->desc = *desc;
	array->pitch = desc->Width * pixel_bytes(desc) + GAP;
	code = standin_allocate(&array->block, array->pitch * desc->Height,
				STANDIN_ARRAY, context, context->device);
	if (code == CUDA_SUCCESS)
		*out = array;
	else
		free(array);
	return code;
}

CUresult standin_cuArrayDestroy(CUarray array)
{
	if (standin_find(array, STANDIN_ARRAY) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	return standin_take_back(array->block.pointer, STANDIN_ARRAY,
				 CUDA_ERROR_INVALID_HANDLE);
}

bool standin_find_rows(CUarray array, size_t x, size_t y, size_t bytes,
		       size_t rows, char **at, size_t *pitch)
{
	if (standin_find(array, STANDIN_ARRAY) == NULL ||
	    x > array->pitch - GAP || bytes > array->pitch - GAP - x ||
	    y > array->desc.Height || rows > array->desc.Height - y)
		return false;
	*at = array->block.pointer + y * array->pitch + x;
	*pitch = array->pitch;
	return true;
}

/* --- textures and surfaces ------------------------------------------------ */

static CUresult add_view(unsigned long long *out,
			 const CUDA_RESOURCE_DESC_v1 *resource,
			 const CUDA_TEXTURE_DESC_v1 *desc,
			 enum standin_kind kind)
{
	struct view *view;

	if (out == NULL || resource == NULL || resource->flags != 0 ||
	    resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	if (standin_find(resource->res.array, STANDIN_ARRAY) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	view = standin_new(sizeof(*view));
	view->array = resource->res.array;
	if (desc != NULL)
		view->desc = *desc;
	standin_add(&view->object, kind, standin_current());
	*out = (uintptr_t)view;
	return CUDA_SUCCESS;
}

static CUresult end_view(unsigned long long handle, enum standin_kind kind)
{
	struct object *view = standin_find((void *)(uintptr_t)handle, kind);

	if (view == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	standin_free_view(view);
	return CUDA_SUCCESS;
}

void standin_free_view(struct object *object)
{
	standin_remove(object);
	free(object);
}

/* Coordinates are in pixels, so they do not wrap. */
CUresult standin_cuTexObjectCreate(CUtexObject *texture,
				   const CUDA_RESOURCE_DESC_v1 *resource,
				   const CUDA_TEXTURE_DESC_v1 *desc,
				   const CUDA_RESOURCE_VIEW_DESC_v1 *view)
{
	size_t i;

	if (desc == NULL || desc->flags != 0 || view != NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < 2; i++)
		if (desc->addressMode[i] != CU_TR_ADDRESS_MODE_CLAMP &&
		    desc->addressMode[i] != CU_TR_ADDRESS_MODE_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
	return add_view(texture, resource, desc, STANDIN_TEXTURE);
}

CUresult standin_cuTexObjectDestroy(CUtexObject texture)
{
	return end_view(texture, STANDIN_TEXTURE);
}

CUresult standin_cuSurfObjectCreate(CUsurfObject *surface,
				    const CUDA_RESOURCE_DESC_v1 *resource)
{
	CUresult code = add_view(surface, resource, NULL, STANDIN_SURFACE);
	const struct view *view;

	if (code != CUDA_SUCCESS)
		return code;
	view = (const void *)(uintptr_t)*surface;
	if ((view->array->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0)
		return CUDA_SUCCESS;
	(void)end_view(*surface, STANDIN_SURFACE);
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult standin_cuSurfObjectDestroy(CUsurfObject surface)
{
	return end_view(surface, STANDIN_SURFACE);
}

/* --- what kernels do; without the lock ------------------------------------ */

/* The array behind a handle, which lives as long as the kernel; false: there is
 * none, and the kernel fails. */
static bool look_up(unsigned long long handle, enum standin_kind kind,
		    struct view *view, struct CUarray_st *array)
{
	const struct view *found;

	pthread_mutex_lock(&standin.lock);
	found = standin_find((void *)(uintptr_t)handle, kind);
	if (found != NULL && standin_find(found->array, STANDIN_ARRAY) == NULL)
		found = NULL;
	if (found != NULL) {
		*view = *found;
		*array = *found->array;
	}
	pthread_mutex_unlock(&standin.lock);
	return found != NULL;
}

static bool is_inside(const struct CUarray_st *array, long x, long y)
{
	return x >= 0 && y >= 0 && x < (long)array->desc.Width &&
	       y < (long)array->desc.Height;
}

static long clamped(long x, size_t size)
{
	return x < 0 ? 0 : x < (long)size ? x : (long)size - 1;
}

static void fetch(const struct view *view, const struct CUarray_st *array,
		  long x, long y, float pixel[4])
{
	const unsigned count = array->desc.NumChannels;
	const char *at;
	unsigned k;

	for (k = 0; k < 4; k++)
		pixel[k] = k < count ? 0 : -77;
	if (view->desc.addressMode[0] == CU_TR_ADDRESS_MODE_CLAMP)
		x = clamped(x, array->desc.Width);
	if (view->desc.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP)
		y = clamped(y, array->desc.Height);
	if (!is_inside(array, x, y))
		return;
	at = array->block.pointer + (size_t)y * array->pitch +
	     (size_t)x * pixel_bytes(&array->desc);
	for (k = 0; k < count; k++)
		if (array->desc.Format == CU_AD_FORMAT_FLOAT)
			memcpy(&pixel[k], at + k * sizeof(float),
			       sizeof(float));
		else
			pixel[k] = (float)(unsigned char)at[k] / 255.0f;
}

/* A number that no array reaches stands for all beyond, and for NaN. */
static float near(float x)
{
	return fminf(fmaxf(x, -MOST_WIDTH), 2.0f * MOST_WIDTH);
}

int standin_texture(unsigned long long handle, float x, float y, float out[4])
{
	struct view view;
	struct CUarray_st array;
	float pixels[4][4], u, v;
	long i, k;

	if (!look_up(handle, STANDIN_TEXTURE, &view, &array))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	if (view.desc.filterMode == CU_TR_FILTER_MODE_POINT) {
		fetch(&view, &array, (long)floorf(near(x)),
		      (long)floorf(near(y)), out);
		return 0;
	}
	x = rintf((near(x) - 0.5f) * 256) / 256;
	y = rintf((near(y) - 0.5f) * 256) / 256;
	u = x - floorf(x);
	v = y - floorf(y);
	for (i = 0; i < 4; i++)
		fetch(&view, &array, (long)floorf(x) + (i & 1),
		      (long)floorf(y) + (i >> 1), pixels[i]);
	for (k = 0; k < 4; k++)
		out[k] = (1 - v) * ((1 - u) * pixels[0][k] +
				    u * pixels[1][k]) +
			 v * ((1 - u) * pixels[2][k] + u * pixels[3][k]);
	return 0;
}

/* A store outside traps, as is the default of CUDA C. */
int standin_store(unsigned long long handle, const void *data, unsigned bytes,
		  int x, int y)
{
	struct view view;
	struct CUarray_st array;
	size_t row;

	if (!look_up(handle, STANDIN_SURFACE, &view, &array))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	row = array.pitch - GAP;
	if (x < 0 || y < 0 || (size_t)y >= array.desc.Height ||
	    (size_t)x + bytes > row)
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	if ((size_t)x % bytes != 0)
		return CUDA_ERROR_MISALIGNED_ADDRESS;
	memcpy(array.block.pointer + (size_t)y * array.pitch + (size_t)x, data,
	       bytes);
	return 0;
}
