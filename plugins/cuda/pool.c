/* SPDX-License-Identifier: MIT */
/*
 * Memory that was given back, kept for who wants as much next: the driver takes
 * long to find some, and waits for all that the device does before it takes any
 * back.  Each device keeps up to its budget, by size; when that is full, all of
 * it goes and keeping begins anew, and it goes, too, when the driver has no more.
 *
 * Nobody uses what is given back: the core waits for commands that do.
 */
#include <stddef.h>

#include "backend.h"

enum {
	/* What the driver promises for every allocation. */
	SMALLEST_BYTES = 256,
	/* What is asked for is rounded up to one of these sizes for each
	 * power of two, so at most a quarter more. */
	STEPS = 4
};

/* What of a certain size is kept, or in use: then `next` says nothing. */
struct cuda_block {
	struct cuda_block *next;
	CUdeviceptr address;
	uint64_t bytes;
	uint32_t size; /* its place in the lists */
};

/* Which list, and how many bytes all of it have; false: too many. */
static bool find_size(uint64_t bytes, uint32_t *out_size, uint64_t *out_bytes)
{
	uint64_t power = SMALLEST_BYTES, step;
	uint32_t size = 0;

	while (power < bytes && size < CUDA_SIZES - STEPS) {
		step = power / STEPS;
		if (bytes <= power + (STEPS - 1) * step) {
			*out_size = size + (uint32_t)((bytes - power + step -
						       1) / step);
			*out_bytes = power + (*out_size - size) * step;
			return true;
		}
		power *= 2;
		size += STEPS;
	}
	*out_size = size;
	*out_bytes = power;
	return bytes <= power;
}

static void free_record(plait_backend *self, struct cuda_block *block)
{
	self->services->resize(self->host, block, sizeof(*block), 0);
}

/* The device's context is the thread's. */
static void free_list(plait_backend *self, struct cuda_block *list,
		      bool entered)
{
	struct cuda_block *block;

	while ((block = list) != NULL) {
		list = block->next;
		if (entered)
			self->cu.cuMemFree(block->address);
		free_record(self, block);
	}
}

/* All that is kept, as one list; the lock of accounts is held. */
static struct cuda_block *take_all(struct cuda_pool *pool)
{
	struct cuda_block *all = NULL, *block;
	int i;

	for (i = 0; i < CUDA_SIZES; i++)
		while ((block = pool->kept[i]) != NULL) {
			pool->kept[i] = block->next;
			block->next = all;
			all = block;
		}
	pool->kept_bytes = 0;
	return all;
}

void plaitp_cuda_pool_clear(plait_backend *self, struct cuda_device *device,
			    bool entered)
{
	struct cuda_block *all;

	pthread_mutex_lock(&self->accounts);
	all = take_all(&device->pool);
	pthread_mutex_unlock(&self->accounts);
	free_list(self, all, entered);
}

static struct cuda_block *take_kept(plait_backend *self,
				    struct cuda_pool *pool, uint32_t size)
{
	struct cuda_block *block;

	pthread_mutex_lock(&self->accounts);
	block = pool->kept[size];
	if (block != NULL) {
		pool->kept[size] = block->next;
		pool->kept_bytes -= block->bytes;
	}
	pthread_mutex_unlock(&self->accounts);
	return block;
}

/* What is kept may be what the driver lacks. */
static CUresult allocate(plait_backend *self, struct cuda_device *device,
			 struct cuda_block *block)
{
	CUresult code = self->cu.cuMemAlloc(&block->address, block->bytes);

	if (code != CUDA_ERROR_OUT_OF_MEMORY)
		return code;
	plaitp_cuda_pool_clear(self, device, true);
	return self->cu.cuMemAlloc(&block->address, block->bytes);
}

static CUresult new_block(plait_backend *self, struct cuda_device *device,
			  uint32_t size, uint64_t bytes,
			  struct cuda_block **out)
{
	struct cuda_block *block = self->services->resize(
		self->host, NULL, 0, sizeof(*block));
	CUresult code;

