/* SPDX-License-Identifier: MIT */
/* Where a node runs, and whether it can run there. */
#ifndef PLAIT_SRC_GRAPH_BUILD_INFER_DEVICE_H
#define PLAIT_SRC_GRAPH_BUILD_INFER_DEVICE_H

#include "graph/build/graph.h"

/*
 * Set the node's device or devices: those that it names, else what fits.  Its
 * payload and accesses have been pushed.  PLAIT_E_UNSUPPORTED when a device
 * cannot do what the node needs, or has no access to what it names.
 */
plait_status plait__infer_device(plait__node_draft *draft,
				 const uint32_t *after, uint64_t count);

/* Where a node runs that names no device; none when memory ran out. */
uint32_t plait__infer_device_from_preds(plait__node_draft *draft,
					const uint32_t *after, uint64_t count);

#endif
