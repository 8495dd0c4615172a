/* SPDX-License-Identifier: MIT */
/* Device of a node: inference, and what the device must be able to do. */
#ifndef PLAIT_SRC_GRAPH_BUILD_INFER_DEVICE_H
#define PLAIT_SRC_GRAPH_BUILD_INFER_DEVICE_H

#include "graph/build/graph.h"

/*
 * Set the node's device or devices: those that it names, else an inferred one.
 * Payload and accesses are pushed already; `after` holds indices of the scope,
 * `count` may be 0.  PLAIT_E_UNSUPPORTED when a device lacks a capability, or
 * has no access to a buffer or signal; PLAIT_E_INVALID for a list of devices
 * that is null, too long or names one twice.
 */
plait_status plait__infer_device(plait__node_draft *draft,
				 const uint32_t *after, uint64_t count);

/* Return the inferred device of a node that names none; PLAIT__NONE without
 * memory. */
uint32_t plait__infer_device_from_preds(plait__node_draft *draft,
					const uint32_t *after, uint64_t count);

#endif
