/* SPDX-License-Identifier: MIT */
/*
 * Entry of the interposer trace: options, wrap, close, overrides of queue
 * slots.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/* --- life */

static plait_status read_number(plait_host *host,
				const plait_host_services *services,
				const char *key, uint64_t max, uint64_t *value,
				plait_error *error)
{
	const char *text = services->option(host, key);
	char line[160], *end;
	uint64_t read;

	if (!text)
		return PLAIT_OK;
	errno = 0;
	read = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || read > max) {
		snprintf(line, sizeof(line), "trace: option %s=%.60s: expected "
			 "a number up to %llu", key, text,
			 (unsigned long long)max);
		return services->fail(error, PLAIT_E_INVALID, 0, line);
	}
	*value = read;
	return PLAIT_OK;
}

static plait_status read_options(trace *self, plait_error *error)
{
	const char *path = self->base.services->option(self->base.host, "file");
	uint64_t emissions = 0;
	plait_status status;

	if (path) {
		self->path_bytes = strlen(path) + 1;
		self->path = forward_resize(&self->base, NULL, 0,
					    self->path_bytes);
		if (!self->path)
			return self->base.services->fail(
				error, PLAIT_E_NOMEM, 0, "trace: no memory");
		memcpy(self->path, path, self->path_bytes);
	} else {
		forward_log(&self->base, PLAIT_LOG_WARNING,
			    "trace: no file is named, so events are "
			    "only counted; set the option trace:file");
	}
	self->limit = 65536;
	status = read_number(self->base.host, self->base.services, "limit",
			     UINT64_C(1) << 32, &self->limit, error);
	if (status == PLAIT_OK)
		status = read_number(self->base.host, self->base.services,
				     "emissions", 1, &emissions, error);
	self->emissions = emissions;
	return status;
}

/* Times of commands come from markers where commands run on host threads. */
bool plaitp_trace_marks(const trace *self, uint32_t device)
{
	return device < self->device_count &&
	       (self->capabilities[device] &
		(PLAIT_CAP_HOST | PLAIT_CAP_VIRTUAL_TIME)) != 0 &&
	       (self->capabilities[device] & PLAIT_CAP_HOST_CALL) != 0;
}

static plait_status read_devices(trace *self, plait_error *error)
{
	const plait_backend_table *table = self->base.inner_table;
	uint32_t count = table->device_count(self->base.inner);

	/* A transport has no devices. */
	if (count == 0)
		return PLAIT_OK;
	self->device_bytes = count * sizeof(*self->capabilities);
	self->capabilities = forward_resize(&self->base, NULL, 0,
					    self->device_bytes);
	if (!self->capabilities)
		return self->base.services->fail(error, PLAIT_E_NOMEM, 0,
						 "trace: no memory");
	self->device_count = count;
	for (uint32_t i = 0; i < count; i++) {
		plait_backend_device device = { .size = sizeof(device) };
		plait_status status = table->device_query(self->base.inner, i,
							  &device, error);

		if (status != PLAIT_OK)
			return status;
		self->capabilities[i] = device.capabilities;
	}
	return PLAIT_OK;
}

static void free_self(trace *self)
{
	plaitp_trace_submit_free_calls(self);
	plaitp_trace_name_free_all(self);
	plaitp_trace_record_free(self);
	if (self->path)
		forward_resize(&self->base, self->path, self->path_bytes, 0);
	if (self->capabilities)
		forward_resize(&self->base, self->capabilities,
			       self->device_bytes, 0);
	pthread_mutex_destroy(&self->lock);
	forward_resize(&self->base, self, sizeof(*self), 0);
}

static plait_status wrap_backend(plait_host *host,
				 const plait_host_services *services,
				 const plait_backend_table *inner_table,
				 plait_backend *inner, plait_backend **out,
				 plait_error *error)
{
	trace *self = plaitp_forward_create(host, services, inner_table, inner,
					    sizeof(*self), error);
	plait_status status;

	*out = NULL;
	if (!self)
		return PLAIT_E_NOMEM;
	pthread_mutex_init(&self->lock, NULL);
	status = read_options(self, error);
	if (status == PLAIT_OK)
		status = read_devices(self, error);
	if (status == PLAIT_OK)
		status = plaitp_trace_record_prepare(self, error);
	if (status != PLAIT_OK) {
		free_self(self);
		return status;
	}
	self->start_ns = services->clock_ns(host);
	plaitp_trace_exit_add(self);
	*out = (plait_backend *)(void *)self;
	return PLAIT_OK;
}

