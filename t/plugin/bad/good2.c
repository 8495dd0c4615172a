/* SPDX-License-Identifier: MIT */
/* No sin: a second one, which is better. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "good2");
	table->priority = 7;
	return PLAIT_OK;
}
