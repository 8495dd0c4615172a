/* SPDX-License-Identifier: MIT */
/* Rotations that a node names: by a launch's argument, or as a side of a copy. */
#ifndef PLAIT_SRC_GRAPH_BUILD_ROTATION_REFS_H
#define PLAIT_SRC_GRAPH_BUILD_ROTATION_REFS_H

#include "graph/build/graph.h"

typedef struct plait__rotation_ref {
	uint32_t number;	/* index in rotations */
	uint32_t object;	/* of the access: plan/access.h */
	uint32_t first_slot;	/* all slots are alike */
} plait__rotation_ref;

/* Returns null, or a constant text that says why the node cannot use the
 * rotation of that handle.  The first rotation or buffer of a node gives the node
 * its device. */
const char *plait__rotation_refs_find(plait__node_draft *draft, uint64_t handle,
				      uint64_t ahead, plait__rotation_ref *out);

/* PLAIT_E_INVALID for a rotation with a read-only buffer that the node would
 * write.  No write reaches the prologue's buffer. */
plait_status plait__rotation_refs_check_write(const plait__node_draft *draft,
					      const plait__rotation_ref *ref);

/* PLAIT_E_INVALID for a slot that is read-only. */
plait_status plait__rotation_refs_check_slot(const plait__node_draft *draft,
					     uint32_t slot);

#endif
