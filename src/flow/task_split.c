/* SPDX-License-Identifier: MIT */
/* Launches of several steps; see task_split.h. */
#include "flow/task_split.h"

#include "flow/commit.h"
#include "flow/flow_fixed.h"
#include "flow/launch_cells.h"
#include "flow/reduction.h"
#include "flow/task_launch.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "kernel/launch.h"

struct split {
	plait__flow_task *whole; /* piece 0, then the task itself */
	plait__task_steps steps;
	uint64_t ops; /* that all of it may need */
	uint64_t cells;
};

/* Each launch may need a geometry of its own by then. */
static uint64_t cells_of(const plait__flow_task *step)
{
	return step->kind == PLAIT__OP_LAUNCH ?
		       step->kernel->cells + PLAIT__LAUNCH_CELLS : step->cells;
}

/* Find out what room the steps need: nothing is numbered. */
static plait_status measure(struct split *split, plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__flow_task step;

	for (uint32_t i = 0; status == PLAIT_OK && i < split->steps.count;
	     i++) {
		status = plait__task_steps_prepare(&split->steps, i, &step,
						   error);
		if (status == PLAIT_OK)
			status = plait__commit_measure(&step, i, &split->ops,
						       error);
		if (status == PLAIT_OK)
			split->cells += cells_of(&step);
	}
	return status;
}

/* A pass that makes borders is followed by one that finds the fronts between
 * them. */
static plait_status measure_all(struct split *split, plait_error *error)
{
	const plait__flow *flow = split->whole->flow;
	plait_status status;
	uint64_t cuts;
	int passes = 0;

	do {
		cuts = flow->cuts;
		/* The end, its marks, and the op that is kept free. */
		split->ops = 2 + plait__commit_marks(split->steps.count);
		split->cells = 0;
		status = measure(split, error);
	} while (status == PLAIT_OK && flow->cuts != cuts && ++passes < 2);
	return status;
}

static plait_status check_room(const struct split *split, plait_error *error)
{
	plait__flow *flow = split->whole->flow;
	plait__window *window = &flow->window;

	/* The predecessors of a fixed flow may need less in a new epoch. */
	if (split->ops > plait__window_size(window) && flow->is_fixed &&
	    flow->epoch < window->newest)
		return PLAIT_PENDING;
	if (split->ops > plait__window_size(window))
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u pieces may need a window of %llu",
				   split->steps.pieces,
				   (unsigned long long)split->ops);
	if (2 * split->cells > window->cell_mask)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the arguments of %u pieces may need a "
				   "window of %llu", split->steps.pieces,
				   (unsigned long long)(1 + 2 * split->cells /
							    PLAIT__WINDOW_CELLS));
	return plait__window_has_room(window, split->ops, split->cells) ?
		       PLAIT_OK : PLAIT_PENDING;
}

/* The mark behind all steps: it fails if one of them does. */
static plait_status commit_end(struct split *split, const uint64_t *numbers,
			       plait_error *error)
{
	plait__flow_task *whole = split->whole;
	const plait__task_steps *steps = &split->steps;

	*whole = (plait__flow_task){
		.flow = whole->flow, .kind = PLAIT__OP_MARK,
		.closing = whole->closing, .label = steps->desc->label,
		.pieces = numbers + steps->fills,
		.piece_count = steps->count - steps->fills,
	};
	return plait__commit_task(whole, error);
}

static plait_status commit_steps(struct split *split, plait_error *error)
{
	uint64_t numbers[PLAIT__TASK_STEPS_MOST];
	plait_status status = PLAIT_OK;
	plait__flow_task step;

	for (uint32_t i = 0; i < split->steps.count; i++) {
		status = plait__task_steps_prepare(&split->steps, i, &step,
						   error);
		if (status == PLAIT_OK)
			status = plait__commit_task(&step, error);
		if (status != PLAIT_OK)
			return status;
		plait__task_steps_record(&split->steps, i, &step);
		numbers[i] = step.number;
	}
	return commit_end(split, numbers, error);
}

plait_status plait__task_split_commit(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare,
				      plait_error *error)
{
	struct split split = { .whole = task };
	plait_status status;

	plait__task_steps_init(&split.steps, task, desc, prepare);
	status = plait__task_steps_check(&split.steps, task, error);
	if (status == PLAIT_OK)
		status = measure_all(&split, error);
	if (status == PLAIT_OK &&
	    plait__flow_fixed_lacks_window(task->flow, split.ops))
		status = measure_all(&split, error);
	if (status == PLAIT_OK)
		status = check_room(&split, error);
	if (status != PLAIT_OK)
		return status;
	status = commit_steps(&split, error);
	if (split.steps.count > split.steps.pieces)
		plait__reduction_advance(split.steps.flow);
	/* The room was there; only borders may be missing. */
	return status != PLAIT_PENDING ? status :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
}

/* ---- the chunks ---- */

static plait_status list_chunks(const plait__flow *flow,
				const plait_task_desc *desc, plait_box *out,
				uint64_t room, uint64_t *out_count,
				plait_error *error)
{
	plait__chunks chunks;
	plait_launch launch;
	plait_status status = plait__launch_read(&launch, desc->launch, error);

	if (status == PLAIT_OK)
		status = plait__task_launch_cut(flow, desc, &launch, &chunks,
						error);
	if (status != PLAIT_OK)
		return status;
	*out_count = chunks.count;
	if (out != NULL && room < chunks.count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u chunks, but room for %llu",
				   chunks.count, (unsigned long long)room);
	for (uint32_t i = 0; out != NULL && i < chunks.count; i++)
		out[i] = plait__chunks_at(&chunks, i);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_flow_split(plait_flow *flow,
					const plait_task_desc *desc,
					plait_box *out, uint64_t room,
					uint64_t *out_count, plait_error *error)
{
	plait_task_desc known;
	plait__flow *self;
	plait_status status;

	if (out_count == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out_count is null");
	*out_count = 0;
	status = plait__flow_enter(flow, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = PLAIT__STRUCT_READ(plait_task_desc, &known, desc, error);
	if (status == PLAIT_OK)
		status = list_chunks(self, &known, out, room, out_count, error);
	plait__object_leave(&self->object);
	return status;
}
