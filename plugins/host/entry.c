/* SPDX-License-Identifier: MIT */
/* Entry of the host backend: table, open, close, devices. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

plait_status plaitp_host_fail(const plait_host_services *services,
			      plait_error *error, plait_status status,
			      const char *format, ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return services->fail(error, status, 0, text);
}

/* --- life --------------------------------------------------------------- */

static uint64_t machine_memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || page_bytes <= 0)
		return UINT64_MAX;
	return (uint64_t)pages * (uint64_t)page_bytes;
}

static void close_host(plait_backend *self)
{
	pthread_mutex_destroy(&self->lock);
	self->services->resize(self->host, self, sizeof(*self), 0);
}

static plait_status open_host(plait_host *host,
			      const plait_host_services *services,
			      plait_backend **out, plait_error *error)
{
	struct host_options options;
	plait_backend *self;
	plait_status status;

	*out = NULL;
	status = plaitp_host_options_read(host, services, &options, error);
	if (status != PLAIT_OK)
		return status;
	self = services->resize(host, NULL, 0, sizeof(*self));
	if (self == NULL)
		return plaitp_host_fail(services, error, PLAIT_E_NOMEM,
					"host: no memory for %zu bytes",
					sizeof(*self));
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	pthread_mutex_init(&self->lock, NULL);
	self->device_count = (uint32_t)options.devices;
	self->memory_bytes = options.memory_bytes;
	if (self->memory_bytes == 0)
		self->memory_bytes = machine_memory_bytes();
	status = plaitp_host_topology_use(self, &options, error);
	if (status != PLAIT_OK) {
		close_host(self);
		return status;
	}
	*out = self;
	return PLAIT_OK;
}

static uint32_t count_devices(plait_backend *self)
{
	return self->device_count;
}

/* Orders of magnitude; a program that needs more measures. */
enum { SUBMIT_NS = 100, COMMAND_NS = 10, HOP_NS = 150 };

/* Limit of local memory.  A thread keeps a block of this size at most for each
 * call that it is in. */
enum { LOCAL_BYTES = 1 << 20 };

static plait_status query_device(plait_backend *self, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	uint32_t workers = self->services->worker_count(self->host);
	plait_backend_device known = {
		.size = sizeof(known),
		.capabilities = PLAIT_CAP_MAP | PLAIT_CAP_WRAP |
				PLAIT_CAP_HOST_CALL | PLAIT_CAP_GATE |
				PLAIT_CAP_NOTIFY | PLAIT_CAP_NATIVE |
				PLAIT_CAP_ROWS | PLAIT_CAP_LASTS |
				PLAIT_CAP_HOST | PLAIT_CAP_IMAGE,
		.parallel = workers != 0 ? workers : 1,
		.memory_bytes = self->memory_bytes,
		.alignment_bytes = HOST_ALIGNMENT_BYTES,
		.local_bytes = LOCAL_BYTES,
		.submit_ns = SUBMIT_NS,
		.command_ns = COMMAND_NS,
		.hop_ns = HOP_NS
	};
	uint32_t bytes = out->size;

	if (device >= self->device_count)
		return plaitp_host_fail(self->services, error, PLAIT_E_INVALID,
					"host: device %u of %u", device,
					self->device_count);
	if (workers == 0)
		known.capabilities |= PLAIT_CAP_NEEDS_PUMP;
	memcpy(known.description, self->description,
	       sizeof(known.description));
	/* The record of the core may be shorter or longer than ours. */
	if (bytes == 0 || bytes > sizeof(known))
		bytes = sizeof(known);
	known.size = bytes;
	memcpy(out, &known, bytes);
	return PLAIT_OK;
}

/* --- the table ---------------------------------------------------------- */

static void fill_identity(plait_backend_table *table)
{
	table->abi_min = PLAIT_PLUGIN_ABI;
	table->abi_max = PLAIT_PLUGIN_ABI;
	table->abi = PLAIT_PLUGIN_ABI;
	table->sanitizer = PLAIT_SANITIZER_KIND;
	table->pointer_bytes = sizeof(void *);
	table->priority = 10;
	memcpy(table->name, "host", sizeof("host"));
	memcpy(table->vendor, "plait", sizeof("plait"));
	memcpy(table->version, "0.1.0", sizeof("0.1.0"));
}

static void fill_slots(plait_backend_table *table)
{
	table->open = open_host;
	table->close = close_host;
	table->device_count = count_devices;
	table->device_query = query_device;
	table->memory_create = plaitp_host_memory_create;
	table->memory_destroy = plaitp_host_memory_destroy;
	table->memory_map = plaitp_host_memory_map;
	table->memory_unmap = plaitp_host_memory_unmap;
	table->queue_create = plaitp_host_queue_create;
	table->queue_destroy = plaitp_host_queue_destroy;
	table->queue_submit = plaitp_host_queue_submit;
	table->queue_recover = plaitp_host_queue_recover;
	table->signal_create = plaitp_host_signal_create;
	table->signal_destroy = plaitp_host_signal_destroy;
	table->signal_poll = plaitp_host_signal_poll;
	table->signal_wait = plaitp_host_signal_wait;
	table->signal_notify = plaitp_host_signal_notify;
	table->signal_raise = plaitp_host_signal_raise;
	table->signal_reset = plaitp_host_signal_reset;
	table->pump = plaitp_host_pump;
	table->native_query = plaitp_host_native_query;
}

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < sizeof(*table))
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "host: talks plugin interface 1 only");
	table->size = sizeof(*table);
	fill_identity(table);
	fill_slots(table);
	return PLAIT_OK;
}
