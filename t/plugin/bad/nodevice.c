/* SPDX-License-Identifier: MIT */
/* Sin: opens, but has no device. */
#include "good.h"

static uint32_t count(plait_backend *self)
{
	(void)self;
	return 0;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "nodevice");
	table->device_count = count;
	return PLAIT_OK;
}
