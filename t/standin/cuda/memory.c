/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: memory.  A device's memory is the host's (arena.c),
 * so addresses are the same everywhere; but each use of memory is checked for
 * permission as a driver does.
 */
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { ALIGNMENT = 256 };

/* By address. */
static struct block **blocks;
static size_t block_count, block_room;

/* The number of blocks that begin at `pointer` or before it. */
static size_t place_of(const void *pointer)
{
	size_t low = 0, high = block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((uintptr_t)blocks[middle]->pointer <= (uintptr_t)pointer)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The block with that address in it, or null. */
static struct block *block_at(const void *pointer)
{
	size_t place = place_of(pointer);
	struct block *block = place != 0 ? blocks[place - 1] : NULL;

	if (block == NULL ||
	    (uintptr_t)pointer - (uintptr_t)block->pointer >= block->bytes)
		return NULL;
	return block;
}

enum standin_kind standin_memory_kind(const void *pointer, size_t bytes)
{
	struct block *block = block_at(pointer);
	size_t offset;

	if (block == NULL)
		return STANDIN_KINDS;
	offset = (uintptr_t)pointer - (uintptr_t)block->pointer;
	return bytes <= block->bytes - offset ? block->object.kind :
						STANDIN_KINDS;
}

bool standin_find_range(uint64_t address, uint64_t *begin, uint64_t *end)
{
	const struct block *block = block_at((void *)(uintptr_t)address);

	if (block == NULL)
		return false;
	*begin = (uintptr_t)block->pointer;
	*end = *begin + block->bytes;
	return true;
}

static void add_block(struct block *block, char *pointer, size_t bytes,
		      enum standin_kind kind, CUcontext context, int device)
{
	size_t place = place_of(pointer);

	if (block_count == block_room) {
		block_room = block_room * 2 + 16;
		blocks = realloc(blocks, block_room * sizeof(struct block *));
		if (blocks == NULL)
			abort();
	}
	memmove(blocks + place + 1, blocks + place,
		(block_count - place) * sizeof(struct block *));
	blocks[place] = block;
	block_count++;
	block->pointer = pointer;
	block->bytes = bytes;
	block->device = device;
	standin_add(&block->object, kind, context);
}

static bool is_on_device(enum standin_kind kind)
{
	return kind == STANDIN_DEVICE_MEMORY || kind == STANDIN_ARRAY;
}

void standin_free_memory(struct object *object)
{
	struct block *block = (struct block *)object;
	size_t place = place_of(block->pointer) - 1;

	block_count--;
	memmove(blocks + place, blocks + place + 1,
		(block_count - place) * sizeof(struct block *));
	if (is_on_device(object->kind)) {
		standin.used_bytes[block->device] -= block->bytes;
		standin_arena_release(block->pointer);
	} else if (object->kind == STANDIN_HOST_MEMORY) {
		free(block->pointer);
	}
	standin_remove(object);
	free(block);
}

/* --- having and giving back ----------------------------------------------- */

/* `context`: null, it is no context's. */
CUresult standin_allocate(struct block *block, size_t bytes,
			  enum standin_kind kind, CUcontext context,
			  int device)
{
	size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	void *pointer;

	if (bytes == 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (rounded < bytes ||
	    (is_on_device(kind) &&
	     bytes > standin.options.memory_bytes -
		     standin.used_bytes[device]))
		return CUDA_ERROR_OUT_OF_MEMORY;
	pointer = is_on_device(kind) ?
		  standin_arena_acquire(rounded) : standin_host_acquire(rounded);
	if (pointer == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (is_on_device(kind))
		standin.used_bytes[device] += bytes;
	add_block(block, pointer, bytes, kind, context, device);
	return CUDA_SUCCESS;
}

static CUresult allocate(void **out, size_t bytes, enum standin_kind kind,
			 CUcontext context, int device)
{
	struct block *block;
	CUresult code;

	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	block = standin_new(sizeof(*block));
	code = standin_allocate(block, bytes, kind, context, device);
	if (code == CUDA_SUCCESS)
		*out = block->pointer;
	else
		free(block);
	return code;
}

/* A driver waits for all work in flight before it frees memory. */
CUresult standin_take_back(const void *pointer, enum standin_kind kind,
			   CUresult unknown)
{
	CUcontext context = standin_current();
	struct block *block = block_at(pointer);

	if (block == NULL || block->pointer != pointer ||
	    block->object.kind != kind)
		return unknown;
	standin_idle_locked(block->object.context != NULL ?
				    block->object.context : context);
	if (context->sticky != CUDA_SUCCESS)
		return context->sticky;
	/* Another thread may have been faster. */
	block = block_at(pointer);
	if (block == NULL || block->pointer != pointer)
		return unknown;
	standin_free_memory(&block->object);
	return CUDA_SUCCESS;
}

CUresult standin_cuMemGetInfo(size_t *unused, size_t *total)
{
	*total = standin.options.memory_bytes;
	*unused = *total - standin.used_bytes[standin_current()->device];
	return CUDA_SUCCESS;
}

CUresult standin_cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
	void *block = NULL;
	CUcontext context = standin_current();
	CUresult code = allocate(&block, bytes, STANDIN_DEVICE_MEMORY, context,
				 context->device);

	*pointer = (CUdeviceptr)(uintptr_t)block;
	return code;
}

/* From the device's pool: it belongs to no context, and survives all of
 * them. */
CUresult standin_cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes,
				 CUstream handle)
{
	CUstream stream = standin_stream(handle);
	void *block = NULL;
	CUresult code;

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	code = allocate(&block, bytes, STANDIN_DEVICE_MEMORY, NULL,
			stream->object.context->device);
	*pointer = (CUdeviceptr)(uintptr_t)block;
	return code;
}

/* The call waits here until the stream has come to it. */
CUresult standin_cuMemFreeAsync(CUdeviceptr pointer, CUstream handle)
{
	CUstream stream = standin_stream(handle);
	struct block *block;

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->last != NULL)
		standin_await(stream->last);
	block = block_at((void *)(uintptr_t)pointer);
	if (block == NULL || block->object.context != NULL ||
	    (uintptr_t)block->pointer != pointer)
		return CUDA_ERROR_INVALID_VALUE;
	standin_free_memory(&block->object);
	return CUDA_SUCCESS;
}

