/* SPDX-License-Identifier: MIT */
/* Sin: makes nothing and calls it a success. */
#include "good.h"

static plait_status query_bad(plait_backend *self, uint32_t device,
			      plait_backend_device *out, plait_error *error)
{
	plait_status status = good_device_query(self, device, out, error);

	out->capabilities = PLAIT_CAP_WRAP;
	return status;
}

static plait_status create_no_memory(plait_backend *self, uint32_t device,
				     const plait_memory_request *request,
				     plait_backend_memory **out,
				     plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	(void)out;
	(void)error;
	return PLAIT_OK;
}

static plait_status create_no_queue(plait_backend *self, uint32_t device,
				    const plait_queue_request *request,
				    plait_backend_queue **out,
				    plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	(void)out;
	(void)error;
	return PLAIT_OK;
}

/* And this one with a status that is none. */
static plait_status create_no_signal(plait_backend *self, uint32_t device,
				     uint32_t flags,
				     plait_backend_signal **out,
				     plait_error *error)
{
	(void)self;
	(void)device;
	(void)flags;
	(void)out;
	(void)error;
	return 77;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "empty");
	table->device_query = query_bad;
	table->memory_create = create_no_memory;
	table->queue_create = create_no_queue;
	table->signal_create = create_no_signal;
	return PLAIT_OK;
}
