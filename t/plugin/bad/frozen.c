/* SPDX-License-Identifier: MIT */
/*
 * Sin: a table that ends before its mandatory slots do, as one of a much
 * older interface would.
 */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "frozen");
	table->size = offsetof(plait_backend_table, signal_wait);
	return PLAIT_OK;
}
