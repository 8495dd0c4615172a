/* SPDX-License-Identifier: MIT */
/* Entry of the interposer check: wrap, close, devices, the table. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "port.h"

static plait_status read_devices(check *self, plait_error *error)
{
	uint32_t count = self->device_count;

	self->devices = self->services->resize(
		self->host, NULL, 0,
		1 + (uint64_t)count * sizeof(*self->devices));
	if (!self->devices)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory for devices");
	for (uint32_t i = 0; i < count; i++) {
		plait_status status;

		memset(&self->devices[i], 0, sizeof(self->devices[i]));
		self->devices[i].size = sizeof(self->devices[i]);
		status = self->inner_table->device_query(
			self->inner, i, &self->devices[i], error);
		if (status != PLAIT_OK)
			return status;
		self->devices[i].size = sizeof(self->devices[i]);
	}
	return PLAIT_OK;
}

static void free_self(check *self)
{
	plait_host *host = self->host;

	plaitp_check_object_free_all(self);
	if (self->devices)
		self->services->resize(host, self->devices, 1 +
				       (uint64_t)self->device_count *
				       sizeof(*self->devices), 0);
	pthread_mutex_destroy(&self->lock);
	self->services->resize(host, self, sizeof(*self), 0);
}

static plait_status wrap_backend(plait_host *host,
				 const plait_host_services *services,
				 const plait_backend_table *inner_table,
				 plait_backend *inner, plait_backend **out,
				 plait_error *error)
{
	check *self = services->resize(host, NULL, 0, sizeof(*self));
	plait_status status;

	*out = NULL;
	if (!self)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "check: no memory");
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	self->inner_table = inner_table;
	self->inner = inner;
	self->device_count = inner_table->device_count ?
		inner_table->device_count(inner) : 0;
	self->buckets = self->first_buckets;
	self->bucket_bits = CHECK_FIRST_BITS;
	pthread_mutex_init(&self->lock, NULL);
	status = read_devices(self, error);
	if (status != PLAIT_OK) {
		free_self(self);
		return status;
	}
	*out = (plait_backend *)(void *)self;
	return PLAIT_OK;
}

static plait_status refuse_open(plait_host *host,
				const plait_host_services *services,
				plait_backend **out, plait_error *error)
{
	(void)host;
	*out = NULL;
	return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
			      "check: an interposer has no devices; name it in "
			      "PLAIT_WRAP to wrap another backend");
}

static void check_left_over(check *self)
{
	static const char *const kinds[] = { "memories", "queues", "signals",
					     "kernels", "launches",
					     "segments", "ports", "links" };

	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (self->live[i] > 0)
			plaitp_check_report(self, CHECK_CORE, "close",
					    "%llu %s were not destroyed",
					    (unsigned long long)self->live[i],
					    kinds[i]);
}

/* Batches left in the model are retracted before the backend closes. */
static void close_wrapper(plait_backend *backend)
{
	check *self = check_of(backend);
	uint64_t violations;
	char line[160];

	plaitp_check_enter(self, "close");
	check_left_over(self);
	while (self->queues) {
		check_queue *queue = self->queues;

		while (queue->head)
			plaitp_check_model_retract(self, queue, queue->head);
		self->queues = queue->next;
	}
	plaitp_check_leave(self);
	self->inner_table->close(self->inner);
	violations = self->violations[CHECK_CORE] +
		self->violations[CHECK_BACKEND] +
		self->violations[CHECK_EITHER];
	snprintf(line, sizeof(line),
		 "check: %llu calls; broken rules: %llu by the core, %llu by "
		 "the backend, %llu by one of them",
		 (unsigned long long)self->calls,
		 (unsigned long long)self->violations[CHECK_CORE],
		 (unsigned long long)self->violations[CHECK_BACKEND],
		 (unsigned long long)self->violations[CHECK_EITHER]);
	self->services->log(self->host, violations ? PLAIT_LOG_ERROR :
			    PLAIT_LOG_INFO, line);
	free_self(self);
}

static uint32_t device_count(plait_backend *backend)
{
	check *self = check_of(backend);
	uint32_t count = self->inner_table->device_count(self->inner);

	plaitp_check_enter(self, "device_count");
	if (count != self->device_count)
		plaitp_check_report(
			self, CHECK_BACKEND, "device_count",
			"returned %u devices before and %u now (P-L09)",
			self->device_count, count);
	plaitp_check_leave(self);
	return self->device_count;
}

/* The call is counted, and reported inside a notification; the backend is called
 * without the lock. */
static plait_status device_query(plait_backend *backend, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status;

	plaitp_check_enter(self, "device_query");
	plaitp_check_leave(self);
	status = self->inner_table->device_query(self->inner, device, out,
						 &mine);
	return plaitp_check_result(self, "device_query", status, false, &mine,
				   error);
}

