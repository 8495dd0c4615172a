/* SPDX-License-Identifier: MIT */
/* No sin: asks for its option and fails with it. */
#include "good.h"

static plait_status open_bad(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	const char *mode = services->option(host, "mode");

	*out = &good_instance;
	good_instance.devices = 1;
	if (mode == NULL)
		return PLAIT_OK;
	*out = NULL;
	return services->fail(error, PLAIT_E_INVALID, 0, mode);
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "fussy");
	table->open = open_bad;
	return PLAIT_OK;
}
