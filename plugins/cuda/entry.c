/* SPDX-License-Identifier: MIT */
/* Entry point and table of the CUDA backend; opening and closing. */
#include <stddef.h>
#include <string.h>

#include "driven/process_state.h"

#include "copy_host.h"
#include "segment.h"

/* --- opening and closing -------------------------------------------------- */

static void free_backend(plait_backend *self)
{
	pthread_mutex_destroy(&self->compiler.lock);
	pthread_mutex_destroy(&self->pages_lock);
	pthread_mutex_destroy(&self->contexts_lock);
	pthread_mutex_destroy(&self->accounting_lock);
	self->services->resize(self->host, self, sizeof(*self), 0);
}

static void close_cuda(plait_backend *self)
{
	plaitp_cuda_close_copier(self);
	plaitp_driven_close(&self->driven);
	plaitp_cuda_close_devices(self);
	free_backend(self);
}

/* Threads that the driver starts here have the program's signals blocked. */
static plait_status open_driver(plait_backend *self, plait_error *error)
{
	struct driven_process_state before;
	struct cuda_options options;
	plait_status status = plaitp_cuda_options(self, &options, error);

	if (status == PLAIT_OK)
		status = plaitp_driven_process_save(&self->driven, &before,
						    error);
	if (status != PLAIT_OK)
		return status;
	self->nvrtc = options.nvrtc;
	self->strict = options.strict;
	self->fills_by_calls = options.fills_by_calls;
	self->marks_each = options.marks_each;
	self->pilots_each = options.pilots_each;
	self->pilots_direct = options.pilots_direct;
	self->copies_alone = options.copies_alone;
	self->look_ns = options.look_ns;
	status = plaitp_cuda_load(self, options.driver, error);
	if (status == PLAIT_OK)
		status = plaitp_cuda_open_devices(self, &options, error);
	plaitp_driven_process_restore(&self->driven, &before);
	return status;
}

/* Until plaitp_driven_open no thread or lane has to be closed: free_backend
 * suffices. */
static plait_status open_cuda(plait_host *host,
			      const plait_host_services *services,
			      plait_backend **out, plait_error *error)
{
	plait_backend *self = services->resize(host, NULL, 0, sizeof(*self));
	plait_status status;

	*out = NULL;
	if (self == NULL)
		return plaitp_driven_fail(services, error, PLAIT_E_NOMEM, 0,
					  "cuda: no memory for %zu bytes",
					  sizeof(*self));
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	pthread_mutex_init(&self->accounting_lock, NULL);
	pthread_mutex_init(&self->contexts_lock, NULL);
	pthread_mutex_init(&self->pages_lock, NULL);
	pthread_mutex_init(&self->compiler.lock, NULL);
	status = open_driver(self, error);
	if (status != PLAIT_OK) {
		free_backend(self);
		return status;
	}
	plaitp_cuda_init_copier(self);
	status = plaitp_driven_open(&self->driven, &plaitp_cuda_ops, error);
	if (status == PLAIT_OK)
		status = plaitp_cuda_open_copier(self, error);
	if (status == PLAIT_OK)
		*out = self;
	else
		close_cuda(self);
	return status;
}

/* --- the table ------------------------------------------------------------ */

static void fill_slots(plait_backend_table *table)
{
	table->open = open_cuda;
	table->close = close_cuda;
	table->device_count = plaitp_cuda_device_count;
	table->device_query = plaitp_cuda_device_query;
	table->memory_create = plaitp_cuda_memory_create;
	table->memory_destroy = plaitp_cuda_memory_destroy;
	table->memory_map = plaitp_cuda_memory_map;
	table->memory_unmap = plaitp_cuda_memory_unmap;
	plaitp_driven_fill_slots(table);
	table->kernel_build = plaitp_cuda_kernel_build;
	table->kernel_destroy = plaitp_cuda_kernel_destroy;
	table->kernel_query = plaitp_cuda_kernel_query;
	table->launch_create = plaitp_cuda_launch_create;
	table->launch_destroy = plaitp_cuda_launch_destroy;
	table->native_query = plaitp_cuda_native_query;
	table->segment_create = plaitp_cuda_segment_create;
	table->segment_destroy = plaitp_cuda_segment_destroy;
	table->segment_patch = plaitp_cuda_segment_patch;
	table->segment_stop = plaitp_cuda_segment_stop;
	table->link_query = plaitp_cuda_link_query;
}

/*
 * Explicit, as opencl is: without a name a program has the same devices on
 * each machine, and starts no driver.
 */
plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	plait_status status = plaitp_driven_check_abi(services, table, "cuda",
						      error);

	if (status != PLAIT_OK)
		return status;
	table->flags = PLAIT_PLUGIN_EXPLICIT;
	table->priority = 100;
	fill_slots(table);
	return PLAIT_OK;
}
