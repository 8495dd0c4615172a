/* SPDX-License-Identifier: MIT */
/*
 * Native handles: queries of the driver's objects, and import of the user's.
 * An imported stream must be valid; the driver cannot check that.
 */
#include "flight.h"

/* --- queries -------------------------------------------------------------- */

/* Returns false if there is no such handle. */
static bool find_handle(plait_backend *self,
			const plait_native_request *request, uint64_t *out)
{
	const struct cuda_device *device = &self->devices[request->device];
	struct cuda_streams *streams;

	if (request->queue != NULL) {
		streams = request->queue->driver;
		*out = (uintptr_t)streams->stream;
		plaitp_driven_store(&streams->is_shared, 1);
		return request->kind == PLAIT_NATIVE_CU_STREAM;
	}
	if (request->memory != NULL) {
		*out = request->memory->address;
		return request->kind == PLAIT_NATIVE_CU_POINTER &&
		       request->memory->image == NULL;
	}
	*out = request->kind == PLAIT_NATIVE_CU_DEVICE ?
	       (uint64_t)device->id : (uintptr_t)device->context;
	return request->kind == PLAIT_NATIVE_CU_DEVICE ||
	       request->kind == PLAIT_NATIVE_CU_CONTEXT;
}

/* The context of a device that was not used opens when it is asked for. */
static plait_status open_device(plait_backend *self,
				const plait_native_request *request,
				plait_error *error)
{
	plait_status status;

	if (request->queue != NULL || request->memory != NULL ||
	    request->kind != PLAIT_NATIVE_CU_CONTEXT)
		return PLAIT_OK;
	status = plaitp_cuda_enter(self, request->device, error);
	if (status == PLAIT_OK)
		plaitp_cuda_leave(self);
	return status;
}

plait_status plaitp_cuda_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error)
{
	plait_status status = open_device(self, request, error);

	*out = 0;
	if (status != PLAIT_OK)
		return status;
	if (find_handle(self, request, out))
		return PLAIT_OK;
	*out = 0;
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "cuda:%u: no native handle of kind %u "
				  "for this %s", request->device, request->kind,
				  request->queue != NULL ? "queue" :
				  request->memory == NULL ? "device" :
				  request->memory->image != NULL ? "image" :
				  "buffer");
}

/* --- import; context is current ------------------------------------------- */

static plait_status refuse(plait_backend *self, const char *what,
			   plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_INVALID, 0,
				  "cuda: the native %s", what);
}

static plait_status refuse_kind(plait_backend *self, uint32_t kind,
				const char *wanted, plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  0, "cuda: native_kind %u; expected %s", kind,
				  wanted);
}

/* Memory of the driver's pools, and mapped memory, belongs to no context. */
static bool is_pooled_of(plait_backend *self, const struct cuda_device *device,
			 CUdeviceptr address)
{
	const struct cuda_calls *cu = &self->cu;
	unsigned type = 0;
	int id = -1;

	return cu->cuPointerGetAttribute(&type,
					 CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					 address) == CUDA_SUCCESS &&
	       type == CU_MEMORYTYPE_DEVICE &&
	       cu->cuPointerGetAttribute(&id,
					 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
					 address) == CUDA_SUCCESS &&
	       id == device->id;
}

static bool is_of(plait_backend *self, const struct cuda_device *device,
		  CUdeviceptr address)
{
	CUcontext context = NULL;

	if (self->cu.cuPointerGetAttribute(&context,
					   CU_POINTER_ATTRIBUTE_CONTEXT,
					   address) != CUDA_SUCCESS)
		return false;
	return context == device->context ||
	       (context == NULL && is_pooled_of(self, device, address));
}

plait_status plaitp_cuda_import_memory(plait_backend *self,
				       plait_backend_memory *memory,
				       const plait_memory_request *request,
				       plait_error *error)
{
	uint64_t last = request->bytes != 0 ? request->bytes - 1 : 0;

	if (request->native_kind != PLAIT_NATIVE_CU_POINTER)
		return refuse_kind(self, request->native_kind,
				   "PLAIT_NATIVE_CU_POINTER", error);
	if (!is_of(self, memory->device, request->native))
		return refuse(self, "memory belongs neither to the device's "
			      "primary context, PLAIT_NATIVE_CU_CONTEXT, nor "
			      "to one of its pools", error);
	if (!is_of(self, memory->device, request->native + last))
		return refuse(self, "memory has fewer bytes than the buffer "
			      "is to have", error);
	memory->address = request->native;
	return PLAIT_OK;
}

/* The handle 2 stands for another stream on each thread. */
static bool is_special(CUstream stream)
{
	return (uintptr_t)stream == 1 || (uintptr_t)stream == 2;
}

plait_status plaitp_cuda_import_stream(plait_backend *self, uint32_t device,
				       const plait_queue_request *request,
				       CUstream *out, plait_error *error)
{
	CUstream stream = (CUstream)(uintptr_t)request->native;
	CUcontext context = NULL;
	CUresult code;

	if (request->native_kind != PLAIT_NATIVE_CU_STREAM)
		return refuse_kind(self, request->native_kind,
				   "PLAIT_NATIVE_CU_STREAM", error);
	if (stream == NULL)
		return refuse(self, "queue is the default stream, which "
			      "synchronizes with others", error);
	if (is_special(stream))
		return refuse(self, "queue is a special handle of the driver, "
			      "1 (legacy default stream) or 2 (default stream "
			      "of each thread), and not a stream; create one",
			      error);
	code = self->cu.cuStreamGetCtx(stream, &context);
	if (code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(self, device, error,
					     "cuStreamGetCtx", code,
					     "a native queue");
	if (context != self->devices[device].context)
		return refuse(self, "queue is of another context than "
			      "PLAIT_NATIVE_CU_CONTEXT", error);
	*out = stream;
	return PLAIT_OK;
}
