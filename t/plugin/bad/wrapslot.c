/* SPDX-License-Identifier: MIT */
/* Sin: can wrap, but is no interposer. */
#include "good.h"

static plait_status wrap(plait_host *host, const plait_host_services *services,
			 const plait_backend_table *inner_table,
			 plait_backend *inner, plait_backend **out,
			 plait_error *error)
{
	(void)host;
	(void)services;
	(void)inner_table;
	(void)inner;
	(void)out;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "wrapslot");
	table->wrap = wrap;
	return PLAIT_OK;
}
