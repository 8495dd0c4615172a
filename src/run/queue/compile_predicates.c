/* SPDX-License-Identifier: MIT */
/*
 * Who decides a loop that its device decides: a launch of its body which alone
 * writes the word, and in each iteration once.  Its kernel may tell the device
 * what it wrote, and nobody has to look at the word; whether it does the backend
 * knows.  Memory that runs bring may be any.
 */
#include "run/queue/compile_predicates.h"

#include "run/args/payload_util.h"

#include "plan/access.h"

/* More than one writes, or who cannot decide. */
enum { AMBIGUOUS = PLAIT__NONE - 1 };

static const plait__plan_arg *word_of(const plait__plan *plan, uint32_t region)
{
	const plait__plan_payload *payload =
		plait__payload_at(plan, plan->regions[region].predicate);

	return &plan->args[payload->arg_first];
}

/* 0: nothing else is the same memory. */
static uint32_t alias_of(const plait__plan *plan, uint32_t slot)
{
	for (uint32_t i = 0; i < plan->accesses_count; i++)
		if (plan->accesses[i].object == slot)
			return plan->accesses[i].alias;
	return 0;
}

static bool may_alias(const plait__plan_access *access, uint32_t slot,
		      uint32_t alias)
{
	return access->object == slot ||
	       plait__access_is_param(access->object) ||
	       plait__access_is_rotation(access->object) ||
	       (alias != 0 && access->alias == alias);
}

static bool writes(const plait__queue_program *compiled, uint32_t command,
		   uint32_t region)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_node *node =
		&plan->nodes[plan->commands[command].node];
	uint32_t slot = word_of(plan, region)->index;

	for (uint32_t i = node->access_first; i < node[1].access_first; i++)
		if (plan->accesses[i].mode != PLAIT__ACCESS_READ &&
		    may_alias(&plan->accesses[i], slot,
			      compiled->regions[region].alias))
			return true;
	return false;
}

static bool is_direct_launch(const plait__plan *plan, uint32_t command,
			     uint32_t region)
{
	const plait__plan_command *at = &plan->commands[command];

	return at->kind == PLAIT__CMD_LAUNCH &&
	       plan->bodies[plan->nodes[at->node].body].region == region;
}

static bool is_loop(const plait__queue_program *compiled, uint32_t region)
{
	return compiled->regions[region].on_device &&
	       compiled->program->plan->regions[region].kind !=
		       PLAIT__REGION_CASE;
}

/* To all loops that a command is in. */
static void note_writer(plait__queue_program *compiled, uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];
	uint32_t region = plan->bodies[plan->nodes[at->node].body].region;

	if (at->kind == PLAIT__CMD_REGION || at->kind == PLAIT__CMD_ENTER)
		return;
	for (; region != PLAIT__NONE;
	     region = compiled->regions[region].outer) {
		uint32_t *writer = &compiled->regions[region].writer;

		if (!is_loop(compiled, region) ||
		    !writes(compiled, command, region))
			continue;
		*writer = *writer == PLAIT__NONE &&
					  is_direct_launch(plan, command,
							   region) ?
				  command :
				  AMBIGUOUS;
	}
}

void plait__compile_predicates(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	if (!compiled->has_device_loops)
		return;
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		compiled->regions[i].writer = PLAIT__NONE;
		if (is_loop(compiled, i))
			compiled->regions[i].alias =
				alias_of(plan, word_of(plan, i)->index);
	}
	for (uint32_t i = 0; i < plan->command_count; i++)
		note_writer(compiled, i);
	for (uint32_t i = 0; i < plan->regions_count; i++)
		if (compiled->regions[i].writer < AMBIGUOUS)
			compiled->regions[i].shape.decider =
				compiled->member_index[compiled->regions[i]
							       .writer];
}
