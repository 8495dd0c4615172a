/* SPDX-License-Identifier: MIT */
/* Sin: a transport without ports. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "noport");
	table->flags = PLAIT_PLUGIN_TRANSPORT;
	return PLAIT_OK;
}
