/* SPDX-License-Identifier: MIT */
/*
 * Native handles: queries of the driver's objects, and import of the user's.
 * An imported handle must be a valid OpenCL object of this context; an invalid
 * one cannot be detected.
 */
#include "opencl.h"

/* --- queries -------------------------------------------------------------- */

/* The handle of the device, its context or its platform. */
static plait_status tell_device(plait_backend *self,
				const struct opencl_device *device,
				uint32_t kind, uint64_t *out,
				plait_error *error)
{
	cl_platform_id platform = NULL;
	cl_int code;

	if (kind == PLAIT_NATIVE_CL_DEVICE)
		*out = (uintptr_t)device->id;
	else if (kind == PLAIT_NATIVE_CL_CONTEXT)
		*out = (uintptr_t)self->context;
	if (kind != PLAIT_NATIVE_CL_PLATFORM)
		return PLAIT_OK;
	code = self->cl.clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM,
					sizeof(platform), &platform, NULL);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clGetDeviceInfo", code,
					       "a platform");
	*out = (uintptr_t)platform;
	return PLAIT_OK;
}

plait_status plaitp_opencl_native_query(plait_backend *self,
					const plait_native_request *request,
					uint64_t *out, plait_error *error)
{
	const uint32_t kind = request->kind;

	*out = 0;
	if (request->queue != NULL && kind == PLAIT_NATIVE_CL_QUEUE) {
		*out = (uintptr_t)request->queue->driver;
		return PLAIT_OK;
	}
	if (request->memory != NULL && kind == PLAIT_NATIVE_CL_MEMORY) {
		*out = (uintptr_t)request->memory->memory;
		return PLAIT_OK;
	}
	if (request->queue == NULL && request->memory == NULL &&
	    kind >= PLAIT_NATIVE_CL_PLATFORM &&
	    kind <= PLAIT_NATIVE_CL_CONTEXT)
		return tell_device(self, &self->devices[request->device],
				   kind, out, error);
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "opencl:%u: no native handle of kind %u "
				  "for a %s", request->device, kind,
				  request->queue != NULL ? "queue" :
				  request->memory != NULL ? "buffer" :
				  "device");
}

/* --- import --------------------------------------------------------------- */

static plait_status refuse(plait_backend *self, const char *what,
			   plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_INVALID, 0,
				  "opencl: the native %s", what);
}

static plait_status refuse_kind(plait_backend *self, uint32_t kind,
				const char *wanted, plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "opencl: native_kind %u; expected %s", kind,
				  wanted);
}

/* Check that the program's memory is a buffer of this context that is large
 * enough. */
static plait_status check_memory(plait_backend *self, cl_mem memory,
				 uint64_t bytes_wanted, plait_error *error)
{
	cl_context context = NULL;
	cl_mem_object_type type = 0;
	size_t bytes = 0;
	cl_int code;

	code = self->cl.clGetMemObjectInfo(memory, CL_MEM_CONTEXT,
					   sizeof(context), &context, NULL);
	if (code == CL_SUCCESS)
		code = self->cl.clGetMemObjectInfo(
			memory, CL_MEM_TYPE, sizeof(type), &type, NULL);
	if (code == CL_SUCCESS)
		code = self->cl.clGetMemObjectInfo(
			memory, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clGetMemObjectInfo", code,
					       "native memory");
	if (context != self->context)
		return refuse(self, "memory is of another context than "
			      "PLAIT_NATIVE_CL_CONTEXT", error);
	if (type != CL_MEM_OBJECT_BUFFER)
		return refuse(self, "memory is not a buffer", error);
	if (bytes < bytes_wanted)
		return refuse(self, "memory has fewer bytes than the buffer "
			      "is to have", error);
	return PLAIT_OK;
}

plait_status plaitp_opencl_import_memory(plait_backend *self,
					 const plait_memory_request *request,
					 cl_mem *out, plait_error *error)
{
	cl_mem memory = (cl_mem)(uintptr_t)request->native;
	plait_status status;
	cl_int code;

	if (request->native_kind != PLAIT_NATIVE_CL_MEMORY)
		return refuse_kind(self, request->native_kind,
				   "PLAIT_NATIVE_CL_MEMORY", error);
	if (memory == NULL)
		return refuse(self, "memory is null", error);
	status = check_memory(self, memory, request->bytes, error);
	if (status != PLAIT_OK)
		return status;
	code = self->cl.clRetainMemObject(memory);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clRetainMemObject", code,
					       "native memory");
	*out = memory;
	return PLAIT_OK;
}

/* Check that the program's queue is of this context and device, and in
 * order. */
static plait_status check_queue(plait_backend *self,
				const struct opencl_device *device,
				cl_command_queue queue, plait_error *error)
{
	cl_command_queue_properties properties = 0;
	cl_context context = NULL;
	cl_device_id id = NULL;
	cl_int code;

	code = self->cl.clGetCommandQueueInfo(
		queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);
	if (code == CL_SUCCESS)
		code = self->cl.clGetCommandQueueInfo(
			queue, CL_QUEUE_DEVICE, sizeof(id), &id, NULL);
	if (code == CL_SUCCESS)
		code = self->cl.clGetCommandQueueInfo(
			queue, CL_QUEUE_PROPERTIES, sizeof(properties),
			&properties, NULL);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clGetCommandQueueInfo", code,
					       "a native queue");
	if (context != self->context || id != device->id)
		return refuse(self, "queue is of another context or device",
			      error);
	if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
		return refuse(self, "queue is out of order", error);
	return PLAIT_OK;
}

plait_status plaitp_opencl_import_queue(plait_backend *self,
					const struct opencl_device *device,
					const plait_queue_request *request,
					cl_command_queue *out,
					plait_error *error)
{
	cl_command_queue queue = (cl_command_queue)(uintptr_t)request->native;
	plait_status status;
	cl_int code;

	if (request->native_kind != PLAIT_NATIVE_CL_QUEUE)
		return refuse_kind(self, request->native_kind,
				   "PLAIT_NATIVE_CL_QUEUE", error);
	if (queue == NULL)
		return refuse(self, "queue is null", error);
	status = check_queue(self, device, queue, error);
	if (status != PLAIT_OK)
		return status;
	code = self->cl.clRetainCommandQueue(queue);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(self->services, error,
					       "clRetainCommandQueue", code,
					       "a native queue");
	*out = queue;
	return PLAIT_OK;
}
