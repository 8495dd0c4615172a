/* SPDX-License-Identifier: MIT */
/*
 * Work that changes with runs and iterations: launches, and copies and fills of
 * rotating buffers or of memory that runs bind.  Nothing that is bound is in
 * flight.
 */
#include "run/queue/bind_work.h"

#include "run/queue/launch_variants.h"
#include "run/queue/translate_work.h"

#include "run/args/payload_util.h"

#include "base/error.h"

static plait_status bind_copy(plait__queue_instance *state, uint32_t command,
			      plait_error *error)
{
	const plait_work *work = &state->work[state->launches[command].work];
	const plait_work before = *work;
	plait_status status =
		plait__translate_work_bound(state, command, error);

	if (status == PLAIT_OK &&
	    (before.target != work->target || before.source != work->source ||
	     before.kind != work->kind))
		plait__launch_variants_mark_stale(state, command);
	return status;
}

plait_status plait__bind_work_command(plait__queue_instance *state,
				      uint32_t command, plait_error *error)
{
	if (state->launches[command].changes != 0)
		return plait__launch_variants_bind(state, command, error);
	if (plait__payload_is_changing_copy(state->compiled->program->plan,
					    command))
		return bind_copy(state, command, error);
	return PLAIT_OK;
}

static void bind_or_fail(plait__queue_instance *state, uint32_t command)
{
	plait_error why = { .size = sizeof(why) };

	if (plait__bind_work_command(state, command, &why) == PLAIT_OK)
		return;
	plait__error_prefix(&why, "could not be bound: ");
	plait__instance_fail(state->instance, command, &why);
}

/* Work of unrolled loops is bound for each iteration when the device graph is
 * updated (unrolled_work.c). */
void plait__bind_work_submission(plait__queue_instance *state,
				 const plait__queue_submission *submission)
{
	const plait__queue_program *compiled = state->compiled;
	uint32_t number = submission->segment;

	if (number != PLAIT__NONE &&
	    plait__queue_program_segment_at(compiled, number)->copy_count > 0) {
		state->graphs[number].changed |=
			plait__queue_program_segment_at(compiled, number)
				->rebinds;
		return;
	}
	for (uint32_t i = 0; i < submission->work_count; i++) {
		uint32_t work = plait__queue_program_at(
			&compiled->work, submission->work_first + i);

		/* Others are predicates, which are not bound here. */
		if (work < compiled->program->plan->command_count)
			bind_or_fail(state, work);
	}
}

void plait__bind_work_batch(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_batch *batch =
		(const plait__queue_batch *)compiled->batches.items + number;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)compiled->submissions.items +
		batch->submission_first;
	const plait__queue_submission *end =
		submission + batch->submission_count;

	for (; batch->binds && submission < end; submission++)
		plait__bind_work_submission(state, submission);
}
