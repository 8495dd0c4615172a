/* SPDX-License-Identifier: MIT */
/* Queues: creation, submission, recovery.  Execution is in advance.c. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "driven.h"

enum { DEFAULT_CAPACITY = 1 << 20 };

static plait_status refuse_memory(struct driven *self, const char *what,
				  plait_error *error)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM, 0,
				  "%s: no memory for %s", self->ops->name,
				  what);
}

/* --- creation ------------------------------------------------------------- */

static void free_queue(struct driven *self, driven_queue *queue)
{
	if (queue->lane != NULL)
		self->services->lane_destroy(self->host, queue->lane);
	self->ops->close_queue(self, queue);
	self->services->resize(self->host, queue, sizeof(*queue), 0);
}

static plait_status fill_queue(struct driven *self, driven_queue *queue,
			       const plait_queue_request *request,
			       plait_error *error)
{
	plait_queue_request for_calls = *request;
	plait_status status = self->ops->open_queue(self, queue, request,
						    error);

	if (status != PLAIT_OK)
		return status;
	for_calls.size = sizeof(for_calls);
	for_calls.flags = 0;
	for_calls.native_kind = 0;
	for_calls.native = 0;
	return self->services->lane_create(self->host, &for_calls,
					   &queue->lane, error);
}

static void link_queue(struct driven *self, driven_queue *queue)
{
	plaitp_driven_enter(self);
	queue->next_queue = self->queues;
	self->queues = queue;
	plaitp_driven_leave(self);
}

/* Caller holds self->lock. */
static void unlink_queue(struct driven *self, const driven_queue *queue)
{
	driven_queue **link = &self->queues;

	while (*link != queue)
		link = &(*link)->next_queue;
	*link = queue->next_queue;
}

plait_status plaitp_driven_queue_create(plait_backend *backend,
					uint32_t device,
					const plait_queue_request *request,
					plait_backend_queue **out,
					plait_error *error)
{
	struct driven *self = driven_of(backend);
	driven_queue *queue;
	plait_status status;

	*out = NULL;
	queue = self->services->resize(self->host, NULL, 0, sizeof(*queue));
	if (queue == NULL)
		return refuse_memory(self, "a queue", error);
	memset(queue, 0, sizeof(*queue));
	queue->self = self;
	queue->device = device;
	queue->timed = (request->flags & PLAIT_QUEUE_TIMES) != 0;
	queue->capacity = request->capacity != 0 ? request->capacity :
						   DEFAULT_CAPACITY;
	if (request->label != NULL)
		snprintf(queue->label, sizeof(queue->label), "%s",
			 request->label);
	status = fill_queue(self, queue, request, error);
	if (status == PLAIT_OK) {
		link_queue(self, queue);
		*out = queue;
	} else {
		free_queue(self, queue);
	}
	return status;
}

void plaitp_driven_queue_destroy(plait_backend *backend,
				 plait_backend_queue *queue)
{
	struct driven *self = driven_of(backend);

	if (self->ops->unregister != NULL)
		self->ops->unregister(queue);
	/* Wait until the thread that retired the last batch has left. */
	plaitp_driven_enter(self);
	unlink_queue(self, queue);
	plaitp_driven_leave(self);
	free_queue(self, queue);
}

/* --- copies of submissions ------------------------------------------------ */

/* Structures of the caller may be longer than those known here; the first one
 * holds their size. */
static const plait_submission *submission_at(const plait_submission *all,
					     uint32_t index)
{
	return (const void *)((const char *)all + (size_t)all->size * index);
}

static void copy_works(driven_batch *batch, const plait_submission *from)
{
	const char *bytes = (const void *)from->work;
	uint32_t i;
	size_t stride, copied;

	if (from->work_count == 0)
		return;
	stride = from->work->size;
	copied = stride < sizeof(plait_work) ? stride : sizeof(plait_work);
	if (stride == sizeof(plait_work)) {
		memcpy(batch->works, bytes, stride * from->work_count);
		return;
	}
	memset(batch->works, 0, sizeof(plait_work) * from->work_count);
	for (i = 0; i < from->work_count; i++)
		memcpy(&batch->works[i], bytes + i * stride, copied);
}

