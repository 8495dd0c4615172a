/* SPDX-License-Identifier: MIT */
/* Sin: a table that ends before the name does. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "tooshort");
	table->size = 40;
	return PLAIT_OK;
}
