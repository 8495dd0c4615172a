/* SPDX-License-Identifier: MIT */
/* Common fields of the backend table, and the services required of the core. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "driven.h"

plait_status plaitp_driven_check_abi(const plait_host_services *services,
				     plait_backend_table *table,
				     const char *name, plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < sizeof(*table))
		return plaitp_driven_fail(services, error, PLAIT_E_UNSUPPORTED,
					  0, "%s: supports plugin "
					  "interface 1 only", name);
	if (services->size < offsetof(plait_host_services, counter_emit) +
	    sizeof(services->counter_emit))
		return plaitp_driven_fail(services, error, PLAIT_E_UNSUPPORTED,
					  0, "%s: needs a core with the "
					  "service counter_emit", name);
	table->size = sizeof(*table);
	table->abi_min = PLAIT_PLUGIN_ABI;
	table->abi_max = PLAIT_PLUGIN_ABI;
	table->abi = PLAIT_PLUGIN_ABI;
	table->sanitizer = PLAIT_SANITIZER_KIND;
	table->pointer_bytes = sizeof(void *);
	(void)snprintf(table->name, sizeof(table->name), "%s", name);
	memcpy(table->vendor, "plait", sizeof("plait"));
	memcpy(table->version, "0.1.0", sizeof("0.1.0"));
	return PLAIT_OK;
}
