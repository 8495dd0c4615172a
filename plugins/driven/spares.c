/* SPDX-License-Identifier: MIT */
/* Memory of batches for later ones; see spares.h. */
#include "spares.h"

#include "driven.h"

static struct driven_spare_list *list_of(struct driven *self, uint64_t bytes)
{
	return &self->spares.lists[bytes / sizeof(void *) % DRIVEN_SPARE_SIZES];
}

static void release(struct driven *self, driven_batch *list)
{
	driven_batch *next;

	for (; list != NULL; list = next) {
		next = list->next;
		self->services->resize(self->host, list, list->total_bytes, 0);
	}
}

/* Returns a block to take, or one of another size to free, or null.  Blocks of a size
 * that does not come again would keep others out of their list: the second of two
 * requests for another size frees one.  Caller holds the completion lock. */
static driven_batch *find(struct driven_spare_list *list, uint64_t bytes)
{
	driven_batch *batch = list->first;
	bool frees = list->missed;

	if (batch == NULL)
		return NULL;
	list->missed = batch->total_bytes != bytes;
	if (list->missed && !frees)
		return NULL;
	list->first = batch->next;
	list->count--;
	return batch;
}

driven_batch *plaitp_driven_spares_take(struct driven *self, uint64_t bytes)
{
	driven_batch *batch = NULL;

	pthread_mutex_lock(&self->completion_lock);
	if (bytes <= DRIVEN_SPARE_BYTES)
		batch = find(list_of(self, bytes), bytes);
	pthread_mutex_unlock(&self->completion_lock);
	if (batch != NULL && batch->total_bytes == bytes)
		return batch;
	if (batch != NULL)
		batch->next = NULL;
	release(self, batch);
	return self->services->resize(self->host, NULL, 0, bytes);
}

/* Returns true if the block is kept.  Caller holds the completion lock. */
static bool keep(struct driven *self, driven_batch *batch)
{
	struct driven_spare_list *list = list_of(self, batch->total_bytes);

	if (batch->total_bytes > DRIVEN_SPARE_BYTES ||
	    list->count == DRIVEN_SPARES ||
	    (list->first != NULL &&
	     list->first->total_bytes != batch->total_bytes))
		return false;
	batch->next = list->first;
	list->first = batch;
	list->count++;
	return true;
}

void plaitp_driven_spares_give(struct driven *self, driven_batch *list)
{
	driven_batch *others = NULL, *next;

	if (list == NULL)
		return;
	pthread_mutex_lock(&self->completion_lock);
	for (; list != NULL; list = next) {
		next = list->next;
		if (keep(self, list))
			continue;
		list->next = others;
		others = list;
	}
	pthread_mutex_unlock(&self->completion_lock);
	release(self, others);
}

void plaitp_driven_spares_free(struct driven *self)
{
	for (int i = 0; i < DRIVEN_SPARE_SIZES; i++) {
		release(self, self->spares.lists[i].first);
		self->spares.lists[i].first = NULL;
	}
}
