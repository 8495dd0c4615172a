/* SPDX-License-Identifier: MIT */
/*
 * Commands recorded into command buffers.  The queue that they are recorded for
 * is in-order, so that each command follows all before it, and a buffer runs in
 * any queue of the device with the same properties.
 */
#include <string.h>

#include "object.h"

/* State while a buffer is recorded. */
struct recorder {
	plait_backend *self;
	plait_backend_segment *segment;
	uint32_t index; /* of the command */
	const char *name; /* last function called */
};

static const plait_work *work_of(const struct recorder *recorder)
{
	return &recorder->segment->works[recorder->index];
}

/* Versions before 0.9.5 have no properties of copies and fills. */
static bool is_older(const struct recorder *recorder)
{
	return recorder->segment->device->buffer_version <
	       OPENCL_VERSION(0, 9, 5);
}

#define OLDER(type, function) ((type)(void (*)(void))(function))

/* --- copies and fills ----------------------------------------------------- */

static cl_int copy(struct recorder *recorder, uint64_t source_offset,
		   uint64_t target_offset, uint64_t bytes)
{
	const struct opencl_buffer_calls *calls = &recorder->self->buffers;
	const plait_work *work = work_of(recorder);
	cl_mem source = work->source->memory, target = work->target->memory;
	opencl_buffer buffer = recorder->segment->buffer;

	recorder->name = "clCommandCopyBufferKHR";
	if (is_older(recorder))
		return OLDER(opencl_older_copy, calls->clCommandCopyBufferKHR)(
			buffer, NULL, source, target, source_offset,
			target_offset, bytes, 0, NULL, NULL, NULL);
	return calls->clCommandCopyBufferKHR(buffer, NULL, NULL, source,
					     target, source_offset,
					     target_offset, bytes, 0, NULL,
					     NULL, NULL);
}

/* The driver restricts overlapping rectangles of one memory object. */
static cl_int copy_each_row(struct recorder *recorder)
{
	const plait_work *work = work_of(recorder);
	const plait_work_rows *rows = work->rows;
	cl_int code = CL_SUCCESS;
	uint64_t i, k;

	for (i = 0; i < rows->slices; i++)
		for (k = 0; k < rows->rows && code == CL_SUCCESS; k++)
			code = copy(recorder, work->source_offset +
				    i * rows->source_slice +
				    k * rows->source_row,
				    work->target_offset +
				    i * rows->target_slice +
				    k * rows->target_row, work->bytes);
	return code;
}

/* Record one command, or one for each row within one memory object. */
static cl_int copy_rows(struct recorder *recorder)
{
	const struct opencl_buffer_calls *calls = &recorder->self->buffers;
	const plait_work *work = work_of(recorder);
	const plait_work_rows *rows = work->rows;
	const size_t from[3] = { work->source_offset }, to[3] = {
		work->target_offset };
	const size_t region[3] = { work->bytes, rows->rows, rows->slices };
	cl_mem source = work->source->memory, target = work->target->memory;
	opencl_buffer buffer = recorder->segment->buffer;

	if (source == target)
		return copy_each_row(recorder);
	recorder->name = "clCommandCopyBufferRectKHR";
	if (is_older(recorder))
		return OLDER(opencl_older_copy_rows,
			     calls->clCommandCopyBufferRectKHR)(
			buffer, NULL, source, target, from, to, region,
			rows->source_row, rows->source_slice,
			rows->target_row, rows->target_slice, 0, NULL, NULL,
			NULL);
	return calls->clCommandCopyBufferRectKHR(
		buffer, NULL, NULL, source, target, from, to, region,
		rows->source_row, rows->source_slice, rows->target_row,
		rows->target_slice, 0, NULL, NULL, NULL);
}

static cl_int fill_piece(struct recorder *recorder,
			 const struct opencl_fill *piece)
{
	const struct opencl_buffer_calls *calls = &recorder->self->buffers;
	const plait_work *work = work_of(recorder);
	const uint64_t offset = work->target_offset + piece->at;
	opencl_buffer buffer = recorder->segment->buffer;

	if (is_older(recorder))
		return OLDER(opencl_older_fill, calls->clCommandFillBufferKHR)(
			buffer, NULL, work->target->memory, piece->pattern,
			piece->width, offset, piece->bytes, 0, NULL, NULL,
			NULL);
	return calls->clCommandFillBufferKHR(buffer, NULL, NULL,
					     work->target->memory,
					     piece->pattern, piece->width,
					     offset, piece->bytes, 0, NULL,
					     NULL, NULL);
}

static cl_int fill(struct recorder *recorder)
{
	struct opencl_fill piece = { .bytes = 0 };
	cl_int code = CL_SUCCESS;

	recorder->name = "clCommandFillBufferKHR";
	while (code == CL_SUCCESS &&
	       plaitp_opencl_fill_next(work_of(recorder), &piece))
		code = fill_piece(recorder, &piece);
	return code;
}

/* --- launches ------------------------------------------------------------- */

/* Record a launch.  Retains its kernel, and notes what an update has to leave
 * as it is. */
