/* SPDX-License-Identifier: MIT */
/*
 * Warm-up.  Some drivers compile a kernel when it first meets a work-group
 * size, in the middle of a run.  Kernels from portable source have a guard as
 * last parameter; with 0 they do nothing.  The geometry of each launch is run
 * once like that when the launch is created, without memory, so that the driver
 * compiles it then.  Errors of that run are ignored: the launch itself will
 * report them.
 */
#include <string.h>

#include "kernel.h"

cl_int plaitp_opencl_warm_prepare(plait_backend *self,
				  const plait_backend_kernel *kernel)
{
	static const unsigned char nothing[OPENCL_VALUE_BYTES];
	const struct opencl_parameter *parameters = kernel->parameters;
	const cl_uint live = 0;
	cl_int code = CL_SUCCESS;
	uint32_t i;

	for (i = 0; i < kernel->parameter_count && code == CL_SUCCESS; i++)
		code = self->cl.clSetKernelArg(
			kernel->kernel, i,
			parameters[i].pointer ? sizeof(cl_mem) :
						parameters[i].bytes,
			parameters[i].pointer || parameters[i].local ? NULL :
			nothing);
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
 * Returns true if the geometry is new and this caller must warm it up.  Limited
 * for each kernel, because warm-up waits for the device: a program in which
 * every launch differs must not wait each time.
 */
static bool claim(plait_backend *self, plait_backend_kernel *kernel,
		  const struct opencl_geometry *geometry)
{
	bool no_warm;

	pthread_mutex_lock(&self->accounting_lock);
	no_warm = kernel->warmed_count < OPENCL_WARMED &&
	       !is_warm(kernel, geometry);
	if (no_warm)
		kernel->warmed[kernel->warmed_count++] = *geometry;
	pthread_mutex_unlock(&self->accounting_lock);
	return no_warm;
}

static void run_guarded(plait_backend *self, plait_backend_kernel *kernel,
			const plait_backend_launch *launch)
{
	cl_command_queue queue = kernel->device->map_queue;

	if (self->cl.clEnqueueNDRangeKernel(
		    queue, kernel->kernel, launch->dimensions, NULL,
		    launch->items, launch->grouped ? launch->group : NULL, 0,
		    NULL, NULL) == CL_SUCCESS)
		self->cl.clFinish(queue);
}

void plaitp_opencl_warm(plait_backend *self, plait_backend_kernel *kernel,
			const plait_backend_launch *launch)
{
	struct opencl_geometry geometry = { { 0 }, { 0 } };

	memcpy(geometry.items, launch->items, sizeof(geometry.items));
	if (launch->grouped)
		memcpy(geometry.group, launch->group, sizeof(geometry.group));
	if (claim(self, kernel, &geometry))
		run_guarded(self, kernel, launch);
}
