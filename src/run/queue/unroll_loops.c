/* SPDX-License-Identifier: MIT */
/*
 * Device loops whose bodies follow a rotation.  The commands of a device graph
 * have fixed arguments, so the graph has the body once for each iteration of the
 * rotation's period:
 *
 *     while w { body }   ->   while w { body 0  if w { body 1  if w { ... } } }
 *
 * A `do` differs in its first test only.  The segment keeps its members, each
 * once: the fallbacks, in which the host decides, use them.  A segment with such
 * a loop has also *copies*, the commands of its device graph: a copy is a member
 * in an iteration, or the test before a further body.  unrolled_work.c binds
 * them.
 *
 * compile_device_loops.c chooses the loops and limits the number of commands.
 */
#include "run/queue/unroll_loops.h"

#include "run/queue/queue_command.h"

#include "run/args/payload_util.h"

#include "base/alloc.h"

struct unroller {
	plait__queue_program *compiled;
	const plait__plan *plan;
	const plait__queue_segment *segment;
	uint32_t first;		/* copy of the segment */
	uint32_t *turns;	/* per region: the iteration that is added */
	uint32_t *copy_of;	/* per command: its newest copy */
	bool failed;
};

static void push(struct unroller *u, plait__vector *vector, const void *item)
{
	if (!u->failed && plait__vector_push(vector, item, 1) == NULL)
		u->failed = true;
}

static void push_number(struct unroller *u, plait__vector *vector,
			uint32_t number)
{
	push(u, vector, &number);
}

uint32_t plait__unroll_loops_of(const plait__queue_program *compiled,
				uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);

	for (uint32_t i = 0; payload != NULL && i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];

		if (arg->kind == PLAIT__ARG_ROTATION &&
		    compiled->regions[plan->rotations[arg->index].region]
			    .on_device)
			return plan->rotations[arg->index].region;
	}
	return PLAIT__NONE;
}

static uint32_t command_at(const struct unroller *u, uint32_t member)
{
	return plait__queue_program_at(&u->compiled->members,
				       u->segment->member_first + member);
}

/* The number of copies of the segment so far. */
static uint32_t count_copies(const struct unroller *u)
{
	return u->compiled->copies.count - u->first;
}

/* ---- edges ---- */

static void begin_edges(struct unroller *u)
{
	push_number(u, &u->compiled->edge_starts,
		    u->compiled->edges.count - u->segment->copy_edge_first);
}

/* The edges of a member lead to members of its body, whose newest copies are of
 * the same iteration. */
static void add_edges(struct unroller *u, uint32_t member)
{
	const plait__vector *starts = &u->compiled->edge_starts;
	uint32_t from = plait__queue_program_at(
		starts, u->segment->start_first + member);
	uint32_t to = plait__queue_program_at(
		starts, u->segment->start_first + member + 1);

	begin_edges(u);
	for (uint32_t i = from; i < to && !u->failed; i++) {
		uint32_t before = plait__queue_program_at(
			&u->compiled->edges, u->segment->edge_first + i);

		push_number(u, &u->compiled->edges,
			    u->copy_of[command_at(u, before)]);
	}
}

/* ---- copies ---- */

static plait__queue_copy *last_copy(const struct unroller *u)
{
	return (plait__queue_copy *)u->compiled->copies.items +
	       u->compiled->copies.count - 1;
}

/* The edges of the copy are the caller's. */
static void push_copy(struct unroller *u, uint32_t member)
{
	uint32_t command = command_at(u, member);
	const plait__queue_copy copy = {
		.member = member, .shape = PLAIT__NONE,
		.region = plait__unroll_loops_of(u->compiled, command),
	};

	push(u, &u->compiled->copies, &copy);
	if (u->failed)
		return;
	if (copy.region != PLAIT__NONE)
		last_copy(u)->turn = u->turns[copy.region];
	u->copy_of[command] = count_copies(u) - 1;
}

/* Give the last copy the shape of a region: its bodies are not known yet. */
static void push_shape(struct unroller *u, uint32_t kind, uint32_t bodies)
{
	const plait_work_region shape = {
		.size = sizeof(shape), .kind = kind, .body_count = bodies,
		/* An index until all are known; see set_body_work. */
		.decider = u->compiled->shape_work.count,
	};

	if (!u->failed)
		last_copy(u)->shape = u->compiled->shapes.count;
	push(u, &u->compiled->shapes, &shape);
	for (uint32_t i = 0; i < bodies; i++)
		push_number(u, &u->compiled->shape_work, 0);
}

static plait_work_region *shape_of(const struct unroller *u, uint32_t copy)
{
	const plait__queue_copy *at =
		(const plait__queue_copy *)u->compiled->copies.items +
		u->first + copy;

	return (plait_work_region *)u->compiled->shapes.items + at->shape;
}

static void set_body_work(struct unroller *u, uint32_t copy, uint32_t body,
			  uint32_t count)
{
	if (!u->failed)
		((uint32_t *)u->compiled->shape_work
			 .items)[shape_of(u, copy)->decider + body] = count;
}

/* The number of members that a member is, with its bodies. */
static uint32_t width_of(const struct unroller *u, uint32_t member)
{
	const plait__plan_command *at =
		&u->plan->commands[command_at(u, member)];

	return at->kind != PLAIT__CMD_REGION ? 1 :
	       1 + u->compiled->regions[at->link].inner_count;
}

static void add_member(struct unroller *u, uint32_t member);

static void add_members(struct unroller *u, uint32_t from, uint32_t end)
{
	for (; from < end && !u->failed; from += width_of(u, from))
		add_member(u, from);
}

