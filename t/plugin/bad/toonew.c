/* SPDX-License-Identifier: MIT */
/* Sin: talks only interfaces to come. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "toonew");
	table->abi_min = 7;
	table->abi_max = 9;
	table->abi = 9;
	return PLAIT_OK;
}
