/* SPDX-License-Identifier: MIT */
/* The check's front door: its parts in order, its memory, its texts. */
#include "plan/check/check.h"

#include "plan/check/obligations.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

void *plait__check_take(plait__check *check, uint64_t count, uint64_t each)
{
	uint64_t bytes;
	void *pointer;

	if (check->block_count == PLAIT__CHECK_BLOCKS ||
	    __builtin_mul_overflow(count ? count : 1, each, &bytes))
		return NULL;
	pointer = plait__alloc(check->allocator, bytes);
	if (pointer == NULL)
		return NULL;
	check->blocks[check->block_count].pointer = pointer;
	check->blocks[check->block_count++].bytes = bytes;
	return pointer;
}

plait_status plait__check_no_memory(plait__check *check)
{
	return plait__fail(check->error, PLAIT_E_NOMEM,
			   "no memory to check a plan of %u commands",
			   check->plan->command_count);
}

static const char *string_at(const plait__plan *plan, uint32_t offset)
{
	return offset < plan->strings_count ? plan->strings + offset : "";
}

const char *plait__check_name(const plait__check *check, uint32_t command,
			      char text[PLAIT__CHECK_TEXT_BYTES])
{
	const plait__plan *plan = check->plan;
	uint32_t node = plan->commands[command].node;
	const char *label, *file;
	char place[48] = "";

	if (node >= plan->node_count) {
		snprintf(text, PLAIT__CHECK_TEXT_BYTES, "command %u", command);
		return text;
	}
	label = string_at(plan, plan->nodes[node].label);
	file = string_at(plan, plan->nodes[node].file);
	if (*file != '\0')
		snprintf(place, sizeof(place), " (%s:%u)",
			 plait__text_tail(file, 24), plan->nodes[node].line);
	else if (plan->nodes[node].line != 0)
		snprintf(place, sizeof(place), " (line %u)",
			 plan->nodes[node].line);
	if (*label != '\0')
		snprintf(text, PLAIT__CHECK_TEXT_BYTES, "node %u '%.*s'%s",
			 node, PLAIT__TEXT_FIT(label, 28), place);
	else
		snprintf(text, PLAIT__CHECK_TEXT_BYTES, "node %u%s", node,
			 place);
	return text;
}

bool plait__check_touches(const plait__plan *plan,
			  const plait__plan_access *access)
{
	const plait__plan_box *box;

	if (access->box == PLAIT__NONE)
		return true;
	box = &plan->boxes[access->box];
	for (uint32_t i = 0; i < 3; i++)
		if (box->low[i] >= box->high[i])
			return false;
	return true;
}

/* A buffer that both nodes use and one of them writes, by name; or "". */
static const char *shared_buffer(const plait__plan *plan, uint32_t m,
				 uint32_t n)
{
	const plait__plan_node *a = &plan->nodes[m], *b = &plan->nodes[n];

	for (uint32_t i = a[0].access_first; i < a[1].access_first; i++) {
		const plait__plan_access *one = &plan->accesses[i];

		for (uint32_t j = b[0].access_first; j < b[1].access_first;
		     j++) {
			const plait__plan_access *two = &plan->accesses[j];

			if (one->object == two->object &&
			    one->object < plan->slots_count &&
			    plait__check_touches(plan, one) &&
			    plait__check_touches(plan, two) &&
			    (one->mode != PLAIT__ACCESS_READ ||
			     two->mode != PLAIT__ACCESS_READ))
				return string_at(
					plan, plan->slots[one->object].name);
		}
	}
	return "";
}

const char *plait__check_memory(const plait__check *check, uint32_t before,
				uint32_t after,
				char text[PLAIT__CHECK_TEXT_BYTES])
{
	const plait__plan *plan = check->plan;
	const char *name = shared_buffer(plan, plan->commands[before].node,
					 plan->commands[after].node);

	if (*name != '\0')
		snprintf(text, PLAIT__CHECK_TEXT_BYTES,
			 "both use the same memory, buffer '%.*s'",
			 PLAIT__TEXT_FIT(name, 24));
	else
		snprintf(text, PLAIT__CHECK_TEXT_BYTES,
			 "both use the same memory");
	return text;
}

plait_status plait__check_fail(plait__check *check, uint32_t command,
			       const char *what)
{
	char text[PLAIT__CHECK_TEXT_BYTES];

	return plait__fail(check->error, PLAIT_E_INVALID, "%s: %s",
			   plait__check_name(check, command, text), what);
}

static plait_status add_preds(plait__check *check)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t c, i;

	/* In `helped` the preds are the order: there is nothing to prove. */
	if (plan->mode == PLAIT__MODE_HELPED)
		return PLAIT_OK;
	for (c = 0; c < plan->command_count; c++)
		for (i = plan->commands[c].pred_first; status == PLAIT_OK &&
		     i < plan->commands[c + 1].pred_first; i++)
			status = plait__obligations_add(check, plan->preds[i], c,
							PLAIT__OBLIGATION_PRED);
	return status;
}

/* A stub, in either mode, comes after the command it belongs to. */
static plait_status add_stubs(plait__check *check)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t c;

	for (c = 0; c < plan->command_count && status == PLAIT_OK; c++) {
		const plait__plan_command *command = &plan->commands[c];

		if (command->kind != PLAIT__CMD_JOIN &&
		    command->kind != PLAIT__CMD_ENTER)
			continue;
		if (plan->nodes[command->node].command == PLAIT__NONE)
			return plait__check_fail(check, c,
						 "a stub of nothing");
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
			status = plait__obligations_add(check,
							check->wait_target[i], c,
							PLAIT__OBLIGATION_REDUNDANT);
	return status;
}

static plait_status run_parts(plait__check *check, uint32_t flags)
{
	plait_status status = plait__structure_check(check);

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
	/* Last: who breaks an order is told so, not what that costs. */
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
	status = run_parts(&check, flags);
	while (check.block_count-- > 0)
		plait__free(check.allocator,
			    check.blocks[check.block_count].pointer,
			    check.blocks[check.block_count].bytes);
	plait__free(check.allocator, check.obligations,
		    check.obligation_bytes);
	return status;
}
