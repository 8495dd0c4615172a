/* SPDX-License-Identifier: MIT */
/* Sin: a vendor that rings the bell. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "bell");
	table->vendor[2] = 7;
	return PLAIT_OK;
}
