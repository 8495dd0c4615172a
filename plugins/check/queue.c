/* SPDX-License-Identifier: MIT */
/*
 * Slots of queues except submit.  Checks that a queue is used by one thread at
 * a time, and that no queue with pending work is destroyed or recovered.
 */
#include <stdio.h>

#include "check.h"

/* Only devices with PLAIT_CAP_NATIVE wrap native queues. */
static bool takes_native(const check *self, uint32_t device,
			 const plait_queue_request *request)
{
	return request->native_kind == 0 ||
	       self->devices[device].capabilities & PLAIT_CAP_NATIVE;
}

plait_status plaitp_check_queue_create(plait_backend *backend, uint32_t device,
				       const plait_queue_request *request,
				       plait_backend_queue **out,
				       plait_error *error)
{
	static const char slot[] = "queue_create";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_queue *inner = NULL;
	plait_status status = PLAIT_OK;
	check_queue *queue = NULL;

	*out = NULL;
	plaitp_check_enter(self, slot);
	if (device >= self->device_count || request->size < sizeof(*request)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "device %u of %u, a request of %u bytes",
				    device, self->device_count, request->size);
		status = plaitp_check_report_error(self, error);
	} else if (!takes_native(self, device, request)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "this device takes no native queue");
		status = plaitp_check_report_error(self, error);
	} else {
		queue = plaitp_check_add(self, CHECK_QUEUE, sizeof(*queue));
	}
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	if (!queue)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory");
	queue->device = device;
	queue->capacity = request->capacity;
	if (request->label)
		snprintf(queue->label, sizeof(queue->label), "%s",
			 request->label);
	status = self->inner_table->queue_create(self->inner, device, request,
						 &inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without giving a queue");
		status = plaitp_check_report_error(self, error);
	}
	queue->inner = inner;
	if (status != PLAIT_OK) {
		plaitp_check_retire(self, &queue->object);
	} else {
		queue->next = self->queues;
		if (queue->next)
			queue->next->previous = queue;
		self->queues = queue;
		*out = queue;
	}
	pthread_mutex_unlock(&self->lock);
	return status;
}

/* Sets queue->inside, which the slot clears.  Null after a report, with the lock
 * released; `error` may be null. */
check_queue *plaitp_check_queue_enter(check *self, const char *slot,
				      const plait_backend_queue *handle,
				      plait_error *error)
{
	check_queue *queue;

	plaitp_check_enter(self, slot);
	queue = plaitp_check_find(self, slot, CHECK_QUEUE, handle);
	if (queue && queue->inside) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "queue %llu \"%s\" is inside another slot, "
				    "on another thread",
				    (unsigned long long)queue->object.number,
				    queue->label);
		queue = NULL;
	}
	if (queue) {
		queue->inside = true;
		return queue;
	}
	plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	return NULL;
}

/* Report work that is pending in the model too. */
static bool check_idle(check *self, const char *slot, check_queue *queue)
{
	if (queue->head)
		plaitp_check_model_confirm(self);
	if (!queue->head || self->model_off)
		return true;
	plaitp_check_report(self, CHECK_CORE, slot,
			    "queue %llu \"%s\" has work pending",
			    (unsigned long long)queue->object.number,
			    queue->label);
	return false;
}

static void unlink_queue(check *self, check_queue *queue)
{
	while (queue->head)
		plaitp_check_model_retract(self, queue, queue->head);
	if (queue->previous)
		queue->previous->next = queue->next;
	else
		self->queues = queue->next;
	if (queue->next)
		queue->next->previous = queue->previous;
}

void plaitp_check_queue_destroy(plait_backend *backend,
				plait_backend_queue *handle)
{
	static const char slot[] = "queue_destroy";
	check *self = check_of(backend);
	check_queue *queue = plaitp_check_queue_enter(self, slot, handle,
						      NULL);
	plait_backend_queue *inner;

	if (!queue)
		return;
	check_idle(self, slot, queue);
	unlink_queue(self, queue);
	inner = queue->inner;
	plaitp_check_retire(self, &queue->object);
	plaitp_check_leave(self);
	self->inner_table->queue_destroy(self->inner, inner);
}

plait_status plaitp_check_queue_flush(plait_backend *backend,
				      plait_backend_queue *handle,
				      plait_error *error)
{
	static const char slot[] = "queue_flush";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_queue *queue =
		plaitp_check_queue_enter(self, slot, handle, error);

	if (!queue)
		return PLAIT_E_INTERNAL;
	plaitp_check_leave(self);
	if (self->inner_table->queue_flush)
		status = self->inner_table->queue_flush(
			self->inner, queue->inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	queue->inside = false;
	pthread_mutex_unlock(&self->lock);
	return status;
}

plait_status plaitp_check_queue_recover(plait_backend *backend,
					plait_backend_queue *handle,
					plait_error *error)
{
	static const char slot[] = "queue_recover";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_queue *queue =
		plaitp_check_queue_enter(self, slot, handle, error);

	if (!queue)
		return PLAIT_E_INTERNAL;
	if (!check_idle(self, slot, queue)) {
		status = plaitp_check_report_error(self, error);
		queue->inside = false;
	}
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->queue_recover(self->inner, queue->inner,
						  &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	queue->inside = false;
	if (status == PLAIT_OK)
		queue->failed = false;
	pthread_mutex_unlock(&self->lock);
	return status;
}
