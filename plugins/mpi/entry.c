/* SPDX-License-Identifier: MIT */
/*
 * Transports openmpi and mpich: entry, table, open, close.  One source is
 * compiled for each MPI.
 */
#include <string.h>

#include "slots.h"

static plait_status open_mpi(plait_host *host,
			     const plait_host_services *services,
			     plait_backend **out, plait_error *error)
{
	plait_backend *self = services->resize(host, NULL, 0, sizeof(*self));
	plait_status status;

	*out = NULL;
	if (self == NULL)
		return plaitp_driven_fail(services, error, PLAIT_E_NOMEM, 0,
					  MPI_PLUGIN_NAME
					  ": no memory for an instance");
	memset(self, 0, sizeof(*self));
	self->driven.host = host;
	self->driven.services = services;
	status = plaitp_mpi_library_open(self, &self->calls, error);
	if (status == PLAIT_OK)
		status = plaitp_mpi_process_check(self, error);
	if (status != PLAIT_OK) {
		services->resize(host, self, sizeof(*self), 0);
		return status;
	}
	*out = self;
	return PLAIT_OK;
}

static void close_mpi(plait_backend *self)
{
	self->driven.services->resize(self->driven.host, self, sizeof(*self),
				      0);
}

static uint32_t count_devices(plait_backend *self)
{
	(void)self;
	return 0;
}

/* The entry only describes. */
plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	plait_status status = plaitp_driven_check_abi(
		services, table, MPI_PLUGIN_NAME, error);

	if (status != PLAIT_OK)
		return status;
	table->flags = PLAIT_PLUGIN_EXPLICIT | PLAIT_PLUGIN_TRANSPORT;
	table->open = open_mpi;
	table->close = close_mpi;
	table->device_count = count_devices;
	plaitp_mpi_slots_fill(table);
	return PLAIT_OK;
}
