/* SPDX-License-Identifier: MIT */
/* Handles, platforms, devices and contexts of the stand-in for OpenCL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum { UNITS = 4 };
#define MEMORY_BYTES ((cl_ulong)64 << 20)

/* --- handles -------------------------------------------------------------- */

void *fake_new(enum fake_kind kind, size_t bytes, void (*end)(void *))
{
	struct fake_object *object = calloc(1, bytes);

	if (object == NULL)
		abort();
	object->kind = kind;
	object->references = 1;
	object->end = end;
	object->next = fake.objects;
	fake.objects = object;
	return object;
}

bool fake_is(const void *handle, enum fake_kind kind)
{
	const struct fake_object *object = handle;

	if (object == NULL || object->kind != kind)
		return false;
	if (object->references == 0)
		fake_sin("an object (%#x) is used that is gone", (unsigned)kind);
	return object->references > 0;
}

void fake_retain(void *handle)
{
	((struct fake_object *)handle)->references++;
}

void fake_release(void *handle)
{
	struct fake_object *object = handle;

	if (object->references == 0)
		fake_sin("an object (%#x) is released once too often",
			 (unsigned)object->kind);
	else if (--object->references == 0 && object->end != NULL)
		object->end(object);
}

void fake_forget_objects(void)
{
	struct fake_object *object;

	while ((object = fake.objects) != NULL) {
		fake.objects = object->next;
		free(object);
	}
	fake.queues = NULL;
	fake.contexts = 0;
}

static cl_int release(void *handle, enum fake_kind kind, cl_int code)
{
	if (!fake_is(handle, kind))
		return code;
	fake_release(handle);
	return CL_SUCCESS;
}

#define RELEASE(name, type, kind, code) \
	cl_int fake_##name(type handle) \
	{ \
		return release(handle, kind, code); \
	}
RELEASE(clReleaseDevice, cl_device_id, FAKE_DEVICE, CL_INVALID_DEVICE)
RELEASE(clReleaseContext, cl_context, FAKE_CONTEXT, CL_INVALID_CONTEXT)
RELEASE(clReleaseCommandQueue, cl_command_queue, FAKE_QUEUE,
	CL_INVALID_COMMAND_QUEUE)
RELEASE(clReleaseMemObject, cl_mem, FAKE_MEMORY, CL_INVALID_MEM_OBJECT)
RELEASE(clReleaseProgram, cl_program, FAKE_PROGRAM, CL_INVALID_PROGRAM)
RELEASE(clReleaseKernel, cl_kernel, FAKE_KERNEL, CL_INVALID_KERNEL)
RELEASE(clReleaseEvent, cl_event, FAKE_EVENT, CL_INVALID_EVENT)

/* --- platforms and devices ------------------------------------------------ */

cl_int fake_give(const void *from, size_t bytes, size_t room, void *value,
		 size_t *out_bytes)
{
	if (out_bytes != NULL)
		*out_bytes = bytes;
	if (value != NULL && room < bytes)
		return CL_INVALID_VALUE;
	if (value != NULL)
		memcpy(value, from, bytes);
	return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t room, void *value,
			size_t *out_bytes)
{
	return fake_give(text, strlen(text) + 1, room, value, out_bytes);
}

cl_int fake_clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count)
{
	*count = 0;
	if (fake.setup.no_platform)
		return -1001;
	fake.platform.kind = FAKE_PLATFORM;
	fake.platform.references = 1;
	*count = 1;
	if (room > 0)
		ids[0] = (cl_platform_id)&fake.platform;
	return CL_SUCCESS;
}

cl_int fake_clGetPlatformInfo(cl_platform_id platform, cl_platform_info key,
			      size_t room, void *value, size_t *bytes)
{
	if (!fake_is(platform, FAKE_PLATFORM))
		return CL_INVALID_PLATFORM;
	return give_text(key == CL_PLATFORM_NAME ? "Stand-in" :
						   "OpenCL 1.2 stand-in",
			 room, value, bytes);
}

cl_int fake_clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
			   cl_uint room, cl_device_id *ids, cl_uint *count)
{
	cl_uint i;

	if (!fake_is(platform, FAKE_PLATFORM))
		return CL_INVALID_PLATFORM;
	*count = 0;
	if ((type & (fake.setup.gpu ? CL_DEVICE_TYPE_GPU :
				      CL_DEVICE_TYPE_CPU)) == 0 ||
	    fake.setup.devices == 0)
		return CL_DEVICE_NOT_FOUND;
	for (i = 0; i < fake.setup.devices && i < room; i++) {
		fake.devices[i] = (struct fake_device){
			.object = { FAKE_DEVICE, 1, NULL, NULL },
			.units = UNITS
		};
		ids[i] = (cl_device_id)&fake.devices[i];
	}
	*count = fake.setup.devices;
	return CL_SUCCESS;
}

