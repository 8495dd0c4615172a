/* SPDX-License-Identifier: MIT */
/*
 * No sin: a plugin that knows a shorter table, without the slots behind
 * signal_reset.  It fills that much and says so; behind it lies garbage.
 */
#include "good.h"

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	const size_t end = offsetof(plait_backend_table, pump);

	(void)services;
	(void)error;
	GOOD_FILL(table, "older");
	table->size = end;
	memset((char *)table + end, 0x5a, sizeof(*table) - end);
	return PLAIT_OK;
}
