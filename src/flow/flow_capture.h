/* SPDX-License-Identifier: MIT */
/*
 * Capture of a flow: tasks become nodes, and their order edges.  A record of its
 * own has the order, as that of PLAIT_FLOW_RECORD has: it forgets nothing.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_CAPTURE_H
#define PLAIT_SRC_FLOW_FLOW_CAPTURE_H

#include "flow/capture_state.h"
#include "flow/task_split.h"

/* Begin: the capture takes over the reference of the graph.  Caller holds the
 * lock.  PLAIT_E_STATE, PLAIT_E_UNAVAILABLE, PLAIT_E_NOMEM: nothing has
 * changed. */
plait_status plait__flow_capture_begin(plait__flow *flow, plait_graph *graph,
				       uint64_t key, plait_error *error);

/* Add a prepared task, of which `prepare` makes the other pieces; its number
 * becomes that of its node.  Caller holds the lock. */
plait_status plait__flow_capture_add(plait__flow_task *task,
				     const plait_task_desc *desc,
				     plait__task_split_prepare prepare,
				     plait_error *error);

/* End: the caller frees the capture, also after a failure.  Caller holds the lock.
 * PLAIT_E_STATE: *out is null.  As plait_graph_add: copies are missing. */
plait_status plait__flow_capture_end(plait__flow *flow,
				     plait__flow_capture **out,
				     plait_error *error);

/* Caller does not hold the lock.  Null is ignored. */
void plait__flow_capture_free(plait__flow_capture *capture);

/* PLAIT_E_NOMEM if something is missing. */
plait_status plait__flow_capture_check(const plait__flow_capture *capture,
				       plait_error *error);

#endif
