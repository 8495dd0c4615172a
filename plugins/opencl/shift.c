/* SPDX-License-Identifier: MIT */
/*
 * Kernels with hidden offsets.  A view whose offset is not a multiple of the
 * device's alignment is no sub-buffer.  A kernel from portable source is then
 * built once more with an offset as parameter for each pointer, when a launch
 * first needs that; launches with aligned views are not affected.
 */
#include <string.h>

#include "kernel.h"

bool plaitp_opencl_shift_keep(plait_backend *self, const plait_code *code,
			      plait_backend_kernel *kernel)
{
	kernel->flags = code->flags;
	if ((code->flags & PLAIT_CODE_PORTABLE) == 0 ||
	    code->form != PLAIT_SOURCE_OPENCL_C || code->options != NULL ||
	    strlen(code->name) >= sizeof(kernel->name))
		return true;
	kernel->text = self->services->resize(self->host, NULL, 0,
					      code->bytes + 1);
	if (kernel->text == NULL)
		return false;
	kernel->text_bytes = code->bytes;
	memcpy(kernel->text, code->code, code->bytes);
	kernel->text[code->bytes] = '\0';
	memcpy(kernel->name, code->name, strlen(code->name) + 1);
	return true;
}

uint32_t plaitp_opencl_shift_count(const plait_backend_kernel *kernel)
{
	uint32_t i, count = 0;

	for (i = 0; i < kernel->parameter_count; i++)
		count += kernel->parameters[i].pointer;
	return count;
}

static uint32_t flags_of(const struct opencl_parameter *parameter)
{
	if (parameter->image)
		return PLAIT_CODE_POINTER | PLAIT_CODE_IMAGE;
	return (parameter->pointer ? PLAIT_CODE_POINTER : 0) |
	       (parameter->local ? PLAIT_CODE_LOCAL : 0) |
	       (parameter->sampler ? PLAIT_CODE_SAMPLER : 0);
}

static void describe(const plait_backend_kernel *kernel,
		     plait_code_parameter *out)
{
	uint32_t i;

	for (i = 0; i < kernel->parameter_count; i++)
		out[i] = (plait_code_parameter){
			.size = sizeof(*out),
			.flags = flags_of(&kernel->parameters[i]),
			.bytes = kernel->parameters[i].bytes,
			.name = kernel->parameters[i].name,
			.type = "",
		};
}

/* Caller holds shift_lock.  Builds `shifted`, which the kernel owns; null after
 * a failure. */
static plait_status build(plait_backend *self, plait_backend_kernel *kernel,
			  plait_error *error)
{
	const uint64_t bytes = (uint64_t)kernel->parameter_count *
			       sizeof(plait_code_parameter);
	plait_code_parameter *parameters =
		self->services->resize(self->host, NULL, 0, bytes);
	const plait_code code = {
		.size = sizeof(code), .form = PLAIT_SOURCE_OPENCL_C,
		.flags = kernel->flags, .parameters = parameters,
		.parameter_count = kernel->parameter_count,
		.code = kernel->text, .bytes = kernel->text_bytes,
		.entry = kernel->entry, .name = kernel->name,
	};
	plait_status status;

	if (parameters == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "opencl: no memory for kernel "
					  "%.60s", kernel->name);
	describe(kernel, parameters);
	status = plaitp_opencl_kernel_build_shifted(self, kernel->device, &code,
						    &kernel->shifted, error);
	self->services->resize(self->host, parameters, bytes, 0);
	return status;
}

plait_status plaitp_opencl_shift_get(plait_backend *self,
				     plait_backend_kernel *kernel,
				     plait_backend_kernel **out,
				     plait_error *error)
{
	plait_status status = PLAIT_OK;

	*out = NULL;
	if (kernel->text == NULL)
		return PLAIT_OK;
	pthread_mutex_lock(&self->shift_lock);
	if (kernel->shifted == NULL)
		status = build(self, kernel, error);
	*out = kernel->shifted;
	pthread_mutex_unlock(&self->shift_lock);
	return status;
}
