/* SPDX-License-Identifier: MIT */
/* Transport between processes of one machine. */
#include "shm.h"

static plait_status open_shm(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	return plaitp_shm_instance_open(host, services, false, out, error);
}

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	plait_status status =
		plaitp_shm_instance_describe(services, "shm", table, error);

	if (status == PLAIT_OK)
		table->open = open_shm;
	return status;
}
