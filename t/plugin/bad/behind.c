/* SPDX-License-Identifier: MIT */
/* Sin: its entry writes behind the table, as if it were longer. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "behind");
	memset((char *)table + sizeof(*table), 0, 64);
	return PLAIT_OK;
}
