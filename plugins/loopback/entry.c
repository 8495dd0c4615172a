/* SPDX-License-Identifier: MIT */
/* Transport between threads of one process: shm with names of this process. */
#include "shm/shm.h"

static plait_status open_loopback(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	return plaitp_shm_instance_open(host, services, true, out, error);
}

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	plait_status status =
		plaitp_shm_instance_describe(services, "loopback", table, error);

	if (status == PLAIT_OK)
		table->open = open_loopback;
	return status;
}
