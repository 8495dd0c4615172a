/* SPDX-License-Identifier: MIT */
/*
 * Loss of a device.  The wrapped backend still works, and the core frees
 * objects after a loss; so all pending work is completed first.  Gates fail,
 * because they are not raised any more.
 */
#include "fault.h"

/* Limit for one queue to become empty; a backend that hangs is not waited
 * for. */
#define DRAIN_NS UINT64_C(5000000000)

enum { DRAIN_PUMPS = 1 << 20 };

static void *allocate(fault *self, uint64_t bytes, plait_error *error)
{
	void *pointer = forward_resize(&self->base, NULL, 0, bytes);

	if (!pointer)
		self->base.services->fail(error, PLAIT_E_NOMEM, 0,
					  "fault: no memory");
	return pointer;
}

plait_status plaitp_fault_loss_add_queue(fault *self, uint32_t device,
					 plait_backend_queue *queue,
					 plait_error *error)
{
	fault_queue *kept;
	plait_status status;

	if (!self->options.can_lose)
		return PLAIT_OK;
	kept = allocate(self, sizeof(*kept), error);
	if (!kept)
		return PLAIT_E_NOMEM;
	kept->inner = queue;
	status = self->base.inner_table->signal_create(
		self->base.inner, device, 0, &kept->drained, error);
	if (status != PLAIT_OK) {
		forward_resize(&self->base, kept, sizeof(*kept), 0);
		return status;
	}
	pthread_mutex_lock(&self->lock);
	kept->next = self->queues;
	self->queues = kept;
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}

/* A drain in another thread must not find the queue while it is destroyed; the
 * signal goes behind the queue that emits it. */
void plaitp_fault_loss_destroy_queue(fault *self, plait_backend *backend,
				     plait_backend_queue *queue)
{
	fault_queue **link = &self->queues;
	fault_queue *kept;

	pthread_mutex_lock(&self->draining);
	pthread_mutex_lock(&self->lock);
	while (*link && (*link)->inner != queue)
		link = &(*link)->next;
	kept = *link;
	if (kept)
		*link = kept->next;
	pthread_mutex_unlock(&self->lock);
	pthread_mutex_unlock(&self->draining);
	plaitp_forward_slots.queue_destroy(backend, queue);
	if (!kept)
		return;
	self->base.inner_table->signal_destroy(self->base.inner, kept->drained);
	forward_resize(&self->base, kept, sizeof(*kept), 0);
}

plait_status plaitp_fault_loss_add_gate(fault *self, plait_backend_signal *gate,
					plait_error *error)
{
	fault_gate *kept;

	if (!self->options.can_lose)
		return PLAIT_OK;
	kept = allocate(self, sizeof(*kept), error);
	if (!kept)
		return PLAIT_E_NOMEM;
	*kept = (fault_gate){ .inner = gate };
	pthread_mutex_lock(&self->lock);
	kept->next = self->gates;
	self->gates = kept;
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}

void plaitp_fault_loss_gate_raised(fault *self,
				   const plait_backend_point *point)
{
	pthread_mutex_lock(&self->lock);
	for (fault_gate *gate = self->gates; gate; gate = gate->next)
		if (gate->inner == point->signal)
			gate->raised = point->sequence;
	pthread_mutex_unlock(&self->lock);
}

void plaitp_fault_loss_drop_gate(fault *self, const plait_backend_signal *gate)
{
	fault_gate **link = &self->gates;
	fault_gate *kept;

	pthread_mutex_lock(&self->draining);
	pthread_mutex_lock(&self->lock);
	while (*link && (*link)->inner != gate)
		link = &(*link)->next;
	kept = *link;
	if (kept)
		*link = kept->next;
	pthread_mutex_unlock(&self->lock);
	pthread_mutex_unlock(&self->draining);
	if (kept)
		forward_resize(&self->base, kept, sizeof(*kept), 0);
}

/* Read the lists.  A slot that adds to them may still be on its way; removals wait
 * for `draining`, which the caller holds. */
static void read_lists(fault *self, fault_gate **gates, fault_queue **queues)
{
	pthread_mutex_lock(&self->lock);
	*gates = self->gates;
	*queues = self->queues;
	pthread_mutex_unlock(&self->lock);
}

static uint64_t read_raised(fault *self, const fault_gate *gate)
{
	uint64_t raised;

	pthread_mutex_lock(&self->lock);
	raised = gate->raised;
	pthread_mutex_unlock(&self->lock);
	return raised;
}

/* Slots that would add to the lists return PLAIT_E_LOST by now; what a call that
 * began before still adds is not drained. */
void plaitp_fault_loss_drain(fault *self)
{
	const plait_backend_table *table = self->base.inner_table;
	plait_backend *inner = self->base.inner;
	plait_error lost = { .size = sizeof(lost) };
	plait_error unused = { .size = sizeof(unused) };
	fault_gate *gates;
	fault_queue *queues;

	self->base.services->fail(&lost, PLAIT_E_LOST, 0, "the device is lost");
	pthread_mutex_lock(&self->draining);
	read_lists(self, &gates, &queues);
	for (fault_gate *gate = gates; gate; gate = gate->next) {
		plait_backend_point next = { gate->inner,
					     read_raised(self, gate) + 1 };

		table->signal_raise(inner, &next, &lost, &unused);
	}
	for (fault_queue *queue = queues; queue; queue = queue->next) {
		const plait_backend_point end = { queue->drained, 1 };
		const plait_submission submission = {
			.size = sizeof(submission),
			.emits = &end, .emit_count = 1,
		};

		table->queue_submit(inner, queue->inner, &submission, 1,
				    &unused);
		if (table->queue_flush)
			table->queue_flush(inner, queue->inner, &unused);
	}
	for (fault_queue *queue = queues; queue; queue = queue->next)
		table->signal_wait(inner, &(plait_backend_point){
				   queue->drained, 1 }, 1, 0, DRAIN_NS,
				   &unused);
	pthread_mutex_unlock(&self->draining);
	/* Deliver pending notifications too. */
	for (int i = 0; i < DRAIN_PUMPS && table->pump; i++)
		if (table->pump(inner, &unused) != PLAIT_OK)
			break;
}
