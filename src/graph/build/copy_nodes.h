/* SPDX-License-Identifier: MIT */
/* COPY and FILL nodes: ranges, sizes and patterns as arguments. */
#ifndef PLAIT_SRC_GRAPH_BUILD_COPY_NODES_H
#define PLAIT_SRC_GRAPH_BUILD_COPY_NODES_H

#include "graph/build/graph.h"

/* Set kind and payload of the draft, and push arguments and accesses: a COPY,
 * READ or WRITE; a FILL.  The caller cuts the tables after a failure. */
plait_status plait__nodes_add_copy(plait__node_draft *draft);
plait_status plait__nodes_add_fill(plait__node_draft *draft);

#endif
