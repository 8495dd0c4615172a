/* SPDX-License-Identifier: MIT */
/* Sin: built with another sanitizer. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "sanitizer");
	table->sanitizer = (PLAIT_SANITIZER_KIND + 1) % 3;
	return PLAIT_OK;
}
