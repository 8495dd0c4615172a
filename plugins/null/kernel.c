/* SPDX-License-Identifier: MIT */
/* Kernels and segments of the template, which takes no code. */
#include <stddef.h>

#include "null.h"

plait_status plaitp_null_kernel_build(plait_backend *self, uint32_t device,
				      const plait_code *code,
				      plait_backend_kernel **out,
				      plait_error *error)
{
	(void)self;
	(void)device;
	(void)code;
	*out = NULL;
	return plaitp_null_refuse(error);
}

void plaitp_null_kernel_destroy(plait_backend *self,
				plait_backend_kernel *kernel)
{
	(void)self;
	(void)kernel;
}

plait_status plaitp_null_kernel_query(plait_backend *self,
				      plait_backend_kernel *kernel,
				      plait_kernel_facts *out,
				      plait_error *error)
{
	(void)self;
	(void)kernel;
	(void)out;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_launch_create(plait_backend *self,
				       const plait_launch_request *request,
				       plait_backend_launch **out,
				       plait_error *error)
{
	(void)self;
	(void)request;
	*out = NULL;
	return plaitp_null_refuse(error);
}

void plaitp_null_launch_destroy(plait_backend *self,
				plait_backend_launch *launch)
{
	(void)self;
	(void)launch;
}

plait_status plaitp_null_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error)
{
	(void)self;
	(void)request;
	*out = 0;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	*out = NULL;
	return plaitp_null_refuse(error);
}

void plaitp_null_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment)
{
	(void)self;
	(void)segment;
}

plait_status plaitp_null_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error)
{
	(void)self;
	(void)segment;
	(void)index;
	(void)work;
	return plaitp_null_refuse(error);
}

/* Leaves the figures zero: unknown. */
plait_status plaitp_null_link_query(plait_backend *self, uint32_t from,
				    uint32_t to, plait_link_info *out,
				    plait_error *error)
{
	(void)self;
	(void)from;
	(void)to;
	(void)out;
	(void)error;
	return PLAIT_OK;
}
