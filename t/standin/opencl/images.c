/* SPDX-License-Identifier: MIT */
/* Samplers and moves of images of the stand-in for OpenCL: an image is its rows
 * without gaps, so that moves of whole rows are those of bytes. */
#include "fake.h"

/* Find the bytes of whole rows; false for anything else. */
static bool find(cl_mem handle, const size_t *origin, const size_t *region,
		 size_t *out_offset, size_t *out_bytes)
{
	const struct fake_memory *image = (struct fake_memory *)handle;

	if (!fake_is(image, FAKE_MEMORY) || image->row_bytes == 0 ||
	    origin[0] != 0 || origin[2] != 0 || region[0] != image->width ||
	    region[1] == 0 || region[2] != 1)
		return false;
	*out_offset = origin[1] * image->row_bytes;
	*out_bytes = region[1] * image->row_bytes;
	return true;
}

cl_int fake_clEnqueueReadImage(cl_command_queue queue, cl_mem image,
			       cl_bool blocking, const size_t *from,
			       const size_t *region, size_t row, size_t slice,
			       void *pointer, cl_uint count,
			       const cl_event *waits, cl_event *event)
{
	size_t offset, bytes;

	if (row != 0 || slice != 0 ||
	    !find(image, from, region, &offset, &bytes))
		return CL_INVALID_VALUE;
	return fake_clEnqueueReadBuffer(queue, image, blocking, offset, bytes,
					pointer, count, waits, event);
}

cl_int fake_clEnqueueWriteImage(cl_command_queue queue, cl_mem image,
				cl_bool blocking, const size_t *to,
				const size_t *region, size_t row, size_t slice,
				const void *pointer, cl_uint count,
				const cl_event *waits, cl_event *event)
{
	size_t offset, bytes;

	if (row != 0 || slice != 0 ||
	    !find(image, to, region, &offset, &bytes))
		return CL_INVALID_VALUE;
	return fake_clEnqueueWriteBuffer(queue, image, blocking, offset, bytes,
					 pointer, count, waits, event);
}

cl_int fake_clEnqueueCopyImage(cl_command_queue queue, cl_mem source,
			       cl_mem target, const size_t *from,
			       const size_t *to, const size_t *region,
			       cl_uint count, const cl_event *waits,
			       cl_event *event)
{
	size_t first, second, bytes;

	if (!find(source, from, region, &first, &bytes) ||
	    !find(target, to, region, &second, &bytes))
		return CL_INVALID_VALUE;
	return fake_clEnqueueCopyBuffer(queue, source, target, first, second,
					bytes, count, waits, event);
}

cl_int fake_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem source,
				       cl_mem target, const size_t *from,
				       const size_t *region,
				       size_t target_offset, cl_uint count,
				       const cl_event *waits, cl_event *event)
{
	size_t first, bytes;

	if (!find(source, from, region, &first, &bytes))
		return CL_INVALID_VALUE;
	return fake_clEnqueueCopyBuffer(queue, source, target, first,
					target_offset, bytes, count, waits,
					event);
}

cl_int fake_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem source,
				       cl_mem target, size_t source_offset,
				       const size_t *to, const size_t *region,
				       cl_uint count, const cl_event *waits,
				       cl_event *event)
{
	size_t second, bytes;

	if (!find(target, to, region, &second, &bytes))
		return CL_INVALID_VALUE;
	return fake_clEnqueueCopyBuffer(queue, source, target, source_offset,
					second, bytes, count, waits, event);
}

cl_sampler fake_clCreateSampler(cl_context context, cl_bool normalized,
				cl_addressing_mode addressing,
				cl_filter_mode filter, cl_int *code)
{
	(void)addressing, (void)filter;
	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		normalized ? CL_INVALID_VALUE : CL_SUCCESS;
	return *code != CL_SUCCESS ? NULL :
	       (cl_sampler)fake_new(FAKE_SAMPLER, sizeof(struct fake_object),
				    NULL);
}

cl_int fake_clReleaseSampler(cl_sampler sampler)
{
	if (!fake_is(sampler, FAKE_SAMPLER))
		return CL_INVALID_SAMPLER;
	fake_release(sampler);
	return CL_SUCCESS;
}
