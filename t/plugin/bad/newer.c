/* SPDX-License-Identifier: MIT */
/*
 * No sin: a plugin of a later interface that still talks this one.  Its own
 * table is longer, so it fills a copy and gives what fits.
 */
#include "good.h"

struct longer_table {
	plait_backend_table known;
	void (*slot_of_tomorrow)(void);
};

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	struct longer_table own = { .slot_of_tomorrow = NULL };
	uint32_t offered = table->size;

	(void)error;
	GOOD_FILL(&own.known, "newer");
	own.known.abi_max = 4;
	own.known.abi = services->abi_max < 4 ? services->abi_max : 4;
	own.known.size = offered < sizeof(own) ? offered : sizeof(own);
	memcpy(table, &own, own.known.size);
	return PLAIT_OK;
}
