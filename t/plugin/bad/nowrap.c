/* SPDX-License-Identifier: MIT */
/* Sin: an interposer that cannot wrap. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "nowrap");
	table->flags = PLAIT_PLUGIN_INTERPOSER;
	return PLAIT_OK;
}
