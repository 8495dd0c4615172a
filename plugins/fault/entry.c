/* SPDX-License-Identifier: MIT */
/* Entry of the interposer fault: wrap, close, and overrides of slots. */
#include <stdio.h>
#include <string.h>

#include "fault.h"

/* --- life */

static plait_status wrap_backend(plait_host *host,
				 const plait_host_services *services,
				 const plait_backend_table *inner_table,
				 plait_backend *inner, plait_backend **out,
				 plait_error *error)
{
	fault_options options;
	plait_status status;
	pthread_mutexattr_t recursive;
	fault *self;

	*out = NULL;
	status = plaitp_fault_options(host, services, &options, error);
	if (status != PLAIT_OK)
		return status;
	self = plaitp_forward_create(host, services, inner_table, inner,
				     sizeof(*self), error);
	if (!self)
		return PLAIT_E_NOMEM;
	self->base.admit = plaitp_fault_choose;
	self->options = options;
	self->random = options.seed;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&self->draining, &recursive);
	pthread_mutexattr_destroy(&recursive);
	pthread_mutex_init(&self->lock, NULL);
	pthread_cond_init(&self->never_signalled, NULL);
	pthread_cond_init(&self->notified, NULL);
	*out = (plait_backend *)(void *)self;
	return PLAIT_OK;
}

static void close_wrapper(plait_backend *backend)
{
	fault *self = fault_of(backend);
	char line[96];

	self->base.inner_table->close(self->base.inner);
	plaitp_fault_notice_await(self);
	plaitp_fault_notice_drop_late(self);
	snprintf(line, sizeof(line), "fault: %llu calls, %llu of them failed",
		 (unsigned long long)self->calls,
		 (unsigned long long)self->failed);
	forward_log(&self->base, PLAIT_LOG_INFO, line);
	pthread_cond_destroy(&self->notified);
	pthread_cond_destroy(&self->never_signalled);
	pthread_mutex_destroy(&self->lock);
	pthread_mutex_destroy(&self->draining);
	forward_resize(&self->base, self, sizeof(*self), 0);
}

static plait_status device_query(plait_backend *backend, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_forward_slots.device_query(backend, device, out, error);

	/* A device that this interposer can lose does not claim to last. */
	if (status == PLAIT_OK && self->options.can_lose)
		out->capabilities &= ~(uint32_t)PLAIT_CAP_LASTS;
	return status;
}

/* --- queues */

static plait_status queue_create(plait_backend *backend, uint32_t device,
				 const plait_queue_request *request,
				 plait_backend_queue **out,
				 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_backend_queue *queue = NULL;
	plait_status status = plaitp_forward_slots.queue_create(
		backend, device, request, &queue, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	status = plaitp_fault_loss_add_queue(self, device, queue, error);
	if (status != PLAIT_OK)
		plaitp_forward_slots.queue_destroy(backend, queue);
	else
		*out = queue;
	return status;
}

static void queue_destroy(plait_backend *backend, plait_backend_queue *queue)
{
	plaitp_fault_loss_destroy_queue(fault_of(backend), backend, queue);
}

/* --- signals */

static plait_status signal_create(plait_backend *backend, uint32_t device,
				  uint32_t flags, plait_backend_signal **out,
				  plait_error *error)
{
	fault *self = fault_of(backend);
	plait_backend_signal *signal = NULL;
	plait_status status = plaitp_forward_slots.signal_create(
		backend, device, flags, &signal, error);

	*out = NULL;
	if (status == PLAIT_OK && (flags & PLAIT_BACKEND_SIGNAL_GATE)) {
		status = plaitp_fault_loss_add_gate(self, signal, error);
		if (status != PLAIT_OK)
			plaitp_forward_slots.signal_destroy(backend, signal);
	}
	if (status == PLAIT_OK)
		*out = signal;
	return status;
}

static void signal_destroy(plait_backend *backend,
			   plait_backend_signal *signal)
{
	fault *self = fault_of(backend);

	plaitp_fault_loss_drop_gate(self, signal);
	plaitp_forward_slots.signal_destroy(backend, signal);
}

static plait_status signal_wait(plait_backend *backend,
				const plait_backend_point *points,
				uint32_t count, uint32_t any,
				uint64_t timeout_ns, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(&self->base, FORWARD_SLOT(signal_wait),
				    error);

	if (status != PLAIT_OK)
		return status;
	plaitp_fault_notice_deliver_late(self, false);
	return self->base.inner_table->signal_wait(
		self->base.inner, points, count, any, timeout_ns, error);
}

static plait_status signal_notify(plait_backend *backend,
				  const plait_backend_point *point,
				  plait_notify_function function,
				  void *user_data, plait_error *error)
{
	fault *self = fault_of(backend);
	const fault_options *options = &self->options;

	if (options->late || options->twice || options->never)
		return plaitp_fault_notice_register(self, point, function,
						    user_data, error);
	return plaitp_forward_slots.signal_notify(backend, point, function,
						  user_data, error);
}

static plait_status signal_raise(plait_backend *backend,
				 const plait_backend_point *point,
				 const plait_error *failure,
				 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status = plaitp_forward_slots.signal_raise(
		backend, point, failure, error);

	if (status == PLAIT_OK)
		plaitp_fault_loss_gate_raised(self, point);
	return status;
}

static plait_status pump(plait_backend *backend, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(&self->base, FORWARD_SLOT(pump), error);

	if (status != PLAIT_OK)
		return status;
	if (!self->base.inner_table->pump)
		return self->base.services->fail(error, PLAIT_E_UNSUPPORTED, 0,
						 "this backend has no pump");
	if (plaitp_fault_notice_deliver_late(self, false))
		return PLAIT_OK;
	status = self->base.inner_table->pump(self->base.inner, error);
	/* The caller has no other work: deliver late notifications now. */
	if (status == PLAIT_PENDING && plaitp_fault_notice_deliver_late(self,
									true))
		return PLAIT_OK;
	return status;
}

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table,
				plait_error *error)
{
	plait_status status =
		plaitp_forward_entry(services, "fault", table, error);

	if (status != PLAIT_OK)
		return status;
	table->wrap = wrap_backend;
	table->close = close_wrapper;
	table->device_query = device_query;
	table->queue_create = queue_create;
	table->queue_destroy = queue_destroy;
	table->signal_create = signal_create;
	table->signal_destroy = signal_destroy;
	table->signal_wait = signal_wait;
	table->signal_notify = signal_notify;
	table->signal_raise = signal_raise;
	table->pump = pump;
	return PLAIT_OK;
}
