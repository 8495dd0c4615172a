/* SPDX-License-Identifier: MIT */
/*
 * Conflicting accesses: two accesses to one object, at least one a write, must
 * have a happens-before order.  conflicts.c finds the pairs; scratch_aliasing.c
 * does the same for scratch, and held_units.c for units of resources, in the order
 * made here.
 *
 * Commands are visited in one topological order of all bodies: each body's own
 * order, with the bodies of a region right after its command.  Two commands of
 * different bodies are compared through the commands of the innermost common
 * body that hold them; those of two branches of one case exclude each other.
 *
 * A write in a body removes only accesses of that body: the lane of a command
 * inside a region may order it where the region's own command does not.
 */
#include "plan/check/phases.h"

#include "plan/check/conflicts.h"
#include "plan/check/obligations.h"

#include <string.h>

/* `base` is first, so that its callbacks find the rest.  An item is an index in
 * `timeline`. */
struct scan {
	plait__conflicts base;
	plait__check *check;
	uint32_t *timeline;	/* all commands in visiting order */
	uint32_t *first;	/* by body: its commands, nested ones included,
				 * are timeline[first .. end) */
	uint32_t *end;
};

struct stack_entry {
	uint32_t body;
	uint32_t next;		/* index in its order */
	uint32_t more;		/* further bodies of the same region */
};

/* The stack has room for the bodies: structure.c has checked that they nest. */
static void linearize(struct scan *s, struct stack_entry *stack)
{
	const plait__plan *plan = s->check->plan;
	uint32_t depth = 1, time = 0;

	stack[0].body = 0;
	stack[0].next = 0;
	stack[0].more = 0;
	while (depth > 0) {
		struct stack_entry *f = &stack[depth - 1];
		const plait__plan_body *body = &plan->bodies[f->body];
		const plait__plan_region *region;
		uint32_t c;

		if (f->next == body->command_count) {
			s->end[f->body] = time;
			if (f->more == 0) {
				depth--;
				continue;
			}
			f->more--;
			f->body++;
			f->next = 0;
			s->first[f->body] = time;
			continue;
		}
		c = plan->order[body->command_first + f->next++];
		s->timeline[time++] = c;
		if (plan->commands[c].kind != PLAIT__CMD_REGION)
			continue;
		region = &plan->regions[plan->commands[c].link];
		stack[depth].body = region->body_first;
		stack[depth].next = 0;
		stack[depth].more = region->body_count - 1;
		s->first[region->body_first] = time;
		depth++;
	}
}

/* ---- nodes ---- */

/* Order all commands of one node before all of another: groups have several.
 * `a` is visited before `b`. */
static plait_status order_nodes(const struct scan *s, uint32_t a, uint32_t b)
{
	plait__check *check = s->check;
	uint32_t m = check->plan->commands[a].node;
	uint32_t n = check->plan->commands[b].node, i, j;
	plait_status status = PLAIT_OK;

	for (j = check->node_first[n]; j < check->node_first[n + 1]; j++)
		for (i = check->node_first[m]; i < check->node_first[m + 1] &&
		     status == PLAIT_OK; i++)
			status = plait__obligations_add_across(
				check, check->node_commands[i],
				check->node_commands[j],
				PLAIT__OBLIGATION_ACCESS, NULL);
	return status;
}

/* ---- what conflicts.c asks ---- */

static const struct scan *view(const plait__conflicts *conflicts)
{
	return (const struct scan *)conflicts;
}

static uint32_t accesses(const plait__conflicts *conflicts, uint32_t item,
			 uint32_t *out_count)
{
	const struct scan *s = view(conflicts);
	const plait__plan *plan = s->check->plan;
	uint32_t c = s->timeline[item];
	const plait__plan_node *node = &plan->nodes[plan->commands[c].node];

	*out_count = node->command != c ? 0 :
		     node[1].access_first - node[0].access_first;
	return node->access_first;
}

static bool is_inside(const plait__conflicts *conflicts, uint32_t item,
		      uint32_t region)
{
	const struct scan *s = view(conflicts);
	uint32_t body = s->check->plan->regions[region].body_first;

	return item >= s->first[body] && item < s->end[body];
}

static uint32_t first_of_body(const plait__conflicts *conflicts, uint32_t item)
{
	const struct scan *s = view(conflicts);

	return s->first[s->check->body_of[s->timeline[item]]];
}

static plait_status require_order(plait__conflicts *conflicts, uint32_t before,
				  uint32_t after, uint32_t target)
{
	const struct scan *s = view(conflicts);

	(void)target;
	return order_nodes(s, s->timeline[before], s->timeline[after]);
}

static plait_status check_accesses(struct scan *s)
{
	const plait__plan *plan = s->check->plan;

	if (plan->accesses_count == 0)
		return PLAIT_OK;
	s->base = (plait__conflicts){
		.check = s->check, .tables = plan,
		.count = plan->command_count, .accesses = accesses,
		.is_inside = is_inside, .floor = first_of_body,
		.order = require_order
	};
	return plait__conflicts_visit(&s->base);
}

plait_status plait__accesses_check(plait__check *check)
{
	const plait__plan *plan = check->plan;
	struct stack_entry *stack;
	plait_status status;
	struct scan s;

	if (plan->accesses_count == 0 && plan->scratch_count == 0 &&
	    plan->resources_count == 0 && plan->holds_count == 0)
		return PLAIT_OK;
	memset(&s, 0, sizeof(s));
	s.check = check;
	s.timeline = plait__check_alloc(check, plan->command_count,
					sizeof(uint32_t));
	s.first = plait__check_alloc(check, plan->bodies_count,
				     sizeof(uint32_t));
	s.end = plait__check_alloc(check, plan->bodies_count,
				   sizeof(uint32_t));
	stack = plait__check_alloc(check, plan->bodies_count,
				   sizeof(*stack));
	if (s.timeline == NULL || s.first == NULL || s.end == NULL || stack == NULL)
		return plait__check_no_memory(check);
	/* A body that is still being walked has no end yet: all commands so far
	 * are in it. */
	memset(s.end, 0xff, plan->bodies_count * sizeof(uint32_t));
	linearize(&s, stack);
	status = check_accesses(&s);
	if (status == PLAIT_OK)
		status = plait__scratch_aliasing_check(check, s.timeline);
	if (status == PLAIT_OK)
		status = plait__held_units_check(check, s.timeline);
	return status;
}
