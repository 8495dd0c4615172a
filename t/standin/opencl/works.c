/* SPDX-License-Identifier: MIT */
/* Functions of the stand-in for OpenCL that enqueue, and the execution of their
 * commands. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static bool holds(const void *handle, size_t offset, size_t bytes)
{
	const struct fake_memory *memory = handle;

	return fake_is(memory, FAKE_MEMORY) && bytes > 0 &&
	       offset <= memory->count && bytes <= memory->count - offset;
}

/* --- execution of commands ------------------------------------------------ */

static cl_int do_copy(struct fake_command *command)
{
	memcpy(command->target->bytes + command->target_offset,
	       command->source->bytes + command->source_offset, command->bytes);
	return CL_SUCCESS;
}

static cl_int do_fill(struct fake_command *command)
{
	size_t at;

	for (at = 0; at < command->bytes; at += command->pattern_bytes)
		memcpy(command->target->bytes + command->target_offset + at,
		       command->pattern, command->pattern_bytes);
	return CL_SUCCESS;
}

static cl_int do_read(struct fake_command *command)
{
	memcpy(command->host,
	       command->source->bytes + command->source_offset,
	       command->bytes);
	return CL_SUCCESS;
}

static cl_int do_write(struct fake_command *command)
{
	memcpy(command->target->bytes + command->target_offset, command->from,
	       command->bytes);
	return CL_SUCCESS;
}

static cl_int do_rows(struct fake_command *command)
{
	unsigned char *to = command->target != NULL ?
		command->target->bytes + command->target_offset :
		command->host;
	const unsigned char *from = command->source != NULL ?
		command->source->bytes + command->source_offset :
		command->from;
	size_t i, k;

	for (i = 0; i < command->region[2]; i++)
		for (k = 0; k < command->region[1]; k++)
			memcpy(to + i * command->target_pitch[2] +
				       k * command->target_pitch[1],
			       from + i * command->source_pitch[2] +
				       k * command->source_pitch[1],
			       command->region[0]);
	return CL_SUCCESS;
}

/* --- enqueuing ------------------------------------------------------------ */

/* Enqueue a command with the work of `wanted`. */
static cl_int enqueue(cl_command_queue queue, const struct fake_command *wanted,
		      cl_uint count, const cl_event *waits, cl_event *event)
{
	cl_int code;
	struct fake_command *command = fake_command(queue, count, waits,
						    &code), own;

	if (command == NULL)
		return code;
	own = *command;
	*command = *wanted;
	command->queue = own.queue;
	command->event = own.event;
	command->wait_count = own.wait_count;
	command->waits = own.waits;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}

/* Rows of a memory, or of the host where there is none. */
static bool is_pitch(const void *handle, const size_t *at,
		     const size_t *region, size_t row, size_t slice)
{
	return region[0] != 0 && region[1] != 0 && region[2] != 0 &&
	       row >= region[0] && slice >= region[1] * row &&
	       slice % row == 0 &&
	       (handle == NULL ||
		holds(handle, at[2] * slice + at[1] * row + at[0],
		      (region[2] - 1) * slice + (region[1] - 1) * row +
			      region[0]));
}

static void set_source(struct fake_command *command, void *handle,
		       const size_t *at, size_t row, size_t slice)
{
	command->source = handle;
	command->source_pitch[1] = row;
	command->source_pitch[2] = slice;
	command->source_offset = at[2] * slice + at[1] * row + at[0];
}

static void set_target(struct fake_command *command, void *handle,
		       const size_t *at, size_t row, size_t slice)
{
	command->target = handle;
	command->target_pitch[1] = row;
	command->target_pitch[2] = slice;
	command->target_offset = at[2] * slice + at[1] * row + at[0];
}

