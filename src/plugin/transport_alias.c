/* SPDX-License-Identifier: MIT */
/* Names of transports that stand for several plugins; see transport_alias.h. */
#include "plugin/transport_alias.h"

#include <string.h>

static const char *const mpi[] = { "openmpi", "mpich", NULL };

const char *const *plait__transport_alias(const char *name)
{
	return strcmp(name, "mpi") == 0 ? mpi : NULL;
}

static void add(plait__list *out, const char *name)
{
	if (plait__list_has(out, name) || out->count == PLAIT__LIST_MAX)
		return;
	memcpy(out->names[out->count++], name, strlen(name) + 1);
}

void plait__transport_alias_expand(const plait__list *names, plait__list *out)
{
	const char *const *plugins;
	uint32_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < names->count; i++) {
		plugins = plait__transport_alias(names->names[i]);
		if (plugins == NULL)
			add(out, names->names[i]);
		for (; plugins != NULL && *plugins != NULL; plugins++)
			add(out, *plugins);
	}
}

static bool stands_for(const char *name, const char *plugin)
{
	const char *const *plugins = plait__transport_alias(name);

	if (strcmp(name, plugin) == 0)
		return true;
	for (; plugins != NULL && *plugins != NULL; plugins++)
		if (strcmp(*plugins, plugin) == 0)
			return true;
	return false;
}

const char *plait__transport_alias_find(const plait__list *names,
					const char *plugin)
{
	uint32_t i;

	for (i = 0; i < names->count; i++)
		if (stands_for(names->names[i], plugin))
			return names->names[i];
	return NULL;
}
