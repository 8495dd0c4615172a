/* SPDX-License-Identifier: MIT */
/* Entry point and table of the OpenCL backend; opening and closing. */
#include <stddef.h>
#include <string.h>

#include "driven/process_state.h"

#include "segment.h"

/* --- opening and closing -------------------------------------------------- */

static void free_backend(plait_backend *self)
{
	self->services->resize(self->host, self, sizeof(*self), 0);
}

/* Also after a failure to open, which plaitp_driven_close permits. */
static void close_opencl(plait_backend *self)
{
	uint32_t i;

	plaitp_driven_close(&self->driven);
	for (i = 0; i < self->device_count; i++)
		plaitp_opencl_segment_log(self, &self->devices[i]);
	plaitp_opencl_close_devices(self);
	pthread_mutex_destroy(&self->events_lock);
	pthread_mutex_destroy(&self->shift_lock);
	pthread_mutex_destroy(&self->programs_lock);
	pthread_mutex_destroy(&self->arguments_lock);
	pthread_mutex_destroy(&self->accounting_lock);
	free_backend(self);
}

static plait_status open_driver(plait_backend *self, plait_error *error)
{
	struct driven_process_state before;
	struct opencl_options options;
	plait_status status = plaitp_opencl_options(self, &options, error);

	if (status == PLAIT_OK)
		status = plaitp_driven_process_save(&self->driven, &before,
						    error);
	if (status != PLAIT_OK)
		return status;
	status = plaitp_opencl_load(self, options.loader, error);
	if (status == PLAIT_OK)
		status = plaitp_opencl_open_devices(self, &options, error);
	plaitp_driven_process_restore(&self->driven, &before);
	return status;
}

/* After a failed open_driver there are no locks yet: free_backend suffices. */
static plait_status open_opencl(plait_host *host,
				const plait_host_services *services,
				plait_backend **out, plait_error *error)
{
	plait_backend *self = services->resize(host, NULL, 0, sizeof(*self));
	plait_status status;

	*out = NULL;
	if (self == NULL)
		return plaitp_driven_fail(services, error, PLAIT_E_NOMEM, 0,
					  "opencl: no memory for %zu bytes",
					  sizeof(*self));
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	status = open_driver(self, error);
	if (status != PLAIT_OK) {
		free_backend(self);
		return status;
	}
	pthread_mutex_init(&self->accounting_lock, NULL);
	pthread_mutex_init(&self->arguments_lock, NULL);
	pthread_mutex_init(&self->programs_lock, NULL);
	pthread_mutex_init(&self->shift_lock, NULL);
	pthread_mutex_init(&self->events_lock, NULL);
	status = plaitp_driven_open(&self->driven, &plaitp_opencl_ops,
				    error);
	if (status == PLAIT_OK)
		*out = self;
	else
		close_opencl(self);
	return status;
}

/* --- the table ------------------------------------------------------------ */

static void fill_slots(plait_backend_table *table)
{
	table->open = open_opencl;
	table->close = close_opencl;
	table->device_count = plaitp_opencl_device_count;
	table->device_query = plaitp_opencl_device_query;
	table->memory_create = plaitp_opencl_memory_create;
	table->memory_destroy = plaitp_opencl_memory_destroy;
	table->memory_map = plaitp_opencl_memory_map;
	table->memory_unmap = plaitp_opencl_memory_unmap;
	plaitp_driven_fill_slots(table);
	table->kernel_build = plaitp_opencl_kernel_build;
	table->kernel_destroy = plaitp_opencl_kernel_destroy;
	table->kernel_query = plaitp_opencl_kernel_query;
	table->launch_create = plaitp_opencl_launch_create;
	table->launch_destroy = plaitp_opencl_launch_destroy;
	table->native_query = plaitp_opencl_native_query;
	table->link_query = plaitp_opencl_link_query;
	table->segment_create = plaitp_opencl_segment_create;
	table->segment_destroy = plaitp_opencl_segment_destroy;
	table->segment_patch = plaitp_opencl_segment_patch;
}

/*
 * Explicit: most machines have OpenCL for the processor only, which the host
 * backend uses better, and probing loads the driver's compiler.
 */
plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	plait_status status = plaitp_driven_check_abi(services, table, "opencl",
						      error);

	if (status != PLAIT_OK)
		return status;
	table->flags = PLAIT_PLUGIN_EXPLICIT;
	table->priority = 50;
	fill_slots(table);
	return PLAIT_OK;
}
