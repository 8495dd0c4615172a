/* SPDX-License-Identifier: MIT */
/*
 * Plans of submissions over ranks: the steps of a task, where each runs, and the
 * transfers that come before it.  All ranks plan all steps, in one order; a rank
 * keeps those in which it takes part, for rank_submit.c to commit.
 *
 * A reduction is planned as its steps: each rank makes the rows of its own pieces
 * the identity, the pieces update them, and the rank that owns the target gets all
 * rows and combines them in the order of the chunks.  So the bits depend on the
 * number of pieces only.
 *
 * Callers hold the lock of the flow, and the turn.
 */
#ifndef PLAIT_SRC_FLOW_RANK_PLAN_H
#define PLAIT_SRC_FLOW_RANK_PLAN_H

#include "flow/device_split.h"
#include "flow/rank_state.h"
#include "flow/task_steps.h"

/* A submission. */
typedef struct plait__rank_turn {
	plait__flow *flow;
	plait__flow_ranks *ranks;
	const plait_task_desc *desc; /* null: a host access */
	plait__task_split_prepare prepare;
	const char *label;
	uint64_t word; /* for the hash of the program */
	bool has_changed; /* the owner maps have */
	plait__rank_memo *memo; /* of the launch, or null */
	bool copies_pieces; /* its own, from the memo */
	plait__task_steps steps;
	plait__device_split split; /* own steps but for fills; its buffers */
} plait__rank_turn;

/*
 * Plan the task.  `task`: room for a step, of which closing is set, and wants and
 * wanted_rows by PLAIT_PENDING: no room for arguments if wants is null, else that
 * data lacks partial results.  Nothing has changed then.
 */
plait_status plait__rank_plan_task(plait__rank_turn *turn,
				   plait__flow_task *task, plait_error *error);

/* Prepare a step of the task that runs here, by its index. */
plait_status plait__rank_plan_prepare(plait__rank_turn *turn, uint32_t index,
				      plait__flow_task *task,
				      plait_error *error);

/* The same for a piece that is committed next: from its copy in the memo, or kept there
 * for the next launch. */
plait_status plait__rank_plan_prepare_own(plait__rank_turn *turn,
					  uint32_t index,
					  plait__flow_task *task,
					  plait_error *error);

/* Plan an access by all ranks.  PLAIT_E_NOMEM. */
plait_status plait__rank_plan_access(plait__rank_turn *turn, plait__data *data,
				     const plait_box *box, uint32_t mode,
				     plait_error *error);

/* Forget the steps of the submission. */
void plait__rank_plan_drop(plait__flow_ranks *ranks);

#endif
