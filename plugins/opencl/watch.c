/* SPDX-License-Identifier: MIT */
/*
 * An event for each command of a stretch (events=all): which of them failed is
 * known then, also of a driver that goes on behind it.  The driver tells of
 * each by itself, in any order; when it has told of all, the stretch is over.
 */
#include <string.h>

#include "watch.h"

struct slot {
	struct opencl_watch *watch;
	cl_event event;
	uint32_t work;
	cl_int code;
};

/* A batch's load.  Callbacks leave it alone once they have counted down. */
struct opencl_watch {
	uint64_t total_bytes;
	driven_batch *batch;
	uint32_t count; /* of slots that are used */
	uint32_t left;	/* of which nothing was told; under `watching` */
	struct slot slots[];
};

static plait_backend *backend_of(const driven_batch *batch)
{
	return (plait_backend *)(void *)batch->queue->self;
}

/* A fill may need a command for each byte in front of what is whole, and
 * behind it; rows in one memory are copied one by one. */
static uint64_t count_commands(const plait_work *work)
{
	if (work->rows != NULL && work->kind == PLAIT_WORK_COPY &&
	    work->source->memory == work->target->memory)
		return work->rows->rows * work->rows->slices;
	return work->kind == PLAIT_WORK_FILL ? 2 * work->pattern_bytes + 1 : 1;
}

struct opencl_watch *plaitp_opencl_watch_begin(driven_batch *batch,
					       uint32_t end)
{
	plait_backend *self = backend_of(batch);
	struct opencl_watch *watch;
	uint64_t bytes, room = 1; /* of a marker */
	uint32_t i;

	/* That of an earlier stretch has told all it had to tell. */
	plaitp_opencl_watch_drop(self, batch->load);
	batch->load = NULL;
	for (i = batch->work_index; i < end; i++)
		room += count_commands(&batch->works[i]);
	bytes = sizeof(*watch) + room * sizeof(watch->slots[0]);
	watch = self->services->resize(self->host, NULL, 0, bytes);
	if (watch == NULL)
		return NULL;
	memset(watch, 0, bytes);
	watch->total_bytes = bytes;
	watch->batch = batch;
	batch->load = watch;
	return watch;
}

void plaitp_opencl_watch_drop(plait_backend *self, struct opencl_watch *watch)
{
	uint32_t i;

	for (i = 0; watch != NULL && i < watch->count; i++)
		if (watch->slots[i].event != NULL)
			self->cl.clReleaseEvent(watch->slots[i].event);
	if (watch != NULL)
		self->services->resize(self->host, watch, watch->total_bytes,
				       0);
}

cl_event *plaitp_opencl_watch_next(struct opencl_watch *watch)
{
	struct slot *slot = &watch->slots[watch->count++];

	slot->watch = watch;
	slot->work = watch->batch->work_index;
	return &slot->event;
}

/* The first that failed, or null. */
static const struct slot *find_failed(const struct opencl_watch *watch)
{
	uint32_t i;

	for (i = 0; i < watch->count; i++)
		if (watch->slots[i].code != 0)
			return &watch->slots[i];
	return NULL;
}

/* On any thread, with any of the driver's locks held. */
static void CL_CALLBACK on_command(cl_event event, cl_int code, void *user_data)
{
	struct slot *slot = user_data;
	struct opencl_watch *watch = slot->watch;
	driven_batch *batch = watch->batch;
	plait_backend *self = backend_of(batch);
	const struct slot *failed;
	bool over;

	(void)event;
	pthread_mutex_lock(&self->watching);
	slot->code = code < 0 ? code : 0;
	over = --watch->left == 0;
	pthread_mutex_unlock(&self->watching);
	if (!over)
		return;
	failed = find_failed(watch);
	plaitp_driven_complete(batch, failed != NULL ? failed->code : 0);
}

/* Nobody will be told of the last `count`.  True: of none at all. */
static bool forget(plait_backend *self, struct opencl_watch *watch,
		   uint32_t count)
{
	bool none;

	pthread_mutex_lock(&self->watching);
	watch->left -= count;
	none = watch->left == 0;
	pthread_mutex_unlock(&self->watching);
	return none;
}

cl_int plaitp_opencl_watch_all(struct opencl_watch *watch)
{
	driven_batch *batch = watch->batch;
	plait_backend *self = backend_of(batch);
	uint32_t i, count = watch->count;
	cl_int code;

	if (count == 0)
		return CL_SUCCESS;
	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
	batch->event = watch->slots[count - 1].event;
	watch->slots[count - 1].event = NULL;
	watch->left = count;
	batch->flying = true;
	for (i = 0; i < count; i++) {
		struct slot *slot = &watch->slots[i];

		code = self->cl.clSetEventCallback(
			i + 1 < count ? slot->event : batch->event,
			CL_COMPLETE, on_command, slot);
		if (code == CL_SUCCESS)
			continue;
		if (forget(self, watch, count - i))
			batch->flying = false;
		return code;
	}
	return CL_SUCCESS;
}

const char *plaitp_opencl_watch_label(const struct opencl_watch *watch)
{
	const struct slot *failed = find_failed(watch);
	const driven_batch *batch = watch->batch;

	if (failed == NULL || failed->work >= batch->work_count)
		return NULL;
	return batch->works[failed->work].label;
}