static void copy_points(driven_batch *batch, const plait_submission *from)
{
	uint32_t i;

	for (i = 0; i < from->wait_count; i++)
		batch->waits[i] = (struct driven_wait){
			.signal = from->waits[i].signal,
			.sequence = from->waits[i].sequence,
			.batch = batch,
		};
	for (i = 0; i < from->emit_count; i++)
		batch->emits[i] = (struct driven_emit){
			.point = { from->emits[i].signal->counter,
				   from->emits[i].sequence },
			.signal = from->emits[i].signal,
			.batch = batch,
		};
}

/* Returns true if the caller knows repeated submissions. */
static bool knows_times(const plait_submission *submissions)
{
	return submissions->size >=
	       offsetof(plait_submission, series_count) +
		       sizeof(submissions->series_count);
}

static const plait_work_series *series_at(const plait_submission *from,
					  uint32_t index)
{
	return (const void *)((const char *)from->series +
			      (size_t)from->series->size * index);
}

static void copy_series(driven_batch *batch, const plait_submission *from)
{
	uint32_t i;

	batch->series_count = from->series_count;
	for (i = 0; i < from->series_count; i++)
		batch->series[i] = *series_at(from, i);
}

/* `repeats`: the submission has series. */
static uint64_t count_bytes(const plait_submission *from, bool repeats)
{
	return sizeof(driven_batch) +
	       (repeats ? from->series_count : 0) *
		       sizeof(plait_work_series) +
	       from->work_count * sizeof(plait_work) +
	       from->wait_count * (sizeof(struct driven_wait) +
				   sizeof(void *)) +
	       from->emit_count * sizeof(struct driven_emit);
}

/* Copy one submission with its arrays into one block; null without memory. */
static driven_batch *copy_batch(struct driven *self, driven_queue *queue,
				const plait_submission *from, bool repeats)
{
	uint64_t bytes = count_bytes(from, repeats);
	driven_batch *batch = plaitp_driven_spares_take(self, bytes);

	if (batch == NULL)
		return NULL;
	memset(batch, 0, sizeof(*batch));
	batch->queue = queue;
	batch->total_bytes = bytes;
	batch->work_count = from->work_count;
	batch->wait_count = from->wait_count;
	batch->emit_count = from->emit_count;
	batch->times = repeats && from->times > 1 ? from->times : 1;
	batch->works = (plait_work *)(void *)(batch + 1);
	batch->waits = (void *)(batch->works + from->work_count);
	batch->emits = (void *)(batch->waits + from->wait_count);
	batch->events = (void *)(batch->emits + from->emit_count);
	batch->series = (void *)((void **)batch->events + from->wait_count);
	copy_works(batch, from);
	copy_points(batch, from);
	if (repeats)
		copy_series(batch, from);
	return batch;
}

/* Regions and other kinds are refused before anything of the submission is
 * copied. */
static plait_status check_kinds(struct driven *self,
				const plait_submission *one,
				plait_error *error)
{
	const char *bytes = (const void *)one->work;
	uint32_t i;

	for (i = 0; i < one->work_count; i++) {
		const plait_work *work =
			(const void *)(bytes + (size_t)one->work->size * i);

		if (work->kind > PLAIT_WORK_WRITE &&
		    work->kind != PLAIT_WORK_LAUNCH &&
		    (work->kind != PLAIT_WORK_SEGMENT ||
		     !self->ops->segments))
			return plaitp_driven_fail(
				self->services, error, PLAIT_E_UNSUPPORTED, 0,
				"%s: command %u: kind %u is not known",
				self->ops->name, i, work->kind);
	}
	return PLAIT_OK;
}

/* Copy all submissions into a list; its end is in *out_last.  After a failure
 * nothing is left. */
static plait_status copy_batches(struct driven *self, driven_queue *queue,
				 const plait_submission *submissions,
				 uint32_t count, driven_batch **out_first,
				 driven_batch **out_last, plait_error *error)
{
	const bool repeats = self->ops->repeats && count > 0 &&
			     knows_times(submissions);
	driven_batch **link = out_first;
	plait_status status = PLAIT_OK;
	uint32_t i;

	*out_first = NULL;
	*out_last = NULL;
	for (i = 0; i < count && status == PLAIT_OK; i++) {
		const plait_submission *one = submission_at(submissions, i);

		status = check_kinds(self, one, error);
		if (status != PLAIT_OK)
			break;
		*link = copy_batch(self, queue, one, repeats);
		if (*link == NULL) {
			status = refuse_memory(self, "a submission", error);
			break;
		}
		*out_last = *link;
		link = &(*link)->next;
	}
	if (status != PLAIT_OK)
		plaitp_driven_spares_give(self, *out_first);
	return status;
}

