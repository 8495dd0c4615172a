/* SPDX-License-Identifier: MIT */
/* Memory of devices, and wrapped memory of the user. */
#include <stddef.h>

#include "image.h"

/* Alignment of every allocation of the driver. */
enum { PROMISED_BYTES = 256 };

/* Returns 0, or -1 with the remaining bytes in *out_left. */
static int charge(plait_backend *self, struct cuda_device *device,
		  uint64_t bytes, uint64_t *out_left)
{
	int fits;

	pthread_mutex_lock(&self->accounting_lock);
	*out_left = device->memory_bytes - device->used_bytes;
	fits = bytes <= *out_left;
	if (fits)
		device->used_bytes += bytes;
	pthread_mutex_unlock(&self->accounting_lock);
	return fits ? 0 : -1;
}

static void discharge(plait_backend *self, struct cuda_device *device,
		      uint64_t bytes)
{
	pthread_mutex_lock(&self->accounting_lock);
	device->used_bytes -= bytes;
	pthread_mutex_unlock(&self->accounting_lock);
}

static plait_status refuse_bytes(plait_backend *self,
				 const struct cuda_device *device,
				 uint64_t bytes, uint64_t left_bytes,
				 plait_error *error)
{
	return plaitp_driven_fail(
		self->services, error, PLAIT_E_NOMEM, 0,
		"cuda:%u: %llu bytes asked, %llu of its %llu left",
		plaitp_cuda_number(self, device), (unsigned long long)bytes,
		(unsigned long long)left_bytes,
		(unsigned long long)device->memory_bytes);
}

/* Context is current.  An alignment beyond the driver's promise is allocated in
 * excess. */
static plait_status allocate(plait_backend *self,
			     plait_backend_memory *memory, plait_error *error)
{
	uint64_t alignment = memory->alignment_bytes;
	/* The driver has no empty allocations. */
	uint64_t bytes = memory->size_bytes != 0 ? memory->size_bytes : 1;
	CUresult code = CUDA_ERROR_OUT_OF_MEMORY;
	CUdeviceptr address = 0;

	if (alignment <= PROMISED_BYTES ||
	    !__builtin_add_overflow(bytes, alignment, &bytes))
		code = plaitp_cuda_pool_acquire(self, memory->device, bytes,
						&memory->block, &address);
	if (code == CUDA_SUCCESS) {
		memory->address = (address + alignment - 1) &
				  ~(CUdeviceptr)(alignment - 1);
		return PLAIT_OK;
	}
	memory->block = NULL;
	return plaitp_cuda_fail_call(self,
				     plaitp_cuda_number(self, memory->device),
				     error, "cuMemAlloc", code, "memory");
}

static plait_status fill_memory(plait_backend *self,
				plait_backend_memory *memory,
				const plait_memory_request *request,
				plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, memory->device);
	plait_status status = plaitp_cuda_enter(self, device, error);

	if (status != PLAIT_OK)
		return status;
	if ((request->flags & PLAIT_MEMORY_NATIVE) != 0)
		status = plaitp_cuda_import_memory(self, memory, request,
						   error);
	else if ((request->flags & PLAIT_MEMORY_WRAP) != 0)
		status = plaitp_cuda_wrap_memory(self, memory, request->pointer,
						 request->bytes, error);
	else if ((request->flags & PLAIT_MEMORY_IMAGE) != 0)
		status = plaitp_cuda_image_create(self, memory, request,
						  error);
	else
		status = allocate(self, memory, error);
	plaitp_cuda_leave(self);
	return status;
}

static void free_memory(plait_backend *self, plait_backend_memory *memory)
{
	discharge(self, memory->device, memory->charged_bytes);
	self->services->resize(self->host, memory, sizeof(*memory), 0);
}

plait_status plaitp_cuda_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error)
{
	const bool ours = (request->flags & (PLAIT_MEMORY_WRAP |
					     PLAIT_MEMORY_NATIVE)) == 0;
	const uint64_t bytes = ours ? request->bytes : 0;
	struct cuda_device *place = &self->devices[device];
	plait_backend_memory *memory;
	plait_status status;
	uint64_t left_bytes;

	*out = NULL;
	if (charge(self, place, bytes, &left_bytes) != 0)
		return refuse_bytes(self, place, bytes, left_bytes, error);
	memory = self->services->resize(self->host, NULL, 0, sizeof(*memory));
	if (memory == NULL) {
		discharge(self, place, bytes);
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a record of "
					  "memory");
	}
	*memory = (plait_backend_memory){
		.device = place,
		.size_bytes = request->bytes,
		.charged_bytes = bytes,
		.alignment_bytes = request->alignment_bytes > PROMISED_BYTES ?
				   request->alignment_bytes : PROMISED_BYTES
	};
	status = fill_memory(self, memory, request, error);
	if (status == PLAIT_OK)
		*out = memory;
	else
		free_memory(self, memory);
	return status;
}

void plaitp_cuda_memory_destroy(plait_backend *self,
				plait_backend_memory *memory)
{
	if (memory->block != NULL)
		plaitp_cuda_pool_release(self, memory->device, memory->block);
	if (memory->image != NULL)
		plaitp_cuda_image_release(self, memory->device, memory->image);
	if (memory->wrapped != NULL)
		plaitp_cuda_unwrap_memory(self, memory);
	plaitp_cuda_forget_maps(self, memory);
	free_memory(self, memory);
}
