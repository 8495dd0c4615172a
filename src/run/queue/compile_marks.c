/* SPDX-License-Identifier: MIT */
/*
 * Commands that have to emit their completion: those that another lane or the
 * host waits for.  The order of a lane's own queue needs no emission.
 */
#include "run/queue/compile_marks.h"

#include "run/args/payload_util.h"
#include "run/queue/queue_command.h"

/* Returns true if the host waits for all that precedes the command on its
 * lane. */
static bool is_begun_by_host(const plait__queue_program *compiled,
			     uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	if (at->kind == PLAIT__CMD_REGION || at->kind == PLAIT__CMD_ENTER)
		return compiled->regions[at->link].drains_lanes;
	return plait__payload_is_external(plan, command) ||
	       plait__payload_has_host_value(plan, command);
}

static void await_mark(const plait__queue_program *compiled, uint32_t command,
		       uint8_t *awaited)
{
	awaited[plait__queue_program_mark(compiled, command)] = 1;
}

/* Marks that a command of a body waits for. */
static void find_by_command(const plait__queue_program *compiled, uint32_t body,
			    uint32_t command, uint8_t *awaited)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	if (plait__queue_command_is_timed(compiled, command))
		await_mark(compiled, command, awaited);
	if (at->position > 0 &&
	    (is_begun_by_host(compiled, command) ||
	     plait__queue_program_lane(compiled, command) !=
		     plait__queue_program_lane(compiled, command - 1)))
		await_mark(compiled, command - 1, awaited);
	for (uint32_t w = at->wait_first; w < at[1].wait_first; w++) {
		const plait__plan_wait *wait = &plan->waits[w];

		if (wait->lane != at->lane)
			await_mark(compiled,
				   plait__plan_find_command(plan, body,
							    wait->lane,
							    wait->position),
				   awaited);
	}
}

/* Marks that the home lane of a region waits for when a body ends. */
static void find_by_exits(const plait__queue_program *compiled, uint32_t number,
			  uint8_t *awaited)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_body *body = &plan->bodies[number];
	uint32_t home;

	if (body->region == PLAIT__NONE)
		return;
	home = compiled->regions[body->region].home;
	for (uint32_t i = 0; i < body->exit_count; i++) {
		const plait__plan_exit *exit =
			&plan->exits[body->exit_first + i];

		if (exit->lane != home)
			await_mark(compiled,
				   plait__plan_find_command(plan, number,
							    exit->lane,
							    exit->position),
				   awaited);
	}
}

void plait__compile_marks(const plait__queue_program *compiled,
			  uint8_t *awaited)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t b = 0; b < plan->bodies_count; b++) {
		const plait__plan_body *body = &plan->bodies[b];

		if (plait__queue_program_is_device_body(compiled, b))
			continue;
		for (uint32_t i = 0; i < body->command_count; i++)
			find_by_command(compiled, b, body->command_first + i,
					awaited);
		find_by_exits(compiled, b, awaited);
	}
}
