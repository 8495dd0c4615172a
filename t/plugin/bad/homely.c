/* SPDX-License-Identifier: MIT */
/* Sin: declares itself the host, without its functions. */
#include "good.h"

static plait_status query(plait_backend *self, uint32_t device,
			  plait_backend_device *out, plait_error *error)
{
	plait_status status = good_device_query(self, device, out, error);

	out->capabilities = PLAIT_CAP_HOST_CALL | PLAIT_CAP_HOST;
	return status;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	(void)services;
	(void)error;
	GOOD_FILL(table, "homely");
	table->device_query = query;
	return PLAIT_OK;
}
