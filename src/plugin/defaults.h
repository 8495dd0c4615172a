/* SPDX-License-Identifier: MIT */
/*
 * Default functions for slots that a plugin leaves null: they fail with
 * PLAIT_E_UNSUPPORTED, or do nothing. Callers never test a slot for null.
 */
#ifndef PLAIT_SRC_PLUGIN_DEFAULTS_H
#define PLAIT_SRC_PLUGIN_DEFAULTS_H

#include "plait/plugin.h"

#include <stdbool.h>

/* Put a default into each optional slot that is null. */
void plait__defaults_fill(plait_backend_table *table);

/* Returns the name of a slot that these capabilities and source forms
 * require but that has a default; null if there is none. */
const char *plait__defaults_find_gap(const plait_backend_table *table,
				     uint32_t capabilities, uint32_t forms);

/* Returns true if threads can wait in the backend's driver. */
bool plait__defaults_can_wait_in_driver(const plait_backend_table *table);

/* Returns true if the plugin is a transport: it has the slots of ports. */
bool plait__defaults_has_ports(const plait_backend_table *table);

#endif
