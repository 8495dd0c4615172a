/* SPDX-License-Identifier: MIT */
/*
 * Search for the launch that decides a device loop: the only writer of the
 * predicate word, once per iteration, in the loop's own body.  Its kernel may
 * pass the value to the device directly, so that the device need not read the
 * word; whether it does is the backend's choice.  Memory parameters may alias
 * the word.
 */
#include "run/queue/compile_predicates.h"

#include "run/args/payload_util.h"

#include "plan/access.h"

/* Several writers, or one that cannot decide. */
enum { AMBIGUOUS = PLAIT__NONE - 1 };

/* The region is on a device: compile_device_loops.c has checked that its
 * predicate is one word of memory. */
static const plait__plan_arg *word_of(const plait__plan *plan, uint32_t region)
{
	const plait__plan_payload *payload =
		plait__payload_at(plan, plan->regions[region].predicate);

	return &plan->args[payload->arg_first];
}

/* 0: no other memory is the same. */
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

/* The region is a loop on a device. */
static bool writes_word(const plait__queue_program *compiled, uint32_t command,
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

/* Note a writer in all loops that enclose the command. */
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
		    !writes_word(compiled, command, region))
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
