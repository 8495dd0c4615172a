/* SPDX-License-Identifier: MIT */
/* Sin: can map, but not unmap. */
#include "good.h"

static plait_status map(plait_backend *self, plait_backend_memory *memory,
			uint64_t offset, uint64_t bytes, uint32_t flags,
			void **out, plait_error *error)
{
	(void)self;
	(void)memory;
	(void)offset;
	(void)bytes;
	(void)flags;
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
	GOOD_FILL(table, "halfmap");
	table->memory_map = map;
	return PLAIT_OK;
}
