/* SPDX-License-Identifier: MIT */
/* Field checks of a node descriptor, before any table changes. */
#ifndef PLAIT_SRC_GRAPH_BUILD_NODE_FIELDS_H
#define PLAIT_SRC_GRAPH_BUILD_NODE_FIELDS_H

#include "graph/build/graph.h"

/* PLAIT_E_INVALID: a field that the kind does not have, or a contradiction of
 * two.  PLAIT_E_UNSUPPORTED: unknown flags. */
plait_status plait__node_check_fields(const plait__node_draft *draft);

/* Return the cost in the plan.  0 means 1, except for kinds without work and
 * PLAIT_NODE_FREE. */
static inline uint64_t plait__node_cost(const plait_node_desc *desc)
{
	bool nothing = desc->kind == PLAIT_NODE_JOIN ||
		       desc->kind == PLAIT_NODE_MARK ||
		       (desc->flags & PLAIT_NODE_FREE) != 0;

	return desc->cost > 0 || nothing ? desc->cost : 1;
}

/* Returns true for a join, or a launch with no more than kernel, geometry,
 * arguments, cost and scratch.  Returns false for an invalid descriptor too. */
bool plait__node_is_common(const plait_node_desc *desc);

/* Intern the descriptor's label and file into draft->node. */
plait_status plait__node_add_names(plait__node_draft *draft);

#endif
