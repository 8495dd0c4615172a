/* SPDX-License-Identifier: MIT */
/*
 * Check of a graph, before any lane is chosen: conflicting accesses are ordered
 * by its edges.  What the check finds depends on the graph alone, and neither on
 * lanes nor on workers nor on a policy.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_GRAPH_CHECK_H
#define PLAIT_SRC_PLAN_CHECK_GRAPH_CHECK_H

#include "plan/schedule/planner_input.h"

/*
 * Check a graph whose indices are right, as the planner has made sure.  `part`,
 * if not null, is a plan of the graph: nodes that it leaves out are no part of
 * the check.
 *
 * PLAIT_E_INVALID: two nodes conflict and nothing orders them (both are named),
 * or a cycle.  PLAIT_E_NOMEM.
 */
plait_status plait__check_graph(const plait__input *input,
				const plait__plan *part,
				const plait_allocator *allocator,
				plait_error *error);

/* The same, for a caller with texts of its own: of a conflict without an order,
 * *out_missing has the two nodes and `error` nothing.  The edges ascend. */
plait_status plait__check_graph_find(const plait__input *input,
				     const plait_allocator *allocator,
				     plait__input_edge *out_missing,
				     plait_error *error);

#endif
