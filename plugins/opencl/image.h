/* SPDX-License-Identifier: MIT */
/* Images and samplers: objects of the driver, and moves of whole rows. */
#ifndef PLAITP_OPENCL_IMAGE_H
#define PLAITP_OPENCL_IMAGE_H

#include "segment.h"

static inline bool plaitp_opencl_image_is(const plait_backend_memory *memory)
{
	return memory != NULL && memory->row_bytes != 0;
}

/* Create the driver's object, and set the size of its rows. */
plait_status plaitp_opencl_image_create(plait_backend *self,
					plait_backend_memory *memory,
					const plait_memory_request *request,
					plait_error *error);

/* Returns true for a copy, read or write of an image. */
bool plaitp_opencl_image_moves(const plait_work *work);
/* Enqueue such a work as one command; returns the call and its code. */
struct opencl_call plaitp_opencl_image_move(plait_backend *self,
					    cl_command_queue queue,
					    const plait_work *work,
					    cl_uint wait_count,
					    const cl_event *waits,
					    cl_event *event);

/* Get the sampler of these flags, which the backend owns. */
cl_int plaitp_opencl_sampler_get(plait_backend *self,
				 plait_sampler_flags flags, cl_sampler *out);
void plaitp_opencl_samplers_release(plait_backend *self);

#endif
