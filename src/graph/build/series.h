/* SPDX-License-Identifier: MIT */
/* Series: numbers that follow the iteration of a loop, of arguments and of the
 * items of launches. */
#ifndef PLAIT_SRC_GRAPH_BUILD_SERIES_H
#define PLAIT_SRC_GRAPH_BUILD_SERIES_H

#include "graph/build/graph.h"

/* Push a series of the innermost loop around the node.  On failure `what`, the
 * part of the node that has it, is named in the error.  *out is its index. */
plait_status plait__series_push(plait__node_draft *draft,
				const plait_series *series, const char *what,
				uint32_t *out);

/* Let the items of a launch follow the series of its node, if it has any. */
plait_status plait__series_push_items(plait__node_draft *draft,
				      plait__plan_geometry *geometry);

#endif
