/* SPDX-License-Identifier: MIT */
/*
 * Objects that wait to be freed.  The driver waits for the whole device before
 * it frees memory or unloads a module, and holds a lock meanwhile that its
 * other calls need.  The backend therefore frees them only when none of its
 * commands is in flight: at once, or after the last command, on a thread that
 * may call the driver.
 */
#include "flight.h"

static struct cuda_unfreed *take_all(plait_backend *self,
				     const struct cuda_device *device)
{
	struct cuda_unfreed **link = &self->unfreed, *taken = NULL, *one;

	pthread_mutex_lock(&self->accounting_lock);
	while ((one = *link) != NULL) {
		if (device != NULL && one->device != device) {
			link = &one->next;
			continue;
		}
		*link = one->next;
		one->next = taken;
		taken = one;
	}
	pthread_mutex_unlock(&self->accounting_lock);
	return taken;
}

bool plaitp_cuda_has_unfreed(plait_backend *self)
{
	bool some;

	pthread_mutex_lock(&self->accounting_lock);
	some = self->unfreed != NULL;
	pthread_mutex_unlock(&self->accounting_lock);
	return some;
}

static void free_one(plait_backend *self, struct cuda_unfreed *one)
{
	plait_error ignored = { .size = sizeof(ignored) };
	bool entered = plaitp_cuda_enter(
			       self, plaitp_cuda_number(self, one->device),
			       &ignored) == PLAIT_OK;

	one->release(self, one, entered);
	if (entered)
		plaitp_cuda_leave(self);
}

void plaitp_cuda_free_unfreed(plait_backend *self,
			      const struct cuda_device *device)
{
	struct cuda_unfreed *all = take_all(self, device), *one;

	while ((one = all) != NULL) {
		all = one->next;
		free_one(self, one);
	}
}

void plaitp_cuda_free_later(plait_backend *self, struct cuda_device *device,
			    struct cuda_unfreed *one,
			    void (*function)(plait_backend *,
					     struct cuda_unfreed *, bool))
{
	one->device = device;
	one->release = function;
	pthread_mutex_lock(&self->accounting_lock);
	one->next = self->unfreed;
	self->unfreed = one;
	pthread_mutex_unlock(&self->accounting_lock);
}

struct cuda_unfreed *plaitp_cuda_reuse_unfreed(
	plait_backend *self, const struct cuda_device *device,
	bool (*fits)(const struct cuda_unfreed *, uint64_t), uint64_t bytes)
{
	struct cuda_unfreed **link = &self->unfreed, *one;

	pthread_mutex_lock(&self->accounting_lock);
	while ((one = *link) != NULL &&
	       (one->device != device || !fits(one, bytes)))
		link = &one->next;
	if (one != NULL)
		*link = one->next;
	pthread_mutex_unlock(&self->accounting_lock);
	return one;
}
