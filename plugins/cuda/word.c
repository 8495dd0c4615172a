/* SPDX-License-Identifier: MIT */
/*
 * Words in pinned memory of the host, which a device reads and writes too: a
 * loop is stopped, and a finished command is seen, without a call of the
 * driver.  Each device has slabs of words, which it keeps until it is closed,
 * because the driver waits for the whole device before it frees memory.
 */
#include "flight.h"

enum {
	/* A word has a cache line of its own. */
	APART = 16,
	SLAB_WORDS = 64
};

struct cuda_slab {
	struct cuda_slab *next;
	uint32_t *memory;
	struct cuda_word words[SLAB_WORDS];
};

static void free_slab(plait_backend *self, struct cuda_slab *slab)
{
	self->services->resize(self->host, slab, sizeof(*slab), 0);
}

static struct cuda_call allocate(plait_backend *self, struct cuda_slab *slab,
				 CUdeviceptr *out_address)
{
	struct cuda_call call = { "cuMemHostAlloc", CUDA_SUCCESS };
	void *memory = NULL;

	call.code = self->cu.cuMemHostAlloc(
		&memory, SLAB_WORDS * APART * sizeof(uint32_t),
		CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
	if (call.code != CUDA_SUCCESS)
		return call;
	call.name = "cuMemHostGetDevicePointer";
	call.code = self->cu.cuMemHostGetDevicePointer(out_address, memory, 0);
	if (call.code == CUDA_SUCCESS)
		slab->memory = memory;
	else
		self->cu.cuMemFreeHost(memory);
	return call;
}

/* Add words to the free ones.  Another thread may take them first. */
static struct cuda_call add_slab(plait_backend *self,
				 struct cuda_device *device)
{
	struct cuda_call call = { "cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY };
	struct cuda_slab *slab = self->services->resize(self->host, NULL, 0,
							sizeof(*slab));
	CUdeviceptr address = 0;
	int i;

	if (slab == NULL)
		return call;
	call = allocate(self, slab, &address);
	if (call.code != CUDA_SUCCESS) {
		free_slab(self, slab);
		return call;
	}
	pthread_mutex_lock(&self->accounting_lock);
	slab->next = device->slabs;
	device->slabs = slab;
	for (i = 0; i < SLAB_WORDS; i++) {
		slab->words[i] = (struct cuda_word){
			.next = device->free_words,
			.host = slab->memory + i * APART,
			.address = address + (CUdeviceptr)i * APART *
						     sizeof(uint32_t)
		};
		device->free_words = &slab->words[i];
	}
	pthread_mutex_unlock(&self->accounting_lock);
	return call;
}

static struct cuda_word *pop_word(plait_backend *self,
				  struct cuda_device *device)
{
	struct cuda_word *word;

	pthread_mutex_lock(&self->accounting_lock);
	word = device->free_words;
	if (word != NULL)
		device->free_words = word->next;
	pthread_mutex_unlock(&self->accounting_lock);
	if (word != NULL)
		plaitp_driven_store(word->host, 0);
	return word;
}

struct cuda_call plaitp_cuda_word_acquire(plait_backend *self,
					  struct cuda_device *device,
					  struct cuda_word **out)
{
	struct cuda_call call = { "cuMemHostAlloc", CUDA_SUCCESS };

	/* Another thread may take the words of the new slab. */
	while ((*out = pop_word(self, device)) == NULL &&
	       call.code == CUDA_SUCCESS)
		call = add_slab(self, device);
	return call;
}

void plaitp_cuda_word_release(plait_backend *self, struct cuda_device *device,
			      struct cuda_word *word)
{
	if (word == NULL)
		return;
	pthread_mutex_lock(&self->accounting_lock);
	word->next = device->free_words;
	device->free_words = word;
	pthread_mutex_unlock(&self->accounting_lock);
}

void plaitp_cuda_free_words(plait_backend *self, struct cuda_device *device,
			    bool entered)
{
	struct cuda_slab *slab;

	while ((slab = device->slabs) != NULL) {
		device->slabs = slab->next;
		if (entered)
			self->cu.cuMemFreeHost(slab->memory);
		free_slab(self, slab);
	}
	device->free_words = NULL;
}
