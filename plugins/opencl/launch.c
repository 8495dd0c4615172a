/* SPDX-License-Identifier: MIT */
/* Launches: their geometry, and the values of their arguments, which kernel objects
 * get when the launch is enqueued (object.h). */
#include <stdio.h>
#include <string.h>

#include "image.h"
#include "object.h"

static plait_status refuse(plait_backend *self,
			   const plait_backend_kernel *kernel, uint32_t index,
			   const char *what, plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "opencl: argument %u \"%s\" of %.80s: %s",
				  index, kernel->parameters[index].name,
				  kernel->entry, what);
}

/* OpenCL has no memory from an offset on but sub-buffers, and the kernel has no
 * hidden offsets. */
static plait_status refuse_offset(plait_backend *self,
				  const plait_backend_kernel *kernel,
				  uint32_t index, uint64_t offset,
				  plait_error *error)
{
	char what[200];

	snprintf(what, sizeof(what), "its offset of %llu bytes is not a "
		 "multiple of the device's alignment, %llu; align the view, "
		 "pass the offset as a value, or use portable source, which "
		 "takes any",
		 (unsigned long long)offset,
		 (unsigned long long)kernel->device->alignment_bytes);
	return refuse(self, kernel, index, what, error);
}

static plait_status judge_argument(plait_backend *self,
				   const plait_backend_kernel *kernel,
				   uint32_t index, cl_int code,
				   plait_error *error)
{
	if (code == CL_SUCCESS)
		return PLAIT_OK;
	return plaitp_opencl_fail_argument(self->services, error, code, index,
					   kernel->parameters[index].name,
					   kernel->entry);
}

/* --- arguments ------------------------------------------------------------ */

static const plait_launch_argument *
argument_at(const plait_launch_request *request, uint32_t index)
{
	return (const void *)((const char *)request->arguments +
			      (size_t)request->arguments->size * index);
}

/* Words of all values, and of a hidden offset for each. */
static uint64_t count_words(const plait_launch_request *request)
{
	uint64_t words = request->argument_count;
	uint32_t i;

	for (i = 0; i < request->argument_count; i++)
		words += plaitp_opencl_object_words(request->kernel, i);
	return words;
}

/* Append a value; null: zero. */
static void add_value(plait_backend_launch *launch, size_t bytes,
		      const void *value)
{
	const uint32_t words = plaitp_opencl_object_words(
		launch->chosen, launch->argument_count++);

	if (value != NULL)
		memcpy(&launch->values[launch->word_count], value, bytes);
	launch->word_count += words;
}

/* List the arguments, if there is a list. */
static void list_arguments(plait_backend_launch *launch)
{
	uint32_t i, at = 0;

	for (i = 0; launch->arguments != NULL && i < launch->argument_count;
	     i++) {
		launch->arguments[i] = plaitp_opencl_object_argument(
			launch->chosen, i, &launch->values[at]);
		at += plaitp_opencl_object_words(launch->chosen, i);
	}
}

/* Memory from an offset on needs a sub-buffer.  The launch owns it. */
static plait_status create_sub_buffer(plait_backend *self,
				      plait_backend_launch *launch,
			const plait_launch_argument *argument, cl_mem *out,
				      plait_error *error)
{
	const plait_backend_memory *memory = argument->memory;
	cl_buffer_region region = { argument->offset,
				    memory->size_bytes - argument->offset };
	cl_int code = CL_SUCCESS;

	*out = memory->memory;
	if (argument->offset == 0)
		return PLAIT_OK;
	/* Nothing follows the offset: the kernel accesses nothing. */
	if (region.size == 0)
		return PLAIT_OK;
	*out = self->cl.clCreateSubBuffer(memory->memory, CL_MEM_READ_WRITE,
					  CL_BUFFER_CREATE_TYPE_REGION,
					  &region, &code);
	if (*out == NULL)
		return plaitp_opencl_fail_call(self->services, error,
					       "clCreateSubBuffer", code,
					       "an argument");
	launch->sub_buffers[launch->sub_buffer_count++] = *out;
	return PLAIT_OK;
}

