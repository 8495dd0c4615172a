/* SPDX-License-Identifier: MIT */
/* Limit of local memory; see local_limit.h. */
#include "object/kernel/local_limit.h"

#include "object/context/device.h"
#include "object/kernel/device_code.h"

#include "base/error.h"
#include "kernel/argument.h"

#include <string.h>

/* Alignment of each parameter in CUDA; other backends need no more. */
enum { ALIGNMENT = 16 };

void plait__local_limit_init(plait__local_limit *self,
			     const plait__kernel *kernel,
			     const plait__device *device)
{
	const plait__device_code *built =
		plait__device_code_find(kernel, device);

	*self = (plait__local_limit){
		.kernel = kernel, .device = device,
		.used_bytes = built != NULL ? built->local_bytes : 0 };
}

static plait_status fail(const plait__local_limit *self, uint32_t index,
			 uint64_t bytes, uint64_t limit, plait_error *error)
{
	const plait__signature *signature = self->kernel->signature;
	const plait__parameter *parameter = &signature->parameters[index];
	char room[PLAIT__ARGUMENT_TYPE_ROOM];

	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%.60s: argument %u \"%.40s\" (%s): %llu bytes of "
			   "local memory, behind %llu of the kernel; device "
			   "%s has %llu for a group", signature->name, index,
			   parameter->name,
			   plait__argument_type(parameter, room),
			   (unsigned long long)bytes,
			   (unsigned long long)self->used_bytes,
			   self->device->object.label,
			   (unsigned long long)limit);
}

plait_status plait__local_limit_add(plait__local_limit *self, uint32_t index,
				    uint64_t bytes, plait_error *error)
{
	uint64_t limit = plait__device_facts(self->device)->local_bytes;
	uint64_t padding = -self->used_bytes % ALIGNMENT;

	if (limit == 0)
		return PLAIT_OK;
	if (self->used_bytes + padding > limit ||
	    bytes > limit - self->used_bytes - padding)
		return fail(self, index, bytes, limit, error);
	self->used_bytes += padding + bytes;
	return PLAIT_OK;
}

plait_status plait__local_limit_check(const plait__kernel *kernel,
				      const plait__device *device,
				      void *const *values, plait_error *error)
{
	const plait__signature *signature = kernel->signature;
	plait_status status = PLAIT_OK;
	plait__local_limit limit;
	uint64_t bytes;

	plait__local_limit_init(&limit, kernel, device);
	for (uint32_t i = 0; status == PLAIT_OK && i < signature->count; i++) {
		if (signature->parameters[i].type != PLAIT__TYPE_LOCAL)
			continue;
		memcpy(&bytes, values[i], sizeof(bytes));
		status = plait__local_limit_add(&limit, i, bytes, error);
	}
	return status;
}
