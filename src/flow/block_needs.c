/* SPDX-License-Identifier: MIT */
/* Needs of tasks; see block_needs.h. */
#include "flow/block_needs.h"

#include "flow/capture_state.h"
#include "flow/policy/saturating.h"

bool plait__block_needs_note(plait__flow *flow, uint32_t i, plait__data *data,
			     bool is_plain)
{
	plait__vector *arguments = &flow->devices->arguments;

	if (i >= arguments->count &&
	    plait__vector_push(arguments, NULL, i + 1 - arguments->count) ==
		    NULL)
		return false;
	*plait__block_needs_argument(flow, i) =
		(plait__data_argument){ data, is_plain };
	return true;
}

static bool is_pointer(const plait__flow_task *task, uint32_t i)
{
	return task->kernel->kernel->signature->parameters[i].type ==
	       PLAIT__TYPE_POINTER;
}

/* Nodes of captures address elements from the first one of all. */
static const plait_box *widen(const plait__flow_task *task,
			      const plait__data *whole, const plait_box *box)
{
	return task->flow->capture != NULL ? &whole->box : box;
}

static bool visit_arguments(const plait__flow_task *task, bool of_pieces,
			    plait__block_need visit)
{
	uint32_t count = task->kernel->kernel->signature->count;
	bool done = true;

	for (uint32_t i = 0; done && i < count; i++) {
		const plait__data_argument *at =
			plait__block_needs_argument(task->flow, i);

		if (!is_pointer(task, i) || (of_pieces && !at->is_plain))
			continue;
		done = visit(task, at->data->whole,
			     at->is_plain ? &at->data->whole->box :
			     widen(task, at->data->whole, NULL));
	}
	return done;
}

bool plait__block_needs_visit(const plait__flow_task *task, bool of_pieces,
			      plait__block_need visit)
{
	bool done;

	of_pieces &= task->flow->capture == NULL;
	done = visit_arguments(task, of_pieces, visit);
	for (uint32_t i = 0; done && !of_pieces && i < task->access_count;
	     i++) {
		const plait__flow_access *access = &task->flow->accesses[i];

		done = visit(task, access->whole,
			     widen(task, access->whole, &access->box));
	}
	return done;
}

bool plait__block_needs_are_met(const plait__flow_task *task,
				plait__data *whole, const plait_box *box)
{
	const plait__device_block *block;

	if (whole->copies == NULL ||
	    plait__capture_state_has_temporaries(task->flow))
		return true;
	block = &plait__data_copies_at(whole->copies, task->memory)->block;
	return block->is_whole ||
	       (box == NULL ? block->buffer != NULL :
			      plait__device_block_has(block, box));
}

/* ---- bytes ---- */

/* Add the box to what the task needs of the data. */
static void bound(const plait__data *whole, const plait_box *box)
{
	plait__data_copies *copies = whole->copies;

	if (copies == NULL || plait__box_is_empty(box))
		return;
	copies->bound = copies->is_sized ?
			plait__box_list_bound(&copies->bound, box) : *box;
	copies->is_sized = true;
}

/* Captured or not. */
static void bound_all(const plait__flow_task *task)
{
	const plait__flow_access *accesses = task->flow->accesses;
	uint32_t count = task->kernel->kernel->signature->count;

	for (uint32_t i = 0; i < task->access_count; i++)
		bound(accesses[i].whole, &accesses[i].box);
	for (uint32_t i = 0; i < count; i++) {
		const plait__data_argument *at =
			plait__block_needs_argument(task->flow, i);

		/* Of data that the task accesses. */
		if (is_pointer(task, i) && at->is_plain &&
		    at->data->whole->copies != NULL &&
		    at->data->whole->copies->is_sized)
			bound(at->data->whole, &at->data->whole->box);
	}
}

/* Returns the bytes of what was bound, once. */
static uint64_t take_bytes(const plait__data *whole)
{
	plait__data_copies *copies = whole->copies;

	if (copies == NULL || !copies->is_sized)
		return 0;
	copies->is_sized = false;
	return plait__box_elements(&copies->bound) * whole->element_bytes;
}

uint64_t plait__block_needs_bytes(const plait__flow_task *task)
{
	uint64_t bytes = 0;

	bound_all(task);
	for (uint32_t i = 0; i < task->access_count; i++)
		bytes = plait__saturating_add(
			bytes, take_bytes(task->flow->accesses[i].whole));
	return bytes;
}