static plait_status set_memory(plait_backend *self,
			       const plait_launch_request *request,
			       plait_backend_launch *launch, uint32_t index,
			       plait_error *error)
{
	const plait_launch_argument *argument = argument_at(request, index);
	plait_status status = PLAIT_OK;
	cl_mem memory = argument->memory->memory;

	/* A hidden parameter gets the offset of a shifted one. */
	if (!launch->shifted)
		status = create_sub_buffer(self, launch, argument, &memory,
					   error);
	add_value(launch, sizeof(memory), &memory);
	return status;
}

static plait_status set_sampler(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch *launch, uint32_t index,
				plait_error *error)
{
	plait_sampler_flags flags;
	cl_sampler sampler = NULL;
	cl_int code;

	memcpy(&flags, argument_at(request, index)->value, sizeof(flags));
	code = plaitp_opencl_sampler_get(self, flags, &sampler);
	add_value(launch, sizeof(sampler), &sampler);
	return judge_argument(self, request->kernel, index, code, error);
}

/* The value of local memory is its size; a pointer without memory must be null; a
 * short value is padded. */
static plait_status set_value(plait_backend *self,
			      const plait_launch_request *request,
			      plait_backend_launch *launch, uint32_t index,
			      plait_error *error)
{
	const plait_launch_argument *argument = argument_at(request, index);
	const struct opencl_parameter *parameter =
		&request->kernel->parameters[index];
	void *address = NULL;

	if (parameter->local) {
		add_value(launch, sizeof(uint64_t), argument->value);
	} else if (parameter->pointer || parameter->image) {
		if (argument->value != NULL)
			memcpy(&address, argument->value, sizeof(address));
		if (address != NULL)
			return refuse(self, request->kernel, index,
				      "the device cannot use an address; "
				      "pass a buffer", error);
		add_value(launch, 0, NULL);
	} else {
		add_value(launch, parameter->bytes, argument->value);
	}
	return PLAIT_OK;
}

static plait_status set_arguments(plait_backend *self,
				  const plait_launch_request *request,
				  plait_backend_launch *launch,
				  plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t i;

	for (i = 0; i < request->argument_count && status == PLAIT_OK; i++)
		status = argument_at(request, i)->memory != NULL ?
			 set_memory(self, request, launch, i, error) :
			 request->kernel->parameters[i].sampler ?
			 set_sampler(self, request, launch, i, error) :
			 set_value(self, request, launch, i, error);
	return status;
}

/* Set the hidden offsets, behind the arguments: one for each pointer. */
static void set_offsets(const plait_launch_request *request,
			plait_backend_launch *launch)
{
	const plait_backend_kernel *kernel = request->kernel;
	uint32_t i;

	for (i = 0; i < kernel->parameter_count; i++) {
		const plait_launch_argument *argument = argument_at(request, i);
		const cl_ulong offset =
			argument->memory != NULL ? argument->offset : 0;

		if (kernel->parameters[i].pointer)
			add_value(launch, sizeof(offset), &offset);
	}
}

/* Returns the first argument that no sub-buffer can be, or the count. */
static uint32_t find_unaligned(const plait_launch_request *request)
{
	const uint64_t alignment = request->kernel->device->alignment_bytes;
	uint32_t i = 0;

	while (i < request->argument_count &&
	       (argument_at(request, i)->memory == NULL ||
		argument_at(request, i)->offset % alignment == 0))
		i++;
	return i;
}

/* Choose the kernel for the request's views. */
static plait_status choose_kernel(plait_backend *self,
				  const plait_launch_request *request,
				  plait_backend_launch *launch,
				  plait_error *error)
{
	const uint32_t unaligned = find_unaligned(request);
	plait_backend_kernel *shifted;
	plait_status status;

	launch->chosen = request->kernel;
	if (unaligned == request->argument_count)
		return PLAIT_OK;
	status = plaitp_opencl_shift_get(self, request->kernel, &shifted,
					 error);
	if (status != PLAIT_OK)
		return status;
	if (shifted == NULL)
		return refuse_offset(self, request->kernel, unaligned,
				     argument_at(request, unaligned)->offset,
				     error);
	launch->shifted = true;
	launch->chosen = shifted;
	return PLAIT_OK;
}

/* --- geometry ------------------------------------------------------------- */

