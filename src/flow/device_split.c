/* SPDX-License-Identifier: MIT */
/* Launches of several steps on devices; see device_split.h. */
#include "flow/device_split.h"

#include "flow/commit.h"
#include "flow/device_place.h"
#include "flow/reduction.h"

/* Ops for a piece and its copies, for which there is room before the first piece
 * is committed. */
enum { OPS_EACH = 4 };

struct pieces {
	plait__flow_task *whole;
	plait__task_steps steps;
	plait__device_split *split;
};

/* The whole lacks the buffers that a step lacks. */
static void take_lack(const struct pieces *pieces, const plait__flow_task *step)
{
	pieces->whole->lacks_buffers = step->lacks_buffers;
	pieces->whole->excess = step->excess;
}

/* Returns true if a piece may need more than the memory of its device. */
static bool may_exceed(const plait__flow *flow)
{
	const uint64_t limit = flow->devices->room.limit;

	return limit != UINT64_MAX && flow->data_bytes > limit;
}

/* Prepare all pieces, the first one last. */
static plait_status check_each(const struct pieces *pieces, plait_error *error)
{
	const plait__task_steps *steps = &pieces->steps;
	const bool exceeds = may_exceed(steps->flow);
	plait_status status = PLAIT_OK;
	plait__flow_task step;

	if (exceeds)
		status = plait__place_find(pieces->whole, error);
	for (uint32_t i = steps->pieces; status == PLAIT_OK && i-- > 0;) {
		status = plait__task_steps_prepare(steps, steps->fills + i,
						   &step, error);
		step.candidates = pieces->whole->candidates;
		if (status == PLAIT_OK && exceeds)
			status = plait__place_check_bytes(&step, error);
		take_lack(pieces, &step);
	}
	return status;
}

/* Find out that no step is wrong, and that all buffers are there.  The first
 * piece is prepared, before and behind: if that is not wrong another one is only
 * if the program gives its boxes.  The other steps run on the host. */
static plait_status check_steps(const struct pieces *pieces,
				plait_error *error)
{
	plait__flow_task *whole = pieces->whole;
	const plait__task_steps *steps = &pieces->steps;
	plait_status status = plait__task_steps_check(steps, whole, error);

	if (status == PLAIT_OK &&
	    (whole->has_own_boxes || whole->flow->is_strict ||
	     may_exceed(whole->flow)))
		status = check_each(pieces, error);
	return status == PLAIT_OK ? plait__place_check_pieces(whole, error) :
				    status;
}

static bool has_room(const struct pieces *pieces)
{
	plait__window *window = &pieces->whole->flow->window;
	uint64_t ops = pieces->steps.count * (uint64_t)OPS_EACH + 2 +
		       plait__commit_marks(pieces->steps.count);

	if (ops > plait__window_size(window) / 2)
		ops = plait__window_size(window) / 2;
	return plait__window_has_room(window, ops, 0);
}

static plait_status commit_step(const struct pieces *pieces,
				plait_error *error)
{
	plait__device_split *split = pieces->split;
	const plait__task_steps *steps = &pieces->steps;
	plait__flow_task step = *pieces->whole;
	plait_status status = PLAIT_OK;

	if (split->done > 0 || steps->fills > 0 || steps->weights != NULL)
		status = plait__task_steps_prepare(steps, split->done, &step,
						   error);
	step.candidates = pieces->whole->candidates;
	if (status == PLAIT_OK)
		status = plait__place_task(&step, error);
	if (status == PLAIT_OK)
		status = plait__commit_task(&step, error);
	if (status == PLAIT_OK) {
		plait__place_commit(&step);
		plait__task_steps_record(steps, split->done, &step);
		split->numbers[split->done++] = step.number;
	} else {
		plait__place_undo(&step);
	}
	take_lack(pieces, &step);
	return status;
}

/* The mark behind all steps: it fails if one of them does. */
static plait_status commit_end(const struct pieces *pieces, plait_error *error)
{
	plait__flow_task *whole = pieces->whole;
	const plait__task_steps *steps = &pieces->steps;

	*whole = (plait__flow_task){
		.flow = whole->flow, .kind = PLAIT__OP_MARK,
		.closing = whole->closing, .label = steps->desc->label,
		.pieces = pieces->split->numbers + steps->fills,
		.piece_count = steps->count - steps->fills,
	};
	return plait__commit_task(whole, error);
}

plait_status plait__device_split_commit(plait__flow_task *task,
					const plait_task_desc *desc,
					plait__task_split_prepare prepare,
					plait__device_split *split,
					plait_error *error)
{
	struct pieces pieces = { .whole = task, .split = split };
	bool reduces;
	plait_status status = PLAIT_OK;

	plait__task_steps_init(&pieces.steps, task, desc, prepare);
	reduces = pieces.steps.count > pieces.steps.pieces;
	plait__split_weights_choose(&split->weights, task, desc);
	if (split->weights.state == PLAIT__SPLIT_WEIGHTED)
		task->weights = pieces.steps.weights = &split->weights;
	if (split->done == 0)
		status = check_steps(&pieces, error);
	if (status == PLAIT_OK && split->done == 0 && !has_room(&pieces))
		status = PLAIT_PENDING;
	while (status == PLAIT_OK && split->done < pieces.steps.count) {
		status = commit_step(&pieces, error);
		if (reduces && split->done == 1)
			plait__reduction_begin(task->flow, split);
	}
	if (status == PLAIT_OK)
		status = commit_end(&pieces, error);
	if (status == PLAIT_OK && reduces)
		plait__reduction_advance(task->flow);
	return status;
}
