/* SPDX-License-Identifier: MIT */
/* Submission of tasks, for those that are not the user's, and for arrays. */
#ifndef PLAIT_SRC_FLOW_SUBMIT_H
#define PLAIT_SRC_FLOW_SUBMIT_H

#include "flow/repetitions.h"

/* Submit a run of a repetition.  As plait_flow_submit; PLAIT_E_STATE: the flow
 * is captured. */
plait_status plait__submit_repetition(plait__flow *flow,
				   plait__repetition *again,
				   plait_task *out, plait_error *error);

/* A task that was submitted, or was not. */
typedef struct plait__submitted {
	plait_task number;
	uint32_t pieces;
	/* plait__flow_task.excess of a piece, if the task could have more. */
	uint32_t excess;
} plait__submitted;

/* Prepare and commit a task of a flow of one rank.  Waits for room unless
 * PLAIT_TASK_NO_WAIT is set.  PLAIT_PENDING: *out_behind is an op to wait for, or 0
 * for room. */
plait_status plait__submit_as(plait__flow *flow, const plait_task_desc *desc,
			      plait__repetition *again, plait__submitted *out,
			      uint64_t *out_behind, plait_error *error);

/* The same of the flow's own rank or of all ranks, and of launches that are cut first. */
plait_status plait__submit_any(plait__flow *flow, const plait_task_desc *desc,
			       plait__repetition *again, plait_task *out,
			       uint64_t *out_behind, plait_error *error);

/* Commit a cleared task of a flow of one rank without devices, as plait__submit_any does,
 * but without a wait and without an error: anything but PLAIT_OK has changed nothing.
 * Caller holds the lock. */
plait_status plait__submit_try(plait__flow_task *task,
			       const plait_task_desc *desc);

/* Tasks were submitted: build what was found to repeat.  Takes the lock. */
void plait__submit_build_repeats(plait__flow *flow);

#endif
