/* SPDX-License-Identifier: MIT */
/*
 * Steps of a launch that is more than one op: fills of what it reduces, its
 * pieces, and combinations.  Each is a task of its own, prepared one by one under
 * the lock.
 */
#ifndef PLAIT_SRC_FLOW_TASK_STEPS_H
#define PLAIT_SRC_FLOW_TASK_STEPS_H

#include "flow/flow_object.h"

/* Fill the task, of which flow, closing and chunk.index are set, and
 * flow->accesses. */
typedef plait_status (*plait__task_split_prepare)(plait__flow_task *task,
						  const plait_task_desc *desc,
						  plait_error *error);

enum { PLAIT__TASK_STEPS_MOST = 256 + 2 * 8 };

typedef struct plait__task_steps {
	plait__flow *flow;
	plait__task_split_prepare prepare;
	const plait_task_desc *desc;
	/* For the record, of the steps that are no pieces. */
	plait_task_desc fill, combine;
	uint32_t fills; /* come first */
	uint32_t pieces;
	uint32_t count; /* of all */
	/* Rows that a fill makes the identity: those of these pieces.  Over a
	 * world of the rank; else of all. */
	uint32_t fill_low, fill_high;
	const plait__split_weights *weights; /* of the pieces, or null */
} plait__task_steps;

/* `task`: piece 0, which is prepared. */
void plait__task_steps_init(plait__task_steps *steps,
			    const plait__flow_task *task,
			    const plait_task_desc *desc,
			    plait__task_split_prepare prepare);

/* The same of any task of one step, which is not prepared yet: `fill` and `combine` are
 * not set. */
void plait__task_steps_init_one(plait__task_steps *steps, plait__flow *flow,
				const plait_task_desc *desc,
				plait__task_split_prepare prepare);

/* Prepare step i. */
plait_status plait__task_steps_prepare(const plait__task_steps *steps,
				       uint32_t i, plait__flow_task *step,
				       plait_error *error);

/* Of a strict flow: refuse what it would warn of.  `task` as for init. */
plait_status plait__task_steps_check(const plait__task_steps *steps,
				     const plait__flow_task *task,
				     plait_error *error);

/* A step was committed: keep what it needs. */
void plait__task_steps_keep(const plait__task_steps *steps,
			    const plait__flow_task *step);

/* Step i was committed: keep what it needs, and record it. */
void plait__task_steps_record(const plait__task_steps *steps, uint32_t i,
			      const plait__flow_task *step);

/* The descriptor of step i: of a fill or a combination for the record only. */
const plait_task_desc *plait__task_steps_desc(const plait__task_steps *steps,
					      uint32_t i);

/* Returns true if the prepared launch has several steps. */
bool plait__task_steps_are_several(const plait__flow_task *task);

#endif
