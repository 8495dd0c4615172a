/* SPDX-License-Identifier: MIT */
/* Sin: a name without a NUL. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "noname");
	memset(table->name, 0x61, sizeof(table->name));
	return PLAIT_OK;
}
