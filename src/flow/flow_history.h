/* SPDX-License-Identifier: MIT */
/*
 * Measured times of a flow's kernels (plait_flow_desc.history): read when the flow
 * is created, added to while it runs, written when it ends.
 *
 *     worker    function of a kernel  -> run_timed    -> the history
 *     engine    op of a device        -> lane_times.h -> the history
 *     submitter                       <- estimate     <- the history
 *
 * A lock of its own guards the history, and comes behind the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_HISTORY_H
#define PLAIT_SRC_FLOW_FLOW_HISTORY_H

#include "flow/flow_object.h"
#include "flow/memory/memory_system.h"
#include "flow/policy/history_estimate.h"

#include "base/text.h"

typedef struct plait__flow_history {
	struct plait__mutex lock;
	plait__history times;
	plait__text path;
	uint32_t host; /* number of the host in the history */
	uint32_t device_of[PLAIT__MEMORY_DEVICES]; /* of the flow's devices */
	bool is_changed;
	plait__vector splits; /* plait__last_split; guarded by the flow */
	uint32_t next_split;  /* that gives way to a new one */
} plait__flow_history;

/* Read the history of a descriptor that names one; behind the devices.
 * PLAIT_E_INVALID (a file that is no history), PLAIT_E_UNAVAILABLE,
 * PLAIT_E_NOMEM. */
plait_status plait__flow_history_make(plait__flow *flow,
				      const plait_flow_desc *desc,
				      plait_error *error);
/* Write the file, if a time was measured, and free; null is fine.  A file that
 * cannot be written is told in the log. */
void plait__flow_history_end(plait__flow *flow);

/* Let the op of a launch on the host measure its kernel.  Caller holds the
 * lock. */
void plait__flow_history_time(plait__flow_task *task);
/* Free what the former has made for a kernel. */
void plait__flow_history_forget(const plait__flow *flow,
				plait__flow_kernel *kernel);

/* The expected time of a launch of a kernel on device i of the flow. */
plait__estimate plait__flow_history_estimate(const plait__flow *flow,
					     const plait__kernel *kernel,
					     uint32_t device, uint64_t items,
					     uint64_t given_ns);

/* Append the history as text. */
void plait__flow_history_explain(const plait__flow *flow, plait__text *out);

#endif
