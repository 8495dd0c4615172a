/* SPDX-License-Identifier: MIT */
/* Sin: a slot points nowhere. */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "wildslot");
	memset(&table->signal_poll, 0x11, sizeof(table->signal_poll));
	return PLAIT_OK;
}
