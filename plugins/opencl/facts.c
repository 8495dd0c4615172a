/* SPDX-License-Identifier: MIT */
/* Facts of a built kernel, as the driver tells them. */
#include <string.h>

#include "kernel.h"

static cl_int ask(plait_backend *self, const plait_backend_kernel *kernel,
		  cl_kernel_work_group_info key, void *out, size_t bytes)
{
	return self->cl.clGetKernelWorkGroupInfo(kernel->kernel,
						 kernel->device->id, key,
						 bytes, out, NULL);
}

static plait_status fail(plait_backend *self,
			 const plait_backend_kernel *kernel, cl_int code,
			 plait_error *error)
{
	return plaitp_opencl_fail_call(self->services, error,
				       "clGetKernelWorkGroupInfo", code,
				       kernel->entry);
}

plait_status plaitp_opencl_facts_find(plait_backend *self,
				      plait_backend_kernel *kernel,
				      plait_error *error)
{
	cl_ulong local_bytes = 0;
	cl_int code;

	if ((code = ask(self, kernel, CL_KERNEL_WORK_GROUP_SIZE,
			&kernel->group_max, sizeof(kernel->group_max))) !=
	    CL_SUCCESS ||
	    (code = ask(self, kernel, CL_KERNEL_LOCAL_MEM_SIZE, &local_bytes,
			sizeof(local_bytes))) != CL_SUCCESS)
		return fail(self, kernel, code, error);
	kernel->local_bytes = local_bytes;
	return PLAIT_OK;
}

plait_status plaitp_opencl_kernel_query(plait_backend *self,
					plait_backend_kernel *kernel,
					plait_kernel_facts *out,
					plait_error *error)
{
	plait_kernel_facts facts = { .size = sizeof(facts) };
	size_t group[3] = { 0, 0, 0 };
	cl_ulong private_bytes = 0;
	cl_int code;
	int i;

	if ((code = ask(self, kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
			group, sizeof(group))) != CL_SUCCESS ||
	    (code = ask(self, kernel, CL_KERNEL_PRIVATE_MEM_SIZE,
			&private_bytes, sizeof(private_bytes))) != CL_SUCCESS)
		return fail(self, kernel, code, error);
	for (i = 0; i < 3; i++)
		facts.group[i] = group[i];
	facts.group_items_max = kernel->group_max;
	facts.local_bytes = kernel->local_bytes;
	facts.private_bytes = private_bytes;
	if (out->size < facts.size)
		facts.size = out->size;
	memcpy(out, &facts, facts.size);
	return PLAIT_OK;
}