/* PLAIT_LINK_HOST is a number above those of devices. */
static bool is_end(const check *self, uint32_t end)
{
	return end < self->device_count || end == PLAIT_LINK_HOST;
}

/* Called like device_query. */
static plait_status link_query(plait_backend *backend, uint32_t from,
			       uint32_t to, plait_link_info *out,
			       plait_error *error)
{
	static const char slot[] = "link_query";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status;

	plaitp_check_enter(self, slot);
	if (!is_end(self, from) || !is_end(self, to) || from == to)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "asks for the link from %u to %u of %u "
				    "devices (P-T01)", from, to,
				    self->device_count);
	plaitp_check_leave(self);
	if (!self->inner_table->link_query)
		return PLAIT_OK;
	status = self->inner_table->link_query(self->inner, from, to, out,
					       &mine);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}

/* Called by any thread, while the backend lives. */
static void host_span(plait_backend *backend, const char *owner,
		      const char *label, const plait_work_times *times)
{
	static const char slot[] = "host_span";
	check *self = check_of(backend);

	plaitp_check_enter(self, slot);
	if (!owner || !label || times->end_ns < times->start_ns)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "tells of a span that has no name, or ends "
				    "before it begins");
	plaitp_check_leave(self);
	if (self->inner_table->host_span)
		self->inner_table->host_span(self->inner, owner, label, times);
}

static const plait_backend_table full = {
	.size = sizeof(full),
	.abi = PLAIT_PLUGIN_ABI,
	.abi_min = PLAIT_PLUGIN_ABI,
	.abi_max = PLAIT_PLUGIN_ABI,
	.sanitizer = PLAIT_SANITIZER_KIND,
	.pointer_bytes = sizeof(void *),
	.flags = PLAIT_PLUGIN_INTERPOSER | PLAIT_PLUGIN_EXPLICIT,
	.name = "check",
	.vendor = "plait",
	.version = "0.1.0",
	.open = refuse_open,
	.close = close_wrapper,
	.device_count = device_count,
	.device_query = device_query,
	.memory_create = plaitp_check_memory_create,
	.memory_destroy = plaitp_check_memory_destroy,
	.memory_map = plaitp_check_memory_map,
	.memory_unmap = plaitp_check_memory_unmap,
	.queue_create = plaitp_check_queue_create,
	.queue_destroy = plaitp_check_queue_destroy,
	.queue_submit = plaitp_check_queue_submit,
	.queue_flush = plaitp_check_queue_flush,
	.queue_recover = plaitp_check_queue_recover,
	.signal_create = plaitp_check_signal_create,
	.signal_destroy = plaitp_check_signal_destroy,
	.signal_poll = plaitp_check_signal_poll,
	.signal_wait = plaitp_check_signal_wait,
	.signal_notify = plaitp_check_signal_notify,
	.signal_raise = plaitp_check_signal_raise,
	.signal_reset = plaitp_check_signal_reset,
	.pump = plaitp_check_pump,
	.wrap = wrap_backend,
	.kernel_build = plaitp_check_kernel_build,
	.kernel_destroy = plaitp_check_kernel_destroy,
	.kernel_query = plaitp_check_kernel_query,
	.launch_create = plaitp_check_launch_create,
	.launch_destroy = plaitp_check_launch_destroy,
	.native_query = plaitp_check_native_query,
	.segment_create = plaitp_check_segment_create,
	.segment_destroy = plaitp_check_segment_destroy,
	.segment_patch = plaitp_check_segment_patch,
	.segment_stop = plaitp_check_segment_stop,
	.wait_in_driver = plaitp_check_wait_in_driver,
	.signal_label = plaitp_check_signal_label,
	.link_query = link_query,
	.port_open = plaitp_check_port_open,
	.port_close = plaitp_check_port_close,
	.port_query = plaitp_check_port_query,
	.mail_send = plaitp_check_mail_send,
	.mail_next = plaitp_check_mail_next,
	.link_create = plaitp_check_link_create,
	.link_destroy = plaitp_check_link_destroy,
	.link_view = plaitp_check_link_view,
	.peer_query = plaitp_check_peer_query,
	.host_span = host_span,
	.link_lend = plaitp_check_link_lend,
	.link_reclaim = plaitp_check_link_reclaim,
	.shared_create = plaitp_check_shared_create,
	.shared_destroy = plaitp_check_shared_destroy,
	.shared_map = plaitp_check_shared_map,
	.shared_unmap = plaitp_check_shared_unmap,
};

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table,
				plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < full.size)
		return services->fail(
			error, PLAIT_E_UNSUPPORTED, 0,
			"check: only plugin interface 1 is supported");
	memcpy(table, &full, full.size);
	return PLAIT_OK;
}
