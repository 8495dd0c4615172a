/* SPDX-License-Identifier: MIT */
/* Kernels and geometries that came lately; see recent_launches.c. */
#ifndef PLAIT_SRC_GRAPH_BUILD_RECENT_LAUNCHES_H
#define PLAIT_SRC_GRAPH_BUILD_RECENT_LAUNCHES_H

#include "graph/store/store.h"

/* The kernel, if it lives and came lately; else null. */
plait__store_kernel *plait__recent_kernel(plait__store *store,
					  const plait_kernel *handle);

/* Keep what was found out about a kernel, in the place of another one. */
plait__store_kernel *plait__recent_remember(plait__store *store,
					    const plait__store_kernel *kernel);

/*
 * The place of a launch's geometry, which is pushed if it is new; null is one
 * item.  PLAIT__NONE: it is of another size than ours, or something is wrong,
 * or there is no memory; nothing has changed.
 */
uint32_t plait__recent_geometry(plait__store *store,
				const plait__store_kernel *kernel,
				const plait_launch *launch);

#endif
