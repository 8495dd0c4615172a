/* SPDX-License-Identifier: MIT */
/*
 * Validation of the table that a plugin's entry filled, before any slot is
 * called.
 */
#ifndef PLAIT_SRC_PLUGIN_TABLE_CHECK_H
#define PLAIT_SRC_PLUGIN_TABLE_CHECK_H

#include "plait/plugin.h"

/* The interface versions that this core supports. */
enum {
	PLAIT__PLUGIN_ABI_MIN = 1,
	PLAIT__PLUGIN_ABI_MAX = PLAIT_PLUGIN_ABI
};

/*
 * Check `table`, which `object` (of plait__dl_open) filled, and complete it
 * with defaults. `name` is that of the file. Texts start with "plugin NAME: ".
 * PLAIT_E_UNSUPPORTED: built for another core, word size or sanitizer.
 * PLAIT_E_INTERNAL: the table is inconsistent.
 */
plait_status plait__table_check(plait_backend_table *table, void *object,
				const char *name, plait_error *error);

#endif
