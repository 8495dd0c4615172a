/* SPDX-License-Identifier: MIT */
/*
 * Loading of one plugin: check the file, map it, find and call its entry, check
 * the table.
 */
#ifndef PLAIT_SRC_PLUGIN_LOAD_H
#define PLAIT_SRC_PLUGIN_LOAD_H

#include "plait/plugin.h"

/*
 * Load `path` as the plugin `name`; `out` receives the complete table. The
 * object stays mapped for good, even if its table is rejected. Returns
 * PLAIT__ELF_CHECK_ABSENT if there is no such file. Texts do not repeat the
 * path; those about the plugin's data start with "plugin NAME: ".
 */
plait_status plait__load(const char *path, const char *name,
			 const plait_host_services *services,
			 plait_backend_table *out, plait_error *error);

/*
 * Check a status that a plugin returned. If it is invalid, or a failure without
 * a text, write a text that names plugin and slot. Returns the status, or
 * PLAIT_E_INTERNAL. `error` is the plugin's record, non-null.
 */
plait_status plait__load_check_status(plait_status status, const char *name,
				      const char *slot, plait_error *error);

#endif
