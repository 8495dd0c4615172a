/* SPDX-License-Identifier: MIT */
/* Images: arrays of the driver, with a texture for each sampler and a surface. */
#ifndef PLAITP_CUDA_IMAGE_H
#define PLAITP_CUDA_IMAGE_H

#include "flight.h"

/* One for each sum of PLAIT_SAMPLER_... flags. */
enum { CUDA_TEXTURES = 4 };

/* Arguments of kernels, which src/source/image_cuda.prelude declares, too. */
struct cuda_image_in {
	CUtexObject textures[CUDA_TEXTURES];
	uint32_t width, height, format;
};

struct cuda_image_out {
	CUsurfObject surface;
	uint32_t width, height, format;
};

struct cuda_image {
	struct cuda_unfreed unfreed;
	CUarray array;
	struct cuda_image_in in;
	struct cuda_image_out out;
	uint64_t row_bytes;
};

/* Create the objects of `memory`.  Context is current. */
plait_status plaitp_cuda_image_create(plait_backend *self,
				      plait_backend_memory *memory,
				      const plait_memory_request *request,
				      plait_error *error);
/* Needs no current context; the objects go when nothing is in flight. */
void plaitp_cuda_image_release(plait_backend *self,
			       struct cuda_device *device,
			       struct cuda_image *image);

/* The image of a copy, read or write, of the target if both sides are one; or
 * null. */
const plait_backend_memory *plaitp_cuda_image_of(const plait_work *work);
/* Returns true if such a work needs no other device than this one. */
bool plaitp_cuda_image_stays(const plait_work *work,
			     const struct cuda_device *device);
/* Rows of such a work; memory of the host is pinned. */
CUDA_MEMCPY3D_v2 plaitp_cuda_image_rows(const plait_work *work);
/* Enqueue them on a stream of the device.  Context is current. */
struct cuda_call plaitp_cuda_image_move(plait_backend *self,
					struct cuda_device *device,
					CUstream stream,
					const plait_work *work);

#endif
