/* SPDX-License-Identifier: MIT */
/*
 * Kernels, launches and segments that cannot be made or changed, native handles
 * that are not told.
 */
#include "fault.h"

plait_status plaitp_fault_kernel_build(plait_backend *backend, uint32_t device,
				       const plait_code *code,
				       plait_backend_kernel **out,
				       plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_KERNEL_BUILD, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	return self->inner_table->kernel_build(self->inner, device, code, out,
					       error);
}

void plaitp_fault_kernel_destroy(plait_backend *backend,
				 plait_backend_kernel *kernel)
{
	fault *self = fault_of(backend);

	self->inner_table->kernel_destroy(self->inner, kernel);
}

plait_status plaitp_fault_kernel_query(plait_backend *backend,
				       plait_backend_kernel *kernel,
				       plait_kernel_facts *out,
				       plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_KERNEL_QUERY, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->kernel_query(self->inner, kernel, out, error);
}

plait_status plaitp_fault_launch_create(plait_backend *backend,
					const plait_launch_request *request,
					plait_backend_launch **out,
					plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_LAUNCH_CREATE, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	return self->inner_table->launch_create(self->inner, request, out,
						error);
}

void plaitp_fault_launch_destroy(plait_backend *backend,
				 plait_backend_launch *launch)
{
	fault *self = fault_of(backend);

	self->inner_table->launch_destroy(self->inner, launch);
}

plait_status plaitp_fault_native_query(plait_backend *backend,
				       const plait_native_request *request,
				       uint64_t *out, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_NATIVE_QUERY, error);

	*out = 0;
	if (status != PLAIT_OK)
		return status;
	return self->inner_table->native_query(self->inner, request, out,
					       error);
}

plait_status plaitp_fault_segment_create(plait_backend *backend,
					 uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SEGMENT_CREATE, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	return self->inner_table->segment_create(self->inner, device, request,
						 out, error);
}

void plaitp_fault_segment_destroy(plait_backend *backend,
				  plait_backend_segment *segment)
{
	fault *self = fault_of(backend);

	self->inner_table->segment_destroy(self->inner, segment);
}

plait_status plaitp_fault_segment_patch(plait_backend *backend,
					plait_backend_segment *segment,
					uint32_t index, const plait_work *work,
					plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SEGMENT_PATCH, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->segment_patch(self->inner, segment, index,
						work, error);
}

plait_status plaitp_fault_segment_stop(plait_backend *backend,
				       plait_backend_segment *segment,
				       uint32_t stop, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SEGMENT_STOP, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->segment_stop(self->inner, segment, stop,
					       error);
}