/* Items are rounded up to whole groups. */
static plait_status set_geometry(plait_backend *self,
				 const plait_launch_request *request,
				 plait_backend_launch *launch,
				 plait_error *error)
{
	size_t members = 1;
	uint32_t i;

	launch->dimensions = request->dimensions;
	launch->grouped = false;
	for (i = 0; i < 3; i++) {
		uint64_t group = request->group[i];

		launch->grouped |= group != 0;
		launch->group[i] = group != 0 ? group : 1;
		launch->items[i] = (request->items[i] - 1) / launch->group[i] *
				   launch->group[i] + launch->group[i];
		members *= launch->group[i];
	}
	launch->of = request->kernel;
	/* Some drivers understate the limit of a kernel
	 * (CL_KERNEL_WORK_GROUP_SIZE), so only the device's is enforced here;
	 * the driver judges the rest when the launch is enqueued. */
	if (!launch->grouped ||
	    members <= request->kernel->device->group_max)
		return PLAIT_OK;
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "opencl: %.80s: a group of %zu items; the "
				  "device can run at most %zu",
				  request->kernel->entry, members,
				  request->kernel->device->group_max);
}

void plaitp_opencl_launch_describe(const plait_backend_launch *launch,
				   char *out, size_t bytes)
{
	const size_t *group = launch->group;

	if (!launch->grouped)
		snprintf(out, bytes, "kernel %.60s", launch->of->entry);
	else
		snprintf(out, bytes, "kernel %.60s with groups of %zu x %zu x "
			 "%zu items; the driver says at most %zu",
			 launch->of->entry, group[0], group[1], group[2],
			 launch->of->group_max);
}

/* --- slots ---------------------------------------------------------------- */

/* Take a kernel object, which judges the arguments. */
static plait_status take_object(plait_backend *self,
				plait_backend_launch *launch,
				plait_error *error)
{
	const plait_backend_kernel *kernel = launch->of;
	struct opencl_call call;
	uint32_t index;

	call = plaitp_opencl_object_take(self, launch, &index);
	if (call.code == CL_SUCCESS || index < kernel->parameter_count)
		return judge_argument(self, kernel, index, call.code, error);
	return plaitp_opencl_fail_call(self->services, error, call.name,
				       call.code, kernel->entry);
}

/* The caller destroys what a failure leaves. */
static plait_status fill_launch(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch *launch,
				plait_error *error)
{
	plait_status status = set_geometry(self, request, launch, error);

	if (status == PLAIT_OK)
		status = choose_kernel(self, request, launch, error);
	if (status == PLAIT_OK)
		status = set_arguments(self, request, launch, error);
	if (status == PLAIT_OK && launch->shifted)
		set_offsets(request, launch);
	list_arguments(launch);
	if (status == PLAIT_OK)
		status = take_object(self, launch, error);
	if (status == PLAIT_OK && launch->chosen->guarded)
		plaitp_opencl_warm(self, launch->chosen, launch);
	return status;
}

plait_status plaitp_opencl_launch_create(plait_backend *self,
					 const plait_launch_request *request,
					 plait_backend_launch **out,
					 plait_error *error)
{
	const uint64_t words = count_words(request), n = request->argument_count;
	const bool lists = request->kernel->device->updatable != 0;
	const uint64_t bytes =
		sizeof(plait_backend_launch) + words * sizeof(uint64_t) +
		n * sizeof(cl_mem) +
		(lists ? 2 * n * sizeof(struct opencl_argument) : 0);
	plait_backend_launch *launch =
		self->services->resize(self->host, NULL, 0, bytes);
	plait_status status;

	*out = NULL;
	if (launch == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "opencl: no memory for a launch");
	memset(launch, 0, bytes);
	launch->total_bytes = bytes;
	launch->sub_buffers = (void *)(launch->values + words);
	if (lists)
		launch->arguments = (void *)(launch->sub_buffers + n);
	status = fill_launch(self, request, launch, error);
	if (status == PLAIT_OK)
		*out = launch;
	else
		plaitp_opencl_launch_destroy(self, launch);
	return status;
}

void plaitp_opencl_launch_destroy(plait_backend *self,
				  plait_backend_launch *launch)
{
	uint32_t i;

	plaitp_opencl_object_drop(self, launch);
	for (i = 0; i < launch->sub_buffer_count; i++)
		self->cl.clReleaseMemObject(launch->sub_buffers[i]);
	self->services->resize(self->host, launch, launch->total_bytes, 0);
}
