/* SPDX-License-Identifier: MIT */
/*
 * Host side of the queues: create, submit, flush, recover.  Their execution is
 * in run.c.
 */
#include <stdio.h>
#include <string.h>

#include "chaos.h"

plait_status plaitp_chaos_queue_create(plait_backend *self, uint32_t device,
				       const plait_queue_request *request,
				       plait_backend_queue **out,
				       plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status;
	chaos_queue *queue;

	*out = NULL;
	queue = plaitp_chaos_allocate(system, sizeof(*queue));
	if (!queue)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for a queue");
	queue->event.callback = plaitp_chaos_run_event;
	queue->event.owner = queue;
	queue->device = &system->devices[device];
	queue->capacity = request->capacity ? request->capacity : 1u << 20;
	if (request->label)
		snprintf(queue->label, sizeof(queue->label), "%s",
			 request->label);
	plaitp_chaos_lock(system);
	status = plaitp_chaos_clock_reserve(system, error);
	if (status == PLAIT_OK) {
		queue->number = ++system->queue_number;
		queue->next = system->queues;
		if (queue->next)
			queue->next->previous = queue;
		system->queues = queue;
		plaitp_chaos_log(system, "q%llu: on device %u",
				 (unsigned long long)queue->number, device);
		*out = queue;
	}
	plaitp_chaos_unlock(system);
	if (status != PLAIT_OK)
		plaitp_chaos_free(system, queue, sizeof(*queue));
	return status;
}

void plaitp_chaos_queue_destroy(plait_backend *self,
				plait_backend_queue *queue)
{
	chaos *system = chaos_of(self);

	plaitp_chaos_lock(system);
	/* The core destroys idle queues only; pending work is dropped. */
	if (queue->head)
		system->services->log(system->host, PLAIT_LOG_ERROR,
				      "chaos: a queue was destroyed with work "
				      "pending");
	while (queue->head) {
		chaos_batch *batch = queue->head;

		queue->head = batch->next;
		plaitp_chaos_free(system, batch, batch->total_bytes);
	}
	plaitp_chaos_run_leave(queue);
	plaitp_chaos_clock_cancel(system, &queue->event);
	plaitp_chaos_clock_unreserve(system);
	if (queue->previous)
		queue->previous->next = queue->next;
	else
		system->queues = queue->next;
	if (queue->next)
		queue->next->previous = queue->previous;
	plaitp_chaos_unlock(system);
	plaitp_chaos_free(system, queue, sizeof(*queue));
}

/* The stride is the `size` of the first record, which may exceed ours. */
static const plait_submission *nth(const plait_submission *submissions,
				   uint32_t index)
{
	const unsigned char *bytes = (const void *)submissions;

	return (const plait_submission *)(const void *)
		(bytes + (uint64_t)index * submissions[0].size);
}

static void copy_work(chaos_batch *batch, const plait_submission *submission)
{
	const unsigned char *bytes = (const void *)submission->work;
	uint64_t stride, known;

	if (submission->work_count == 0)
		return;
	stride = submission->work[0].size;
	known = stride < sizeof(plait_work) ? stride : sizeof(plait_work);
	for (uint32_t i = 0; i < submission->work_count; i++)
		memcpy(&batch->work[i], bytes + i * stride, known);
}

static void copy_numbers(chaos_batch *batch,
			 const plait_submission *submission)
{
	const unsigned char *bytes = (const void *)submission->series;

	batch->number_count = submission->series_count;
	for (uint32_t i = 0; i < batch->number_count; i++)
		memcpy(&batch->numbers[i].series,
		       bytes + (uint64_t)i * submission->series[0].size,
		       sizeof(plait_work_series));
}

static chaos_batch *copy_batch(chaos *system,
			       const plait_submission *submission)
{
	uint64_t points = (uint64_t)submission->wait_count +
		submission->emit_count;
	uint64_t bytes = sizeof(chaos_batch) +
		submission->work_count * sizeof(plait_work) +
		submission->series_count * sizeof(struct chaos_number) +
		points * sizeof(plait_backend_point);
	chaos_batch *batch = plaitp_chaos_allocate(system, bytes);

	if (!batch)
		return NULL;
	batch->total_bytes = bytes;
	batch->work = (plait_work *)(void *)(batch + 1);
	batch->numbers = (struct chaos_number *)(void *)
		(batch->work + submission->work_count);
	batch->waits = (plait_backend_point *)(void *)
		(batch->numbers + submission->series_count);
	batch->emits = batch->waits + submission->wait_count;
	batch->work_count = submission->work_count;
	batch->wait_count = submission->wait_count;
	batch->emit_count = submission->emit_count;
	batch->times = submission->times > 1 ? submission->times : 1;
	copy_work(batch, submission);
	copy_numbers(batch, submission);
	for (uint32_t i = 0; i < batch->wait_count; i++)
		batch->waits[i] = submission->waits[i];
	for (uint32_t i = 0; i < batch->emit_count; i++)
		batch->emits[i] = submission->emits[i];
	return batch;
}

