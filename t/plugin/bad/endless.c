/* SPDX-License-Identifier: MIT */
/* Sin: its error text has no end. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "endless");
	memset(error->text, 0x78, sizeof(error->text));
	return PLAIT_E_FAILED;
}
