/* SPDX-License-Identifier: MIT */
/* Entry point of the checker: runs the phases in order and frees the memory. */
#include "plan/check/check.h"

#include "plan/check/obligations.h"
#include "plan/check/phases.h"

#include "base/alloc.h"

#include <string.h>

static plait_status add_preds(plait__check *check)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t c, i;

	/* In `helped` mode the preds are the happens-before: nothing to
	 * prove. */
	if (plan->mode == PLAIT__MODE_HELPED)
		return PLAIT_OK;
	for (c = 0; c < plan->command_count; c++)
		for (i = plan->commands[c].pred_first; status == PLAIT_OK &&
		     i < plan->commands[c + 1].pred_first; i++)
			status = plait__obligations_add(
				check, plan->preds[i], c,
				PLAIT__OBLIGATION_PRED);
	return status;
}

/* In either mode a stub comes after its main command. */
static plait_status add_stubs(plait__check *check)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t c;

	for (c = 0; c < plan->command_count && status == PLAIT_OK; c++) {
		const plait__plan_command *command = &plan->commands[c];

		if (command->kind != PLAIT__CMD_BARRIER_STUB &&
		    command->kind != PLAIT__CMD_ENTER)
			continue;
		if (plan->nodes[command->node].command == PLAIT__NONE)
			return plait__check_fail(check, c,
						 "a stub without its command");
		status = plait__obligations_add(check,
						plan->nodes[command->node].command,
						c, PLAIT__OBLIGATION_STUB);
	}
	return status;
}

static plait_status add_redundant(plait__check *check, uint32_t flags)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t c, i;

	if (!(flags & PLAIT__CHECK_REDUNDANT) ||
	    plan->mode == PLAIT__MODE_HELPED)
		return PLAIT_OK;
	for (c = 0; c < plan->command_count; c++)
		for (i = plan->commands[c].wait_first; status == PLAIT_OK &&
		     i < plan->commands[c + 1].wait_first; i++)
			status = plait__obligations_add(
				check, check->wait_target[i], c,
				PLAIT__OBLIGATION_REDUNDANT);
	return status;
}

static plait_status run_phases(plait__check *check, uint32_t flags)
{
	plait_status status = plait__structure_check(check);

	if (status == PLAIT_OK)
		status = plait__payload_tables_check(check);
	if (status == PLAIT_OK)
		status = plait__argument_bounds_check(check);
	if (status == PLAIT_OK)
		status = plait__deadlock_check(check);
	if (status == PLAIT_OK)
		status = plait__segment_convexity_check(check);
	if (status == PLAIT_OK)
		status = plait__obligations_find_chains(check);
	if (status == PLAIT_OK)
		status = add_preds(check);
	if (status == PLAIT_OK)
		status = add_stubs(check);
	if (status == PLAIT_OK)
		status = plait__against_graph_check(check);
	if (status == PLAIT_OK)
		status = plait__rotation_scope_check(check);
	if (status == PLAIT_OK)
		status = plait__accesses_check(check);
	if (status == PLAIT_OK)
		status = add_redundant(check, flags);
	if (status == PLAIT_OK)
		status = plait__clock_sweeps_run(check);
	/* Last, so that a plan with a broken order is reported as such and not
	 * by its wrong makespan. */
	if (status == PLAIT_OK)
		status = plait__totals_check(check);
	return status;
}

plait_status plait__check_plan(const plait__plan *plan,
			       const plait__input *input, uint32_t flags,
			       const plait_allocator *allocator,
			       plait__check_report *report, plait_error *error)
{
	plait__check_report ignored;
	plait__check check;
	plait_status status;

	memset(&check, 0, sizeof(check));
	check.plan = plan;
	check.input = input;
	check.allocator = allocator == NULL ? plait__alloc_default()
					    : allocator;
	check.report = report == NULL ? &ignored : report;
	check.error = error;
	memset(check.report, 0, sizeof(*check.report));
	status = run_phases(&check, flags);
	plait__check_free_all(&check);
	plait__free(check.allocator, check.obligations,
		    check.obligation_bytes);
	return status;
}

static plait_status run_places(plait__check *check, const uint64_t *offsets)
{
	plait_status status = plait__structure_check(check);

	if (status == PLAIT_OK)
		status = plait__payload_tables_check(check);
	if (status == PLAIT_OK)
		status = plait__deadlock_check(check);
	if (status == PLAIT_OK)
		status = plait__obligations_find_chains(check);
	if (status == PLAIT_OK)
		status = plait__place_aliasing_check(check, offsets);
	if (status == PLAIT_OK)
		status = plait__clock_sweeps_run(check);
	return status;
}

plait_status plait__check_places(const plait__plan *plan,
				 const uint64_t *offsets,
				 const plait_allocator *allocator,
				 plait_error *error)
{
	plait__check_report ignored = { 0 };
	plait__check check = {
		.plan = plan, .report = &ignored, .error = error,
		.allocator = allocator == NULL ? plait__alloc_default() :
						 allocator,
	};
	plait_status status = run_places(&check, offsets);

	plait__check_free_all(&check);
	plait__free(check.allocator, check.obligations,
		    check.obligation_bytes);
	return status;
}
