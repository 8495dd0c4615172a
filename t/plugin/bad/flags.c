/* SPDX-License-Identifier: MIT */
/* Sin: unknown flags. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "flags");
	table->flags = 1u << 20;
	return PLAIT_OK;
}