CUresult standin_cuMemFree(CUdeviceptr pointer)
{
	if (pointer == 0)
		return CUDA_SUCCESS;
	return standin_take_back((void *)(uintptr_t)pointer, STANDIN_DEVICE_MEMORY,
			 CUDA_ERROR_INVALID_VALUE);
}

CUresult standin_cuMemHostAlloc(void **pointer, size_t bytes,
				unsigned int flags)
{
	if (flags & ~7u)
		return CUDA_ERROR_INVALID_VALUE;
	return allocate(pointer, bytes, STANDIN_HOST_MEMORY,
			standin_current(), standin_current()->device);
}

CUresult standin_cuMemFreeHost(void *pointer)
{
	return standin_take_back(pointer, STANDIN_HOST_MEMORY,
			 CUDA_ERROR_INVALID_VALUE);
}

CUresult standin_cuMemHostRegister(void *pointer, size_t bytes,
				   unsigned int flags)
{
	uintptr_t end;
	size_t place;

	if (pointer == NULL || bytes == 0 || flags & ~15u ||
	    __builtin_add_overflow((uintptr_t)pointer, bytes, &end))
		return CUDA_ERROR_INVALID_VALUE;
	place = place_of(pointer);
	if (block_at(pointer) != NULL ||
	    (place < block_count && (uintptr_t)blocks[place]->pointer < end))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	add_block(standin_new(sizeof(struct block)), pointer, bytes,
		  STANDIN_REGISTERED, standin_current(),
		  standin_current()->device);
	return CUDA_SUCCESS;
}

