/* SPDX-License-Identifier: MIT */
/*
 * Memory of the simulated devices: separate host memory for each device, so
 * that a missing copy changes the result.  New memory is filled with one random
 * byte, never 0.
 */
#include <string.h>

#include "chaos.h"

/* A staged copy of mapped memory (quirk staged_map). */
struct chaos_map {
	struct chaos_map *next;
	uint64_t offset;
	uint64_t bytes;
	uint32_t flags;
	uint32_t reserved0;
	/* Inside this block, aligned as the memory. */
	unsigned char *copy;
};

/* Returns 0 on overflow. */
static uint64_t map_bytes(const chaos_memory *memory, uint64_t bytes)
{
	uint64_t sum;

	return __builtin_add_overflow(sizeof(struct chaos_map) + bytes,
				      2 * memory->alignment, &sum) ? 0 : sum;
}

/* At least, of images: the head fits into it. */
enum { IMAGE_ALIGNMENT = 64 };

/* Equal to the public PLAIT_MAP_WRITE. */
enum { MAP_WRITE = 1 << 1 };

/* Bytes in use of the memory that the device has, or shares. */
static uint64_t *used_of(chaos *system, chaos_device *device)
{
	return &(system->options.shared ? system->devices : device)->memory_used;
}

static plait_status take(chaos *system, chaos_device *device, uint64_t bytes,
			 plait_error *error)
{
	uint64_t *used = used_of(system, device);
	uint64_t left = system->options.memory_bytes - *used;

	if (bytes > left)
		return plaitp_chaos_fail(
			system, error, PLAIT_E_NOMEM, 0,
			"device chaos:%u: %llu bytes asked, %llu of %llu left",
			device->index, (unsigned long long)bytes,
			(unsigned long long)left,
			(unsigned long long)system->options.memory_bytes);
	*used += bytes;
	return PLAIT_OK;
}

/* The head of an image is directly before its first pixel. */
static void write_head(const chaos_memory *memory,
		       const plait_memory_request *request)
{
	plait_image_head head = { .size = sizeof(head),
				  .format = request->format,
				  .width = request->width,
				  .height = request->height };

	if (request->flags & PLAIT_MEMORY_IMAGE)
		memcpy(memory->bytes - sizeof(head), &head, sizeof(head));
}

static plait_status allocate(chaos *system, chaos_memory *memory,
			     const plait_memory_request *request,
			     plait_error *error)
{
	uint64_t alignment = request->alignment_bytes, head = 0;
	plait_status status;

	if (alignment < IMAGE_ALIGNMENT && request->flags & PLAIT_MEMORY_IMAGE)
		alignment = IMAGE_ALIGNMENT;
	if (alignment < system->options.alignment_bytes)
		alignment = system->options.alignment_bytes;
	memory->alignment = alignment;
	if (request->flags & PLAIT_MEMORY_IMAGE)
		head = alignment;
	if (__builtin_add_overflow(memory->size_bytes, alignment + head,
				   &memory->block_bytes))
		return plaitp_chaos_fail(
			system, error, PLAIT_E_NOMEM, 0,
			"%llu bytes, aligned to %llu, exceed 64 bits",
			(unsigned long long)memory->size_bytes,
			(unsigned long long)alignment);
	status = take(system, memory->device, memory->size_bytes, error);
	if (status != PLAIT_OK)
		return status;
	memory->block = system->services->resize(system->host, NULL, 0,
						 memory->block_bytes);
	if (!memory->block) {
		*used_of(system, memory->device) -= memory->size_bytes;
		return plaitp_chaos_fail(
			system, error, PLAIT_E_NOMEM, 0,
			"no memory for %llu bytes of device chaos:%u",
			(unsigned long long)memory->size_bytes,
			memory->device->index);
	}
	memory->bytes = memory->block;
	memory->bytes += alignment - ((uintptr_t)memory->block &
				      (alignment - 1));
	memory->bytes += head;
	memset(memory->bytes, (int)(0x81 + plaitp_chaos_random_below(system,
								     0x7e)),
	       memory->size_bytes);
	write_head(memory, request);
	return PLAIT_OK;
}

plait_status plaitp_chaos_memory_create(plait_backend *self, uint32_t device,
					const plait_memory_request *request,
					plait_backend_memory **out,
					plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status = PLAIT_OK;
	chaos_memory *memory;

	*out = NULL;
	memory = plaitp_chaos_allocate(system, sizeof(*memory));
	if (!memory)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for a record of memory");
	plaitp_chaos_lock(system);
	memory->device = &system->devices[device];
	memory->size_bytes = request->bytes;
	if (request->flags & PLAIT_MEMORY_WRAP)
		memory->bytes = request->pointer;
	else
		status = allocate(system, memory, request, error);
	if (status == PLAIT_OK) {
		memory->number = ++system->memory_number;
		plaitp_chaos_log(system, "m%llu: %llu bytes on device %u",
				 (unsigned long long)memory->number,
				 (unsigned long long)memory->size_bytes,
				 device);
		*out = memory;
	}
	plaitp_chaos_unlock(system);
	if (status != PLAIT_OK)
		plaitp_chaos_free(system, memory, sizeof(*memory));
	return status;
}

