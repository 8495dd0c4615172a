/* SPDX-License-Identifier: MIT */
/*
 * Model of the queues and signals, in which every command but a host function
 * takes no time.  The model is never behind the backend, so an emission that
 * has not happened in the model cannot have happened in the backend.
 */
#include "check.h"

/* PLAIT_PENDING, PLAIT_OK or PLAIT_E_FAILED in the model. */
static plait_status state(const check_signal *signal, uint64_t sequence)
{
	if (signal->failed_from && sequence >= signal->failed_from &&
	    (signal->gate || signal->reached >= sequence))
		return PLAIT_E_FAILED;
	return signal->reached >= sequence ? PLAIT_OK : PLAIT_PENDING;
}

static void wake(check *self, check_queue *queue)
{
	if (queue->to_advance)
		return;
	queue->to_advance = true;
	queue->next_advance = self->to_advance;
	self->to_advance = queue;
}

static void stop_waiting(check_queue *queue)
{
	check_queue **link;

	if (!queue->waiting)
		return;
	link = &queue->waiting->waiters;
	while (*link != queue)
		link = &(*link)->next_waiter;
	*link = queue->next_waiter;
	queue->waiting = NULL;
}

static void raise_only(check *self, check_signal *signal, uint64_t sequence,
		       bool failed)
{
	if (sequence > signal->reached)
		signal->reached = sequence;
	if (failed && !signal->failed_from)
		signal->failed_from = sequence;
	for (check_queue *queue = signal->waiters; queue;
	     queue = queue->next_waiter)
		wake(self, queue);
}

/* Give up its uses, and retire its calls; those that have not run are
 * skipped. */
static void free_batch(check *self, check_batch *batch)
{
	for (uint32_t i = 0; i < batch->wait_count; i++)
		batch->waits[i].signal->uses--;
	for (uint32_t i = 0; i < batch->emit_count; i++)
		batch->emits[i].signal->uses--;
	for (uint32_t i = 0; i < batch->memory_count; i++)
		batch->memories[i]->uses--;
	for (uint32_t i = 0; i < batch->launch_count; i++)
		batch->launches[i]->uses--;
	for (uint32_t i = 0; i < batch->segment_count; i++)
		batch->segments[i]->uses--;
	for (uint32_t i = 0; i < batch->call_count; i++) {
		check_call *call = batch->calls[i];

		call->batch = NULL;
		if (call->state == CHECK_CALL_WAITS)
			call->state = CHECK_CALL_SKIPPED;
		plaitp_check_retire(self, &call->object);
	}
	self->services->resize(self->host, batch, batch->bytes, 0);
}

/* Retire the first batch of the queue; returns false if it is not done.  A wait
 * that is not over makes the queue a waiter of its signal. */
static bool finish_head(check *self, check_queue *queue)
{
	check_batch *batch = queue->head;

	if (!batch || batch->provisional)
		return false;
	for (; batch->waits_done < batch->wait_count; batch->waits_done++) {
		plait_backend_point *point = &batch->waits[batch->waits_done];
		plait_status happened = state(point->signal, point->sequence);

		if (happened == PLAIT_PENDING && queue->failed &&
		    point->signal->gate)
			continue;
		if (happened == PLAIT_PENDING) {
			queue->waiting = point->signal;
			queue->next_waiter = point->signal->waiters;
			point->signal->waiters = queue;
			return false;
		}
		if (happened < 0)
			queue->failed = true;
	}
	if (!queue->failed && !self->model_off &&
	    batch->calls_done < batch->call_count)
		return false;
	for (uint32_t i = 0; i < batch->emit_count; i++)
		raise_only(self, batch->emits[i].signal,
			   batch->emits[i].sequence, queue->failed);
	queue->head = batch->next;
	if (queue->head)
		queue->head->previous = NULL;
	if (queue->unanswered == batch)
		queue->unanswered = batch->next;
	free_batch(self, batch);
	return true;
}

/* Retire what is done in the queue, unless null, and in those that are woken. */
void plaitp_check_model_advance(check *self, check_queue *queue)
{
	if (queue)
		wake(self, queue);
	while (self->to_advance) {
		queue = self->to_advance;
		self->to_advance = queue->next_advance;
		queue->to_advance = false;
		stop_waiting(queue);
		while (finish_head(self, queue))
			;
	}
}

void plaitp_check_model_confirm(check *self)
{
	for (check_queue *queue = self->queues; queue; queue = queue->next) {
		for (check_batch *batch = queue->unanswered; batch;
		     batch = batch->next)
			batch->provisional = false;
		wake(self, queue);
	}
	plaitp_check_model_advance(self, NULL);
}

void plaitp_check_model_raise(check *self, check_signal *signal,
			      uint64_t sequence, bool failed)
{
	raise_only(self, signal, sequence, failed);
	plaitp_check_model_advance(self, NULL);
}

void plaitp_check_model_disable(check *self)
{
	if (self->model_off)
		return;
	self->model_off = true;
	plaitp_check_model_confirm(self);
}

void plaitp_check_model_happened(check *self, const char *slot,
				 check_signal *signal, uint64_t sequence,
				 plait_status status)
{
	plait_status known;

	if (self->model_off)
		return;
	if (state(signal, sequence) == PLAIT_PENDING)
		plaitp_check_model_confirm(self);
	known = state(signal, sequence);
	if (status == PLAIT_OK && known == PLAIT_PENDING)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "signal %llu is at %llu before the work in "
				    "front of it was done (P-S09)",
				    (unsigned long long)signal->object.number,
				    (unsigned long long)sequence);
	else if (status == PLAIT_OK && known < 0)
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"signal %llu at %llu hides that it failed (P-F02)",
			(unsigned long long)signal->object.number,
			(unsigned long long)sequence);
	else if (status < 0 && known >= 0)
		plaitp_check_model_disable(self);
}

void plaitp_check_model_retract(check *self, check_queue *queue,
				check_batch *batch)
{
	if (batch->previous)
		batch->previous->next = NULL;
	else
		queue->head = NULL;
	queue->tail = batch->previous;
	stop_waiting(queue);
	while (batch) {
		check_batch *next = batch->next;

		free_batch(self, batch);
		batch = next;
	}
	plaitp_check_model_advance(self, queue);
}
