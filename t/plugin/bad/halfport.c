/* SPDX-License-Identifier: MIT */
/* Sin: closes ports, but opens none. */
#include "good.h"

static void close_port(plait_backend *self, plait_backend_port *port)
{
	(void)self;
	(void)port;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "halfport");
	table->port_close = close_port;
	return PLAIT_OK;
}
