/* SPDX-License-Identifier: MIT */
/*
 * Conflicting accesses: two accesses to one object, at least one a write, must
 * be ordered. scratch_aliasing.c does the same for scratch, in the order made
 * here.
 *
 * Commands are visited in one topological order of all bodies: each body's own
 * order, with the bodies of a region right after its command.  Two commands of
 * different bodies are compared through the commands of the innermost common
 * body that hold them; those of two branches of one case exclude each other.
 *
 * An access stays on an object's list until a later write of the same body (or
 * an enclosing one) covers it: to be ordered after that write is to be ordered
 * after the access.  Boxes are compared pairwise; accesses to whole objects
 * cost next to nothing.
 *
 * An access through a rotation is entered for each slot that it may use.  A
 * write through a rotation covers only accesses to the same object of that
 * rotation.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

#include "plan/rotation.h"

#include <string.h>

struct entry {
	uint32_t command;
	uint32_t access;	/* index in accesses */
	uint32_t next;
};

/* Accesses to one object, or to all objects of one alias. */
struct object {
	uint64_t key;		/* 0: the table slot is empty */
	uint32_t reads;
	uint32_t writes;
};

struct scan {
	plait__check *check;
	uint32_t *timeline;	/* all commands in visiting order */
	uint32_t *first;	/* by body: its commands, nested ones included,
				 * are timeline[first .. end) */
	uint32_t *end;
	uint32_t *time;		/* by command: index in timeline */
	struct object *objects;
	uint32_t mask;
	struct entry *entries;
	uint32_t entry_count;
};

struct stack_entry {
	uint32_t body;
	uint32_t next;		/* index in its order */
	uint32_t more;		/* further bodies of the same region */
};

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
		s->time[c] = time;
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

/* Order all commands of one node before all of another: groups have several. */
static plait_status order_nodes(struct scan *s, uint32_t a, uint32_t b)
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

/* ---- conflicts ---- */

static bool is_inside(const struct scan *s, uint32_t c, uint32_t region)
{
	uint32_t body = s->check->plan->regions[region].body_first;

	return s->time[c] >= s->first[body] && s->time[c] < s->end[body];
}

/*
 * Two accesses through rotations of one loop, both inside it or both after it,
 * belong to one iteration: they overlap if some iteration maps both to one
 * slot.  Otherwise only a shared slot is known, so they overlap.
 */
static bool rotations_overlap(const struct scan *s, uint32_t c,
			      const plait__plan_access *a, uint32_t d,
			      const plait__plan_access *b)
{
	const plait__plan *plan = s->check->plan;
	const plait__plan_rotation *one = plait__rotation_of(plan, a);
	const plait__plan_rotation *other = plait__rotation_of(plan, b);

	if (one == NULL || other == NULL || one->region != other->region ||
	    is_inside(s, c, one->region) != is_inside(s, d, one->region))
		return true;
	return plait__rotation_overlaps(plan, a->object, one, b->object, other);
}

/* Returns true if both may touch common memory.  Both are on the list of one
 * slot, parameter or alias. */
static bool overlaps(const struct scan *s, uint32_t c,
		     const plait__plan_access *a, uint32_t d,
		     const plait__plan_access *b)
{
	const plait__plan *plan = s->check->plan;
	uint32_t i;

	if (a->object != b->object && !rotations_overlap(s, c, a, d, b))
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

/* Returns true if a write to `a` covers all that `b` touches. */
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

static struct object *find_object(struct scan *s, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 33);

	for (i &= s->mask; s->objects[i].key != 0; i = (i + 1) & s->mask)
		if (s->objects[i].key == key)
			return &s->objects[i];
	s->objects[i].key = key;
	s->objects[i].reads = PLAIT__NONE;
	s->objects[i].writes = PLAIT__NONE;
	return &s->objects[i];
}

/* Order c after the conflicting accesses of a list; a write removes the
 * accesses that it covers. */
static plait_status order_after(struct scan *s, uint32_t *list, uint32_t c,
				uint32_t access_index)
{
	const plait__plan *plan = s->check->plan;
	const plait__plan_access *access = &plan->accesses[access_index];
	uint32_t body = s->check->body_of[c], *at = list;
	plait_status status = PLAIT_OK;

	while (*at != PLAIT__NONE && status == PLAIT_OK) {
		struct entry *e = &s->entries[*at];
		const plait__plan_access *old = &plan->accesses[e->access];
		uint32_t when = s->time[e->command];

		if (plan->commands[e->command].node !=
		    plan->commands[c].node &&
		    overlaps(s, c, access, e->command, old))
			status = order_nodes(s, e->command, c);
		if (access->mode != PLAIT__ACCESS_READ &&
		    when >= s->first[body] && when < s->end[body] &&
		    covers(plan, access, old))
			*at = e->next;
		else
			at = &e->next;
	}
	return status;
}

