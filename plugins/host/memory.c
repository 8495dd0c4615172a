/* SPDX-License-Identifier: MIT */
/*
 * Host memory: a record, followed by aligned bytes, or a record of wrapped
 * memory; an image's head is in front of its bytes.  Each device has a limit of
 * its own, by default the machine's memory; several devices together may exceed
 * it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "host.h"

struct plait_backend_memory {
	char *bytes;
	uint64_t block_bytes; /* of the allocation that begins with this
			       * record */
	uint64_t charged_bytes;
	uint32_t device;
};

void *plaitp_host_memory_bytes(plait_backend_memory *memory)
{
	return memory != NULL ? memory->bytes : NULL;
}

/* Returns 0, or -1 and the bytes left in *out. */
static int charge(plait_backend *self, uint32_t device, uint64_t bytes,
		  uint64_t *out_left)
{
	uint64_t *used_bytes = &self->devices[device].used_bytes;
	int fits;

	pthread_mutex_lock(&self->lock);
	*out_left = self->memory_bytes - *used_bytes;
	fits = bytes <= *out_left;
	if (fits)
		*used_bytes += bytes;
	pthread_mutex_unlock(&self->lock);
	return fits ? 0 : -1;
}

static void discharge(plait_backend *self, uint32_t device, uint64_t bytes)
{
	pthread_mutex_lock(&self->lock);
	self->devices[device].used_bytes -= bytes;
	pthread_mutex_unlock(&self->lock);
}

/* Bytes in front of the memory: the record, and the head of an image. */
static uint64_t front_bytes(const plait_memory_request *request)
{
	return sizeof(plait_backend_memory) +
	       ((request->flags & PLAIT_MEMORY_IMAGE) != 0 ?
		sizeof(plait_image_head) : 0);
}

/* Sum of record, head, alignment and bytes.  Returns true on overflow. */
static bool count_block(const plait_memory_request *request,
			uint64_t alignment_bytes, uint64_t *out)
{
	*out = front_bytes(request);
	if ((request->flags & PLAIT_MEMORY_WRAP) != 0)
		return false;
	return __builtin_add_overflow(*out, alignment_bytes, out) ||
	       __builtin_add_overflow(*out, request->bytes, out);
}

static char *place_bytes(plait_backend_memory *memory,
			 const plait_memory_request *request,
			 uint64_t alignment_bytes)
{
	char *first = (char *)memory + front_bytes(request);

	if ((request->flags & PLAIT_MEMORY_WRAP) != 0)
		return request->pointer;
	return first + (size_t)(-(uintptr_t)first & (alignment_bytes - 1));
}

/* Write the head of an image; the pixels are aligned more than it needs. */
static void write_head(const plait_backend_memory *memory,
		       const plait_memory_request *request)
{
	plait_image_head *head = (void *)memory->bytes;

	if ((request->flags & PLAIT_MEMORY_IMAGE) != 0)
		head[-1] = (plait_image_head){ .size = sizeof(*head),
					       .format = request->format,
					       .width = request->width,
					       .height = request->height };
}

static plait_status check_request(plait_backend *self, uint32_t device,
				  const plait_memory_request *request,
				  plait_error *error)
{
	uint64_t alignment_bytes = request->alignment_bytes;

	if (device >= self->device_count)
		return plaitp_host_fail(self->services, error, PLAIT_E_INVALID,
					"host: device %u of %u", device,
					self->device_count);
	if ((alignment_bytes & (alignment_bytes - 1)) != 0)
		return plaitp_host_fail(self->services, error, PLAIT_E_INVALID,
					"host:%u: an alignment of %llu bytes "
					"is not a power of two", device,
					(unsigned long long)alignment_bytes);
	if ((request->flags & PLAIT_MEMORY_NATIVE) != 0)
		return plaitp_host_fail(self->services, error,
					PLAIT_E_UNSUPPORTED,
					"host:%u: native memory of kind %u; "
					"here memory is wrapped by its "
					"pointer", device,
					request->native_kind);
	if ((request->flags & ~(uint32_t)(PLAIT_MEMORY_WRAP |
					  PLAIT_MEMORY_IMAGE)) != 0)
		return plaitp_host_fail(self->services, error,
					PLAIT_E_UNSUPPORTED,
					"host:%u: memory flags 0x%x are not "
					"known", device,
					(unsigned)request->flags);
	return PLAIT_OK;
}

static plait_status refuse(plait_backend *self, uint32_t device,
			   uint64_t bytes, uint64_t left_bytes,
			   plait_error *error)
{
	return plaitp_host_fail(self->services, error, PLAIT_E_NOMEM,
				"host:%u: %llu bytes asked, %llu of its %llu "
				"left", device, (unsigned long long)bytes,
				(unsigned long long)left_bytes,
				(unsigned long long)self->memory_bytes);
}

plait_status plaitp_host_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error)
{
	uint64_t alignment_bytes = HOST_ALIGNMENT_BYTES;
	uint64_t charged_bytes = request->bytes;
	uint64_t left_bytes = self->memory_bytes;
	uint64_t block_bytes;
	plait_backend_memory *memory;
	plait_status status;

	*out = NULL;
	status = check_request(self, device, request, error);
	if (status != PLAIT_OK)
		return status;
	if (request->alignment_bytes > alignment_bytes)
		alignment_bytes = request->alignment_bytes;
	if ((request->flags & PLAIT_MEMORY_WRAP) != 0)
		charged_bytes = 0;
	if (count_block(request, alignment_bytes, &block_bytes) ||
	    charge(self, device, charged_bytes, &left_bytes) != 0)
		return refuse(self, device, request->bytes, left_bytes, error);
	memory = self->services->resize(self->host, NULL, 0, block_bytes);
	if (memory == NULL) {
		discharge(self, device, charged_bytes);
		return plaitp_host_fail(self->services, error, PLAIT_E_NOMEM,
					"host:%u: the system has no memory "
					"for %llu bytes", device,
					(unsigned long long)block_bytes);
	}
	memory->bytes = place_bytes(memory, request, alignment_bytes);
	write_head(memory, request);
	memory->block_bytes = block_bytes;
	memory->charged_bytes = charged_bytes;
	memory->device = device;
	*out = memory;
	return PLAIT_OK;
}

void plaitp_host_memory_destroy(plait_backend *self,
				plait_backend_memory *memory)
{
	if (memory == NULL)
		return;
	discharge(self, memory->device, memory->charged_bytes);
	self->services->resize(self->host, memory, memory->block_bytes, 0);
}

plait_status plaitp_host_memory_map(plait_backend *self,
				    plait_backend_memory *memory,
				    uint64_t offset, uint64_t bytes,
				    uint32_t flags, void **out,
				    plait_error *error)
{
	(void)self;
	(void)bytes;
	(void)flags;
	(void)error;
	*out = memory->bytes + offset;
	return PLAIT_OK;
}

plait_status plaitp_host_memory_unmap(plait_backend *self,
				      plait_backend_memory *memory,
				      void *pointer, plait_error *error)
{
	(void)self;
	(void)memory;
	(void)pointer;
	(void)error;
	return PLAIT_OK;
}

/* Native memory is an address; the host has no other native handle. */
plait_status plaitp_host_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error)
{
	*out = 0;
	if (request->memory != NULL && request->kind == PLAIT_NATIVE_POINTER) {
		*out = (uintptr_t)request->memory->bytes;
		return PLAIT_OK;
	}
	return plaitp_host_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				"host:%u: no native handle of kind %u; "
				"buffers have PLAIT_NATIVE_POINTER",
				request->device, request->kind);
}