	if (block == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*block = (struct cuda_block){ .size = size, .bytes = bytes };
	code = allocate(self, device, block);
	if (code == CUDA_SUCCESS)
		*out = block;
	else
		free_record(self, block);
	return code;
}

CUresult plaitp_cuda_pool_acquire(plait_backend *self, struct cuda_device *device,
				  uint64_t bytes, struct cuda_block **out,
				  CUdeviceptr *out_address)
{
	CUresult code = CUDA_SUCCESS;
	uint64_t whole = 0;
	uint32_t size = 0;

	/* What cannot be kept is no more than was asked for. */
	if (!find_size(bytes, &size, &whole) ||
	    whole > device->pool.budget_bytes) {
		size = CUDA_SIZES;
		whole = bytes;
	}
	*out = size < CUDA_SIZES ? take_kept(self, &device->pool, size) : NULL;
	if (*out == NULL)
		code = new_block(self, device, size, whole, out);
	if (code == CUDA_SUCCESS)
		*out_address = (*out)->address;
	return code;
}

/* What has to go instead; the lock of accounts is held. */
static struct cuda_block *keep(struct cuda_device *device,
			       struct cuda_block *block)
{
	struct cuda_pool *pool = &device->pool;
	struct cuda_block *gone = NULL;

	block->next = NULL;
	if (block->size == CUDA_SIZES || device->lost)
		return block;
	if (block->bytes > pool->budget_bytes - pool->kept_bytes)
		gone = take_all(pool);
	block->next = pool->kept[block->size];
	pool->kept[block->size] = block;
	pool->kept_bytes += block->bytes;
	return gone;
}

void plaitp_cuda_pool_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_block *block)
{
	plait_error ignored = { .size = sizeof(ignored) };
	struct cuda_block *gone;
	bool entered;

	pthread_mutex_lock(&self->accounts);
	gone = keep(device, block);
	pthread_mutex_unlock(&self->accounts);
	if (gone == NULL)
		return;
	entered = plaitp_cuda_enter(self, plaitp_cuda_number(self, device),
				    &ignored) == PLAIT_OK;
	free_list(self, gone, entered);
	if (entered)
		plaitp_cuda_leave(self);
}

/* --- pinned memory of the host, of which queues want two sizes ------------ */

enum { PINNED_MOST = 8 };

/* What is kept is its own record. */
struct cuda_pinned {
	struct cuda_pinned *next;
};

static void *take_pinned(plait_backend *self, struct cuda_pool *pool, int size)
{
	struct cuda_pinned *pinned;

	pthread_mutex_lock(&self->accounts);
	pinned = pool->pinned[size];
	if (pinned != NULL) {
		pool->pinned[size] = pinned->next;
		pool->pinned_count[size]--;
	}
	pthread_mutex_unlock(&self->accounts);
	return pinned;
}

CUresult plaitp_cuda_acquire_pinned(plait_backend *self,
				    struct cuda_device *device, int size,
				    uint64_t bytes, void **out)
{
	*out = take_pinned(self, &device->pool, size);
	return *out != NULL ? CUDA_SUCCESS :
	       self->cu.cuMemHostAlloc(out, bytes, CU_MEMHOSTALLOC_PORTABLE);
}

static bool keep_pinned(struct cuda_device *device, int size, void *memory)
{
	struct cuda_pool *pool = &device->pool;
	struct cuda_pinned *pinned = memory;

	if (pool->budget_bytes == 0 || device->lost ||
	    pool->pinned_count[size] >= PINNED_MOST)
		return false;
	pinned->next = pool->pinned[size];
	pool->pinned[size] = pinned;
	pool->pinned_count[size]++;
	return true;
}

void plaitp_cuda_release_pinned(plait_backend *self, struct cuda_device *device,
				int size, void *memory)
{
	bool kept;

	pthread_mutex_lock(&self->accounts);
	kept = keep_pinned(device, size, memory);
	pthread_mutex_unlock(&self->accounts);
	if (!kept)
		self->cu.cuMemFreeHost(memory);
}

void plaitp_cuda_free_pinned(plait_backend *self, struct cuda_device *device)
{
	void *memory;
	int i;

	for (i = 0; i < CUDA_PINNED_SIZES; i++)
		while ((memory = take_pinned(self, &device->pool, i)) != NULL)
			self->cu.cuMemFreeHost(memory);
}
