/* SPDX-License-Identifier: MIT */
/*
 * Pool of freed device memory: allocation is slow, and freeing waits for the
 * whole device.  Each device keeps blocks in free lists by size class, up to
 * its budget.  A block beyond the budget frees all others first; so does an
 * allocation for which the driver has no memory.  Blocks are freed when nothing
 * is in flight: unfreed.c.
 *
 * A block is not in use when it is released: the core waits for its commands.
 */
#include <stddef.h>

#include "flight.h"

enum {
	/* Alignment of every allocation of the driver. */
	SMALLEST_BYTES = 256,
	/* Size classes for each power of two.  Sizes are rounded up to the next
	 * class, by a quarter at most. */
	STEPS = 4
};

/* Block of a size class.  `next` is valid in a free list only. */
struct cuda_block {
	struct cuda_unfreed unfreed;
	struct cuda_block *next;
	CUdeviceptr address;
	uint64_t bytes;
	uint32_t size_class; /* index of its free list */
};

/* Find the size class and its bytes.  Returns false if none is large
 * enough. */
static bool find_size_class(uint64_t bytes, uint32_t *out_size,
			    uint64_t *out_bytes)
{
	uint64_t power = SMALLEST_BYTES, step;
	uint32_t size = 0;

	while (power < bytes && size < CUDA_SIZE_CLASSES - STEPS) {
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

static void free_block(plait_backend *self, struct cuda_unfreed *one,
		       bool entered)
{
	struct cuda_block *block = (struct cuda_block *)(void *)one;

	if (entered)
		self->cu.cuMemFree(block->address);
	free_record(self, block);
}

/* Large blocks are not rounded up, and may be reused while they wait. */
static bool fits(const struct cuda_unfreed *one, uint64_t bytes)
{
	const struct cuda_block *block = (const void *)one;

	return one->release == free_block && block->bytes >= bytes &&
	       block->bytes - bytes <= bytes / STEPS;
}

static void free_list_later(plait_backend *self, struct cuda_device *device,
			    struct cuda_block *list)
{
	struct cuda_block *block;

	while ((block = list) != NULL) {
		list = block->next;
		plaitp_cuda_free_later(self, device, &block->unfreed,
				       free_block);
	}
}

/* Returns all free blocks as one list.  Caller holds accounting_lock. */
static struct cuda_block *evict_all(struct cuda_pool *pool)
{
	struct cuda_block *all = NULL, *block;
	int i;

	for (i = 0; i < CUDA_SIZE_CLASSES; i++)
		while ((block = pool->free_blocks[i]) != NULL) {
			pool->free_blocks[i] = block->next;
			block->next = all;
			all = block;
		}
	pool->cached_bytes = 0;
	return all;
}

void plaitp_cuda_pool_clear(plait_backend *self, struct cuda_device *device,
			    bool entered)
{
	struct cuda_block *all, *block;

	pthread_mutex_lock(&self->accounting_lock);
	all = evict_all(&device->pool);
	pthread_mutex_unlock(&self->accounting_lock);
	while ((block = all) != NULL) {
		all = block->next;
		free_block(self, &block->unfreed, entered);
	}
	plaitp_cuda_free_unfreed(self, device);
}

static struct cuda_block *pop_block(plait_backend *self,
				    struct cuda_pool *pool, uint32_t size)
{
	struct cuda_block *block;

	pthread_mutex_lock(&self->accounting_lock);
	block = pool->free_blocks[size];
	if (block != NULL) {
		pool->free_blocks[size] = block->next;
		pool->cached_bytes -= block->bytes;
	}
	pthread_mutex_unlock(&self->accounting_lock);
	return block;
}

/* Retry with an empty pool if the driver has no memory. */
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
	*block = (struct cuda_block){ .size_class = size, .bytes = bytes };
	code = allocate(self, device, block);
	if (code == CUDA_SUCCESS)
		*out = block;
	else
		free_record(self, block);
	return code;
}

CUresult plaitp_cuda_pool_acquire(plait_backend *self,
				  struct cuda_device *device, uint64_t bytes,
				  struct cuda_block **out,
				  CUdeviceptr *out_address)
{
	CUresult code = CUDA_SUCCESS;
	uint64_t whole = 0;
	uint32_t size = 0;
	struct cuda_unfreed *reused;

	/* A block that cannot be kept is not rounded up. */
	if (!find_size_class(bytes, &size, &whole) ||
	    whole > device->pool.budget_bytes) {
		size = CUDA_SIZE_CLASSES;
		whole = bytes;
	}
	*out = size < CUDA_SIZE_CLASSES ? pop_block(self, &device->pool,
						    size) : NULL;
	if (*out == NULL && size == CUDA_SIZE_CLASSES) {
		reused = plaitp_cuda_reuse_unfreed(self, device, fits, whole);
		*out = (struct cuda_block *)(void *)reused;
	}
	if (*out == NULL)
		code = new_block(self, device, size, whole, out);
	if (code == CUDA_SUCCESS)
		*out_address = (*out)->address;
	return code;
}

/* Returns the blocks to free instead.  Caller holds accounting_lock. */
static struct cuda_block *put_block(struct cuda_device *device,
				    struct cuda_block *block)
{
	struct cuda_pool *pool = &device->pool;
	struct cuda_block *evicted = NULL;

	block->next = NULL;
	if (block->size_class == CUDA_SIZE_CLASSES ||
	    plaitp_driven_load(&device->lost) != 0)
		return block;
	if (block->bytes > pool->budget_bytes - pool->cached_bytes)
		evicted = evict_all(pool);
	block->next = pool->free_blocks[block->size_class];
	pool->free_blocks[block->size_class] = block;
	pool->cached_bytes += block->bytes;
	return evicted;
}

void plaitp_cuda_pool_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_block *block)
{
	struct cuda_block *evicted;

	pthread_mutex_lock(&self->accounting_lock);
	evicted = put_block(device, block);
	pthread_mutex_unlock(&self->accounting_lock);
	if (evicted == NULL)
		return;
	free_list_later(self, device, evicted);
	plaitp_driven_enter(&self->driven);
	plaitp_driven_leave(&self->driven);
}

