/* SPDX-License-Identifier: MIT */
/* Sin: calls a function that no library has. */
#include "plait/plugin.h"

int32_t plait_symbol_of_nobody(void);

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)table;
	(void)error;
	return plait_symbol_of_nobody();
}
