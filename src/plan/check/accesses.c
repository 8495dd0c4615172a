/* SPDX-License-Identifier: MIT */
/*
 * Who uses what: conflicting accesses are ordered; scratch_aliasing.c looks at
 * scratch, in the order that is made here.
 *
 * Commands are taken in one order that respects all others: each body's own,
 * with the bodies of a region right after its command.  Two commands of
 * different bodies are compared as the commands of the innermost body that
 * holds both; those of two branches of one case never meet.
 *
 * Of the accesses to an object only those are kept that no later write of the
 * same body (or one around it) covers: to be after that write is to be after
 * them.  Boxes are compared one by one; whole objects cost next to nothing.
 *
 * A turn of a rotation is entered for each slot that it may be.  A write to one
 * covers only what is the same turn of it.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

#include "plan/rotation.h"

#include <string.h>

struct entry {
	uint32_t command;
	uint32_t access;	/* index in accesses, or in scratch */
	uint32_t next;
};

/* What is known of one object, or of those that share its memory. */
struct object {
	uint64_t key;		/* 0: a free place of the table */
	uint32_t reads;
	uint32_t writes;
};

struct use {
	plait__check *check;
	uint32_t *timeline;	/* commands in that one order */
	uint32_t *enter;	/* by body: its commands and those of bodies */
	uint32_t *leave;	/* inside are timeline[enter .. leave) */
	uint32_t *when;		/* by command: place in the timeline */
	struct object *objects;
	uint32_t mask;
	struct entry *entries;
	uint32_t entry_count;
};

struct stack_entry {
	uint32_t body;
	uint32_t next;		/* in its order */
	uint32_t more;		/* bodies of the same region after it */
};

static void expand(struct use *u, struct stack_entry *stack)
{
	const plait__plan *plan = u->check->plan;
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
			u->leave[f->body] = time;
			if (f->more == 0) {
				depth--;
				continue;
			}
			f->more--;
			f->body++;
			f->next = 0;
			u->enter[f->body] = time;
			continue;
		}
		c = plan->order[body->command_first + f->next++];
		u->when[c] = time;
		u->timeline[time++] = c;
		if (plan->commands[c].kind != PLAIT__CMD_REGION)
			continue;
		region = &plan->regions[plan->commands[c].link];
		stack[depth].body = region->body_first;
		stack[depth].next = 0;
		stack[depth].more = region->body_count - 1;
		u->enter[region->body_first] = time;
		depth++;
	}
}

/* ---- pairs ---- */

/* All commands of one node before all of another, for groups. */
static plait_status must_order_nodes(struct use *u, uint32_t a, uint32_t b)
{
	plait__check *check = u->check;
	uint32_t m = check->plan->commands[a].node;
	uint32_t n = check->plan->commands[b].node, i, j;
	plait_status status = PLAIT_OK;

	for (j = check->node_first[n]; j < check->node_first[n + 1]; j++)
		for (i = check->node_first[m]; i < check->node_first[m + 1] &&
		     status == PLAIT_OK; i++)
			status = plait__obligations_add_across(check,
						       check->node_commands[i],
						       check->node_commands[j],
						       PLAIT__OBLIGATION_ACCESS, NULL);
	return status;
}

/* ---- accesses ---- */

static bool is_inside(const struct use *u, uint32_t c, uint32_t region)
{
	uint32_t body = u->check->plan->regions[region].body_first;

	return u->when[c] >= u->enter[body] && u->when[c] < u->leave[body];
}

/*
 * Two turns of rotations of one loop, both taken in it or both after it, are
 * of the same iteration: they meet when some iteration has them in one slot.
 * Else nothing is known but that they share a slot.
 */
