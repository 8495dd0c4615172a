/* SPDX-License-Identifier: MIT */
/* Copies of all nodes of one graph into another, in their current state. */
#ifndef PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_H
#define PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_H

#include "graph/build/graph.h"

/*
 * Add draft->desc->subgraph after `after`: a join, the copy, and a join.  *out
 * is the index of the last join.  All or nothing.  PLAIT_E_INVALID: the subgraph
 * depends on a loop outside it, or names a parameter of another type.
 */
plait_status plait__subgraph_copy(plait__node_draft *draft,
				  const uint32_t *after, uint32_t count,
				  uint32_t *out);

#endif
