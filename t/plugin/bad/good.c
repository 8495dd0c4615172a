/* SPDX-License-Identifier: MIT */
/* No sin: the reference for the others. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "good");
	return PLAIT_OK;
}