static void drop_map(chaos *system, chaos_memory *memory,
		     struct chaos_map **link)
{
	struct chaos_map *map = *link;

	if (map->flags & MAP_WRITE)
		memcpy(memory->bytes + map->offset, map->copy, map->bytes);
	*link = map->next;
	plaitp_chaos_free(system, map, map_bytes(memory, map->bytes));
}

void plaitp_chaos_memory_destroy(plait_backend *self,
				 plait_backend_memory *memory)
{
	chaos *system = chaos_of(self);

	plaitp_chaos_lock(system);
	while (memory->maps)
		drop_map(system, memory, &memory->maps);
	if (memory->block) {
		*used_of(system, memory->device) -= memory->size_bytes;
		plaitp_chaos_free(system, memory->block, memory->block_bytes);
	}
	plaitp_chaos_unlock(system);
	plaitp_chaos_free(system, memory, sizeof(*memory));
}

plait_status plaitp_chaos_memory_map(plait_backend *self,
				     plait_backend_memory *memory,
				     uint64_t offset, uint64_t bytes,
				     uint32_t flags, void **out,
				     plait_error *error)
{
	chaos *system = chaos_of(self);
	struct chaos_map *map;

	*out = NULL;
	if (!(system->options.quirks & CHAOS_STAGED_MAP) || !memory->block) {
		*out = memory->bytes ? memory->bytes + offset : NULL;
		return PLAIT_OK;
	}
	map = plaitp_chaos_allocate(system, map_bytes(memory, bytes));
	if (!map)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory to map %llu bytes",
					 (unsigned long long)bytes);
	map->offset = offset;
	map->bytes = bytes;
	map->flags = flags;
	map->copy = (unsigned char *)(map + 1);
	map->copy += memory->alignment -
		(uintptr_t)map->copy % memory->alignment +
		(uintptr_t)(memory->bytes + offset) % memory->alignment;
	plaitp_chaos_lock(system);
	memcpy(map->copy, memory->bytes + offset, bytes);
	map->next = memory->maps;
	memory->maps = map;
	plaitp_chaos_unlock(system);
	*out = map->copy;
	return PLAIT_OK;
}

plait_status plaitp_chaos_memory_unmap(plait_backend *self,
				       plait_backend_memory *memory,
				       void *pointer, plait_error *error)
{
	chaos *system = chaos_of(self);
	struct chaos_map **link = &memory->maps;
	bool found;

	if (!(system->options.quirks & CHAOS_STAGED_MAP) || !memory->block)
		return PLAIT_OK;
	plaitp_chaos_lock(system);
	while (*link && (*link)->copy != pointer)
		link = &(*link)->next;
	found = *link != NULL;
	if (found)
		drop_map(system, memory, link);
	plaitp_chaos_unlock(system);
	if (!found)
		return plaitp_chaos_fail(system, error, PLAIT_E_INVALID, 0,
					 "this pointer maps nothing of m%llu",
					 (unsigned long long)memory->number);
	return PLAIT_OK;
}

static void fill(const plait_work *work, uint64_t from, uint64_t to)
{
	unsigned char *target = work->target->bytes + work->target_offset;

	for (uint64_t i = from; i < to; i++)
		target[i] = (unsigned char)
			(work->pattern >> 8 * (i % work->pattern_bytes));
}

/* `from` and `to` count the bytes of the rows without gaps. */
static void transfer_rows(const plait_work *work, unsigned char *target,
			  const unsigned char *source, uint64_t from,
			  uint64_t to)
{
	const plait_work_rows *rows = work->rows;
	uint64_t end;

	for (; from < to; from = end) {
		uint64_t row = from / work->bytes, at = from % work->bytes;
		uint64_t slice = row / rows->rows;

		row %= rows->rows;
		end = from - at + work->bytes;
		end = end < to ? end : to;
		memcpy(target + slice * rows->target_slice +
		       row * rows->target_row + at,
		       source + slice * rows->source_slice +
		       row * rows->source_row + at, end - from);
	}
}

/* With rows, `from` and `to` count the bytes of the rows without gaps. */
void plaitp_chaos_memory_transfer(const plait_work *work, uint64_t from,
				  uint64_t to)
{
	unsigned char *target, *host = work->host;
	const unsigned char *source;

	if (from >= to)
		return;
	target = work->target ?
		work->target->bytes + work->target_offset : host;
	source = work->source ?
		work->source->bytes + work->source_offset : host;
	if (work->kind == PLAIT_WORK_FILL)
		fill(work, from, to);
	else if (work->rows)
		transfer_rows(work, target, source, from, to);
	else
		memcpy(target + from, source + from, to - from);
}