static bool rotations_overlap(const struct use *u, uint32_t c,
			      const plait__plan_access *a, uint32_t d,
			      const plait__plan_access *b)
{
	const plait__plan *plan = u->check->plan;
	const plait__plan_rotation *one = plait__rotation_of(plan, a);
	const plait__plan_rotation *other = plait__rotation_of(plan, b);

	if (one == NULL || other == NULL || one->region != other->region ||
	    is_inside(u, c, one->region) != is_inside(u, d, one->region))
		return true;
	return plait__rotation_overlaps(plan, a->object, one, b->object, other);
}

/* Both are in the list of one slot, parameter or alias. */
static bool overlaps(const struct use *u, uint32_t c,
		     const plait__plan_access *a, uint32_t d,
		     const plait__plan_access *b)
{
	const plait__plan *plan = u->check->plan;
	uint32_t i;

	if (a->object != b->object && !rotations_overlap(u, c, a, d, b))
		return false;
	if (a->object != b->object || a->box == PLAIT__NONE ||
	    b->box == PLAIT__NONE)
		return true;
	for (i = 0; i < 3; i++)
		if (plan->boxes[a->box].high[i] <= plan->boxes[b->box].low[i] ||
		    plan->boxes[b->box].high[i] <= plan->boxes[a->box].low[i])
			return false;
	return true;
}

/* Does a write to `a` cover everything that `b` touches? */
static bool covers(const plait__plan *plan, const plait__plan_access *a,
		   const plait__plan_access *b)
{
	uint32_t i;

	if (a->object != b->object)
		return false;
	if (a->box == PLAIT__NONE)
		return true;
	for (i = 0; i < 3 && b->box != PLAIT__NONE; i++)
		if (plan->boxes[a->box].low[i] > plan->boxes[b->box].low[i] ||
		    plan->boxes[a->box].high[i] < plan->boxes[b->box].high[i])
			return false;
	return b->box != PLAIT__NONE;
}

static struct object *find_object(struct use *u, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 33);

	for (i &= u->mask; u->objects[i].key != 0; i = (i + 1) & u->mask)
		if (u->objects[i].key == key)
			return &u->objects[i];
	u->objects[i].key = key;
	u->objects[i].reads = PLAIT__NONE;
	u->objects[i].writes = PLAIT__NONE;
	return &u->objects[i];
}

/* Compare with a list; a write drops from it what it covers. */
static plait_status compare(struct use *u, uint32_t *list, uint32_t c,
			    uint32_t access_index)
{
	const plait__plan *plan = u->check->plan;
	const plait__plan_access *access = &plan->accesses[access_index];
	uint32_t body = u->check->body_of[c], *at = list;
	plait_status status = PLAIT_OK;

	while (*at != PLAIT__NONE && status == PLAIT_OK) {
		struct entry *e = &u->entries[*at];
		const plait__plan_access *old = &plan->accesses[e->access];
		uint32_t when = u->when[e->command];

		if (plan->commands[e->command].node !=
		    plan->commands[c].node &&
		    overlaps(u, c, access, e->command, old))
			status = must_order_nodes(u, e->command, c);
		if (access->mode != PLAIT__ACCESS_READ &&
		    when >= u->enter[body] && when < u->leave[body] &&
		    covers(plan, access, old))
			*at = e->next;
		else
			at = &e->next;
	}
	return status;
}

static plait_status do_object(struct use *u, uint32_t c, uint32_t index,
			      uint64_t key)
{
	const plait__plan_access *access = &u->check->plan->accesses[index];
	struct object *object = find_object(u, key);
	struct entry *e = &u->entries[u->entry_count];
	bool writes = access->mode != PLAIT__ACCESS_READ;
	uint32_t *list = writes ? &object->writes : &object->reads;
	plait_status status = compare(u, &object->writes, c, index);

	if (status == PLAIT_OK && writes)
		status = compare(u, &object->reads, c, index);
	e->command = c;
	e->access = index;
	e->next = *list;
	*list = u->entry_count++;
	return status;
}

