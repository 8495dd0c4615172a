/* SPDX-License-Identifier: MIT */
/*
 * Launches.  Each has a kernel object of its own with arguments that are set
 * once, because setting arguments of a shared one is not thread-safe.
 */
#include <stdio.h>
#include <string.h>

#include "image.h"
#include "kernel.h"

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

/* Keep a copy of an argument, for updates of recorded launches. */
static void keep_argument(plait_backend_launch *launch, uint32_t index,
			  size_t bytes, const void *value)
{
	struct opencl_argument *out =
		&launch->arguments[launch->argument_count++];
	char *copy = (char *)launch->arguments + launch->kept_used;

	*out = (struct opencl_argument){ .index = index, .bytes = bytes };
	if (value == NULL)
		return;
	out->value = memcpy(copy, value, bytes);
	launch->kept_used += bytes;
}

static cl_int set_argument(plait_backend *self, plait_backend_launch *launch,
			   uint32_t index, size_t bytes, const void *value)
{
	cl_int code = self->cl.clSetKernelArg(launch->kernel, index, bytes,
					      value);

	if (code == CL_SUCCESS && launch->arguments != NULL)
		keep_argument(launch, index, bytes, value);
	return code;
}

/* Make room for copies of all arguments, and of a hidden offset for each. */
static bool make_room(plait_backend *self, const plait_launch_request *request,
		      plait_backend_launch *launch)
{
	const plait_backend_kernel *kernel = request->kernel;
	uint64_t list = 2 * (uint64_t)request->argument_count *
			sizeof(launch->arguments[0]);
	uint64_t bytes = list;
	uint32_t i;

	if (kernel->device->updatable == 0 || request->argument_count == 0)
		return true;
	for (i = 0; i < request->argument_count; i++)
		bytes += kernel->parameters[i].padded_bytes +
			 sizeof(cl_mem) + sizeof(cl_ulong);
	launch->arguments = self->services->resize(self->host, NULL, 0, bytes);
	launch->kept_bytes = bytes;
	launch->kept_used = list;
	return launch->arguments != NULL;
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

/* The whole memory: the hidden parameter gets the offset. */
static plait_status set_shifted(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch *launch, uint32_t index,
				plait_error *error)
{
	const plait_launch_argument *argument = argument_at(request, index);
	const cl_mem memory = argument->memory->memory;

	return judge_argument(self, request->kernel, index,
			      set_argument(self, launch, index,
					   sizeof(memory), &memory), error);
}

static plait_status set_memory(plait_backend *self,
			       const plait_launch_request *request,
			       plait_backend_launch *launch, uint32_t index,
			       plait_error *error)
{
	plait_status status;
	cl_mem memory;
	cl_int code;

	if (launch->shifted)
		return set_shifted(self, request, launch, index, error);
	status = create_sub_buffer(self, launch, argument_at(request, index),
				   &memory, error);
	if (status != PLAIT_OK)
		return status;
	code = set_argument(self, launch, index, sizeof(memory), &memory);
	return judge_argument(self, request->kernel, index, code, error);
}

static plait_status set_sampler(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch *launch, uint32_t index,
				plait_error *error)
{
	plait_sampler_flags flags;
	cl_sampler sampler;
	cl_int code;

	memcpy(&flags, argument_at(request, index)->value, sizeof(flags));
	code = plaitp_opencl_sampler_get(self, flags, &sampler);
	if (code == CL_SUCCESS)
		code = set_argument(self, launch, index, sizeof(sampler),
				    &sampler);
	return judge_argument(self, request->kernel, index, code, error);
}

/* Local memory has a size and no value; a pointer without memory must be null;
 * a short value is padded. */
static plait_status set_value(plait_backend *self,
			      const plait_launch_request *request,
			      plait_backend_launch *launch, uint32_t index,
			      plait_error *error)
{
	const plait_launch_argument *argument = argument_at(request, index);
	const struct opencl_parameter *parameter =
		&request->kernel->parameters[index];
	unsigned char padded[OPENCL_PADDED_BYTES] = { 0 };
	const void *value = argument->value;
	size_t bytes = parameter->padded_bytes;
	uint64_t local_bytes;
	void *address = NULL;
	cl_int code;

	if (parameter->local) {
		memcpy(&local_bytes, value, sizeof(local_bytes));
		bytes = (size_t)local_bytes;
		value = NULL;
	} else if (parameter->pointer || parameter->image) {
		if (value != NULL)
			memcpy(&address, value, sizeof(address));
		if (address != NULL)
			return refuse(self, request->kernel, index,
				      "the device cannot use an address; "
				      "pass a buffer", error);
		bytes = sizeof(cl_mem);
		value = NULL;
	} else if (bytes != parameter->bytes) {
		memcpy(padded, value, parameter->bytes);
		value = padded;
	}
	code = set_argument(self, launch, index, bytes, value);
	return judge_argument(self, request->kernel, index, code, error);
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
static plait_status set_offsets(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch *launch,
				plait_error *error)
{
	const plait_backend_kernel *kernel = request->kernel;
	uint32_t i, at = kernel->parameter_count;
	plait_status status = PLAIT_OK;

	for (i = 0; i < kernel->parameter_count && status == PLAIT_OK; i++) {
		const plait_launch_argument *argument = argument_at(request, i);
		const cl_ulong offset =
			argument->memory != NULL ? argument->offset : 0;

		if (kernel->parameters[i].pointer)
			status = judge_argument(
				self, kernel, i,
				set_argument(self, launch, at++,
					     sizeof(offset), &offset), error);
	}
	return status;
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
				  const plait_backend_kernel **out,
				  plait_error *error)
{
	const uint32_t unaligned = find_unaligned(request);
	plait_backend_kernel *shifted;
	plait_status status;

	*out = request->kernel;
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
	*out = shifted;
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

/* Make a kernel object of the launch's own, because arguments belong to the
 * object.  The caller destroys what a failure leaves. */
static plait_status fill_launch(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch *launch,
				plait_error *error)
{
	plait_backend_kernel *kernel = request->kernel;
	plait_status status = set_geometry(self, request, launch, error);
	const plait_backend_kernel *chosen;
	cl_int code = CL_SUCCESS;

	if (status == PLAIT_OK)
		status = choose_kernel(self, request, launch, &chosen, error);
	if (status != PLAIT_OK)
		return status;
	launch->chosen = chosen;
	if (!make_room(self, request, launch))
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "opencl: no memory for the "
					  "arguments of a launch");
	launch->kernel = self->cl.clCreateKernel(chosen->program,
						 kernel->entry, &code);
	if (launch->kernel == NULL)
		return plaitp_opencl_fail_call(self->services, error,
					       "clCreateKernel", code,
					       kernel->entry);
	status = set_arguments(self, request, launch, error);
	if (status == PLAIT_OK && launch->shifted)
		status = set_offsets(self, request, launch, error);
	if (status != PLAIT_OK || !kernel->guarded || launch->shifted)
		return status;
	return plaitp_opencl_warm(self, kernel, launch, error);
}

plait_status plaitp_opencl_launch_create(plait_backend *self,
					 const plait_launch_request *request,
					 plait_backend_launch **out,
					 plait_error *error)
{
	uint64_t bytes = sizeof(plait_backend_launch) +
			 request->argument_count * sizeof(cl_mem);
	plait_backend_launch *launch =
		self->services->resize(self->host, NULL, 0, bytes);
	plait_status status;

	*out = NULL;
	if (launch == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "opencl: no memory for a launch");
	memset(launch, 0, bytes);
	launch->total_bytes = bytes;
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

	if (launch->kernel != NULL)
		self->cl.clReleaseKernel(launch->kernel);
	if (launch->arguments != NULL)
		self->services->resize(self->host, launch->arguments,
				       launch->kept_bytes, 0);
	for (i = 0; i < launch->sub_buffer_count; i++)
		self->cl.clReleaseMemObject(launch->sub_buffers[i]);
	self->services->resize(self->host, launch, launch->total_bytes, 0);
}
