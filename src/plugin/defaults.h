/* SPDX-License-Identifier: MIT */
/*
 * What stands in a slot that a plugin left out: a function that says so.
 * Callers never test a slot for null.
 */
#ifndef PLAIT_SRC_PLUGIN_DEFAULTS_H
#define PLAIT_SRC_PLUGIN_DEFAULTS_H

#include "plait/plugin.h"

#include <stdbool.h>

/* Put a default into each optional slot that is null. */
void plait__defaults_fill(plait_backend_table *table);

/*
 * The name of a slot that these capability bits and forms of code promise and
 * that only has a default; null when all are there.
 */
const char *plait__defaults_find_gap(const plait_backend_table *table,
				     uint32_t capabilities, uint32_t forms);

#endif
