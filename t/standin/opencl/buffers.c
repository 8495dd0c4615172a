/* SPDX-License-Identifier: MIT */
/*
 * Command buffers of the stand-in for OpenCL, of the version that the test asks
 * for.  A buffer runs as one command.  It keeps the arguments that its kernels
 * had when they were recorded, but no memory alive.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* A recorded command: a command that no queue has. */
struct opencl_command_object {
	struct opencl_command_object *next;
	struct fake_buffer *buffer;
	struct fake_command command;
	cl_ulong fields; /* that can be updated */
};

struct fake_buffer {
	struct fake_object object;
	cl_device_id device;
	bool finished;
	bool can_change;
	uint32_t pending; /* runs that have not ended */
	struct opencl_command_object *head, *tail;
};

static struct fake_buffer *of(opencl_buffer handle)
{
	struct fake_buffer *buffer = (struct fake_buffer *)(void *)handle;

	return fake_is(buffer, FAKE_BUFFER) ? buffer : NULL;
}

static void end_buffer(void *object)
{
	struct fake_buffer *buffer = object;
	struct opencl_command_object *command;

	if (buffer->pending > 0)
		fake_sin("a command buffer is released that runs");
	while ((command = buffer->head) != NULL) {
		buffer->head = command->next;
		if (command->command.kernel != NULL)
			fake_release(command->command.kernel);
		free(command);
	}
}

opencl_buffer fake_clCreateCommandBufferKHR(cl_uint count,
					    const cl_command_queue *queues,
					    const cl_ulong *properties,
					    cl_int *code)
{
	struct fake_buffer *buffer;

	*code = count != 1 || !fake_is(queues[0], FAKE_QUEUE) ?
		CL_INVALID_COMMAND_QUEUE :
		properties != NULL &&
		(fake.setup.updates == 0 ||
		 properties[0] != OPENCL_BUFFER_FLAGS ||
		 properties[1] != OPENCL_BUFFER_MUTABLE ||
		 properties[2] != 0) ? CL_INVALID_VALUE : CL_SUCCESS;
	if (*code != CL_SUCCESS)
		return NULL;
	buffer = fake_new(FAKE_BUFFER, sizeof(*buffer), end_buffer);
	buffer->device = ((struct fake_queue *)queues[0])->device;
	buffer->can_change = properties != NULL;
	return (opencl_buffer)(void *)buffer;
}

cl_int fake_clReleaseCommandBufferKHR(opencl_buffer handle)
{
	if (of(handle) == NULL)
		return OPENCL_INVALID_BUFFER;
	fake_release(handle);
	return CL_SUCCESS;
}

cl_int fake_clFinalizeCommandBufferKHR(opencl_buffer handle)
{
	struct fake_buffer *buffer = of(handle);

	if (buffer == NULL)
		return OPENCL_INVALID_BUFFER;
	if (buffer->finished)
		return CL_INVALID_OPERATION;
	buffer->finished = true;
	return CL_SUCCESS;
}

/* --- recording ------------------------------------------------------------ */

/* Append `command`, which came from fake_command, as a recorded one. */
static struct opencl_command_object *append(struct fake_buffer *buffer,
					    const struct fake_command *command)
{
	struct opencl_command_object *made = calloc(1, sizeof(*made));

	if (made == NULL)
		abort();
	made->command = *command;
	made->buffer = buffer;
	if (buffer->head != NULL)
		buffer->tail->next = made;
	else
		buffer->head = made;
	buffer->tail = made;
	return made;
}

static cl_int check_recording(const struct fake_buffer *buffer,
			      cl_command_queue queue,
			      const cl_ulong *properties, cl_uint count,
			      const cl_uint *waits)
{
	if (buffer == NULL)
		return OPENCL_INVALID_BUFFER;
	if (buffer->finished)
		return CL_INVALID_OPERATION;
	if (queue != NULL)
		return CL_INVALID_COMMAND_QUEUE;
	return properties != NULL || count != 0 || waits != NULL ?
	       CL_INVALID_VALUE : CL_SUCCESS;
}

/* A kernel of its own, with the arguments of now. */
static struct fake_kernel *copy_kernel(const struct fake_kernel *kernel)
{
	struct fake_kernel *made = fake_new(FAKE_KERNEL, sizeof(*made),
					    kernel->object.end);
	struct fake_object object = made->object;

	*made = *kernel;
	made->object = object;
	fake_retain(made->program);
	return made;
}

