/* SPDX-License-Identifier: MIT */
/* Sin: opens successfully, but gives no instance. */
#include "good.h"

static plait_status open_bad(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	(void)host;
	(void)services;
	(void)error;
	*out = NULL;
	return PLAIT_OK;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "nothing");
	table->open = open_bad;
	return PLAIT_OK;
}
