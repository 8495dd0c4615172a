/* SPDX-License-Identifier: MIT */
/*
 * Is what the entry filled in a table that this core can use?  Everything is
 * looked at before any slot is called.
 */
#ifndef PLAIT_SRC_PLUGIN_TABLE_CHECK_H
#define PLAIT_SRC_PLUGIN_TABLE_CHECK_H

#include "plait/plugin.h"

/* The interfaces that this core talks. */
enum {
	PLAIT__PLUGIN_ABI_MIN = 1,
	PLAIT__PLUGIN_ABI_MAX = PLAIT_PLUGIN_ABI
};

/*
 * Check `table`, which `object` (of plait__dl_open) filled, and complete it
 * with defaults.  `name` is that of the file.  The texts start with
 * "plugin NAME: ".  PLAIT_E_UNSUPPORTED: built for another core, word size
 * or sanitizer.  PLAIT_E_INTERNAL: it breaks its promise.
 */
plait_status plait__table_check(plait_backend_table *table, void *object,
				const char *name, plait_error *error);

#endif
