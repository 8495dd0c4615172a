/* SPDX-License-Identifier: MIT */
/* Sin: more devices than there can be. */
#include "good.h"

static uint32_t count(plait_backend *self)
{
	(void)self;
	return UINT32_MAX;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "crowd");
	table->device_count = count;
	return PLAIT_OK;
}