/* Each slot that a turn of a rotation may be, once. */
static plait_status do_rotation(struct use *u, uint32_t c, uint32_t index,
				const plait__plan_rotation *rotation)
{
	const plait__plan *plan = u->check->plan;
	uint32_t object = plan->accesses[index].object, i, k;
	plait_status status = PLAIT_OK;

	for (i = 0; i < plait__rotation_period(rotation) && status == PLAIT_OK; i++) {
		uint32_t slot = plait__rotation_slot(plan, rotation, object, i);

		for (k = 0; k < i; k++)
			if (plait__rotation_slot(plan, rotation, object, k) == slot)
				break;
		if (k == i)
			status = do_object(u, c, index,
					   ((uint64_t)slot + 1) << 1);
	}
	return status;
}

static plait_status do_access(struct use *u, uint32_t c, uint32_t index)
{
	const plait__plan_access *access = &u->check->plan->accesses[index];
	const plait__plan_rotation *rotation =
		plait__rotation_of(u->check->plan, access);
	uint64_t key = access->alias != 0 ? ((uint64_t)access->alias << 1) | 1
		: ((uint64_t)access->object + 1) << 1;

	if (!plait__check_touches(u->check->plan, access))
		return PLAIT_OK;
	return rotation != NULL ? do_rotation(u, c, index, rotation) :
	       do_object(u, c, index, key);
}

/* An entry for each object that each access may be. */
static uint64_t count_entries(const plait__plan *plan)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < plan->accesses_count; i++) {
		const plait__plan_rotation *rotation =
			plait__rotation_of(plan, &plan->accesses[i]);

		count += rotation != NULL ? plait__rotation_period(rotation) : 1;
	}
	return count;
}

static plait_status do_accesses(struct use *u)
{
	const plait__plan *plan = u->check->plan;
	uint64_t count = count_entries(plan);
	plait_status status = PLAIT_OK;
	uint32_t i, k, size = 16;

	if (plan->accesses_count == 0)
		return PLAIT_OK;
	if (count > UINT32_MAX / 4)
		return plait__check_no_memory(u->check);
	while (size < 2 * count)
		size *= 2;
	u->mask = size - 1;
	u->objects = plait__check_take(u->check, size, sizeof(*u->objects));
	u->entries = plait__check_take(u->check, count, sizeof(*u->entries));
	if (u->objects == NULL || u->entries == NULL)
		return plait__check_no_memory(u->check);
	for (i = 0; i < plan->command_count; i++) {
		uint32_t c = u->timeline[i];
		const plait__plan_node *node =
			&plan->nodes[plan->commands[c].node];

		if (node->command != c)
			continue;
		for (k = node[0].access_first; k < node[1].access_first &&
		     status == PLAIT_OK; k++)
			status = do_access(u, c, k);
	}
	return status;
}

plait_status plait__accesses_check(plait__check *check)
{
	const plait__plan *plan = check->plan;
	struct stack_entry *stack;
	plait_status status;
	struct use u;

	if (plan->accesses_count == 0 && plan->scratch_count == 0)
		return PLAIT_OK;
	memset(&u, 0, sizeof(u));
	u.check = check;
	u.timeline = plait__check_take(check, plan->command_count,
				       sizeof(uint32_t));
	u.when = plait__check_take(check, plan->command_count,
				   sizeof(uint32_t));
	u.enter = plait__check_take(check, plan->bodies_count,
				    sizeof(uint32_t));
	u.leave = plait__check_take(check, plan->bodies_count,
				    sizeof(uint32_t));
	stack = plait__check_take(check, plan->bodies_count,
				  sizeof(*stack));
	if (u.timeline == NULL || u.when == NULL || u.enter == NULL ||
	    u.leave == NULL || stack == NULL)
		return plait__check_no_memory(check);
	/* While a body is walked it has no end yet: all that came is in it. */
	memset(u.leave, 0xff, plan->bodies_count * sizeof(uint32_t));
	expand(&u, stack);
	status = do_accesses(&u);
	return status == PLAIT_OK ? plait__scratch_aliasing_check(check, u.timeline) : status;
}
