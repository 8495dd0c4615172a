/* SPDX-License-Identifier: MIT */
/* Names of transports that stand for several plugins: the first one that can work in
 * this process is used. `mpi` is the MPI that launched the process. */
#ifndef PLAIT_SRC_PLUGIN_TRANSPORT_ALIAS_H
#define PLAIT_SRC_PLUGIN_TRANSPORT_ALIAS_H

#include "plugin/list.h"

/* Returns the plugins that a name stands for, ended by null; null if it is the
 * name of a plugin. */
const char *const *plait__transport_alias(const char *name);

/* Write the names of all plugins that a list stands for, each once. */
void plait__transport_alias_expand(const plait__list *names, plait__list *out);

/* Returns the name in the list that stands for a plugin, or null. */
const char *plait__transport_alias_find(const plait__list *names,
					const char *plugin);

#endif
