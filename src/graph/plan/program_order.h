/* SPDX-License-Identifier: MIT */
/*
 * Edges inferred from access modes: of two conflicting nodes of one body, the
 * node that was added first comes first.  The graph itself is not changed.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_PROGRAM_ORDER_H
#define PLAIT_SRC_GRAPH_PLAN_PROGRAM_ORDER_H

#include "plan/schedule/planner_input.h"

/*
 * Make the graph's edges and the inferred ones, in one array of *out_count
 * elements (null if there are none), which the caller frees with `allocator`.
 * The input's indices are right.  PLAIT_E_NOMEM, and nothing to free.
 */
plait_status plait__program_order_infer(const plait__input *input,
					const plait_allocator *allocator,
					plait__input_edge **out,
					uint32_t *out_count,
					plait_error *error);

#endif
