/* SPDX-License-Identifier: MIT */
/*
 * No sin: another backend under the name of this file, which is arbitrary.
 * T_DOUBLE names the real one.
 */
#include "plait/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_plugin_entry_function find_truth(void)
{
	const char *build = getenv("abs_top_builddir");
	const char *name = getenv("T_DOUBLE");
	plait_plugin_entry_function entry = NULL;
	char path[4096];
	void *address;
	void *object;

	snprintf(path, sizeof(path), "%s/plugins/.libs/plait_%s.so",
		 build ? build : ".", name ? name : "host");
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	address = object ? dlsym(object, PLAIT_PLUGIN_ENTRY_NAME) : NULL;
	memcpy(&entry, &address, sizeof(entry));
	return entry;
}

/* Sets the name of this file: <name> of plait_<name>.so. */
static void take_name(plait_backend_table *table)
{
	static const char here;
	const char *name;
	Dl_info file;

	if (dladdr(&here, &file) == 0)
		return;
	name = strstr(file.dli_fname, "/plait_");
	memset(table->name, 0, sizeof(table->name));
	if (name != NULL)
		(void)sscanf(name, "/plait_%31[a-z0-9]", table->name);
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	plait_plugin_entry_function entry = find_truth();
	plait_status status;

	if (entry == NULL)
		return services->fail(error, PLAIT_E_UNAVAILABLE, 0,
				      "double: what it is is not there");
	status = entry(services, table, error);
	if (status != PLAIT_OK)
		return status;
	take_name(table);
	table->flags |= PLAIT_PLUGIN_EXPLICIT;
	return PLAIT_OK;
}
