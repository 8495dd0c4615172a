/* SPDX-License-Identifier: MIT */
/* Repeats whose iterations a backend counts; see repeat_series.h. */
#include "run/queue/repeat_series.h"

#include "run/queue/queue_command.h"
#include "run/queue/resolve_arguments.h"

#include "run/args/payload_util.h"

#include "object/context/device.h"
#include "object/kernel/device_code.h"

/* ---- which repeats ---- */

/* Returns true if the argument is constant in a repeat, or a number that grows by
 * the same step in each iteration. */
static bool is_regular(const plait__plan *plan, const plait__plan_arg *arg,
		       uint32_t region)
{
	if (arg->kind == PLAIT__ARG_ROTATION)
		return plan->rotations[arg->index].region != region;
	return arg->kind != PLAIT__ARG_SERIES ||
	       plan->series[arg->index].region != region ||
	       plan->series[arg->index].limit == 0;
}

/* Returns true if the device of its lane has code for the kernel.  It may be
 * exchanged for another one later. */
static bool has_code(const plait__queue_program *compiled, uint32_t command,
		     const plait__plan_payload *payload)
{
	const plait__plan_object *plan_object = compiled->program->plan_object;
	const plait__plan_command *at = &plan_object->plan->commands[command];

	return plait__device_code_find(
		       (plait__kernel *)plan_object->kernels[payload->kernel],
		       compiled->lanes[at->lane].device) != NULL;
}

static bool is_regular_launch(const plait__queue_program *compiled,
			      uint32_t command, uint32_t region)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload =
		plait__queue_command_launch(compiled, command);
	bool regular = !plait__payload_has_series(plan, payload) &&
		       has_code(compiled, command, payload);

	for (uint32_t i = 0; regular && i < payload->arg_count; i++)
		regular = is_regular(plan, &plan->args[payload->arg_first + i],
				     region);
	return regular;
}

/* Memory that a run binds may be of another backend. */
static bool is_regular_copy(const plait__queue_program *compiled,
			    uint32_t command, uint32_t region)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	bool regular = !plait__payload_is_param_copy(plan, command) &&
		       !plait__queue_command_is_foreign(compiled, command);

	for (uint32_t i = 0; regular && payload != NULL &&
	     i < payload->arg_count; i++)
		regular = is_regular(plan, &plan->args[payload->arg_first + i],
				     region);
	return regular;
}

/* Returns true if the backend can execute the command in any iteration. */
static bool can_repeat(const plait__queue_program *compiled, uint32_t command,
		       uint32_t region)
{
	const plait__plan *plan = compiled->program->plan;

	switch (plan->commands[command].kind) {
	case PLAIT__CMD_LAUNCH:
		return is_regular_launch(compiled, command, region);
	case PLAIT__CMD_COPY:
	case PLAIT__CMD_FILL:
		return is_regular_copy(compiled, command, region);
	default:
		return !plait__queue_command_has_work(plan, command);
	}
}

/* ---- its numbers ---- */

static bool is_number(const plait__plan *plan, const plait__plan_arg *arg,
		      uint32_t region)
{
	return (arg->kind == PLAIT__ARG_INDEX && arg->index == region) ||
	       (arg->kind == PLAIT__ARG_SERIES &&
		plan->series[arg->index].region == region);
}

static void find_numbers(plait__batch_builder *p, uint32_t region,
			 uint32_t command, uint32_t work)
{
	const plait__plan_payload *payload =
		plait__queue_command_launch(p->compiled, command);
	plait__queue_series series = { .work = work };

	for (uint32_t i = 0; payload != NULL && i < payload->arg_count; i++) {
		series.argument = i;
		series.arg = payload->arg_first + i;
		if (is_number(p->plan, &p->plan->args[series.arg], region))
			(void)plait__batch_builder_push(
				p, &p->compiled->series, &series);
	}
}

static void find_all_numbers(plait__batch_builder *p, uint32_t region)
{
	const plait__queue_body *body =
		&p->compiled->bodies[p->plan->regions[region].body_first];
	const plait__queue_stage *stage =
		plait__queue_program_stage(p->compiled, body->stage_first);
	uint32_t work = 0;

	for (uint32_t i = 0; i < stage->batch_count; i++) {
		const plait__queue_batch *batch = plait__vector_at(
			&p->compiled->batches, stage->batch_first + i);
		const plait__queue_submission *submission =
			(const plait__queue_submission *)
				p->compiled->submissions.items +
			batch->submission_first;
		const plait__queue_submission *end =
			submission + batch->submission_count;

		for (; submission < end; submission++)
			for (uint32_t k = 0; k < submission->work_count; k++)
				find_numbers(p, region,
					     plait__queue_program_at(
						     &p->compiled->work,
						     submission->work_first +
							     k),
					     work++);
	}
}

void plait__repeat_series_find(plait__batch_builder *p, uint32_t number)
{
	plait__queue_region *out = &p->compiled->regions[number];
	const plait__plan_body *body =
		&p->plan->bodies[p->plan->regions[number].body_first];

	out->counted = plait__device_facts(p->compiled->lanes[out->home].device)
			       ->repeats != 0;
	for (uint32_t i = 0; out->counted && i < body->command_count; i++)
		out->counted = can_repeat(p->compiled, body->command_first + i,
					  number);
	if (!out->counted)
		return;
	out->series_first = p->compiled->series.count;
	find_all_numbers(p, number);
	out->series_count = p->compiled->series.count - out->series_first;
}

/* ---- submissions ---- */

/* A kernel may have been exchanged for one that the host executes. */
static bool is_all_of_device(const plait_submission *submission)
{
	for (uint32_t i = 0; i < submission->work_count; i++)
		if (submission->work[i].kind == PLAIT_WORK_CALL)
			return false;
	return true;
}

/* The number of the next iteration, and its step. */
static plait_work_series series_of(const plait__run_driver *driver,
				   const plait__queue_series *at)
{
	const plait__plan *plan = driver->compiled->program->plan;
	const plait__plan_arg *arg = &plan->args[at->arg];
	plait_work_series series = {
		.size = sizeof(series), .work = at->work,
		.argument = at->argument, .step = 1,
		.first = plait__resolve_number(&driver->state, arg, NULL),
	};

	if (arg->kind == PLAIT__ARG_SERIES)
		series.step = (uint64_t)plan->series[arg->index].scale;
	return series;
}

uint64_t plait__repeat_series_fill(plait__run_driver *driver, uint32_t region,
				   uint64_t iterations, plait_submission *out)
{
	const plait__queue_region *at = &driver->compiled->regions[region];
	const plait__queue_series *all = driver->compiled->series.items;
	plait_work_series *numbers = driver->state.series;
	uint32_t count = 0;

	out->work = driver->state.repeat_work + at->room;
	out->work_count = at->work;
	if (!is_all_of_device(out))
		iterations = 1;
	out->times = (uint32_t)iterations;
	for (uint32_t i = 0; i < at->series_count; i++) {
		const plait__queue_series *one = &all[at->series_first + i];

		if (out->work[one->work].kind == PLAIT_WORK_LAUNCH)
			numbers[at->series_first + count++] =
				series_of(driver, one);
	}
	out->series = count > 0 ? &numbers[at->series_first] : NULL;
	out->series_count = count;
	return iterations;
}
