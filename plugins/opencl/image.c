/* SPDX-License-Identifier: MIT */
/* Images and samplers of the driver; see image.h. */
#include "image.h"

/* --- images --------------------------------------------------------------- */

static cl_image_format format_of(plait_image_format format)
{
	switch (format) {
	case PLAIT_IMAGE_R32F:
		return (cl_image_format){ CL_R, CL_FLOAT };
	case PLAIT_IMAGE_RGBA32F:
		return (cl_image_format){ CL_RGBA, CL_FLOAT };
	default:
		return (cl_image_format){ CL_RGBA, CL_UNORM_INT8 };
	}
}

plait_status plaitp_opencl_image_create(plait_backend *self,
					plait_backend_memory *memory,
					const plait_memory_request *request,
					plait_error *error)
{
	const cl_image_format format = format_of(request->format);
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
				     .image_width = request->width,
				     .image_height = request->height };
	cl_int code = CL_SUCCESS;

	memory->row_bytes = request->bytes / request->height;
	memory->width = request->width;
	memory->memory = self->cl.clCreateImage(self->context,
						CL_MEM_READ_WRITE, &format,
						&desc, NULL, &code);
	if (memory->memory != NULL)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error, "clCreateImage",
				       code, "an image");
}

/* --- moves ---------------------------------------------------------------- */

bool plaitp_opencl_image_moves(const plait_work *work)
{
	return (work->kind == PLAIT_WORK_COPY ||
		work->kind == PLAIT_WORK_READ ||
		work->kind == PLAIT_WORK_WRITE) &&
	       (plaitp_opencl_image_is(work->target) ||
		plaitp_opencl_image_is(work->source));
}

/* A move in the terms of the driver: pixels from `from` or to `to`. */
struct move {
	size_t from[3], to[3], region[3];
};

static struct move measure(const plait_work *work)
{
	const plait_backend_memory *image =
		plaitp_opencl_image_is(work->target) ? work->target :
						       work->source;
	struct move move = {
		.region = { image->width, work->bytes / image->row_bytes, 1 },
	};

	move.from[1] = work->source_offset / image->row_bytes;
	move.to[1] = work->target_offset / image->row_bytes;
	return move;
}

static struct opencl_call copy(plait_backend *self, cl_command_queue queue,
			       const plait_work *work, cl_uint wait_count,
			       const cl_event *waits, cl_event *event)
{
	const struct move move = measure(work);
	const cl_mem source = work->source->memory;
	const cl_mem target = work->target->memory;

	if (!plaitp_opencl_image_is(work->source))
		return (struct opencl_call){
			"clEnqueueCopyBufferToImage",
			self->cl.clEnqueueCopyBufferToImage(
				queue, source, target, work->source_offset,
				move.to, move.region, wait_count, waits, event)
		};
	if (!plaitp_opencl_image_is(work->target))
		return (struct opencl_call){
			"clEnqueueCopyImageToBuffer",
			self->cl.clEnqueueCopyImageToBuffer(
				queue, source, target, move.from, move.region,
				work->target_offset, wait_count, waits, event)
		};
	return (struct opencl_call){
		"clEnqueueCopyImage",
		self->cl.clEnqueueCopyImage(queue, source, target, move.from,
					    move.to, move.region, wait_count,
					    waits, event)
	};
}

struct opencl_call plaitp_opencl_image_move(plait_backend *self,
					    cl_command_queue queue,
					    const plait_work *work,
					    cl_uint wait_count,
					    const cl_event *waits,
					    cl_event *event)
{
	const struct move move = measure(work);

	if (work->kind == PLAIT_WORK_COPY)
		return copy(self, queue, work, wait_count, waits, event);
	if (work->kind == PLAIT_WORK_READ)
		return (struct opencl_call){
			"clEnqueueReadImage",
			self->cl.clEnqueueReadImage(
				queue, work->source->memory, CL_FALSE,
				move.from, move.region, 0, 0, work->host,
				wait_count, waits, event)
		};
	return (struct opencl_call){
		"clEnqueueWriteImage",
		self->cl.clEnqueueWriteImage(queue, work->target->memory,
					     CL_FALSE, move.to, move.region,
					     0, 0, work->host, wait_count,
					     waits, event)
	};
}

/* --- samplers ------------------------------------------------------------- */

/* Keep a sampler; returns the one that is kept: another thread may have been
 * faster. */
static cl_sampler keep(plait_backend *self, uint32_t index, cl_sampler made)
{
	cl_sampler kept;

	pthread_mutex_lock(&self->accounting_lock);
	if (self->samplers[index] == NULL)
		self->samplers[index] = made;
	kept = self->samplers[index];
	pthread_mutex_unlock(&self->accounting_lock);
	return kept;
}

cl_int plaitp_opencl_sampler_get(plait_backend *self,
				 plait_sampler_flags flags, cl_sampler *out)
{
	const uint32_t index = flags % OPENCL_SAMPLERS;
	cl_int code = CL_SUCCESS;
	cl_sampler made;

	*out = keep(self, index, NULL);
	if (*out != NULL)
		return code;
	made = self->cl.clCreateSampler(
		self->context, CL_FALSE,
		(flags & PLAIT_SAMPLER_ZERO) != 0 ? CL_ADDRESS_CLAMP :
						    CL_ADDRESS_CLAMP_TO_EDGE,
		(flags & PLAIT_SAMPLER_LINEAR) != 0 ? CL_FILTER_LINEAR :
						      CL_FILTER_NEAREST,
		&code);
	if (made == NULL)
		return code != CL_SUCCESS ? code : CL_OUT_OF_HOST_MEMORY;
	*out = keep(self, index, made);
	if (*out != made)
		self->cl.clReleaseSampler(made);
	return CL_SUCCESS;
}

void plaitp_opencl_samplers_release(plait_backend *self)
{
	uint32_t i;

	for (i = 0; i < OPENCL_SAMPLERS; i++)
		if (self->samplers[i] != NULL)
			self->cl.clReleaseSampler(self->samplers[i]);
}
