/* SPDX-License-Identifier: MIT */
/* No sin: its driver is not there. */
#include "good.h"

static plait_status open_bad(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	(void)host;
	*out = NULL;
	return services->fail(error, PLAIT_E_UNAVAILABLE, 2,
			      "absent: libabsent.so.1: no such file");
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "absent");
	table->open = open_bad;
	return PLAIT_OK;
}
