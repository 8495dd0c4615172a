/* SPDX-License-Identifier: MIT */
/* Sin: talks only an interface that was before the first. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "tooold");
	table->abi_min = 0;
	table->abi_max = 0;
	table->abi = 0;
	return PLAIT_OK;
}
