/* SPDX-License-Identifier: MIT */
/*
 * Repeats whose iterations are submitted ahead: queues order all that their
 * bodies contain, so nothing of it waits for the host.  Those are bodies of
 * commands that a queue executes, on lanes of one backend, in runs that are not
 * recorded.  A segment may be in flight once only, so such a body has none.
 *
 * A body on one lane is *flat*: no queue waits for another one, and all
 * iterations of a window are one submission.
 */
#include "run/queue/compile_repeats.h"

#include "run/queue/queue_command.h"

#include "run/args/payload_util.h"

enum {
	/* Commands with work in a window, and limits of its iterations.  Two
	 * windows are in flight; one has to last longer than the host takes to
	 * submit the next one after it has seen the end of the one before. */
	WINDOW_WORK = 512,
	MIN_WINDOW = 4
};

/* Why a command keeps its body from being submitted ahead; null: it does
 * not. */
static const char *command_fault(const plait__queue_program *compiled,
				 uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	uint8_t kind = plan->commands[command].kind;

	if (kind == PLAIT__CMD_REGION || kind == PLAIT__CMD_ENTER)
		return "a loop or case is in it";
	if (plait__payload_is_external(plan, command))
		return "the host begins a command of it";
	if (plait__payload_has_host_value(plan, command))
		return "a launch of it takes a value of the host";
	return NULL;
}

static const char *region_fault(const plait__queue_program *compiled,
				uint32_t number)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_region *region = &plan->regions[number];
	const plait__plan_body *body = &plan->bodies[region->body_first];
	const char *fault = NULL;

	if (compiled->records)
		return "its runs are recorded";
	for (uint32_t i = 1; i < region->lane_count; i++)
		if (compiled->lanes[plan->region_lanes[region->lane_first + i]]
			    .port != compiled->lanes[compiled->regions[number]
							     .home].port)
			return "it has lanes of several backends";
	for (uint32_t i = 0; fault == NULL && i < body->command_count; i++)
		fault = command_fault(compiled, body->command_first + i);
	return fault;
}

/* The body has no regions (region_fault). */
static uint32_t window_of(const plait__plan *plan,
			  const plait__plan_body *body)
{
	uint32_t work = 0, window;

	for (uint32_t i = 0; i < body->command_count; i++)
		work += plait__queue_command_has_work(plan,
						      body->command_first + i);
	window = WINDOW_WORK / (work > 0 ? work : 1);
	return window > MIN_WINDOW ? window : MIN_WINDOW;
}

void plait__compile_repeats(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->regions_count; i++) {
		const plait__plan_region *region = &plan->regions[i];
		plait__queue_region *out = &compiled->regions[i];

		if (region->kind != PLAIT__REGION_REPEAT)
			continue;
		out->reason_command = PLAIT__NONE;
		out->reason = region_fault(compiled, i);
		out->ahead = out->reason == NULL;
		if (!out->ahead)
			continue;
		out->flat = region->lane_count == 1;
		out->window = window_of(plan, &plan->bodies[
						region->body_first]);
	}
}
