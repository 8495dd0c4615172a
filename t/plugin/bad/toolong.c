/* SPDX-License-Identifier: MIT */
/* Sin: says that it filled more than it was offered. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "toolong");
	table->size = sizeof(*table) + 8;
	return PLAIT_OK;
}
