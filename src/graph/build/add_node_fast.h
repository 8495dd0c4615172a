/* SPDX-License-Identifier: MIT */
/* Fast path for common nodes: a launch of a recent kernel, or a join. */
#ifndef PLAIT_SRC_GRAPH_BUILD_ADD_NODE_FAST_H
#define PLAIT_SRC_GRAPH_BUILD_ADD_NODE_FAST_H

#include "graph/build/graph.h"

/*
 * Push plain arguments: values, and whole writable buffers that the graph
 * knows.  Returns false with nothing pushed when an argument is not plain or
 * memory is exhausted; launch_arguments.c decides then.
 */
bool plait__add_node_fast_arguments(plait__node_draft *draft,
				    const struct plait__signature *signature);

/*
 * Add a common node (see node_fields.h) with one lookup per table.  Returns
 * false with nothing changed for other nodes and for errors; add_node.c decides
 * then.
 */
bool plait__add_node_fast(plait__graph *graph, const plait_node_desc *desc,
			  const plait_node *after, uint64_t count,
			  uint32_t *out);

#endif
