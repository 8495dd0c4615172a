/* SPDX-License-Identifier: MIT */
/*
 * Sin: links that cannot be. Six devices; the link to each has another fault, and
 * those to device 0 none. Devices 4 and 5 share a memory.
 */
#include "good.h"

enum { DEVICES = 6 };

static plait_status open_many(plait_host *host,
			      const plait_host_services *services,
			      plait_backend **out, plait_error *error)
{
	plait_status status = good_open(host, services, out, error);

	good_instance.devices = DEVICES;
	return status;
}

static plait_status query(plait_backend *self, uint32_t device,
			  plait_backend_device *out, plait_error *error)
{
	plait_status status = good_device_query(self, device, out, error);

	out->memory = device >= 4 ? 7000 : 0;
	return status;
}

static plait_status link_query(plait_backend *self, uint32_t from, uint32_t to,
			       plait_link_info *out, plait_error *error)
{
	(void)self;
	out->flags = UINT32_MAX;
	out->latency_ns = 5;
	out->bytes_per_us = 6;
	if (to == PLAIT_LINK_HOST || from == PLAIT_LINK_HOST)
		return PLAIT_E_UNSUPPORTED;
	if (to == 1)
		out->latency_ns = UINT64_MAX;
	if (to == 2)
		out->bytes_per_us = UINT64_MAX;
	if (to == 3)
		memset(out + 1, 0, 64);
	if (to == 4)
		return PLAIT_E_LOST;
	if (to == 5)
		error->text[0] = '\0';
	return to == 5 ? 5 : PLAIT_OK;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "distant");
	table->flags = PLAIT_PLUGIN_EXPLICIT; /* it can be opened */
	table->open = open_many;
	table->device_query = query;
	table->link_query = link_query;
	return PLAIT_OK;
}