/* Add the test before a further body: behind all of the body before it. */
static void add_test(struct unroller *u, uint32_t region, uint32_t from,
		     uint32_t end)
{
	begin_edges(u);
	for (uint32_t i = from; i < end && !u->failed; i += width_of(u, i))
		push_number(u, &u->compiled->edges,
			    u->copy_of[command_at(u, i)]);
	push_copy(u, region);
	push_shape(u, PLAIT_WORK_IF, 1);
}

/* Add the bodies of a loop, each inside the one before. */
static void add_turns(struct unroller *u, uint32_t member, uint32_t region)
{
	uint32_t period = u->compiled->regions[region].period;
	uint32_t end = member + 1 + u->compiled->regions[region].inner_count;
	uint32_t opened[PLAIT__UNROLL_PERIOD];

	opened[0] = count_copies(u) - 1;
	for (uint32_t i = 0; i < period && !u->failed; i++) {
		if (i > 0) {
			add_test(u, member, member + 1, end);
			opened[i] = count_copies(u) - 1;
		}
		u->turns[region] = i;
		add_members(u, member + 1, end);
	}
	for (uint32_t i = 0; i < period && !u->failed; i++)
		set_body_work(u, opened[i], 0,
			      count_copies(u) - opened[i] - 1);
	/* Edges name the loop, not its tests. */
	u->copy_of[command_at(u, member)] = opened[0];
}

static void add_bodies(struct unroller *u, uint32_t member, uint32_t region)
{
	const plait__plan_region *at = &u->plan->regions[region];
	uint32_t copy = count_copies(u) - 1, from = member + 1;

	for (uint32_t i = 0; i < at->body_count && !u->failed; i++) {
		uint32_t end = from +
			       u->compiled->body_work[at->body_first + i];
		uint32_t before = count_copies(u);

		add_members(u, from, end);
		set_body_work(u, copy, i, count_copies(u) - before);
		from = end;
	}
}

/* A region nests as deep as those of the plan, PLAIT__UNROLL_COMMANDS at most in a
 * loop that is unrolled. */
static void add_member(struct unroller *u, uint32_t member)
{
	const plait__plan_command *at =
		&u->plan->commands[command_at(u, member)];

	add_edges(u, member);
	push_copy(u, member);
	if (at->kind != PLAIT__CMD_REGION)
		return;
	push_shape(u, u->plan->regions[at->link].kind,
		   u->plan->regions[at->link].body_count);
	if (u->failed)
		return;
	if (u->compiled->regions[at->link].period > 1)
		add_turns(u, member, at->link);
	else
		add_bodies(u, member, at->link);
}

/* ---- segments ---- */

static bool has_turns(const struct unroller *u)
{
	for (uint32_t i = 0; i < u->segment->member_count; i++) {
		const plait__plan_command *at =
			&u->plan->commands[command_at(u, i)];

		if (at->kind == PLAIT__CMD_REGION &&
		    u->compiled->regions[at->link].period > 1)
			return true;
	}
	return false;
}

/* Returns true if runs, or loops that the host decides, change the command. */
static bool changes_otherwise(const plait__queue_program *compiled,
			      uint32_t command)
{
	return plait__queue_command_may_change(compiled, command) &&
	       (plait__unroll_loops_of(compiled, command) == PLAIT__NONE ||
		(plait__queue_command_changes(compiled, command) &
		 ~(uint32_t)PLAIT__CHANGES_ROTATION) != 0);
}

static void unroll(struct unroller *u, plait__queue_segment *segment)
{
	u->segment = segment;
	if (segment->regions == 0 || !has_turns(u))
		return;
	u->first = u->compiled->copies.count;
	segment->copy_first = u->first;
	segment->copy_edge_first = u->compiled->edges.count;
	segment->copy_start_first = u->compiled->edge_starts.count;
	add_members(u, 0, segment->member_count);
	begin_edges(u);
	segment->copy_count = count_copies(u);
	for (uint32_t i = 0; i < segment->member_count; i++)
		segment->rebinds |= changes_otherwise(u->compiled,
						      command_at(u, i));
}

/* The arrays do not move any more. */
static void end_shapes(plait__queue_program *compiled)
{
	plait_work_region *shapes = compiled->shapes.items;

	for (uint32_t i = 0; i < compiled->shapes.count; i++) {
		shapes[i].body_work =
			(const uint32_t *)compiled->shape_work.items +
			shapes[i].decider;
		shapes[i].decider = 0;
	}
}

bool plait__unroll_loops(plait__queue_program *compiled)
{
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);
	const plait__plan *plan = compiled->program->plan;
	struct unroller u = { .compiled = compiled, .plan = plan };

	if (!compiled->has_device_loops)
		return true;
	u.turns = plait__alloc_array(allocator, plan->regions_count,
				     sizeof(*u.turns));
	u.copy_of = plait__alloc_array(allocator, plan->command_count,
				       sizeof(*u.copy_of));
	u.failed = u.turns == NULL || u.copy_of == NULL;
	for (uint32_t i = 0; i < compiled->segments.count && !u.failed; i++)
		unroll(&u, (plait__queue_segment *)compiled->segments.items +
				   i);
	if (!u.failed)
		end_shapes(compiled);
	plait__free(allocator, u.turns,
		    plan->regions_count * sizeof(*u.turns));
	plait__free(allocator, u.copy_of,
		    plan->command_count * sizeof(*u.copy_of));
	return !u.failed;
}
