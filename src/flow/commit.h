/* SPDX-License-Identifier: MIT */
/*
 * Commit of a task: its predecessors, its op, and the fronts that it leaves.
 * The caller holds the lock and has filled the task and flow->accesses.
 */
#ifndef PLAIT_SRC_FLOW_COMMIT_H
#define PLAIT_SRC_FLOW_COMMIT_H

#include "flow/flow.h"

/* Make room in flow->accesses; returns false without memory. */
bool plait__commit_reserve_accesses(plait__flow *flow, uint32_t count);

/*
 * PLAIT_OK: the task has a number, and may run.
 * PLAIT_PENDING: no room, nothing has changed.  PLAIT_E_NOMEM.
 */
plait_status plait__commit_task(plait__flow_task *task, plait_error *error);

/* Add to *ops how many ops the task may need, when `before` tasks with like
 * accesses were committed in between.  PLAIT_PENDING, PLAIT_E_NOMEM. */
plait_status plait__commit_measure(plait__flow_task *task, uint32_t before,
				   uint64_t *ops, plait_error *error);

/* Join readers of the flow `arg`, at most PLAIT__OP_PREDS, in a mark: the function of
 * plait__front_record.  Returns its number. */
uint64_t plait__commit_mark(void *arg, const uint64_t *numbers, uint32_t count);

/* The marks that so many predecessors need at most. */
uint64_t plait__commit_marks(uint64_t count);

/*
 * Commit an access that the calling thread carries out itself, at once: an op
 * in no lane, which the thread finishes.  PLAIT_PENDING: op *out_behind is to be
 * done before; 0: no room.  Nothing has changed then, nor if what is read is
 * poisoned: that failure.
 */
plait_status plait__commit_access(plait__flow_task *task, uint64_t *out_behind,
				  plait_error *error);

/* Submit an op behind all others, in the room that is kept for it. */
void plait__commit_last(plait__flow *flow, plait_host_function function,
			void *user_data);

#endif