cl_int fake_set_rows(struct fake_command *command, cl_mem source, cl_mem target,
		     const size_t *from, const size_t *to, const size_t *region,
		     size_t source_row, size_t source_slice, size_t target_row,
		     size_t target_slice)
{
	if (source == NULL || target == NULL || source == target ||
	    !is_pitch(source, from, region, source_row, source_slice) ||
	    !is_pitch(target, to, region, target_row, target_slice))
		return CL_INVALID_VALUE;
	command->work = do_rows;
	memcpy(command->region, region, sizeof(command->region));
	set_source(command, source, from, source_row, source_slice);
	set_target(command, target, to, target_row, target_slice);
	return CL_SUCCESS;
}

cl_int fake_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source,
				    cl_mem target, const size_t *from,
				    const size_t *to, const size_t *region,
				    size_t source_row, size_t source_slice,
				    size_t target_row, size_t target_slice,
				    cl_uint count, const cl_event *waits,
				    cl_event *event)
{
	struct fake_command wanted = { .work = NULL };
	cl_int code = fake_set_rows(&wanted, source, target, from, to, region,
				    source_row, source_slice, target_row,
				    target_slice);

	return code != CL_SUCCESS ? code :
	       enqueue(queue, &wanted, count, waits, event);
}

cl_int fake_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem source,
				    cl_bool blocking, const size_t *from,
				    const size_t *to, const size_t *region,
				    size_t row, size_t slice, size_t host_row,
				    size_t host_slice, void *pointer,
				    cl_uint count, const cl_event *waits,
				    cl_event *event)
{
	struct fake_command *command;
	cl_int code;

	if (source == NULL || blocking || pointer == NULL ||
	    !is_pitch(source, from, region, row, slice) ||
	    !is_pitch(NULL, to, region, host_row, host_slice))
		return CL_INVALID_VALUE;
	command = fake_command(queue, count, waits, &code);
	if (command == NULL)
		return code;
	command->work = do_rows;
	memcpy(command->region, region, sizeof(command->region));
	set_source(command, source, from, row, slice);
	set_target(command, NULL, to, host_row, host_slice);
	command->host = (char *)pointer + command->target_offset;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}

cl_int fake_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem target,
				     cl_bool blocking, const size_t *to,
				     const size_t *from, const size_t *region,
				     size_t row, size_t slice,
				     size_t host_row, size_t host_slice,
				     const void *pointer, cl_uint count,
				     const cl_event *waits, cl_event *event)
{
	struct fake_command *command;
	cl_int code;

	if (target == NULL || blocking || pointer == NULL ||
	    !is_pitch(target, to, region, row, slice) ||
	    !is_pitch(NULL, from, region, host_row, host_slice))
		return CL_INVALID_VALUE;
	command = fake_command(queue, count, waits, &code);
	if (command == NULL)
		return code;
	command->work = do_rows;
	memcpy(command->region, region, sizeof(command->region));
	set_target(command, target, to, row, slice);
	set_source(command, NULL, from, host_row, host_slice);
	command->from = (const char *)pointer + command->source_offset;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}

cl_int fake_set_copy(struct fake_command *command, cl_mem source, cl_mem target,
		     size_t source_offset, size_t target_offset, size_t bytes)
{
	if (!holds(source, source_offset, bytes) ||
	    !holds(target, target_offset, bytes))
		return CL_INVALID_VALUE;
	if (source == target && source_offset < target_offset + bytes &&
	    target_offset < source_offset + bytes)
		return CL_MEM_COPY_OVERLAP;
	command->work = do_copy;
	command->source = (struct fake_memory *)source;
	command->target = (struct fake_memory *)target;
	command->source_offset = source_offset;
	command->target_offset = target_offset;
	command->bytes = bytes;
	return CL_SUCCESS;
}

cl_int fake_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source,
				cl_mem target, size_t source_offset,
				size_t target_offset, size_t bytes,
				cl_uint count, const cl_event *waits,
				cl_event *event)
{
	struct fake_command wanted = { .work = NULL };
	cl_int code = fake_set_copy(&wanted, source, target, source_offset,
				    target_offset, bytes);

	return code != CL_SUCCESS ? code :
	       enqueue(queue, &wanted, count, waits, event);
}

