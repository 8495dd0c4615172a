/* SPDX-License-Identifier: MIT */
/*
 * Kernels, launches, segments and native handles pass through: only host functions and
 * emissions are told.
 */
#include "trace.h"

plait_status plaitp_trace_kernel_build(plait_backend *backend, uint32_t device,
				       const plait_code *code,
				       plait_backend_kernel **out,
				       plait_error *error)
{
	trace *self = trace_of(backend);

	*out = NULL;
	return self->inner_table->kernel_build(self->inner, device, code, out,
					       error);
}

void plaitp_trace_kernel_destroy(plait_backend *backend,
				 plait_backend_kernel *kernel)
{
	trace *self = trace_of(backend);

	self->inner_table->kernel_destroy(self->inner, kernel);
}

plait_status plaitp_trace_kernel_query(plait_backend *backend,
				       plait_backend_kernel *kernel,
				       plait_kernel_facts *out,
				       plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->kernel_query(self->inner, kernel, out, error);
}

plait_status plaitp_trace_launch_create(plait_backend *backend,
					const plait_launch_request *request,
					plait_backend_launch **out,
					plait_error *error)
{
	trace *self = trace_of(backend);

	*out = NULL;
	return self->inner_table->launch_create(self->inner, request, out,
						error);
}

void plaitp_trace_launch_destroy(plait_backend *backend,
				 plait_backend_launch *launch)
{
	trace *self = trace_of(backend);

	self->inner_table->launch_destroy(self->inner, launch);
}

plait_status plaitp_trace_native_query(plait_backend *backend,
				       const plait_native_request *request,
				       uint64_t *out, plait_error *error)
{
	trace *self = trace_of(backend);

	*out = 0;
	return self->inner_table->native_query(self->inner, request, out,
					       error);
}

plait_status plaitp_trace_segment_create(plait_backend *backend,
					 uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error)
{
	trace *self = trace_of(backend);

	*out = NULL;
	return self->inner_table->segment_create(self->inner, device, request,
						 out, error);
}

void plaitp_trace_segment_destroy(plait_backend *backend,
				  plait_backend_segment *segment)
{
	trace *self = trace_of(backend);

	self->inner_table->segment_destroy(self->inner, segment);
}

plait_status plaitp_trace_segment_patch(plait_backend *backend,
					plait_backend_segment *segment,
					uint32_t index, const plait_work *work,
					plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->segment_patch(self->inner, segment, index,
						work, error);
}

plait_status plaitp_trace_segment_stop(plait_backend *backend,
				       plait_backend_segment *segment,
				       uint32_t stop, plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->segment_stop(self->inner, segment, stop,
					       error);
}
