/* SPDX-License-Identifier: MIT */
/* Fast path for the common nodes: a launch of a recent kernel, or a join. */
#ifndef PLAIT_SRC_GRAPH_BUILD_ADD_NODE_FAST_H
#define PLAIT_SRC_GRAPH_BUILD_ADD_NODE_FAST_H

#include "graph/build/graph.h"

/* The same for plain arguments; see add_node_fast.c.  False: some are not, or there
 * is no memory, and nothing has changed. */
bool plait__add_node_fast_arguments(plait__node_draft *draft,
				    const struct plait__signature *signature);

/*
 * Add a usual node (see node_fields.h) without a look at anything twice: a launch of
 * a kernel that came lately, or a join.  False: it is another
 * one, or something is wrong, and nothing has changed; see add_node.c.
 */
bool plait__add_node_fast(plait__graph *graph, const plait_node_desc *desc,
			  const plait_node *after, uint64_t count,
			  uint32_t *out);

#endif
