/* SPDX-License-Identifier: MIT */
/*
 * Events for every command (events=all): they tell which command failed, also
 * if the driver continues after it.  Their callbacks come in any order; the
 * last one completes the batch.
 */
#include <string.h>

#include "events.h"
#include "segment.h"

struct command_event {
	struct opencl_events *events;
	cl_event event;
	uint64_t asked_ns; /* the host's time when it was enqueued */
	uint32_t work;
	cl_int code;
};

/* driver_data of a batch.  Callbacks do not touch it after they have
 * decremented `left`. */
struct opencl_events {
	uint64_t total_bytes;
	driven_batch *batch;
	uint32_t count; /* number of used slots */
	bool timed;	/* works may ask for their times */
	uint32_t left;	/* outstanding callbacks; guarded by events_lock */
	struct command_event slots[];
};

static plait_backend *backend_of(const driven_batch *batch)
{
	return (plait_backend *)(void *)batch->queue->self;
}

/* Upper bound: a fill may need a command for each byte before and after its
 * whole patterns; rows in one memory object are copied one by one. */
static uint64_t count_commands(const plait_work *work)
{
	if (work->rows != NULL && work->kind == PLAIT_WORK_COPY &&
	    work->source->memory == work->target->memory)
		return work->rows->rows * work->rows->slices;
	return work->kind == PLAIT_WORK_FILL ? 2 * work->pattern_bytes + 1 : 1;
}

/* The commands of a segment, as if they were enqueued one by one. */
static uint64_t count_all(const plait_work *work)
{
	const plait_backend_segment *segment = work->segment;
	uint64_t count = 0;
	uint32_t i;

	if (work->kind != PLAIT_WORK_SEGMENT)
		return count_commands(work);
	for (i = 0; i < segment->work_count; i++)
		count += count_commands(&segment->works[i]);
	return count;
}

struct opencl_events *plaitp_opencl_events_begin(driven_batch *batch,
						 uint32_t end)
{
	plait_backend *self = backend_of(batch);
	struct opencl_events *events;
	uint64_t bytes, room = 1; /* 1: a marker */
	uint32_t i;

	/* All callbacks of earlier works of this batch have run. */
	plaitp_opencl_events_measure(self, batch->driver_data);
	plaitp_opencl_events_drop(self, batch->driver_data);
	batch->driver_data = NULL;
	for (i = batch->work_index; i < end; i++)
		room += batch->times * count_all(&batch->works[i]);
	bytes = sizeof(*events) + room * sizeof(events->slots[0]);
	events = self->services->resize(self->host, NULL, 0, bytes);
	if (events == NULL)
		return NULL;
	memset(events, 0, bytes);
	events->total_bytes = bytes;
	events->batch = batch;
	events->timed = batch->queue->timed;
	batch->driver_data = events;
	return events;
}

/* --- times ---------------------------------------------------------------- */

static bool ask(plait_backend *self, cl_event event, cl_profiling_info key,
		cl_ulong *out)
{
	return self->cl.clGetEventProfilingInfo(event, key, sizeof(*out), out,
						NULL) == CL_SUCCESS;
}

/*
 * Read the times of a command into its work's.  The device's clock is mapped to
 * the host's by the moment at which the driver took the command: the call had
 * begun by then.
 */
static void read_times(plait_backend *self, const struct command_event *slot,
		       cl_event event)
{
	const driven_batch *batch = slot->events->batch;
	plait_work_times *times;
	cl_ulong queued, start, end;

	times = slot->work < batch->work_count ?
		batch->works[slot->work].times : NULL;
	if (times == NULL || slot->code != 0 ||
	    !ask(self, event, CL_PROFILING_COMMAND_QUEUED, &queued) ||
	    !ask(self, event, CL_PROFILING_COMMAND_START, &start) ||
	    !ask(self, event, CL_PROFILING_COMMAND_END, &end))
		return;
	start += slot->asked_ns - queued;
	end += slot->asked_ns - queued;
	if (times->start_ns == 0 || start < times->start_ns)
		times->start_ns = start;
	if (end > times->end_ns)
		times->end_ns = end;
}

