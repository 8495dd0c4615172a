/* SPDX-License-Identifier: MIT */
/* Kernels of a flow's launches; see flow_kernels.h. */
#include "flow/flow_kernels.h"
#include "flow/launch_cells.h"

#include "flow/task_launch.h"

#include "base/alloc.h"
#include "base/error.h"
#include "kernel/launch.h"

static plait__flow_kernel *find_kernel(plait__flow *flow,
				       const plait_kernel *handle)
{
	for (uint32_t i = 0; i < flow->kernel_count; i++)
		if (flow->kernels[i].handle == handle)
			return &flow->kernels[i];
	return NULL;
}

/* Addresses and values. */
static uint64_t count_cells(const plait__signature *signature)
{
	uint64_t cells = signature->count;

	for (uint32_t i = 0; i < signature->count; i++)
		cells += (signature->parameters[i].bytes + 7) / 8;
	return cells;
}

static plait_status check_kernel(const plait__flow *flow,
				 const plait__kernel *kernel,
				 plait_error *error)
{
	plait_status status = plait__context_check_same(
		&flow->object, &kernel->object, error);

	if (status == PLAIT_OK && kernel->function == NULL &&
	    flow->devices == NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "kernel %.60s has no code for the host, "
				   "where the flow runs; name devices in "
				   "plait_flow_desc", kernel->signature->name);
	if (status == PLAIT_OK &&
	    count_cells(kernel->signature) + PLAIT__LAUNCH_CELLS >
		    flow->window.cell_mask)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "%.60s: the arguments need more room than "
				   "the window has", kernel->signature->name);
	return status;
}

static bool reserve_kernel(plait__flow *flow)
{
	uint32_t capacity = flow->kernel_capacity == 0 ?
				    8 : 2 * flow->kernel_capacity;
	plait__flow_kernel *grown;

	if (flow->kernel_count < flow->kernel_capacity)
		return true;
	grown = plait__realloc(plait__flow_allocator(flow), flow->kernels,
			       flow->kernel_capacity * sizeof(*grown),
			       capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	flow->kernels = grown;
	flow->kernel_capacity = capacity;
	return true;
}

/* Hold the kernel until the flow has no task of it and the user has released
 * it. */
static plait_status add_kernel(plait__flow *flow, plait_kernel *handle,
			       plait__flow_kernel **out,
			       plait__object **closing, plait_error *error)
{
	plait_launch *geometry = NULL;
	plait__kernel *kernel;
	plait_status status = plait__kernel_enter(handle, &kernel, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__kernel_check_returns(
		kernel, "submit the plan (PLAIT_TASK_PLAN)", error);
	if (status == PLAIT_OK)
		status = check_kernel(flow, kernel, error);
	if (status == PLAIT_OK && reserve_kernel(flow))
		geometry = plait__alloc(plait__flow_allocator(flow),
					sizeof(*geometry));
	if (status == PLAIT_OK && geometry == NULL)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a kernel");
	if (status == PLAIT_OK) {
		plait__object_hold(&kernel->object);
		*out = &flow->kernels[flow->kernel_count++];
		**out = (plait__flow_kernel){
			.kernel = kernel, .handle = handle,
			.cells = count_cells(kernel->signature),
			.geometry = geometry,
		};
	}
	plait__object_leave_deferred(&kernel->object, closing);
	return status;
}

plait_status plait__flow_kernels_take(plait__flow *flow, plait_kernel *handle,
				      plait__flow_kernel **out,
				      plait__object **closing,
				      plait_error *error)
{
	*out = find_kernel(flow, handle);
	if (*out == NULL)
		return add_kernel(flow, handle, out, closing, error);
	return plait__handle_is_live(handle, PLAIT_OBJECT_KERNEL) ?
		       PLAIT_OK :
		       plait__handle_refuse(handle, PLAIT_OBJECT_KERNEL, error);
}

plait__flow_kernel *plait__flow_kernels_find(plait__flow *flow,
					     const plait_kernel *handle)
{
	plait__flow_kernel *kernel = find_kernel(flow, handle);

	return kernel != NULL &&
			       plait__handle_is_live(handle, PLAIT_OBJECT_KERNEL) ?
		       kernel : NULL;
}

plait_status plait__flow_kernels_geometry(const plait__kernel *kernel,
					  const plait_launch *given,
					  plait_launch *out, plait_error *error)
{
	plait_status status = plait__launch_read(out, given, error);

	if (status == PLAIT_OK)
		status = plait__select_source_set_groups(kernel, out, error);
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%.60s: ",
				    kernel->signature->name);
	return status;
}