cl_int fake_clCommandNDRangeKernelKHR(
	opencl_buffer handle, cl_command_queue queue,
	const cl_ulong *properties, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *items, const size_t *group,
	cl_uint count, const cl_uint *waits, cl_uint *point,
	opencl_command *out)
{
	struct fake_buffer *buffer = of(handle);
	struct fake_command command = { .work = fake_launch };
	struct opencl_command_object *made;
	cl_int code = check_recording(buffer, queue, NULL, count, waits);

	(void)point;
	if (code == CL_SUCCESS)
		code = fake_set_launch(&command, kernel, dimensions, offset,
				       items, group);
	if (code == CL_SUCCESS && properties != NULL &&
	    (!buffer->can_change || properties[0] != OPENCL_UPDATABLE_FIELDS ||
	     properties[2] != 0))
		code = CL_INVALID_VALUE;
	if (code != CL_SUCCESS)
		return code;
	command.kernel = copy_kernel(command.kernel);
	made = append(buffer, &command);
	made->fields = properties != NULL ? properties[1] : 0;
	if (out != NULL)
		*out = made;
	return CL_SUCCESS;
}

cl_int fake_clCommandCopyBufferKHR(opencl_buffer handle, cl_command_queue queue,
				   const cl_ulong *properties, cl_mem source,
				   cl_mem target, size_t source_offset,
				   size_t target_offset, size_t bytes,
				   cl_uint count, const cl_uint *waits,
				   cl_uint *point, opencl_command *out)
{
	struct fake_buffer *buffer = of(handle);
	struct fake_command command = { .work = NULL };
	cl_int code = check_recording(buffer, queue, properties, count, waits);

	(void)point, (void)out;
	if (code == CL_SUCCESS)
		code = fake_set_copy(&command, source, target, source_offset,
				     target_offset, bytes);
	if (code == CL_SUCCESS)
		(void)append(buffer, &command);
	return code;
}

cl_int fake_clCommandCopyBufferRectKHR(
	opencl_buffer handle, cl_command_queue queue,
	const cl_ulong *properties, cl_mem source, cl_mem target,
	const size_t *from, const size_t *to, const size_t *region,
	size_t source_row, size_t source_slice, size_t target_row,
	size_t target_slice, cl_uint count, const cl_uint *waits,
	cl_uint *point, opencl_command *out)
{
	struct fake_buffer *buffer = of(handle);
	struct fake_command command = { .work = NULL };
	cl_int code = check_recording(buffer, queue, properties, count, waits);

	(void)point, (void)out;
	if (code == CL_SUCCESS)
		code = fake_set_rows(&command, source, target, from, to,
				     region, source_row, source_slice,
				     target_row, target_slice);
	if (code == CL_SUCCESS)
		(void)append(buffer, &command);
	return code;
}

cl_int fake_clCommandFillBufferKHR(opencl_buffer handle, cl_command_queue queue,
				   const cl_ulong *properties, cl_mem target,
				   const void *pattern, size_t pattern_bytes,
				   size_t offset, size_t bytes, cl_uint count,
				   const cl_uint *waits, cl_uint *point,
				   opencl_command *out)
{
	struct fake_buffer *buffer = of(handle);
	struct fake_command command = { .work = NULL };
	cl_int code = check_recording(buffer, queue, properties, count, waits);

	(void)point, (void)out;
	if (code == CL_SUCCESS)
		code = fake_set_fill(&command, target, pattern, pattern_bytes,
				     offset, bytes);
	if (code == CL_SUCCESS)
		(void)append(buffer, &command);
	return code;
}

/* --- updates -------------------------------------------------------------- */

static cl_int update_arguments(struct fake_kernel *kernel,
			       const struct opencl_dispatch *dispatch)
{
	cl_int code = CL_SUCCESS;
	cl_uint i;

	for (i = 0; i < dispatch->argument_count && code == CL_SUCCESS; i++) {
		const struct opencl_argument *from = &dispatch->arguments[i];

		if (from->index >= kernel->count)
			return CL_INVALID_ARG_INDEX;
		code = fake_clSetKernelArg((cl_kernel)kernel, from->index,
					   from->bytes, from->value);
	}
	return code;
}