cl_int fake_set_fill(struct fake_command *command, cl_mem target,
		     const void *pattern, size_t pattern_bytes, size_t offset,
		     size_t bytes)
{
	if (!holds(target, offset, bytes) || pattern_bytes == 0 ||
	    pattern_bytes > sizeof(command->pattern) ||
	    (pattern_bytes & (pattern_bytes - 1)) != 0 ||
	    offset % pattern_bytes != 0 || bytes % pattern_bytes != 0)
		return CL_INVALID_VALUE;
	command->work = do_fill;
	command->target = (struct fake_memory *)target;
	command->target_offset = offset;
	command->bytes = bytes;
	command->pattern_bytes = pattern_bytes;
	memcpy(command->pattern, pattern, pattern_bytes);
	return CL_SUCCESS;
}

cl_int fake_clEnqueueFillBuffer(cl_command_queue queue, cl_mem target,
				const void *pattern, size_t pattern_bytes,
				size_t offset, size_t bytes, cl_uint count,
				const cl_event *waits, cl_event *event)
{
	struct fake_command wanted = { .work = NULL };
	cl_int code = fake_set_fill(&wanted, target, pattern, pattern_bytes,
				    offset, bytes);

	return code != CL_SUCCESS ? code :
	       enqueue(queue, &wanted, count, waits, event);
}

cl_int fake_clEnqueueReadBuffer(cl_command_queue queue, cl_mem source,
				cl_bool blocking, size_t offset, size_t bytes,
				void *pointer, cl_uint count,
				const cl_event *waits, cl_event *event)
{
	struct fake_command *command;
	cl_int code;

	if (!holds(source, offset, bytes) || blocking || pointer == NULL)
		return CL_INVALID_VALUE;
	command = fake_command(queue, count, waits, &code);
	if (command == NULL)
		return code;
	command->work = do_read;
	command->source = (struct fake_memory *)source;
	command->source_offset = offset;
	command->bytes = bytes;
	command->host = pointer;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}

cl_int fake_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem target,
				 cl_bool blocking, size_t offset, size_t bytes,
				 const void *pointer, cl_uint count,
				 const cl_event *waits, cl_event *event)
{
	struct fake_command *command;
	cl_int code;

	if (!holds(target, offset, bytes) || blocking || pointer == NULL)
		return CL_INVALID_VALUE;
	command = fake_command(queue, count, waits, &code);
	if (command == NULL)
		return code;
	command->work = do_write;
	command->target = (struct fake_memory *)target;
	command->target_offset = offset;
	command->bytes = bytes;
	command->from = pointer;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}

cl_int fake_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
					const cl_event *waits, cl_event *event)
{
	cl_int code;
	struct fake_command *command = fake_command(queue, count, waits,
						    &code);

	if (command != NULL)
		fake_enqueue(command, event);
	return code;
}

/* --- launches ------------------------------------------------------------- */

static cl_int check_launch(const void *handle)
{
	const struct fake_kernel *kernel = handle;
	cl_uint i;

	if (!fake_is(kernel, FAKE_KERNEL))
		return CL_INVALID_KERNEL;
	for (i = 0; i < kernel->count; i++) {
		const struct fake_argument *argument = &kernel->arguments[i];

		if (!argument->set)
			return CL_INVALID_KERNEL_ARGS;
		if (argument->memory != NULL &&
		    !fake_is(argument->memory, FAKE_MEMORY))
			return CL_INVALID_MEM_OBJECT;
	}
	return CL_SUCCESS;
}