/* --- pinned memory of the host, in two sizes ------------------------------ */

enum { PINNED_MOST = 8 };

/* Stored in the free buffer itself. */
struct cuda_pinned {
	struct cuda_unfreed unfreed;
	struct cuda_pinned *next;
};

static void free_pinned(plait_backend *self, struct cuda_unfreed *one,
			bool entered)
{
	if (entered)
		self->cu.cuMemFreeHost(one);
}

static void *pop_pinned(plait_backend *self, struct cuda_pool *pool, int size)
{
	struct cuda_pinned *pinned;

	pthread_mutex_lock(&self->accounting_lock);
	pinned = pool->pinned[size];
	if (pinned != NULL) {
		pool->pinned[size] = pinned->next;
		pool->pinned_count[size]--;
	}
	pthread_mutex_unlock(&self->accounting_lock);
	return pinned;
}

CUresult plaitp_cuda_acquire_pinned(plait_backend *self,
				    struct cuda_device *device, int size,
				    uint64_t bytes, void **out)
{
	*out = pop_pinned(self, &device->pool, size);
	return *out != NULL ? CUDA_SUCCESS :
	       self->cu.cuMemHostAlloc(out, bytes, CU_MEMHOSTALLOC_PORTABLE);
}

static bool cache_pinned(struct cuda_device *device, int size, void *memory)
{
	struct cuda_pool *pool = &device->pool;
	struct cuda_pinned *pinned = memory;

	if (pool->budget_bytes == 0 ||
	    plaitp_driven_load(&device->lost) != 0 ||
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

	pthread_mutex_lock(&self->accounting_lock);
	kept = cache_pinned(device, size, memory);
	pthread_mutex_unlock(&self->accounting_lock);
	if (!kept)
		plaitp_cuda_free_later(self, device, memory, free_pinned);
}

void plaitp_cuda_free_pinned(plait_backend *self, struct cuda_device *device)
{
	void *memory;
	int i;

	for (i = 0; i < CUDA_PINNED_SIZES; i++)
		while ((memory = pop_pinned(self, &device->pool, i)) != NULL)
			self->cu.cuMemFreeHost(memory);
}
