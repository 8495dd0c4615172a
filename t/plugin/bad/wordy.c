/* SPDX-License-Identifier: MIT */
/* Sin: opening writes behind the error. */
#include "good.h"

static plait_status open_bad(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	(void)host;
	(void)services;
	*out = NULL;
	memset(error->text, 0x78, sizeof(error->text) + 16);
	return PLAIT_E_UNAVAILABLE;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "wordy");
	table->open = open_bad;
	return PLAIT_OK;
}
