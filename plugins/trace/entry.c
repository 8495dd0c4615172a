/* SPDX-License-Identifier: MIT */
/*
 * The interposer trace: wrapping, closing, devices, memory, queues, the table.
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
		snprintf(line, sizeof(line), "trace: option %s=%.60s: a number "
			 "up to %llu is wanted", key, text,
			 (unsigned long long)max);
		return services->fail(error, PLAIT_E_INVALID, 0, line);
	}
	*value = read;
	return PLAIT_OK;
}

static plait_status read_options(trace *self, plait_error *error)
{
	const char *path = self->services->option(self->host, "file");
	uint64_t emissions = 0;
	plait_status status;

	if (path) {
		self->path_bytes = strlen(path) + 1;
		self->path = self->services->resize(self->host, NULL, 0,
						    self->path_bytes);
		if (!self->path)
			return self->services->fail(error, PLAIT_E_NOMEM, 0,
						    "trace: no memory");
		memcpy(self->path, path, self->path_bytes);
	} else {
		self->services->log(self->host, PLAIT_LOG_WARNING,
				    "trace: no file is named, so events are "
				    "only counted; set the option trace:file");
	}
	self->limit = 65536;
	status = read_number(self->host, self->services, "limit",
			     UINT64_C(1) << 32, &self->limit, error);
	if (status == PLAIT_OK)
		status = read_number(self->host, self->services, "emissions",
				     1, &emissions, error);
	self->emissions = emissions;
	return status;
}

static void free_self(trace *self)
{
	plaitp_trace_calls_free(self);
	plaitp_trace_names_free(self);
	plaitp_trace_free(self);
	if (self->path)
		self->services->resize(self->host, self->path,
				       self->path_bytes, 0);
	pthread_mutex_destroy(&self->lock);
	self->services->resize(self->host, self, sizeof(*self), 0);
}

static plait_status wrap_backend(plait_host *host,
				 const plait_host_services *services,
				 const plait_backend_table *inner_table,
				 plait_backend *inner, plait_backend **out,
				 plait_error *error)
{
	trace *self = services->resize(host, NULL, 0, sizeof(*self));
	plait_status status;

	*out = NULL;
	if (!self)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "trace: no memory");
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	self->inner_table = inner_table;
	self->inner = inner;
	pthread_mutex_init(&self->lock, NULL);
	status = read_options(self, error);
	if (status == PLAIT_OK)
		status = plaitp_trace_prepare(self, error);
	if (status != PLAIT_OK) {
		free_self(self);
		return status;
	}
	self->start_ns = services->clock_ns(host);
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
			      "trace wraps a backend and is none itself");
}

static void close_wrapper(plait_backend *backend)
{
	trace *self = trace_of(backend);
	char line[128];

	if (self->path)
		plaitp_trace_write(self);
	snprintf(line, sizeof(line), "trace: %llu events, %llu more than the "
		 "limit of %llu", (unsigned long long)self->count,
		 (unsigned long long)self->dropped,
		 (unsigned long long)self->limit);
	self->services->log(self->host, self->dropped ? PLAIT_LOG_WARNING :
			    PLAIT_LOG_INFO, line);
	self->inner_table->close(self->inner);
	free_self(self);
}

static uint32_t device_count(plait_backend *backend)
{
	trace *self = trace_of(backend);

	return self->inner_table->device_count(self->inner);
}

static plait_status device_query(plait_backend *backend, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->device_query(self->inner, device, out,
					       error);
}

/* --- memory */

static plait_status memory_create(plait_backend *backend, uint32_t device,
				  const plait_memory_request *request,
				  plait_backend_memory **out,
				  plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->memory_create(self->inner, device, request,
						out, error);
}

static void memory_destroy(plait_backend *backend,
			   plait_backend_memory *memory)
{
	trace *self = trace_of(backend);

	self->inner_table->memory_destroy(self->inner, memory);
}

static plait_status memory_map(plait_backend *backend,
			       plait_backend_memory *memory, uint64_t offset,
			       uint64_t bytes, uint32_t flags, void **out,
			       plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->memory_map(self->inner, memory, offset,
					     bytes, flags, out, error);
}

static plait_status memory_unmap(plait_backend *backend,
				 plait_backend_memory *memory, void *pointer,
				 plait_error *error)
{
	trace *self = trace_of(backend);

	return self->inner_table->memory_unmap(self->inner, memory, pointer,
					       error);
}

/* --- queues */

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
	/* Markers take room, too. */
	if (self->emissions && mine.capacity <= UINT64_MAX / 2)
		mine.capacity *= 2;
	status = self->inner_table->queue_create(self->inner, device, &mine,
						 &queue, error);
	if (status != PLAIT_OK)
		return status;
	status = plaitp_trace_name_add(self, queue, device, true,
				       request->label, error);
	if (status != PLAIT_OK)
		self->inner_table->queue_destroy(self->inner, queue);
	else
		*out = queue;
	return status;
}

static void queue_destroy(plait_backend *backend, plait_backend_queue *queue)
{
	trace *self = trace_of(backend);
	uint64_t number = plaitp_trace_number(self, queue);

	plaitp_trace_name_retire(self, queue);
	self->inner_table->queue_destroy(self->inner, queue);
	plaitp_trace_drop_calls(self, number, 0);
}

static plait_status queue_flush(plait_backend *backend,
				plait_backend_queue *queue, plait_error *error)
{
	trace *self = trace_of(backend);

	if (!self->inner_table->queue_flush)
		return PLAIT_OK;
	return self->inner_table->queue_flush(self->inner, queue, error);
}

static plait_status queue_recover(plait_backend *backend,
				  plait_backend_queue *queue,
				  plait_error *error)
{
	trace *self = trace_of(backend);
	plait_status status = self->inner_table->queue_recover(
		self->inner, queue, error);

	/* What was skipped behind a failure never runs. */
	if (status == PLAIT_OK)
		plaitp_trace_drop_calls(self,
					plaitp_trace_number(self, queue), 0);
	return status;
}

static plait_status pump(plait_backend *backend, plait_error *error)
{
	trace *self = trace_of(backend);

	if (!self->inner_table->pump)
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "this backend has no pump");
	return self->inner_table->pump(self->inner, error);
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
	.name = "trace",
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
	.queue_submit = plaitp_trace_submit,
	.queue_flush = queue_flush,
	.queue_recover = queue_recover,
	.signal_create = plaitp_trace_signal_create,
	.signal_destroy = plaitp_trace_signal_destroy,
	.signal_poll = plaitp_trace_signal_poll,
	.signal_wait = plaitp_trace_signal_wait,
	.signal_notify = plaitp_trace_signal_notify,
	.signal_raise = plaitp_trace_signal_raise,
	.signal_reset = plaitp_trace_signal_reset,
	.pump = pump,
	.wrap = wrap_backend,
	.kernel_build = plaitp_trace_kernel_build,
	.kernel_destroy = plaitp_trace_kernel_destroy,
	.kernel_query = plaitp_trace_kernel_query,
	.launch_create = plaitp_trace_launch_create,
	.launch_destroy = plaitp_trace_launch_destroy,
	.native_query = plaitp_trace_native_query,
	.segment_create = plaitp_trace_segment_create,
	.segment_destroy = plaitp_trace_segment_destroy,
	.segment_patch = plaitp_trace_segment_patch,
	.segment_stop = plaitp_trace_segment_stop,
};

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table,
				plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < full.size)
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "trace talks interface 1 only");
	memcpy(table, &full, full.size);
	return PLAIT_OK;
}
