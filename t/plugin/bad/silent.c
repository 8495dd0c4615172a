/* SPDX-License-Identifier: MIT */
/* Sin: its entry fails without a text. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "silent");
	return PLAIT_E_FAILED;
}