cl_int fake_set_launch(struct fake_command *command, cl_kernel kernel,
		       cl_uint dimensions, const size_t *offset,
		       const size_t *items, const size_t *group)
{
	cl_int code = check_launch(kernel);
	size_t members = 1;
	cl_uint i;

	if (code != CL_SUCCESS)
		return code;
	if (dimensions < 1 || dimensions > 3 || offset != NULL)
		return CL_INVALID_WORK_DIMENSION;
	for (i = 0; i < dimensions; i++)
		if (items[i] == 0 ||
		    (group != NULL && (group[i] == 0 ||
				       items[i] % group[i] != 0)))
			return CL_INVALID_GLOBAL_WORK_SIZE;
	for (i = 0; i < dimensions && group != NULL; i++)
		members *= group[i];
	if (members > FAKE_GROUP_RUNS)
		return CL_INVALID_WORK_GROUP_SIZE;
	command->work = fake_launch;
	command->kernel = (struct fake_kernel *)kernel;
	command->launch = (plait_launch){ .size = sizeof(command->launch),
					  .dimensions = dimensions };
	for (i = 0; i < dimensions; i++) {
		command->launch.items[i] = items[i];
		command->launch.group[i] = group != NULL ? group[i] : 0;
	}
	return CL_SUCCESS;
}

/* Arguments that are set later are those of later launches. */
static struct fake_argument *copy_arguments(const struct fake_kernel *kernel)
{
	const size_t bytes = kernel->count * sizeof(kernel->arguments[0]);
	struct fake_argument *copy = malloc(bytes > 0 ? bytes : 1);

	if (copy == NULL)
		abort();
	return memcpy(copy, kernel->arguments, bytes);
}

cl_int fake_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
				   cl_uint dimensions, const size_t *offset,
				   const size_t *items, const size_t *group,
				   cl_uint count, const cl_event *waits,
				   cl_event *event)
{
	struct fake_command wanted = { .work = NULL };
	cl_int code = fake_set_launch(&wanted, kernel, dimensions, offset,
				      items, group);

	if (code != CL_SUCCESS)
		return code;
	wanted.arguments = copy_arguments(wanted.kernel);
	code = enqueue(queue, &wanted, count, waits, event);
	if (code != CL_SUCCESS)
		free(wanted.arguments);
	return code;
}

/* --- maps ----------------------------------------------------------------- */

static cl_int do_map(struct fake_command *command)
{
	(void)command;
	return CL_SUCCESS;
}

void *fake_clEnqueueMapBuffer(cl_command_queue queue, cl_mem handle,
			      cl_bool blocking, cl_map_flags flags,
			      size_t offset, size_t bytes, cl_uint count,
			      const cl_event *waits, cl_event *event,
			      cl_int *code)
{
	struct fake_memory *memory = (struct fake_memory *)handle;
	struct fake_command *command;
	cl_event done;

	(void)flags, (void)event;
	*code = !holds(memory, offset, bytes) || !blocking ? CL_INVALID_VALUE :
							     CL_SUCCESS;
	if (*code != CL_SUCCESS)
		return NULL;
	command = fake_command(queue, count, waits, code);
	if (command == NULL)
		return NULL;
	command->work = do_map;
	command->target = memory;
	fake_enqueue(command, &done);
	fake_clFlush(queue);
	fake_await((struct fake_event *)done);
	*code = ((struct fake_event *)done)->state;
	((struct fake_queue *)queue)->failed = CL_SUCCESS;
	fake_release(done);
	if (*code != CL_SUCCESS)
		return NULL;
	memory->maps++;
	return memory->bytes + offset;
}

cl_int fake_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem handle,
				    void *pointer, cl_uint count,
				    const cl_event *waits, cl_event *event)
{
	struct fake_memory *memory = (struct fake_memory *)handle;
	struct fake_command *command;
	cl_int code;

	if (!fake_is(memory, FAKE_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	if (memory->maps == 0 || (unsigned char *)pointer < memory->bytes ||
	    (unsigned char *)pointer >= memory->bytes + memory->count)
		return CL_INVALID_VALUE;
	command = fake_command(queue, count, waits, &code);
	if (command == NULL)
		return code;
	memory->maps--;
	command->target = memory;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}
