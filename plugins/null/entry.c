/* SPDX-License-Identifier: MIT */
/*
 * Template of a backend: every slot in its simplest form.  It has no devices,
 * so open fails; README.md explains how to make a backend out of it.
 */
#include <stddef.h>
#include <string.h>

#include "plait/plugin.h"

#include "null.h"

/* --- life */

static plait_status open_null(plait_host *host,
			      const plait_host_services *services,
			      plait_backend **out, plait_error *error)
{
	(void)host;
	*out = NULL;
	return services->fail(error, PLAIT_E_UNAVAILABLE, 0,
			      "null: a template, it has no devices");
}

static void close_null(plait_backend *self)
{
	(void)self;
}

static uint32_t count_devices(plait_backend *self)
{
	(void)self;
	return 0;
}

static plait_status query_device(plait_backend *self, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	(void)self;
	(void)device;
	(void)out;
	return plaitp_null_refuse(error);
}

/* --- the table */

static void fill_identity(plait_backend_table *table)
{
	table->abi_min = PLAIT_PLUGIN_ABI;
	table->abi_max = PLAIT_PLUGIN_ABI;
	table->abi = PLAIT_PLUGIN_ABI;
	table->sanitizer = PLAIT_SANITIZER_KIND;
	table->pointer_bytes = sizeof(void *);
	table->flags = PLAIT_PLUGIN_EXPLICIT;
	table->priority = 0;
	memcpy(table->name, "null", sizeof("null"));
	memcpy(table->vendor, "plait", sizeof("plait"));
	memcpy(table->version, "0.1.0", sizeof("0.1.0"));
}

static void fill_slots(plait_backend_table *table)
{
	table->open = open_null;
	table->close = close_null;
	table->device_count = count_devices;
	table->device_query = query_device;
	table->memory_create = plaitp_null_memory_create;
	table->memory_destroy = plaitp_null_memory_destroy;
	table->memory_map = plaitp_null_memory_map;
	table->memory_unmap = plaitp_null_memory_unmap;
	table->queue_create = plaitp_null_queue_create;
	table->queue_destroy = plaitp_null_queue_destroy;
	table->queue_submit = plaitp_null_queue_submit;
	table->queue_flush = plaitp_null_queue_flush;
	table->queue_recover = plaitp_null_queue_recover;
	table->signal_create = plaitp_null_signal_create;
	table->signal_destroy = plaitp_null_signal_destroy;
	table->signal_poll = plaitp_null_signal_poll;
	table->signal_wait = plaitp_null_signal_wait;
	table->signal_notify = plaitp_null_signal_notify;
	table->signal_raise = plaitp_null_signal_raise;
	table->signal_reset = plaitp_null_signal_reset;
	table->pump = plaitp_null_pump;
	table->kernel_build = plaitp_null_kernel_build;
	table->kernel_destroy = plaitp_null_kernel_destroy;
	table->kernel_query = plaitp_null_kernel_query;
	table->launch_create = plaitp_null_launch_create;
	table->launch_destroy = plaitp_null_launch_destroy;
	table->native_query = plaitp_null_native_query;
	table->segment_create = plaitp_null_segment_create;
	table->segment_destroy = plaitp_null_segment_destroy;
	table->segment_patch = plaitp_null_segment_patch;
	table->link_query = plaitp_null_link_query;
	table->wrap = NULL;
}

/* An older core has a shorter table, but at least interface 1. */
plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < sizeof(*table))
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "null: talks plugin interface 1 only");
	table->size = sizeof(*table);
	fill_identity(table);
	fill_slots(table);
	return PLAIT_OK;
}