static void read_all_times(plait_backend *self,
			   const struct opencl_events *events)
{
	uint32_t i;

	for (i = 0; i < events->count; i++) {
		cl_event event = events->slots[i].event;

		if (event == NULL && i + 1 == events->count)
			event = events->batch->event;
		if (event != NULL)
			read_times(self, &events->slots[i], event);
	}
}

void plaitp_opencl_events_measure(plait_backend *self,
				  struct opencl_events *events)
{
	if (events != NULL && events->timed)
		read_all_times(self, events);
}

void plaitp_opencl_events_drop(plait_backend *self,
			       struct opencl_events *events)
{
	uint32_t i;

	for (i = 0; events != NULL && i < events->count; i++)
		if (events->slots[i].event != NULL)
			self->cl.clReleaseEvent(events->slots[i].event);
	if (events != NULL)
		self->services->resize(self->host, events, events->total_bytes,
				       0);
}

cl_event *plaitp_opencl_events_next(struct opencl_events *events)
{
	struct command_event *slot = &events->slots[events->count++];

	slot->events = events;
	slot->work = events->batch->work_index;
	if (events->timed) {
		const struct driven *driven = events->batch->queue->self;

		slot->asked_ns = driven->services->clock_ns(driven->host);
	}
	return &slot->event;
}

/* Returns the first slot that failed, or null. */
static const struct command_event *
find_failed(const struct opencl_events *events)
{
	uint32_t i;

	for (i = 0; i < events->count; i++)
		if (events->slots[i].code != 0)
			return &events->slots[i];
	return NULL;
}

/* Runs on any thread, with any lock of the driver held. */
static void CL_CALLBACK on_command(cl_event event, cl_int code, void *user_data)
{
	struct command_event *slot = user_data;
	struct opencl_events *events = slot->events;
	driven_batch *batch = events->batch;
	plait_backend *self = backend_of(batch);
	const struct command_event *failed;
	bool over;

	(void)event;
	pthread_mutex_lock(&self->events_lock);
	slot->code = code < 0 ? code : 0;
	over = --events->left == 0;
	pthread_mutex_unlock(&self->events_lock);
	if (!over)
		return;
	failed = find_failed(events);
	plaitp_driven_complete(batch, failed != NULL ? failed->code : 0);
}

/* Subtract callbacks that could not be added.  Returns true if none is
 * outstanding. */
static bool cancel_callbacks(plait_backend *self, struct opencl_events *events,
			     uint32_t count)
{
	bool none;

	pthread_mutex_lock(&self->events_lock);
	events->left -= count;
	none = events->left == 0;
	pthread_mutex_unlock(&self->events_lock);
	return none;
}

cl_int plaitp_opencl_events_add_callbacks(struct opencl_events *events)
{
	driven_batch *batch = events->batch;
	plait_backend *self = backend_of(batch);
	uint32_t i, count = events->count;
	cl_int code;

	if (count == 0)
		return CL_SUCCESS;
	if (batch->event != NULL)
		self->cl.clReleaseEvent(batch->event);
	batch->event = events->slots[count - 1].event;
	events->slots[count - 1].event = NULL;
	events->left = count;
	batch->in_flight = true;
	for (i = 0; i < count; i++) {
		struct command_event *slot = &events->slots[i];

		code = self->cl.clSetEventCallback(
			i + 1 < count ? slot->event : batch->event,
			CL_COMPLETE, on_command, slot);
		if (code == CL_SUCCESS)
			continue;
		if (cancel_callbacks(self, events, count - i))
			batch->in_flight = false;
		return code;
	}
	return CL_SUCCESS;
}

const char *plaitp_opencl_events_label(const struct opencl_events *events)
{
	const struct command_event *failed = find_failed(events);
	const driven_batch *batch = events->batch;

	if (failed == NULL || failed->work >= batch->work_count)
		return NULL;
	return batch->works[failed->work].label;
}
