/* SPDX-License-Identifier: MIT */
/*
 * Memory.  On the host's processor the driver uses bytes of the backend, or of
 * the user, in place; on other devices it allocates them.
 */
#include <stddef.h>

#include "image.h"

/* Returns 0, or -1 with the remaining bytes in *out_left. */
static int charge(plait_backend *self, struct opencl_device *device,
		  uint64_t bytes, uint64_t *out_left)
{
	int fits;

	pthread_mutex_lock(&self->accounting_lock);
	*out_left = device->memory_bytes - device->used_bytes;
	fits = bytes <= *out_left && bytes <= device->largest_bytes;
	if (fits)
		device->used_bytes += bytes;
	pthread_mutex_unlock(&self->accounting_lock);
	return fits ? 0 : -1;
}

static void discharge(plait_backend *self, struct opencl_device *device,
		      uint64_t bytes)
{
	pthread_mutex_lock(&self->accounting_lock);
	device->used_bytes -= bytes;
	pthread_mutex_unlock(&self->accounting_lock);
}

static unsigned number_of(const plait_backend *self,
			  const struct opencl_device *device)
{
	return (unsigned)(device - self->devices);
}

static plait_status refuse_bytes(plait_backend *self,
				 const struct opencl_device *device,
				 uint64_t bytes, uint64_t left_bytes,
				 plait_error *error)
{
	return plaitp_driven_fail(
		self->services, error, PLAIT_E_NOMEM, 0,
		"opencl:%u: %llu bytes asked, %llu of its %llu left, and at "
		"most %llu at once", number_of(self, device),
		(unsigned long long)bytes, (unsigned long long)left_bytes,
		(unsigned long long)device->memory_bytes,
		(unsigned long long)device->largest_bytes);
}

/* Find the host bytes for the driver's object: null if the driver
 * allocates. */
static plait_status find_bytes(plait_backend *self,
			       plait_backend_memory *memory,
			       const plait_memory_request *request,
			       void **out, plait_error *error)
{
	uint64_t alignment = memory->device->alignment_bytes;
	uintptr_t first;

	*out = request->pointer;
	if ((request->flags & PLAIT_MEMORY_WRAP) != 0)
		return PLAIT_OK;
	*out = NULL;
	if (!memory->device->on_host || self->driver_memory) {
		if (request->alignment_bytes <= alignment)
			return PLAIT_OK;
		return plaitp_driven_fail(
			self->services, error, PLAIT_E_UNSUPPORTED, 0,
			"opencl:%u: an alignment of %llu bytes; its driver "
			"promises %llu", number_of(self, memory->device),
			(unsigned long long)request->alignment_bytes,
			(unsigned long long)alignment);
	}
	if (request->alignment_bytes > alignment)
		alignment = request->alignment_bytes;
	if (__builtin_add_overflow(request->bytes + 1, alignment,
				   &memory->block_bytes))
		return refuse_bytes(self, memory->device, request->bytes, 0,
				    error);
	memory->block = self->services->resize(self->host, NULL, 0,
					       memory->block_bytes);
	if (memory->block == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "opencl:%u: the system has no "
					  "memory for %llu bytes",
					  number_of(self, memory->device),
					  (unsigned long long)
					  memory->block_bytes);
	first = (uintptr_t)memory->block;
	*out = (char *)memory->block + (size_t)(-first & (alignment - 1));
	return PLAIT_OK;
}

static plait_status create_object(plait_backend *self,
				  plait_backend_memory *memory,
				  uint64_t bytes, void *pointer,
				  plait_error *error)
{
	cl_mem_flags flags = CL_MEM_READ_WRITE;
	cl_int code = CL_SUCCESS;

	if (pointer != NULL)
		flags |= CL_MEM_USE_HOST_PTR;
	/* The driver has no empty buffers. */
	memory->memory = self->cl.clCreateBuffer(self->context, flags,
						 bytes != 0 ? bytes : 1,
						 pointer, &code);
	if (memory->memory != NULL)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error, "clCreateBuffer",
				       code, "memory");
}

static void free_memory(plait_backend *self, plait_backend_memory *memory)
{
	if (memory->block != NULL)
		self->services->resize(self->host, memory->block,
				       memory->block_bytes, 0);
	discharge(self, memory->device, memory->bytes);
	pthread_mutex_destroy(&memory->mapping);
	self->services->resize(self->host, memory, sizeof(*memory), 0);
}