cl_int fake_clGetDeviceInfo(cl_device_id device, cl_device_info key,
			    size_t room, void *value, size_t *bytes)
{
	const cl_platform_id platform = (cl_platform_id)&fake.platform;
	const cl_ulong all = MEMORY_BYTES, largest = FAKE_LARGEST_BYTES;
	const cl_ulong local = FAKE_LOCAL_BYTES, none = 0, fields = 15;
	const cl_uint align_bits = 1024;
	const cl_bool yes = CL_TRUE;
	const size_t group_max = FAKE_GROUP_DEVICE;
	cl_device_type type = fake.setup.gpu ? CL_DEVICE_TYPE_GPU :
					       CL_DEVICE_TYPE_CPU;

	if (!fake_is(device, FAKE_DEVICE))
		return CL_INVALID_DEVICE;
	switch (key) {
	case OPENCL_EXTENSIONS_WITH_VERSION:
		return fake_give_extensions(room, value, bytes);
	case OPENCL_IL_VERSION:
		return give_text(fake.setup.spirv ? "SPIR-V_1.0" : "", room,
				 value, bytes);
	case OPENCL_BUFFER_QUEUE_PROPERTIES:
		return fake_give(&none, sizeof(none), room, value, bytes);
	case OPENCL_MUTABLE_CAPABILITIES:
		return fake_give(&fields, sizeof(fields), room, value, bytes);
	case CL_DEVICE_PLATFORM:
		return fake_give(&platform, sizeof(platform), room, value,
				 bytes);
	case CL_DEVICE_NAME:
		return give_text("stand-in device", room, value, bytes);
	case CL_DRIVER_VERSION:
		return give_text("0", room, value, bytes);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		return fake_give(&((struct fake_device *)device)->units,
				 sizeof(cl_uint), room, value, bytes);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		return fake_give(&align_bits, sizeof(align_bits), room, value,
				 bytes);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return fake_give(&group_max, sizeof(group_max), room, value,
				 bytes);
	case CL_DEVICE_IMAGE_SUPPORT:
		return fake_give(&yes, sizeof(yes), room, value, bytes);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		return fake_give(&local, sizeof(local), room, value, bytes);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		return fake_give(&all, sizeof(all), room, value, bytes);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return fake_give(&largest, sizeof(largest), room, value, bytes);
	case CL_DEVICE_TYPE:
		return fake_give(&type, sizeof(type), room, value, bytes);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int fake_clCreateSubDevices(cl_device_id device,
			       const cl_device_partition_property *how,
			       cl_uint room, cl_device_id *ids, cl_uint *count)
{
	cl_uint i;

	if (!fake_is(device, FAKE_DEVICE) ||
	    how[0] != CL_DEVICE_PARTITION_EQUALLY || how[1] < 1 || how[2] != 0)
		return CL_INVALID_VALUE;
	*count = (cl_uint)(UNITS / how[1]);
	if (room < *count)
		return CL_INVALID_VALUE;
	for (i = 0; i < *count; i++) {
		struct fake_device *part = fake_new(FAKE_DEVICE, sizeof(*part),
						    NULL);

		part->part = true;
		part->units = (uint32_t)how[1];
		ids[i] = (cl_device_id)part;
	}
	return CL_SUCCESS;
}

/* --- contexts ------------------------------------------------------------- */

cl_context fake_clCreateContext(const cl_context_properties *how,
				cl_uint count, const cl_device_id *ids,
				void (CL_CALLBACK *tell)(const char *,
							 const void *, size_t,
							 void *),
				void *user_data, cl_int *code)
{
	struct fake_context *context;
	cl_uint i;

	(void)how, (void)tell, (void)user_data;
	for (i = 0; i < count; i++)
		if (!fake_is(ids[i], FAKE_DEVICE))
			*code = CL_INVALID_DEVICE;
	if (count == 0 || *code != CL_SUCCESS)
		return NULL;
	context = fake_new(FAKE_CONTEXT, sizeof(*context), NULL);
	fake_begin_threads();
	return (cl_context)context;
}
