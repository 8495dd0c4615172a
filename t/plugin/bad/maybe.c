/* SPDX-License-Identifier: MIT */
/* Sin: opening has a positive answer. */
#include "good.h"

static plait_status open_bad(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	(void)host;
	(void)services;
	(void)error;
	*out = &good_instance;
	return PLAIT_PENDING;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "maybe");
	table->open = open_bad;
	return PLAIT_OK;
}
