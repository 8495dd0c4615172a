/* SPDX-License-Identifier: MIT */
/* Sin: a mandatory slot is null. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "noslot");
	table->queue_submit = NULL;
	return PLAIT_OK;
}
