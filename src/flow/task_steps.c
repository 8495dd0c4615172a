/* SPDX-License-Identifier: MIT */
/* Steps of a launch; see task_steps.h. */
#include "flow/task_steps.h"

#include "flow/access/chunks.h"
#include "flow/flow_record.h"
#include "flow/flow_strict.h"
#include "flow/reduction.h"

#include "base/error.h"

_Static_assert((int)PLAIT__TASK_STEPS_MOST ==
		       (int)PLAIT__CHUNKS_MOST +
			       2 * (int)PLAIT__REDUCTIONS_MOST,
	       "pieces, and two steps for each reduction");

/* ---- counts ---- */

static uint32_t count_fills(const plait__flow_task *task)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < task->reduction_count; i++)
		count += plait__reduction_needs_fill(
			plait__reduction_at(task->flow, i));
	return count;
}

bool plait__task_steps_are_several(const plait__flow_task *task)
{
	return task->chunk.count > 1 ||
	       (task->reduction_count > 0 && count_fills(task) > 0);
}

void plait__task_steps_init(plait__task_steps *steps,
			    const plait__flow_task *task,
			    const plait_task_desc *desc,
			    plait__task_split_prepare prepare)
{
	*steps = (plait__task_steps){
		.flow = task->flow, .prepare = prepare, .desc = desc,
		.fill = { .size = sizeof(steps->fill),
			  .kind = PLAIT__RECORD_IDENTITY },
		.combine = { .size = sizeof(steps->combine),
			     .kind = PLAIT__RECORD_COMBINE },
		.fills = count_fills(task), .pieces = task->chunk.count,
	};
	steps->fill.label = steps->combine.label = desc->label;
	steps->count = steps->fills + steps->pieces +
		       (task->chunk.count > 1 ? task->reduction_count : 0);
	steps->fill_high = steps->pieces;
}

void plait__task_steps_init_one(plait__task_steps *steps, plait__flow *flow,
				const plait_task_desc *desc,
				plait__task_split_prepare prepare)
{
	steps->flow = flow;
	steps->prepare = prepare;
	steps->desc = desc;
	steps->fills = 0;
	steps->pieces = steps->count = 1;
	steps->fill_low = steps->fill_high = 0;
	steps->weights = NULL;
}

/* ---- one step ---- */

/* Fill i is that of the i-th reduction that needs one. */
static const plait__reduction *find_filled(const plait__flow *flow, uint32_t i)
{
	for (uint32_t k = 0;; k++) {
		const plait__reduction *at = plait__reduction_at(flow, k);

		if (plait__reduction_needs_fill(at) && i-- == 0)
			return at;
	}
}

/* Make the rows of the chosen pieces the identity. */
static plait_status prepare_fill(const plait__task_steps *steps, uint32_t i,
				 plait__flow_task *step, plait_error *error)
{
	plait__reduction rows = *find_filled(steps->flow, i);

	rows.first += steps->fill_low;
	rows.rows = steps->fill_high - steps->fill_low;
	return plait__reduction_fill(step, &rows, error);
}

plait_status plait__task_steps_prepare(const plait__task_steps *steps,
				       uint32_t i, plait__flow_task *step,
				       plait_error *error)
{
	plait__flow *flow = steps->flow;

	plait__flow_task_clear(step, flow);
	step->weights = steps->weights;
	if (i >= steps->fills && i < steps->fills + steps->pieces) {
		step->chunk.index = i - steps->fills;
		return steps->prepare(step, steps->desc, error);
	}
	step->label = steps->desc->label;
	step->is_urgent = steps->desc->priority > 0;
	if (i < steps->fills)
		return prepare_fill(steps, i, step, error);
	return plait__reduction_combine(
		step,
		plait__reduction_at(flow, i - steps->fills - steps->pieces),
		error);
}

const plait_task_desc *plait__task_steps_desc(const plait__task_steps *steps,
					      uint32_t i)
{
	return i < steps->fills ? &steps->fill :
	       i < steps->fills + steps->pieces ? steps->desc :
						  &steps->combine;
}

/* The target of a reduction lives as long as its partials are used. */
void plait__task_steps_keep(const plait__task_steps *steps,
			    const plait__flow_task *step)
{
	plait__flow *flow = steps->flow;

	if (steps->count > steps->pieces)
		for (uint32_t k = 0; k < flow->reductions.count; k++)
			plait__reduction_at(flow, k)->target->whole->last_use =
				step->number;
}

void plait__task_steps_record(const plait__task_steps *steps, uint32_t i,
			      const plait__flow_task *step)
{
	plait__task_steps_keep(steps, step);
	plait__flow_record_task(step, plait__task_steps_desc(steps, i));
}

plait_status plait__task_steps_check(const plait__task_steps *steps,
				     const plait__flow_task *task,
				     plait_error *error)
{
	plait_status status = plait__flow_strict_check_pieces(
		task, steps->desc, steps->prepare, error);

	for (uint32_t i = steps->fills + steps->pieces;
	     steps->flow->is_strict && status == PLAIT_OK && i < steps->count;
	     i++) {
		plait__flow_task step;

		status = plait__task_steps_prepare(steps, i, &step, error);
		/* The rows are written by the launch itself. */
		steps->flow->accesses[0] = steps->flow->accesses[1];
		if (status == PLAIT_OK)
			status = plait__flow_strict_check(steps->flow, 1,
							  error);
	}
	return status;
}
