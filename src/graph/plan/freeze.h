/* SPDX-License-Identifier: MIT */
/* Freeze of a graph whose edges are known to be right. */
#ifndef PLAIT_SRC_GRAPH_PLAN_FREEZE_H
#define PLAIT_SRC_GRAPH_PLAN_FREEZE_H

#include "plait/graph.h"

/* plait_graph_freeze without the check that PLAIT_CHECK=1 asks for: nodes that
 * access parts of a buffer, which the check takes for all of it.  Devices other than the
 * host have at most the lanes of their parallelism, whatever desc->lanes is. */
plait_status plait__freeze_exact(plait_graph *graph,
				 const plait_freeze_desc *desc,
				 plait_plan **out, plait_error *error);

#endif
