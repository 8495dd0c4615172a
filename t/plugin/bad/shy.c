/* SPDX-License-Identifier: MIT */
/* No sin: used only when it is named. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "shy");
	table->flags = PLAIT_PLUGIN_EXPLICIT;
	table->priority = 99;
	return PLAIT_OK;
}
