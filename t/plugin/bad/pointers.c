/* SPDX-License-Identifier: MIT */
/* Sin: built for other pointers. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "pointers");
	table->pointer_bytes = 12 - sizeof(void *);
	return PLAIT_OK;
}
