/* SPDX-License-Identifier: MIT */
/* Sin: reports to have filled more than the given room. */
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
