/* SPDX-License-Identifier: MIT */
/*
 * Submissions over the ranks of a world.  Each rank prepares the whole task, finds
 * out where its pieces run and what moves for them, and commits its own part:
 * transfers and pieces, in the order of the program.
 *
 * Once the owner maps have changed the submission goes through: without room it
 * waits, and if that is impossible the flow fails on all ranks.
 */
#ifndef PLAIT_SRC_FLOW_RANK_SUBMIT_H
#define PLAIT_SRC_FLOW_RANK_SUBMIT_H

#include "flow/task_split.h"

/* Submit a task; `prepare` as that of a split launch, also for the task itself.
 * As plait_flow_submit, PLAIT_E_STATE and PLAIT_E_UNSUPPORTED for what only one
 * rank would do. */
plait_status plait__rank_submit_task(plait__flow *flow,
				     const plait_task_desc *desc,
				     plait__task_split_prepare prepare,
				     plait_task *out, plait_error *error);

/* Begin a host access, which all ranks make: submit the transfers that it needs
 * here and there.  If it cannot go on for want of memory, the caller lets the
 * flow fail. */
plait_status plait__rank_submit_access(plait__flow *flow, plait__data *data,
				       const plait_box *box, uint32_t mode,
				       const char *label, plait_error *error);

/* A host access that writes was committed: all ranks have the values.  Caller holds
 * the lock of the flow, and has begun the access.  PLAIT_E_NOMEM. */
plait_status plait__rank_submit_written(plait__flow *flow, plait__data *data,
					const plait_box *box,
					plait_error *error);

#endif