static void free_batches(chaos *system, chaos_batch *batch)
{
	while (batch) {
		chaos_batch *next = batch->next;

		plaitp_chaos_free(system, batch, batch->total_bytes);
		batch = next;
	}
}

/* Return a list of copies, or null without memory. */
static chaos_batch *copy_batches(chaos *system,
				 const plait_submission *submissions,
				 uint32_t count)
{
	chaos_batch *first = NULL, **link = &first;

	for (uint32_t i = 0; i < count; i++) {
		*link = copy_batch(system, nth(submissions, i));
		if (!*link) {
			free_batches(system, first);
			return NULL;
		}
		link = &(*link)->next;
	}
	return first;
}

/* Refuse commands with memory that the queue's device does not reach. */
static plait_status check_links(chaos *system, const chaos_queue *queue,
				const chaos_batch *batch, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (; batch; batch = batch->next)
		for (uint32_t i = 0; status == PLAIT_OK &&
		     i < batch->work_count; i++)
			status = plaitp_chaos_link_check_work(
				system, queue->device->index, &batch->work[i],
				error);
	return status;
}

static void append(chaos *system, chaos_queue *queue, chaos_batch *batch)
{
	batch->next = NULL;
	if (queue->head)
		queue->tail->next = batch;
	else
		queue->head = batch;
	queue->tail = batch;
	queue->pending += batch->work_count;
	batch->arrives_ns = system->now_ns +
		plaitp_chaos_random_delay(system, &system->options.submit_ns);
	batch->flushed = !(system->options.quirks & CHAOS_NEEDS_FLUSH);
	plaitp_chaos_log(system,
			 "q%llu: given %u waits, %u commands, %u emissions",
			 (unsigned long long)queue->number, batch->wait_count,
			 batch->work_count, batch->emit_count);
	if (batch->flushed)
		plaitp_chaos_run_start(system, queue);
	else if (!queue->unflushed)
		queue->unflushed = batch;
}

/* Take the list over if the queue has room for all of it. */
static plait_status append_all(chaos *system, chaos_queue *queue,
			       chaos_batch *first, plait_error *error)
{
	uint64_t work = 0;
	char name[80];

	for (chaos_batch *batch = first; batch; batch = batch->next)
		work += batch->work_count;
	if (work > queue->capacity)
		return plaitp_chaos_fail(
			system, error, PLAIT_E_INVALID, 0,
			"%s: %llu commands at once, but it has room for %llu; "
			"submit fewer at a time, or give it a greater "
			"capacity",
			plaitp_chaos_run_queue_name(queue, name, sizeof(name)),
			(unsigned long long)work,
			(unsigned long long)queue->capacity);
	if (work > queue->capacity - queue->pending)
		return plaitp_chaos_fail(
			system, error, PLAIT_E_BUSY, 0,
			"%s is full: %llu commands more than %llu of %llu",
			plaitp_chaos_run_queue_name(queue, name, sizeof(name)),
			(unsigned long long)work,
			(unsigned long long)queue->pending,
			(unsigned long long)queue->capacity);
	while (first) {
		chaos_batch *next = first->next;

		append(system, queue, first);
		first = next;
	}
	return PLAIT_OK;
}

plait_status plaitp_chaos_queue_submit(plait_backend *self,
				       plait_backend_queue *queue,
				       const plait_submission *submissions,
				       uint32_t count, plait_error *error)
{
	chaos *system = chaos_of(self);
	chaos_batch *first = copy_batches(system, submissions, count);
	plait_status status;

	if (count == 0)
		return PLAIT_OK;
	if (!first)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for %u submissions",
					 count);
	plaitp_chaos_lock(system);
	status = check_links(system, queue, first, error);
	if (status == PLAIT_OK)
		status = append_all(system, queue, first, error);
	plaitp_chaos_unlock(system);
	if (status != PLAIT_OK)
		free_batches(system, first);
	return status;
}

plait_status plaitp_chaos_queue_flush(plait_backend *self,
				      plait_backend_queue *queue,
				      plait_error *error)
{
	chaos *system = chaos_of(self);

	(void)error;
	plaitp_chaos_lock(system);
	for (; queue->unflushed; queue->unflushed = queue->unflushed->next)
		queue->unflushed->flushed = true;
	plaitp_chaos_run_start(system, queue);
	plaitp_chaos_unlock(system);
	return PLAIT_OK;
}

plait_status plaitp_chaos_queue_recover(plait_backend *self,
					plait_backend_queue *queue,
					plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status = PLAIT_OK;
	char name[80];

	plaitp_chaos_lock(system);
	if (queue->head)
		status = plaitp_chaos_fail(
			system, error, PLAIT_E_BUSY, 0,
			"%s cannot recover: %llu commands are pending",
			plaitp_chaos_run_queue_name(queue, name, sizeof(name)),
			(unsigned long long)queue->pending);
	else
		queue->failed = false;
	plaitp_chaos_unlock(system);
	return status;
}
