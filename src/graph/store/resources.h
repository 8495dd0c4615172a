/* SPDX-License-Identifier: MIT */
/* Resources of a store, found by name: few, so that a search is linear. */
#ifndef PLAIT_SRC_GRAPH_STORE_RESOURCES_H
#define PLAIT_SRC_GRAPH_STORE_RESOURCES_H

#include "graph/store/store.h"

/* Returns the index of a resource, or PLAIT__NONE. */
uint32_t plait__resources_find(const plait__store *store, const char *name);

/* Add a resource, or find it; the text must not be part of the store.  Fails
 * with PLAIT_E_INVALID if the units are out of range or others than before, or
 * if there are too many resources. */
plait_status plait__resources_add(plait__store *store, const char *name,
				  uint64_t units, uint32_t *out,
				  plait_error *error);

/* Let a node of a scope hold units: 0, or -1 without memory. */
int plait__resources_add_need(plait__store *store,
			      const plait__store_need *need);

#endif
