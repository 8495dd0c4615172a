/* SPDX-License-Identifier: MIT */
/*
 * Work of device graphs that have unrolled loops (unroll_loops.c).  A rotating
 * command keeps one bound launch for each iteration of its period, so the graph
 * has all of them at once: all that runs change is bound again for each iteration
 * in turn.
 */
#include "run/queue/unrolled_work.h"

#include "run/command_text.h"
#include "run/queue/bind_work.h"

#include "base/error.h"

static const plait__queue_segment *segment_at(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_segment *)state->compiled->segments.items +
	       number;
}

/* The work of a member, in the current iteration. */
static const plait_work *work_of(const plait__queue_instance *state,
				 uint32_t number, uint32_t member)
{
	const plait__queue_submission *from =
		(const plait__queue_submission *)
			state->compiled->submissions.items +
		segment_at(state, number)->submission;

	return &state->work[from->work_first + member];
}

/* Bind a member in the iteration of a copy.  The frame has it only meanwhile. */
static plait_status bind(plait__queue_instance *state,
			 const plait__queue_copy *copy, uint32_t command,
			 plait_error *error)
{
	uint64_t *iterations = state->instance->frame.iterations;
	uint64_t saved = 0;
	plait_status status;
	char room[PLAIT__COMMAND_TEXT_BYTES];

	if (copy->region != PLAIT__NONE) {
		saved = iterations[copy->region];
		iterations[copy->region] = copy->turn;
	}
	status = plait__bind_work_command(state, command, error);
	if (status != PLAIT_OK)
		plait__error_prefix(
			error, "%s could not be bound: ",
			plait__command_text(state->compiled->program->plan,
					    command, room));
	if (copy->region != PLAIT__NONE)
		iterations[copy->region] = saved;
	return status;
}

static bool is_same(const plait_work *one, const plait_work *other)
{
	return one->kind == other->kind && one->launch == other->launch &&
	       one->target == other->target && one->source == other->source &&
	       one->target_offset == other->target_offset &&
	       one->source_offset == other->source_offset;
}

/* Let a copy have the work that its member has now.  Returns true if that is
 * another one. */
static bool keep(plait__queue_instance *state, uint32_t index,
		 const plait__queue_copy *copy, const plait_work *work,
		 uint64_t binding)
{
	bool same;

	if (copy->shape != PLAIT__NONE) {
		state->copy_work[index] = *work;
		state->copy_work[index].region =
			(const plait_work_region *)
				state->compiled->shapes.items + copy->shape;
		return false;
	}
	/* A launch that was bound again may have the address of the old one. */
	same = state->copy_bindings[index] == binding &&
	       is_same(&state->copy_work[index], work);
	state->copy_work[index] = *work;
	state->copy_bindings[index] = binding;
	return !same;
}

plait_status plait__unrolled_work_bind(
	plait__queue_instance *state, uint32_t segment,
	plait_status (*changed)(plait__queue_instance *state, uint32_t segment,
				uint32_t index, plait_error *error),
	plait_error *error)
{
	const plait__queue_segment *at = segment_at(state, segment);
	const plait__queue_copy *copy =
		(const plait__queue_copy *)state->compiled->copies.items +
		at->copy_first;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < at->copy_count;
	     i++, copy++) {
		uint32_t command = plait__queue_program_at(
			&state->compiled->members,
			at->member_first + copy->member);

		if (copy->shape == PLAIT__NONE)
			status = bind(state, copy, command, error);
		if (status != PLAIT_OK ||
		    !keep(state, at->copy_first + i, copy,
			  work_of(state, segment, copy->member),
			  state->launches[command].binding))
			continue;
		status = changed(state, segment, i, error);
		/* The next update tries again. */
		if (status != PLAIT_OK)
			state->copy_work[at->copy_first + i].kind =
				PLAIT_WORK_NOP;
	}
	return status;
}
