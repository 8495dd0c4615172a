/* SPDX-License-Identifier: MIT */
/* Error text for two nodes of a graph that conflict and that no edge orders. */
#ifndef PLAIT_SRC_PLAN_CHECK_MISSING_EDGE_H
#define PLAIT_SRC_PLAN_CHECK_MISSING_EDGE_H

#include "plan/check/graph_order.h"

/* Fail with PLAIT_E_INVALID; the text names both nodes, the region that holds
 * them, the memory and the remedy.  `one` and `other` are positions. */
plait_status plait__missing_edge_fail(const plait__graph_order *order,
				      uint32_t one, uint32_t other,
				      plait_error *error);

#endif
