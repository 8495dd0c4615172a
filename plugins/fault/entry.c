/* SPDX-License-Identifier: MIT */
/*
 * The interposer fault: wrapping, closing, and the slots, each of which asks
 * whether it has to fail and is otherwise the wrapped backend's.
 */
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
	fault *self;

	*out = NULL;
	status = plaitp_fault_options(host, services, &options, error);
	if (status != PLAIT_OK)
		return status;
	self = services->resize(host, NULL, 0, sizeof(*self));
	if (!self)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "fault: no memory");
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	self->inner_table = inner_table;
	self->inner = inner;
	self->options = options;
	self->random = options.seed;
	pthread_mutex_init(&self->lock, NULL);
	pthread_cond_init(&self->never_signalled, NULL);
	pthread_cond_init(&self->received, NULL);
	*out = (plait_backend *)(void *)self;
	return PLAIT_OK;
}

static plait_status open_nothing(plait_host *host,
				 const plait_host_services *services,
				 plait_backend **out, plait_error *error)
{
	(void)host;
	*out = NULL;
	return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
			      "fault wraps a backend and is none itself");
}

static void close_wrapper(plait_backend *backend)
{
	fault *self = fault_of(backend);
	char line[96];

	self->inner_table->close(self->inner);
	plaitp_fault_await_received(self);
	plaitp_fault_drop_late(self);
	snprintf(line, sizeof(line), "fault: %llu calls, %llu of them failed",
		 (unsigned long long)self->calls,
		 (unsigned long long)self->failed);
	self->services->log(self->host, PLAIT_LOG_INFO, line);
	pthread_cond_destroy(&self->received);
	pthread_cond_destroy(&self->never_signalled);
	pthread_mutex_destroy(&self->lock);
	self->services->resize(self->host, self, sizeof(*self), 0);
}

static uint32_t device_count(plait_backend *backend)
{
	fault *self = fault_of(backend);

	return self->inner_table->device_count(self->inner);
}

static plait_status device_query(plait_backend *backend, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_DEVICE_QUERY, error);

	if (status == PLAIT_OK)
		status = self->inner_table->device_query(self->inner, device,
							 out, error);
	/* What it is in here can be lost. */
	if (status == PLAIT_OK && (self->options.lost > 0 ||
				   self->options.status == PLAIT_E_LOST))
		out->capabilities &= ~(uint32_t)PLAIT_CAP_LASTS;
	return status;
}

/* --- memory */

static plait_status memory_create(plait_backend *backend, uint32_t device,
				  const plait_memory_request *request,
				  plait_backend_memory **out,
				  plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_MEMORY_CREATE, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	return self->inner_table->memory_create(self->inner, device, request,
						out, error);
}

static void memory_destroy(plait_backend *backend,
			   plait_backend_memory *memory)
{
	fault *self = fault_of(backend);

	self->inner_table->memory_destroy(self->inner, memory);
}

static plait_status memory_map(plait_backend *backend,
			       plait_backend_memory *memory, uint64_t offset,
			       uint64_t bytes, uint32_t flags, void **out,
			       plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_MEMORY_MAP, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	return self->inner_table->memory_map(self->inner, memory, offset,
					     bytes, flags, out, error);
}

static plait_status memory_unmap(plait_backend *backend,
				 plait_backend_memory *memory, void *pointer,
				 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_MEMORY_UNMAP, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->memory_unmap(self->inner, memory, pointer,
					       error);
}

/* --- queues */

static plait_status queue_create(plait_backend *backend, uint32_t device,
				 const plait_queue_request *request,
				 plait_backend_queue **out,
				 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_QUEUE_CREATE, error);
	plait_backend_queue *queue = NULL;

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->queue_create(self->inner, device, request,
						 &queue, error);
	if (status != PLAIT_OK)
		return status;
	status = plaitp_fault_keep_queue(self, device, queue, error);
	if (status != PLAIT_OK)
		self->inner_table->queue_destroy(self->inner, queue);
	else
		*out = queue;
	return status;
}

static void queue_destroy(plait_backend *backend, plait_backend_queue *queue)
{
	fault *self = fault_of(backend);

	self->inner_table->queue_destroy(self->inner, queue);
	plaitp_fault_drop_queue(self, queue);
}

static plait_status queue_submit(plait_backend *backend,
				 plait_backend_queue *queue,
				 const plait_submission *submissions,
				 uint32_t count, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_QUEUE_SUBMIT, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->queue_submit(self->inner, queue, submissions,
					       count, error);
}

static plait_status queue_flush(plait_backend *backend,
				plait_backend_queue *queue, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_QUEUE_FLUSH, error);

	if (status != PLAIT_OK || !self->inner_table->queue_flush)
		return status;
	return self->inner_table->queue_flush(self->inner, queue, error);
}

static plait_status queue_recover(plait_backend *backend,
				  plait_backend_queue *queue,
				  plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_QUEUE_RECOVER, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->queue_recover(self->inner, queue, error);
}

/* --- signals */

static plait_status signal_create(plait_backend *backend, uint32_t device,
				  uint32_t flags, plait_backend_signal **out,
				  plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SIGNAL_CREATE, error);
	plait_backend_signal *signal = NULL;

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->signal_create(self->inner, device, flags,
						  &signal, error);
	if (status == PLAIT_OK && (flags & PLAIT_BACKEND_SIGNAL_GATE)) {
		status = plaitp_fault_keep_gate(self, signal, error);
		if (status != PLAIT_OK)
			self->inner_table->signal_destroy(self->inner, signal);
	}
	if (status == PLAIT_OK)
		*out = signal;
	return status;
}