static plait_status fill_record(plait_backend *self,
				plait_backend_memory *memory,
				const plait_memory_request *request,
				plait_error *error)
{
	void *pointer;
	plait_status status;

	if ((request->flags & PLAIT_MEMORY_NATIVE) != 0)
		return plaitp_opencl_import_memory(self, request,
						   &memory->memory, error);
	if ((request->flags & PLAIT_MEMORY_IMAGE) != 0)
		return plaitp_opencl_image_create(self, memory, request,
						  error);
	status = find_bytes(self, memory, request, &pointer, error);
	if (status != PLAIT_OK)
		return status;
	return create_object(self, memory, request->bytes, pointer, error);
}

plait_status plaitp_opencl_memory_create(plait_backend *self, uint32_t device,
					 const plait_memory_request *request,
					 plait_backend_memory **out,
					 plait_error *error)
{
	const bool ours = (request->flags & (PLAIT_MEMORY_WRAP |
					     PLAIT_MEMORY_NATIVE)) == 0;
	const uint64_t bytes = ours ? request->bytes : 0;
	struct opencl_device *place = &self->devices[device];
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
					  0, "opencl: no memory for a record "
					  "of memory");
	}
	*memory = (plait_backend_memory){ .device = place,
					  .size_bytes = request->bytes,
					  .bytes = bytes };
	pthread_mutex_init(&memory->mapping, NULL);
	status = fill_record(self, memory, request, error);
	if (status == PLAIT_OK)
		*out = memory;
	else
		free_memory(self, memory);
	return status;
}

void plaitp_opencl_memory_destroy(plait_backend *self,
				  plait_backend_memory *memory)
{
	self->cl.clReleaseMemObject(memory->memory);
	free_memory(self, memory);
}

/* --- maps ----------------------------------------------------------------- */

/*
 * Several maps of one range have the same address.  PoCL 3.1 looks a map up by
 * its address when it ends, so two threads that end two maps at once may find
 * the same one.  One thread at a time therefore maps or unmaps an object; the
 * in-order map queue would make them wait anyway.
 */

/* Bits of the public PLAIT_MAP_READ and PLAIT_MAP_WRITE. */
enum { MAP_READ = 1 << 0, MAP_WRITE = 1 << 1 };

plait_status plaitp_opencl_memory_map(plait_backend *self,
				      plait_backend_memory *memory,
				      uint64_t offset, uint64_t bytes,
				      uint32_t flags, void **out,
				      plait_error *error)
{
	cl_map_flags how = 0;
	cl_int code = CL_SUCCESS;

	if ((flags & MAP_READ) != 0)
		how |= CL_MAP_READ;
	if ((flags & MAP_WRITE) != 0)
		how |= CL_MAP_WRITE;
	pthread_mutex_lock(&memory->mapping);
	*out = self->cl.clEnqueueMapBuffer(memory->device->map_queue,
					   memory->memory, CL_TRUE, how,
					   offset, bytes, 0, NULL, NULL,
					   &code);
	pthread_mutex_unlock(&memory->mapping);
	if (*out != NULL)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error,
				       "clEnqueueMapBuffer", code, "a map");
}

/*
 * Wait for the unmap: the next command may follow at once.  An unmap that the
 * driver has accepted cannot be undone, so clFinish is tried before the device
 * is reported lost.
 */
static cl_int await_unmap(plait_backend *self, struct opencl_device *device,
			  cl_event event)
{
	cl_int code = self->cl.clWaitForEvents(1, &event);

	self->cl.clReleaseEvent(event);
	return code == CL_SUCCESS ? code : self->cl.clFinish(device->map_queue);
}

/* *out_taken: the driver has accepted the unmap. */
static cl_int unmap(plait_backend *self, plait_backend_memory *memory,
		    void *pointer, bool *out_taken)
{
	struct opencl_device *device = memory->device;
	cl_event event = NULL;
	cl_int code;

	pthread_mutex_lock(&memory->mapping);
	code = self->cl.clEnqueueUnmapMemObject(device->map_queue,
						memory->memory,
						pointer, 0, NULL, &event);
	*out_taken = code == CL_SUCCESS;
	if (*out_taken)
		code = await_unmap(self, device, event);
	pthread_mutex_unlock(&memory->mapping);
	return code;
}

plait_status plaitp_opencl_memory_unmap(plait_backend *self,
					plait_backend_memory *memory,
					void *pointer, plait_error *error)
{
	bool check_call;
	cl_int code = unmap(self, memory, pointer, &check_call);

	if (!check_call)
		return plaitp_opencl_fail_call(self->services, error,
					       "clEnqueueUnmapMemObject",
					       code, "an unmap");
	if (code == CL_SUCCESS)
		return PLAIT_OK;
	return plaitp_driven_fail(self->services, error, PLAIT_E_LOST, code,
				  "opencl:%u: clFinish failed with %d for an "
				  "unmap; written bytes may not have reached "
				  "the device",
				  number_of(self, memory->device), (int)code);
}
