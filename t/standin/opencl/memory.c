/* SPDX-License-Identifier: MIT */
/* Memory objects and sub-buffers of the stand-in for OpenCL. */
#include <stdlib.h>

#include "fake.h"

static void end_memory(void *object)
{
	struct fake_memory *memory = object;

	if (memory->maps != 0 && fake.report.failed == NULL)
		fake_sin("memory is released while it is mapped");
	if (memory->ours)
		free(memory->bytes);
	fake_release(memory->parent);
}

static struct fake_memory *new_memory(void *parent, unsigned char *bytes,
				      size_t count)
{
	struct fake_memory *memory = fake_new(FAKE_MEMORY, sizeof(*memory),
					      end_memory);

	fake_retain(parent);
	memory->parent = parent;
	memory->bytes = bytes;
	memory->count = count;
	return memory;
}

cl_mem fake_clCreateBuffer(cl_context context, cl_mem_flags flags,
			   size_t bytes, void *pointer, cl_int *code)
{
	bool wraps = (flags & CL_MEM_USE_HOST_PTR) != 0;
	struct fake_memory *memory;

	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		wraps != (pointer != NULL)	? CL_INVALID_HOST_PTR :
		bytes == 0 || bytes > FAKE_LARGEST_BYTES ? CL_INVALID_BUFFER_SIZE :
						CL_SUCCESS;
	if (*code != CL_SUCCESS)
		return NULL;
	memory = new_memory(context, pointer, bytes);
	memory->ours = !wraps;
	if (!wraps && (memory->bytes = calloc(1, bytes)) == NULL)
		abort();
	return (cl_mem)memory;
}

cl_mem fake_clCreateImage(cl_context context, cl_mem_flags flags,
			  const cl_image_format *format,
			  const cl_image_desc *desc, void *pointer,
			  cl_int *code)
{
	const size_t pixel = format->image_channel_order == CL_RGBA &&
			     format->image_channel_data_type == CL_FLOAT ?
			     16 : 4;
	const size_t rows = desc->image_height;
	struct fake_memory *memory;

	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		flags != CL_MEM_READ_WRITE || pointer != NULL ||
		desc->image_type != CL_MEM_OBJECT_IMAGE2D ? CL_INVALID_VALUE :
		desc->image_width == 0 || rows == 0 ? CL_INVALID_IMAGE_SIZE :
						      CL_SUCCESS;
	if (*code != CL_SUCCESS)
		return NULL;
	memory = new_memory(context, NULL, desc->image_width * pixel * rows);
	memory->width = desc->image_width;
	memory->row_bytes = desc->image_width * pixel;
	memory->ours = true;
	if ((memory->bytes = calloc(1, memory->count)) == NULL)
		abort();
	return (cl_mem)memory;
}

cl_mem fake_clCreateSubBuffer(cl_mem handle, cl_mem_flags flags,
			      cl_buffer_create_type type, const void *region,
			      cl_int *code)
{
	const cl_buffer_region *part = region;
	struct fake_memory *memory = (struct fake_memory *)handle;

	(void)flags;
	if (!fake_is(memory, FAKE_MEMORY) ||
	    memory->parent->kind == FAKE_MEMORY)
		*code = CL_INVALID_MEM_OBJECT;
	else if (type != CL_BUFFER_CREATE_TYPE_REGION || part->size == 0 ||
		 part->origin > memory->count ||
		 part->size > memory->count - part->origin)
		*code = CL_INVALID_VALUE;
	else if (part->origin % 128 != 0)
		*code = CL_MISALIGNED_SUB_BUFFER_OFFSET;
	if (*code != CL_SUCCESS)
		return NULL;
	return (cl_mem)new_memory(memory, memory->bytes + part->origin,
				  part->size);
}

cl_int fake_clGetMemObjectInfo(cl_mem handle, cl_mem_info key, size_t room,
			       void *value, size_t *bytes)
{
	const struct fake_memory *memory = (struct fake_memory *)handle;
	const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
	const void *context;

	if (!fake_is(memory, FAKE_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	context = memory->parent->kind == FAKE_CONTEXT ? (void *)memory->parent :
		  ((struct fake_memory *)memory->parent)->parent;
	switch (key) {
	case CL_MEM_CONTEXT:
		return fake_give(&context, sizeof(context), room, value,
				 bytes);
	case CL_MEM_TYPE:
		return fake_give(&type, sizeof(type), room, value, bytes);
	case CL_MEM_SIZE:
		return fake_give(&memory->count, sizeof(memory->count), room,
				 value, bytes);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int fake_clRetainMemObject(cl_mem memory)
{
	if (!fake_is(memory, FAKE_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	fake_retain(memory);
	return CL_SUCCESS;
}
