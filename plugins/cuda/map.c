/* SPDX-License-Identifier: MIT */
/*
 * Maps.  Wrapped memory is host memory already.  Device memory is copied to the
 * host when it is mapped, and back when it is unmapped.
 */
#include <stddef.h>

#include "backend.h"

/* The bits of the public PLAIT_MAP_READ and PLAIT_MAP_WRITE. */
enum { MAP_READ = 1 << 0, MAP_WRITE = 1 << 1 };

struct cuda_map {
	struct cuda_map *next;
	uint64_t total_bytes; /* with the copy that follows */
	char *pointer;
	uint64_t offset;
	uint64_t bytes;
	uint32_t flags;
};

/* Record and bytes in one block; the address has the alignment that the
 * memory's has at the offset. */
static plait_status new_map(plait_backend *self,
			    const plait_backend_memory *memory,
			    uint64_t offset, uint64_t bytes, uint32_t flags,
			    struct cuda_map **out, plait_error *error)
{
	uint64_t alignment = memory->alignment_bytes, total;
	uintptr_t first;

	*out = NULL;
	if (!__builtin_add_overflow(bytes, sizeof(**out) + 2 * alignment,
				    &total))
		*out = self->services->resize(self->host, NULL, 0, total);
	if (*out == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory to map %llu "
					  "bytes", (unsigned long long)bytes);
	first = ((uintptr_t)(*out + 1) + alignment - 1) & ~(alignment - 1);
	**out = (struct cuda_map){
		.total_bytes = total,
		.pointer = (char *)*out + (first - (uintptr_t)*out) +
			   offset % alignment,
		.offset = offset,
		.bytes = bytes,
		.flags = flags
	};
	return PLAIT_OK;
}

static void free_map(plait_backend *self, struct cuda_map *map)
{
	self->services->resize(self->host, map, map->total_bytes, 0);
}

/* Copy all of the map in one direction and wait for it. */
static plait_status move(plait_backend *self, plait_backend_memory *memory,
			 struct cuda_map *map, bool to_device,
			 plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, memory->device);
	CUdeviceptr address = memory->address + map->offset;
	CUstream stream = memory->device->service_stream;
	const char *name = to_device ? "cuMemcpyHtoDAsync" :
				       "cuMemcpyDtoHAsync";
	plait_status status;
	CUresult code;

	if (map->bytes == 0)
		return PLAIT_OK;
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	code = to_device ?
	       self->cu.cuMemcpyHtoDAsync(address, map->pointer, map->bytes,
					  stream) :
	       self->cu.cuMemcpyDtoHAsync(map->pointer, address, map->bytes,
					  stream);
	if (code == CUDA_SUCCESS) {
		name = "cuStreamSynchronize";
		code = self->cu.cuStreamSynchronize(stream);
	}
	plaitp_cuda_leave(self);
	if (code == CUDA_SUCCESS)
		return PLAIT_OK;
	return plaitp_cuda_fail_call(self, device, error, name, code, "a map");
}

plait_status plaitp_cuda_memory_map(plait_backend *self,
				    plait_backend_memory *memory,
				    uint64_t offset, uint64_t bytes,
				    uint32_t flags, void **out,
				    plait_error *error)
{
	struct cuda_map *map;
	plait_status status;

	*out = NULL;
	if (memory->wrapped != NULL) {
		*out = memory->wrapped + offset;
		return PLAIT_OK;
	}
	status = new_map(self, memory, offset, bytes, flags, &map, error);
	if (status != PLAIT_OK)
		return status;
	/* Also for a map that is only written: bytes that are not written must
	 * stay. */
	status = move(self, memory, map, false, error);
	if (status != PLAIT_OK) {
		free_map(self, map);
		return status;
	}
	pthread_mutex_lock(&self->accounting_lock);
	map->next = memory->maps;
	memory->maps = map;
	pthread_mutex_unlock(&self->accounting_lock);
	*out = map->pointer;
	return PLAIT_OK;
}

static struct cuda_map *take_map(plait_backend *self,
				 plait_backend_memory *memory, void *pointer)
{
	struct cuda_map **link = &memory->maps, *map;

	pthread_mutex_lock(&self->accounting_lock);
	while (*link != NULL && (*link)->pointer != pointer)
		link = &(*link)->next;
	map = *link;
	if (map != NULL)
		*link = map->next;
	pthread_mutex_unlock(&self->accounting_lock);
	return map;
}

plait_status plaitp_cuda_memory_unmap(plait_backend *self,
				      plait_backend_memory *memory,
				      void *pointer, plait_error *error)
{
	plait_status status = PLAIT_OK;
	struct cuda_map *map;

	if (memory->wrapped != NULL)
		return PLAIT_OK;
	map = take_map(self, memory, pointer);
	if (map == NULL)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_INVALID, 0,
					  "cuda: nothing is mapped there");
	if ((map->flags & MAP_WRITE) != 0)
		status = move(self, memory, map, true, error);
	if (status == PLAIT_OK) {
		free_map(self, map);
		return status;
	}
	/* Keep the map, so that the caller can try again. */
	pthread_mutex_lock(&self->accounting_lock);
	map->next = memory->maps;
	memory->maps = map;
	pthread_mutex_unlock(&self->accounting_lock);
	return status;
}

void plaitp_cuda_forget_maps(plait_backend *self, plait_backend_memory *memory)
{
	struct cuda_map *map;

	while ((map = memory->maps) != NULL) {
		memory->maps = map->next;
		free_map(self, map);
	}
}