CUresult standin_cuMemHostUnregister(void *pointer)
{
	return standin_take_back(pointer, STANDIN_REGISTERED,
			 CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

/* --- attributes of addresses ---------------------------------------------- */

CUresult standin_cuMemHostGetDevicePointer(CUdeviceptr *address,
					   void *pointer, unsigned int flags)
{
	struct block *block = block_at(pointer);

	if (flags != 0 || block == NULL ||
	    block->object.kind == STANDIN_DEVICE_MEMORY)
		return CUDA_ERROR_INVALID_VALUE;
	*address = (CUdeviceptr)(uintptr_t)pointer;
	return CUDA_SUCCESS;
}

CUresult standin_cuPointerGetAttribute(void *value,
				       CUpointer_attribute attribute,
				       CUdeviceptr pointer)
{
	void *address = (void *)(uintptr_t)pointer;
	struct block *block = block_at(address);
	bool on_device;

	if (block == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	on_device = block->object.kind == STANDIN_DEVICE_MEMORY;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		memcpy(value, &block->object.context, sizeof(CUcontext));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)value = on_device ? CU_MEMORYTYPE_DEVICE :
						 CU_MEMORYTYPE_HOST;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		memcpy(value, &pointer, sizeof(pointer));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (on_device)
			return CUDA_ERROR_INVALID_VALUE;
		memcpy(value, &address, sizeof(address));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = block->device;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

bool standin_is_known(const void *pointer, size_t bytes)
{
	return standin_memory_kind(pointer, bytes) != STANDIN_KINDS ||
	       standin_is_variable(pointer, bytes);
}

struct standin_operand standin_operand_at(const void *pointer,
					  CUmemorytype said)
{
	const struct block *block = block_at(pointer);

	if (block == NULL)
		return (struct standin_operand){ said, STANDIN_KINDS, NULL,
						 0 };
	return (struct standin_operand){ said, block->object.kind,
					 block->object.context,
					 block->device };
}

bool standin_is_same_memory(const struct standin_operand *one,
			    const struct standin_operand *other)
{
	return one->said == other->said && one->kind == other->kind &&
	       one->context == other->context && one->device == other->device;
}

/* --- fills ---------------------------------------------------------------- */

static CUresult check_fill(const struct work *work)
{
	const char *last = work->target;
	size_t rows = work->height - 1;

	if (work->bytes == 0)
		return CUDA_SUCCESS;
	if ((uintptr_t)work->target % work->element != 0 ||
	    (rows != 0 && work->pitch < work->bytes))
		return CUDA_ERROR_INVALID_VALUE;
	return standin_is_known(last, rows * work->pitch + work->bytes) ?
		       CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult fill(CUdeviceptr target, unsigned value, unsigned element,
		     size_t pitch, size_t width, size_t height,
		     CUstream handle)
{
	CUstream stream = standin_stream(handle);
	struct work work = { .kind = WORK_FILL,
			     .target = (char *)(uintptr_t)target,
			     .value = value, .element = element,
			     .pitch = pitch, .bytes = width * element,
			     .height = height };
	CUresult code;

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (width == 0 || height == 0)
		return CUDA_SUCCESS;
	code = check_fill(&work);
	if (code == CUDA_SUCCESS)
		standin_enqueue(stream, &work);
	return code;
}

CUresult standin_cuMemsetD8Async(CUdeviceptr target, unsigned char value,
				 size_t count, CUstream stream)
{
	return fill(target, value, 1, 0, count, 1, stream);
}

CUresult standin_cuMemsetD16Async(CUdeviceptr target, unsigned short value,
				  size_t count, CUstream stream)
{
	return fill(target, value, 2, 0, count, 1, stream);
}

CUresult standin_cuMemsetD32Async(CUdeviceptr target, unsigned int value,
				  size_t count, CUstream stream)
{
	return fill(target, value, 4, 0, count, 1, stream);
}

CUresult standin_cuMemsetD2D8Async(CUdeviceptr target, size_t pitch,
				   unsigned char value, size_t width,
				   size_t height, CUstream stream)
{
	return fill(target, value, 1, pitch, width, height, stream);
}

CUresult standin_cuMemsetD2D32Async(CUdeviceptr target, size_t pitch,
				    unsigned int value, size_t width,
				    size_t height, CUstream stream)
{
	return fill(target, value, 4, pitch, width, height, stream);
}

CUresult standin_fill_fill(struct work *work,
			   const CUDA_MEMSET_NODE_PARAMS_v1 *params)
{
	if (params == NULL || params->width == 0 || params->height == 0 ||
	    (params->elementSize != 1 && params->elementSize != 2 &&
	     params->elementSize != 4))
		return CUDA_ERROR_INVALID_VALUE;
	work->kind = WORK_FILL;
	work->target = (char *)(uintptr_t)params->dst;
	work->to = standin_operand_at(work->target, (CUmemorytype)0);
	work->value = params->value;
	work->element = params->elementSize;
	work->pitch = params->pitch;
	work->bytes = params->width * params->elementSize;
	work->height = params->height;
	return check_fill(work);
}
