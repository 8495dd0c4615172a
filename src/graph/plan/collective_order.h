/* SPDX-License-Identifier: MIT */
/*
 * Order of COLLECTIVE nodes.  All ranks of a world execute its collectives in
 * one order, and each rank has a plan of its own, so the graph has to decide the
 * order: paths lead from each COLLECTIVE of a world to the next one.  None is in
 * the body of a loop or branch, since ranks may decide differently.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_COLLECTIVE_ORDER_H
#define PLAIT_SRC_GRAPH_PLAN_COLLECTIVE_ORDER_H

#include "graph/store/store.h"
#include "plan/schedule/planner_input.h"

/* Returns true if the graph has COLLECTIVE nodes. */
bool plait__collective_order_matters(const plait__input *input);

/* Check the graph.  The edges of `input` are those of the plan, and its indices
 * are right.  PLAIT_E_INVALID names two nodes without a path, or the node in a
 * body; PLAIT_E_NOMEM. */
plait_status plait__collective_order_check(const plait__store *store,
					   const plait__input *input,
					   plait_error *error);

#endif
