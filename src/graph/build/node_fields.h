/* SPDX-License-Identifier: MIT */
/* The first look at a node descriptor, before anything is placed. */
#ifndef PLAIT_SRC_GRAPH_BUILD_NODE_FIELDS_H
#define PLAIT_SRC_GRAPH_BUILD_NODE_FIELDS_H

#include "graph/build/graph.h"

/* PLAIT_E_INVALID: a field that the kind does not have, or two that do not go
 * together.  PLAIT_E_UNSUPPORTED: unknown flags. */
plait_status plait__node_check_fields(const plait__node_draft *draft);

/* What it costs in the plan: 0 is 1, but where it means nothing. */
static inline uint64_t plait__node_cost(const plait_node_desc *desc)
{
	bool nothing = desc->kind == PLAIT_NODE_JOIN ||
		       desc->kind == PLAIT_NODE_MARK ||
		       (desc->flags & PLAIT_NODE_FREE) != 0;

	return desc->cost > 0 || nothing ? desc->cost : 1;
}

/* Is this a join, or a launch that says no more than its kernel, its geometry,
 * its arguments and how much it costs?  False too for what is wrong. */
bool plait__node_is_common(const plait_node_desc *desc);

/* Label, file and line of the descriptor. */
plait_status plait__node_add_names(plait__node_draft *draft);

#endif
