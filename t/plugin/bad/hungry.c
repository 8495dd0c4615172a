/* SPDX-License-Identifier: MIT */
/* Sin: allocates memory and does not free it. */
#include "good.h"

/* The memory is a chain, so that a leak checker calls it reachable. */
static void *taken;

static plait_status open_bad(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	void **block = services->resize(host, NULL, 0, 100);

	if (block == NULL)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "hungry: no memory for 100 bytes");
	*block = taken;
	taken = block;
	*out = &good_instance;
	good_instance.devices = 1;
	return PLAIT_OK;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "hungry");
	table->open = open_bad;
	return PLAIT_OK;
}
