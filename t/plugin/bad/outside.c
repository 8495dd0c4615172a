/* SPDX-License-Identifier: MIT */
/* Sin: chooses an interface outside its own range. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "outside");
	table->abi_max = 5;
	table->abi = 3;
	return PLAIT_OK;
}