static void close_wrapper(plait_backend *backend)
{
	trace *self = trace_of(backend);
	char line[128];

	/* A backend may write times of commands until then. */
	self->base.inner_table->close(self->base.inner);
	plaitp_trace_exit_remove(self);
	snprintf(line, sizeof(line), "trace: %llu events, %llu more than the "
		 "limit of %llu", (unsigned long long)self->count,
		 (unsigned long long)self->dropped,
		 (unsigned long long)self->limit);
	forward_log(&self->base, self->dropped ? PLAIT_LOG_WARNING :
		    PLAIT_LOG_INFO, line);
	free_self(self);
}

/* Each command has its own time, so none is repeated in a submission. */
static plait_status device_query(plait_backend *backend, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	plait_status status =
		plaitp_forward_slots.device_query(backend, device, out, error);

	if (status == PLAIT_OK && out->size >= offsetof(plait_backend_device,
							 reserved1))
		out->repeats = 0;
	return status;
}

/* --- queues */

/* Prepare to hold the capacity that the core asked for. */
static plait_status count_work(trace *self, plait_backend_queue *queue,
			       uint64_t capacity, plait_error *error)
{
	trace_name *name = plaitp_trace_name_find(self, queue);
	plait_status status = self->base.inner_table->signal_create(
		self->base.inner, name->device, 0, &name->done, error);

	name->capacity = capacity;
	if (status == PLAIT_OK)
		return PLAIT_OK;
	name->done = NULL;
	plaitp_trace_name_retire(self, queue);
	return status;
}

static plait_status queue_create(plait_backend *backend, uint32_t device,
				 const plait_queue_request *request,
				 plait_backend_queue **out,
				 plait_error *error)
{
	trace *self = trace_of(backend);
	plait_queue_request mine = { .size = sizeof(mine) };
	plait_backend_queue *queue = NULL;
	plait_status status;

	*out = NULL;
	memcpy(&mine, request, request->size < sizeof(mine) ?
	       request->size : sizeof(mine));
	mine.size = sizeof(mine);
	mine.flags |= PLAIT_QUEUE_TIMES;
	/* Markers need room too. */
	if ((self->emissions || plaitp_trace_marks(self, device)) &&
	    mine.capacity <= UINT64_MAX / 4)
		mine.capacity *= 4;
	status = plaitp_forward_slots.queue_create(backend, device, &mine,
						   &queue, error);
	if (status != PLAIT_OK)
		return status;
	status = plaitp_trace_name_add(self, queue, device, true,
				       request->label, error);
	if (status == PLAIT_OK && plaitp_trace_marks(self, device))
		status = count_work(self, queue, request->capacity, error);
	if (status != PLAIT_OK)
		plaitp_forward_slots.queue_destroy(backend, queue);
	else
		*out = queue;
	return status;
}

static void queue_destroy(plait_backend *backend, plait_backend_queue *queue)
{
	trace *self = trace_of(backend);
	trace_name *name = plaitp_trace_name_find(self, queue);

	plaitp_trace_name_retire(self, queue);
	plaitp_forward_slots.queue_destroy(backend, queue);
	if (name->done)
		self->base.inner_table->signal_destroy(self->base.inner,
						       name->done);
	plaitp_trace_submit_drop_calls(self, name->number, 0);
}

static plait_status queue_recover(plait_backend *backend,
				  plait_backend_queue *queue,
				  plait_error *error)
{
	trace *self = trace_of(backend);
	plait_status status = plaitp_forward_slots.queue_recover(
		backend, queue, error);

	const trace_name *name = plaitp_trace_name_find(self, queue);
	plait_error ignored = { .size = sizeof(ignored) };

	if (status == PLAIT_OK && name->done)
		(void)self->base.inner_table->signal_reset(
			self->base.inner, name->done, &ignored);
	/* Calls that were skipped behind a failure never run. */
	if (status == PLAIT_OK)
		plaitp_trace_submit_drop_calls(
			self, plaitp_trace_name_number(self, queue), 0);
	return status;
}

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table,
				plait_error *error)
{
	plait_status status =
		plaitp_forward_entry(services, "trace", table, error);

	if (status != PLAIT_OK)
		return status;
	table->wrap = wrap_backend;
	table->close = close_wrapper;
	table->device_query = device_query;
	table->queue_create = queue_create;
	table->queue_destroy = queue_destroy;
	table->queue_submit = plaitp_trace_submit;
	table->queue_recover = queue_recover;
	table->signal_create = plaitp_trace_signal_create;
	table->signal_destroy = plaitp_trace_signal_destroy;
	table->signal_label = plaitp_trace_signal_label;
	table->signal_poll = plaitp_trace_signal_poll;
	table->signal_wait = plaitp_trace_signal_wait;
	table->signal_notify = plaitp_trace_signal_notify;
	table->signal_raise = plaitp_trace_signal_raise;
	table->host_span = plaitp_trace_span;
	return PLAIT_OK;
}