static cl_int launch(struct recorder *recorder)
{
	plait_backend *self = recorder->self;
	plait_backend_segment *segment = recorder->segment;
	const plait_backend_launch *from = work_of(recorder)->launch;
	struct opencl_recorded *out = &segment->recorded[recorder->index];
	const cl_ulong updatable = segment->device->updatable;
	const cl_ulong properties[] = { OPENCL_UPDATABLE_FIELDS, updatable,
					0 };
	cl_int code;

	recorder->name = "clSetKernelArg";
	code = plaitp_opencl_object_set(self, from);
	if (code != CL_SUCCESS)
		return code;
	recorder->name = "clRetainKernel";
	code = self->cl.clRetainKernel(from->object->kernel);
	if (code != CL_SUCCESS)
		return code;
	*out = (struct opencl_recorded){ .kernel = from->object->kernel,
					 .of = from->chosen,
					 .dimensions = from->dimensions,
					 .grouped = from->grouped };
	recorder->name = "clCommandNDRangeKernelKHR";
	return self->buffers.clCommandNDRangeKernelKHR(
		segment->buffer, NULL, updatable != 0 ? properties : NULL,
		out->kernel, from->dimensions, NULL, from->items,
		from->grouped ? from->group : NULL, 0, NULL, NULL,
		updatable != 0 ? &out->command : NULL);
}

/* Sizes that the driver cannot change must be as they were recorded: they are
 * not known any more. */
static bool can_update(const plait_backend_segment *segment, uint32_t index)
{
	const struct opencl_recorded *recorded = &segment->recorded[index];
	const plait_backend_launch *to = segment->works[index].launch;
	const cl_ulong sizes = OPENCL_UPDATE_ITEMS | OPENCL_UPDATE_GROUP;

	return recorded->command != NULL && recorded->of == to->chosen &&
	       recorded->dimensions == to->dimensions &&
	       recorded->grouped == to->grouped &&
	       (segment->device->updatable & sizes) == sizes;
}

bool plaitp_opencl_record_update(plait_backend *self,
				 plait_backend_segment *segment,
				 uint32_t index)
{
	const cl_uint type = OPENCL_UPDATE_DISPATCH;
	const plait_backend_launch *to = segment->works[index].launch;
	struct opencl_dispatch dispatch;
	const void *update = &dispatch;

	if (segment->works[index].kind != PLAIT_WORK_LAUNCH ||
	    !can_update(segment, index))
		return false;
	dispatch = (struct opencl_dispatch){
		.command = segment->recorded[index].command,
		.argument_count = to->argument_count,
		.arguments = to->arguments,
		.dimensions = to->dimensions,
		.items = to->items,
		.group = to->grouped ? to->group : NULL,
	};
	return self->buffers.clUpdateMutableCommandsKHR(segment->buffer, 1,
							&type, &update) ==
	       CL_SUCCESS;
}

/* --- whole buffers -------------------------------------------------------- */

static cl_int record_command(struct recorder *recorder)
{
	const plait_work *work = work_of(recorder);

	if (plaitp_driven_work_is_empty(work))
		return CL_SUCCESS;
	switch (work->kind) {
	case PLAIT_WORK_LAUNCH:
		return launch(recorder);
	case PLAIT_WORK_COPY:
		return work->rows != NULL ? copy_rows(recorder) :
		       copy(recorder, work->source_offset,
			    work->target_offset, work->bytes);
	default:
		return fill(recorder);
	}
}

static cl_int create(struct recorder *recorder)
{
	static const cl_ulong properties[] = { OPENCL_BUFFER_FLAGS,
					       OPENCL_BUFFER_MUTABLE, 0 };
	const plait_backend *self = recorder->self;
	plait_backend_segment *segment = recorder->segment;
	cl_int code = CL_SUCCESS;

	recorder->name = "clCreateCommandBufferKHR";
	segment->buffer = self->buffers.clCreateCommandBufferKHR(
		1, &segment->device->map_queue,
		segment->device->updatable != 0 ? properties : NULL, &code);
	return code;
}

struct opencl_call plaitp_opencl_record(plait_backend *self,
					plait_backend_segment *segment)
{
	struct recorder recorder = { .self = self, .segment = segment };
	cl_int code = create(&recorder);

	for (; recorder.index < segment->work_count && code == CL_SUCCESS;
	     recorder.index++)
		code = record_command(&recorder);
	if (code == CL_SUCCESS) {
		recorder.name = "clFinalizeCommandBufferKHR";
		code = self->buffers.clFinalizeCommandBufferKHR(
			segment->buffer);
	}
	return (struct opencl_call){ recorder.name, code };
}

void plaitp_opencl_record_forget(plait_backend *self,
				 plait_backend_segment *segment)
{
	uint32_t i;

	if (segment->buffer != NULL)
		self->buffers.clReleaseCommandBufferKHR(segment->buffer);
	segment->buffer = NULL;
	for (i = 0; i < segment->work_count; i++)
		if (segment->recorded[i].kernel != NULL)
			self->cl.clReleaseKernel(segment->recorded[i].kernel);
	memset(segment->recorded, 0,
	       segment->work_count * sizeof(segment->recorded[0]));
}
