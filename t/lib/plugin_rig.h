/* SPDX-License-Identifier: MIT */
/* Rig for tests of the loader: the folders of plugins, and ways to open
 * them. */
#ifndef T_PLUGIN_RIG_H
#define T_PLUGIN_RIG_H

#include "plait/base.h"

#include "plugin/registry.h"

#include <stddef.h>

/* The folder of the plugins of t/plugin/bad, or of those of plugins/. */
const char *rig_bad_folder(void);
const char *rig_plugin_folder(void);

/* Create a folder that only this user can write; removed with its contents at
 * exit. */
const char *rig_folder(void);

/* FOLDER/plait_NAME.so; valid until the fourth call from here. */
const char *rig_file(const char *folder, const char *name);

/* Copy the plugin `from` of t/plugin/bad as plait_`as`.so into `folder`. */
bool rig_copy(const char *from, const char *folder, const char *as);

/* The last error and its detail, of the calls below. */
extern plait_error rig_error;
extern char rig_detail[65536];

/* Open the plugins in `path`; the environment does not count. */
plait__registry *rig_open(const char *path, const char *backends,
			  const char *wrap, const char *options);

/* Returns the status of opening this plugin of t/plugin/bad alone; it is closed
 * again. */
plait_status rig_try(const char *path, const char *backends);

/* The report of a survey. */
const char *rig_survey(const char *path, const char *backends,
		       const char *wrap, const char *options);

/* The log since the last call, a line each. */
const char *rig_logged(void);

/* The settings with log and allocator that the calls above use. */
extern plait__registry_config rig_config;

#endif
