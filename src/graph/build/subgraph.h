/* SPDX-License-Identifier: MIT */
/* Copying all nodes of one graph into another, as they are now. */
#ifndef PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_H
#define PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_H

#include "graph/build/graph.h"

/*
 * Add draft->desc->subgraph behind `after`: a join, the copy, and a join,
 * whose index is in *out.  All or nothing.
 */
plait_status plait__subgraph_copy(plait__node_draft *draft, const uint32_t *after,
				  uint32_t count, uint32_t *out);

#endif
