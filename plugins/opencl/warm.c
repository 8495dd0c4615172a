/* SPDX-License-Identifier: MIT */
/*
 * Some drivers compile a kernel when it first meets a size of groups, in the
 * middle of a run.  What was written out of portable source has a guard there:
 * a last argument, and with 0 it does nothing.  So each launch is run once like
 * that when it is made, with no memory at all; then the driver has the code.
 * What that meets of errors the launch itself will meet.
 */
#include <string.h>

#include "kernel.h"

cl_int plaitp_opencl_warm_prepare(plait_backend *self,
				  const plait_backend_kernel *kernel)
{
	static const unsigned char nothing[16];
	const struct opencl_parameter *parameters = kernel->parameters;
	const cl_uint live = 0;
	cl_int code = CL_SUCCESS;
	uint32_t i;

	for (i = 0; i < kernel->parameter_count && code == CL_SUCCESS; i++)
		code = parameters[i].pointer ?
		       self->cl.clSetKernelArg(kernel->kernel, i,
					       sizeof(cl_mem), NULL) :
		       self->cl.clSetKernelArg(kernel->kernel, i,
					       parameters[i].bytes, nothing);
	if (code == CL_SUCCESS)
		code = self->cl.clSetKernelArg(kernel->kernel, i,
					       sizeof(live), &live);
	return code;
}

static bool is_warm(const plait_backend_kernel *kernel,
		    const struct opencl_geometry *geometry)
{
	uint32_t i;

	for (i = 0; i < kernel->warmed_count; i++)
		if (memcmp(&kernel->warmed[i], geometry, sizeof(*geometry)) ==
		    0)
			return true;
	return false;
}

/*
 * True: nobody has seen to it yet, and now we do.  Only so often for a kernel,
 * because it waits its turn on the device: a program whose launches are never
 * the same should not wait each time.
 */
static bool claim(plait_backend *self, plait_backend_kernel *kernel,
		  const struct opencl_geometry *geometry)
{
	bool cold;

	pthread_mutex_lock(&self->accounts);
	cold = kernel->warmed_count < OPENCL_WARMED &&
	       !is_warm(kernel, geometry);
	if (cold)
		kernel->warmed[kernel->warmed_count++] = *geometry;
	pthread_mutex_unlock(&self->accounts);
	return cold;
}

static void run_guarded(plait_backend *self, plait_backend_kernel *kernel,
			const plait_backend_launch *launch)
{
	cl_command_queue queue = kernel->device->maps;

	if (self->cl.clEnqueueNDRangeKernel(
		    queue, kernel->kernel, launch->dimensions, NULL,
		    launch->items, launch->grouped ? launch->group : NULL, 0,
		    NULL, NULL) == CL_SUCCESS)
		self->cl.clFinish(queue);
}

plait_status plaitp_opencl_warm(plait_backend *self,
				plait_backend_kernel *kernel,
				const plait_backend_launch *launch,
				plait_error *error)
{
	struct opencl_geometry geometry = { { 0 }, { 0 } };
	const cl_uint live = 1;
	cl_int code;

	memcpy(geometry.items, launch->items, sizeof(geometry.items));
	if (launch->grouped)
		memcpy(geometry.group, launch->group, sizeof(geometry.group));
	if (claim(self, kernel, &geometry))
		run_guarded(self, kernel, launch);
	code = self->cl.clSetKernelArg(launch->kernel,
				       kernel->parameter_count, sizeof(live),
				       &live);
	if (code == CL_SUCCESS)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error, "clSetKernelArg",
				       code, kernel->entry);
}