static cl_int update(struct fake_buffer *buffer,
		     const struct opencl_dispatch *dispatch)
{
	struct opencl_command_object *command = buffer->head;
	plait_launch *launch;
	cl_uint i;

	while (command != NULL && command != dispatch->command)
		command = command->next;
	if (command == NULL || command->command.kernel == NULL)
		return OPENCL_INVALID_COMMAND;
	launch = &command->command.launch;
	if ((dispatch->argument_count > 0 &&
	     (command->fields & OPENCL_UPDATE_ARGUMENTS) == 0) ||
	    (dispatch->items != NULL &&
	     (command->fields & OPENCL_UPDATE_ITEMS) == 0) ||
	    (dispatch->group != NULL &&
	     (command->fields & OPENCL_UPDATE_GROUP) == 0) ||
	    dispatch->shared_count != 0 || dispatch->info_count != 0 ||
	    dispatch->offset != NULL)
		return CL_INVALID_OPERATION;
	if (dispatch->dimensions != 0 &&
	    dispatch->dimensions != launch->dimensions)
		return CL_INVALID_VALUE;
	for (i = 0; i < launch->dimensions; i++) {
		if (dispatch->items != NULL)
			launch->items[i] = dispatch->items[i];
		if (dispatch->group != NULL)
			launch->group[i] = dispatch->group[i];
	}
	return update_arguments(command->command.kernel, dispatch);
}

cl_int fake_clUpdateMutableCommandsKHR(opencl_buffer handle, cl_uint count,
				       const cl_uint *types,
				       const void **updates)
{
	struct fake_buffer *buffer = of(handle);
	cl_int code = CL_SUCCESS;
	cl_uint i;

	if (buffer == NULL)
		return OPENCL_INVALID_BUFFER;
	if (!buffer->can_change || !buffer->finished || buffer->pending > 0)
		return CL_INVALID_OPERATION;
	for (i = 0; i < count && code == CL_SUCCESS; i++)
		code = types[i] != OPENCL_UPDATE_DISPATCH ? CL_INVALID_VALUE :
		       update(buffer, updates[i]);
	return code;
}

/* --- running -------------------------------------------------------------- */

/* Without the lock, as all work. */
static cl_int run(struct fake_command *command)
{
	struct opencl_command_object *one = command->buffer->head;
	cl_int code = CL_SUCCESS;

	for (; one != NULL && code == CL_SUCCESS; one = one->next)
		code = one->command.work(&one->command);
	return code;
}

void fake_end_run(struct fake_buffer *buffer)
{
	buffer->pending--;
	fake_release(buffer);
}

/* The buffer keeps no memory alive: all of it has to be. */
static void check_memory(const struct fake_buffer *buffer)
{
	const struct opencl_command_object *one = buffer->head;
	cl_uint i;

	for (; one != NULL; one = one->next) {
		const struct fake_kernel *kernel = one->command.kernel;

		if (one->command.source != NULL)
			(void)fake_is(one->command.source, FAKE_MEMORY);
		if (one->command.target != NULL)
			(void)fake_is(one->command.target, FAKE_MEMORY);
		for (i = 0; kernel != NULL && i < kernel->count; i++)
			if (kernel->arguments[i].memory != NULL)
				(void)fake_is(kernel->arguments[i].memory,
					      FAKE_MEMORY);
	}
}

cl_int fake_clEnqueueCommandBufferKHR(cl_uint queue_count,
				      cl_command_queue *queues,
				      opencl_buffer handle, cl_uint count,
				      const cl_event *waits, cl_event *event)
{
	struct fake_buffer *buffer = of(handle);
	const struct fake_queue *queue;
	struct fake_command *command;
	cl_int code;

	if (buffer == NULL)
		return OPENCL_INVALID_BUFFER;
	if (!buffer->finished || buffer->pending > 0)
		return CL_INVALID_OPERATION;
	if (queue_count != 1 || !fake_is(queues[0], FAKE_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	queue = (const struct fake_queue *)queues[0];
	if (queue->device != buffer->device || queue->profiles)
		return OPENCL_INCOMPATIBLE_QUEUE;
	command = fake_command(queues[0], count, waits, &code);
	if (command == NULL)
		return code;
	check_memory(buffer);
	command->work = run;
	command->buffer = buffer;
	fake_retain(buffer);
	buffer->pending++;
	fake_enqueue(command, event);
	return CL_SUCCESS;
}

/* --- extensions of the device ------------------------------------------------- */

cl_int fake_give_extensions(size_t room, void *value, size_t *bytes)
{
	const struct opencl_extension all[] = {
		{ OPENCL_VERSION(1, 0, 0), "cl_khr_icd" },
		{ fake.setup.buffers, "cl_khr_command_buffer" },
		{ fake.setup.updates,
		  "cl_khr_command_buffer_mutable_dispatch" },
	};
	size_t count = fake.setup.buffers == 0 ? 1 :
		       fake.setup.updates == 0 ? 2 : 3;

	return fake_give(all, count * sizeof(all[0]), room, value, bytes);
}
