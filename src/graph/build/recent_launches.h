/* SPDX-License-Identifier: MIT */
/* Caches of recently used kernels and geometries. */
#ifndef PLAIT_SRC_GRAPH_BUILD_RECENT_LAUNCHES_H
#define PLAIT_SRC_GRAPH_BUILD_RECENT_LAUNCHES_H

#include "graph/store/store.h"

/* Return the cached kernel if its handle is live; else null. */
plait__store_kernel *plait__recent_kernel(plait__store *store,
					  const plait_kernel *handle);

/* Cache a kernel in place of another one. */
plait__store_kernel *plait__recent_remember(plait__store *store,
					    const plait__store_kernel *kernel);

/*
 * Return the index of a launch's geometry, pushed if it is new; a null launch
 * is one item.  PLAIT__NONE with nothing changed: another struct size, an
 * invalid launch, or no memory.
 */
uint32_t plait__recent_geometry(plait__store *store,
				const plait__store_kernel *kernel,
				const plait_launch *launch);

#endif