static plait_status enter_object(struct scan *s, uint32_t c, uint32_t index,
				 uint64_t key)
{
	const plait__plan_access *access = &s->check->plan->accesses[index];
	struct object *object = find_object(s, key);
	struct entry *e = &s->entries[s->entry_count];
	bool writes = access->mode != PLAIT__ACCESS_READ;
	uint32_t *list = writes ? &object->writes : &object->reads;
	plait_status status = order_after(s, &object->writes, c, index);

	if (status == PLAIT_OK && writes)
		status = order_after(s, &object->reads, c, index);
	e->command = c;
	e->access = index;
	e->next = *list;
	*list = s->entry_count++;
	return status;
}

/* Enter the access once for each slot that the rotation may map it to. */
static plait_status enter_rotation(struct scan *s, uint32_t c, uint32_t index,
				   const plait__plan_rotation *rotation)
{
	const plait__plan *plan = s->check->plan;
	uint32_t object = plan->accesses[index].object, i, k;
	plait_status status = PLAIT_OK;

	for (i = 0; status == PLAIT_OK && i < plait__rotation_period(rotation);
	     i++) {
		uint32_t slot = plait__rotation_slot(plan, rotation, object, i);

		for (k = 0; k < i; k++)
			if (plait__rotation_slot(plan, rotation, object,
						 k) == slot)
				break;
		if (k == i)
			status = enter_object(s, c, index,
					      ((uint64_t)slot + 1) << 1);
	}
	return status;
}

static plait_status enter_access(struct scan *s, uint32_t c, uint32_t index)
{
	const plait__plan_access *access = &s->check->plan->accesses[index];
	const plait__plan_rotation *rotation =
		plait__rotation_of(s->check->plan, access);
	uint64_t key = access->alias != 0 ? ((uint64_t)access->alias << 1) | 1
		: ((uint64_t)access->object + 1) << 1;

	if (!plait__check_touches(s->check->plan, access))
		return PLAIT_OK;
	return rotation != NULL ? enter_rotation(s, c, index, rotation) :
	       enter_object(s, c, index, key);
}

/* Upper bound of the entries: one per access, or per slot of its rotation. */
static uint64_t count_entries(const plait__plan *plan)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < plan->accesses_count; i++) {
		const plait__plan_rotation *rotation =
			plait__rotation_of(plan, &plan->accesses[i]);

		count += rotation != NULL ?
			 plait__rotation_period(rotation) : 1;
	}
	return count;
}

static plait_status check_accesses(struct scan *s)
{
	const plait__plan *plan = s->check->plan;
	uint64_t count = count_entries(plan);
	plait_status status = PLAIT_OK;
	uint32_t i, k, size = 16;

	if (plan->accesses_count == 0)
		return PLAIT_OK;
	if (count > UINT32_MAX / 4)
		return plait__check_no_memory(s->check);
	while (size < 2 * count)
		size *= 2;
	s->mask = size - 1;
	s->objects = plait__check_alloc(s->check, size, sizeof(*s->objects));
	s->entries = plait__check_alloc(s->check, count, sizeof(*s->entries));
	if (s->objects == NULL || s->entries == NULL)
		return plait__check_no_memory(s->check);
	for (i = 0; i < plan->command_count; i++) {
		uint32_t c = s->timeline[i];
		const plait__plan_node *node =
			&plan->nodes[plan->commands[c].node];

		if (node->command != c)
			continue;
		for (k = node[0].access_first; k < node[1].access_first &&
		     status == PLAIT_OK; k++)
			status = enter_access(s, c, k);
	}
	return status;
}

plait_status plait__accesses_check(plait__check *check)
{
	const plait__plan *plan = check->plan;
	struct stack_entry *stack;
	plait_status status;
	struct scan s;

	if (plan->accesses_count == 0 && plan->scratch_count == 0)
		return PLAIT_OK;
	memset(&s, 0, sizeof(s));
	s.check = check;
	s.timeline = plait__check_alloc(check, plan->command_count,
					sizeof(uint32_t));
	s.time = plait__check_alloc(check, plan->command_count,
				    sizeof(uint32_t));
	s.first = plait__check_alloc(check, plan->bodies_count,
				     sizeof(uint32_t));
	s.end = plait__check_alloc(check, plan->bodies_count,
				   sizeof(uint32_t));
	stack = plait__check_alloc(check, plan->bodies_count,
				   sizeof(*stack));
	if (s.timeline == NULL || s.time == NULL || s.first == NULL ||
	    s.end == NULL || stack == NULL)
		return plait__check_no_memory(check);
	/* A body that is still being walked has no end yet: all commands so far
	 * are in it. */
	memset(s.end, 0xff, plan->bodies_count * sizeof(uint32_t));
	linearize(&s, stack);
	status = check_accesses(&s);
	if (status == PLAIT_OK)
		status = plait__scratch_aliasing_check(check, s.timeline);
	return status;
}