static void signal_destroy(plait_backend *backend,
			   plait_backend_signal *signal)
{
	fault *self = fault_of(backend);

	plaitp_fault_drop_gate(self, signal);
	self->inner_table->signal_destroy(self->inner, signal);
}

static plait_status signal_poll(plait_backend *backend,
				const plait_backend_point *point,
				uint64_t *out_reached, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SIGNAL_POLL, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->signal_poll(self->inner, point, out_reached,
					      error);
}

static plait_status signal_wait(plait_backend *backend,
				const plait_backend_point *points,
				uint32_t count, uint32_t any,
				uint64_t timeout_ns, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SIGNAL_WAIT, error);

	if (status != PLAIT_OK)
		return status;
	plaitp_fault_deliver_late(self, false);
	return self->inner_table->signal_wait(self->inner, points, count, any,
					      timeout_ns, error);
}

static plait_status signal_notify(plait_backend *backend,
				  const plait_backend_point *point,
				  plait_notify_function function,
				  void *user_data, plait_error *error)
{
	fault *self = fault_of(backend);
	const fault_options *options = &self->options;
	plait_status status =
		plaitp_fault_choose(self, FAULT_SIGNAL_NOTIFY, error);

	if (status != PLAIT_OK)
		return status;
	if (!self->inner_table->signal_notify)
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "this backend does not notify");
	if (options->late || options->twice || options->never)
		return plaitp_fault_notify(self, point, function, user_data,
					   error);
	return self->inner_table->signal_notify(self->inner, point, function,
						user_data, error);
}

static plait_status signal_raise(plait_backend *backend,
				 const plait_backend_point *point,
				 const plait_error *failure,
				 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SIGNAL_RAISE, error);

	if (status != PLAIT_OK)
		return status;
	if (!self->inner_table->signal_raise)
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "this backend has no gates");
	status = self->inner_table->signal_raise(self->inner, point, failure,
						 error);
	if (status == PLAIT_OK)
		plaitp_fault_raised(self, point);
	return status;
}

static plait_status signal_reset(plait_backend *backend,
				 plait_backend_signal *signal,
				 plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status =
		plaitp_fault_choose(self, FAULT_SIGNAL_RESET, error);

	if (status != PLAIT_OK)
		return status;
	return self->inner_table->signal_reset(self->inner, signal, error);
}

static plait_status pump(plait_backend *backend, plait_error *error)
{
	fault *self = fault_of(backend);
	plait_status status = plaitp_fault_choose(self, FAULT_PUMP, error);

	if (status != PLAIT_OK)
		return status;
	if (!self->inner_table->pump)
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "this backend has no pump");
	if (plaitp_fault_deliver_late(self, false))
		return PLAIT_OK;
	status = self->inner_table->pump(self->inner, error);
	/* Who has nothing else to do is not kept waiting. */
	if (status == PLAIT_PENDING && plaitp_fault_deliver_late(self, true))
		return PLAIT_OK;
	return status;
}

/* --- the table */

static const plait_backend_table full = {
	.size = sizeof(full),
	.abi = PLAIT_PLUGIN_ABI,
	.abi_min = PLAIT_PLUGIN_ABI,
	.abi_max = PLAIT_PLUGIN_ABI,
	.sanitizer = PLAIT_SANITIZER_KIND,
	.pointer_bytes = sizeof(void *),
	.flags = PLAIT_PLUGIN_INTERPOSER | PLAIT_PLUGIN_EXPLICIT,
	.name = "fault",
	.vendor = "plait",
	.version = "0.1.0",
	.open = open_nothing,
	.close = close_wrapper,
	.device_count = device_count,
	.device_query = device_query,
	.memory_create = memory_create,
	.memory_destroy = memory_destroy,
	.memory_map = memory_map,
	.memory_unmap = memory_unmap,
	.queue_create = queue_create,
	.queue_destroy = queue_destroy,
	.queue_submit = queue_submit,
	.queue_flush = queue_flush,
	.queue_recover = queue_recover,
	.signal_create = signal_create,
	.signal_destroy = signal_destroy,
	.signal_poll = signal_poll,
	.signal_wait = signal_wait,
	.signal_notify = signal_notify,
	.signal_raise = signal_raise,
	.signal_reset = signal_reset,
	.pump = pump,
	.wrap = wrap_backend,
	.kernel_build = plaitp_fault_kernel_build,
	.kernel_destroy = plaitp_fault_kernel_destroy,
	.kernel_query = plaitp_fault_kernel_query,
	.launch_create = plaitp_fault_launch_create,
	.launch_destroy = plaitp_fault_launch_destroy,
	.native_query = plaitp_fault_native_query,
	.segment_create = plaitp_fault_segment_create,
	.segment_destroy = plaitp_fault_segment_destroy,
	.segment_patch = plaitp_fault_segment_patch,
	.segment_stop = plaitp_fault_segment_stop,
};

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table,
				plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < full.size)
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "fault talks interface 1 only");
	memcpy(table, &full, full.size);
	return PLAIT_OK;
}