/* --- submission ----------------------------------------------------------- */

/* Distinguish submissions that exceed the capacity of the empty queue.  The one
 * can never be accepted (INVALID), others later (BUSY). */
static plait_status refuse(struct driven *self, const driven_queue *queue,
			   uint64_t works, plait_error *error)
{
	const char *blank = queue->label[0] != '\0' ? " " : "";

	if (works > queue->capacity)
		return plaitp_driven_fail(
			self->services, error, PLAIT_E_INVALID, 0,
			"%s: queue%s%s: %llu commands at once, but it has "
			"room for %llu; submit fewer at a time, or give it a "
			"greater capacity", self->ops->name, blank,
			queue->label, (unsigned long long)works,
			(unsigned long long)queue->capacity);
	return plaitp_driven_fail(
		self->services, error, PLAIT_E_BUSY, 0,
		"%s: queue%s%s: %llu commands more, but %llu of at most %llu "
		"are pending", self->ops->name, blank, queue->label,
		(unsigned long long)works, (unsigned long long)queue->pending,
		(unsigned long long)queue->capacity);
}

/* Caller holds self->lock.  Takes all of the list over, or nothing of it. */
static plait_status append(struct driven *self, driven_queue *queue,
			   driven_batch *first, driven_batch *last,
			   plait_error *error)
{
	const driven_batch *batch;
	uint64_t works = 0;

	for (batch = first; batch != NULL; batch = batch->next)
		works += batch->work_count;
	if (works > queue->capacity - queue->pending) {
		/* The caller tries again when commands have ended. */
		if (self->ops->poll != NULL)
			self->ops->poll(self, NULL);
		return refuse(self, queue, works, error);
	}
	queue->pending += works;
	if (queue->head != NULL)
		queue->tail->next = first;
	else
		queue->head = first;
	if (queue->next == NULL)
		queue->next = first;
	queue->tail = last;
	plaitp_driven_mark_dirty(self, queue);
	return PLAIT_OK;
}

plait_status plaitp_driven_queue_submit(plait_backend *backend,
					plait_backend_queue *queue,
					const plait_submission *submissions,
					uint32_t count, plait_error *error)
{
	struct driven *self = driven_of(backend);
	driven_batch *first, *last;
	plait_status status;

	status = copy_batches(self, queue, submissions, count, &first, &last,
			      error);
	if (status != PLAIT_OK || first == NULL)
		return status;
	plaitp_driven_enter(self);
	status = append(self, queue, first, last, error);
	plaitp_driven_leave(self);
	if (status != PLAIT_OK)
		plaitp_driven_spares_give(self, first);
	return status;
}

/* The lane fails shortly after the function that ended its thread. */
static void recover_lane(struct driven *self, driven_queue *queue)
{
	const plait_host_services *services = self->services;
	plait_error ignored = { .size = sizeof(ignored) };

	while (queue->lost && services->lane_recover(self->host, queue->lane,
						     &ignored) != PLAIT_OK) {
		if (services->worker_count(self->host) == 0)
			services->pump(self->host, &ignored);
		sched_yield();
	}
	queue->lost = false;
}

plait_status plaitp_driven_queue_recover(plait_backend *backend,
					 plait_backend_queue *queue,
					 plait_error *error)
{
	struct driven *self = driven_of(backend);
	plait_status status = PLAIT_OK;

	plaitp_driven_enter(self);
	if (queue->head != NULL)
		status = plaitp_driven_fail(
			self->services, error, PLAIT_E_BUSY, 0,
			"%s: queue%s%s: %llu commands are pending; wait for "
			"them before it can recover", self->ops->name,
			queue->label[0] != '\0' ? " " : "", queue->label,
			(unsigned long long)queue->pending);
	else if (self->ops->recover != NULL)
		status = self->ops->recover(self, queue, error);
	queue->failed &= status != PLAIT_OK;
	queue->failed_from = NULL;
	plaitp_driven_leave(self);
	if (status == PLAIT_OK)
		recover_lane(self, queue);
	return status;
}
