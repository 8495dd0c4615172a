/* SPDX-License-Identifier: MIT */
/* From one file to one checked table: trust, map, find the entry, ask it. */
#ifndef PLAIT_SRC_PLUGIN_LOAD_H
#define PLAIT_SRC_PLUGIN_LOAD_H

#include "plait/plugin.h"

/*
 * Load `path` as the plugin `name`; `out` gets the complete table.  The object
 * stays mapped for good, also when its table is refused.  Besides failures
 * PLAIT__ELF_CHECK_ABSENT, when there is no such file.  Texts do not repeat the
 * path; those about what the plugin says start with "plugin NAME: ".
 */
plait_status plait__load(const char *path, const char *name,
			 const plait_host_services *services,
			 plait_backend_table *out, plait_error *error);

/*
 * A status that a plugin's slot may answer?  If not, and for a failure without
 * a text, write one that names plugin and slot.  Returns the status, or
 * PLAIT_E_INTERNAL.  `error` is the plugin's record, non-null.
 */
plait_status plait__load_check_status(plait_status status, const char *name,
				      const char *slot, plait_error *error);

#endif
