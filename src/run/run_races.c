/* SPDX-License-Identifier: MIT */
/* Accesses of runs for the race check; see run_races.h. */
#include "run/run_races.h"

#include "run/args/bind_parameters.h"
#include "run/program.h"
#include "run/run.h"

#include "base/alloc.h"
#include "object/memory/buffer_races.h"
#include "plan/access.h"

/* Accesses of one plan that are checked; more are not. */
enum { ACCESSES = 1024 };

/* Bytes of an object that a plan accesses. */
struct part {
	uint32_t object;	/* a slot or a parameter: plan/access.h */
	bool writes;
	bool atomic;
	uint64_t first;
	uint64_t end;		/* UINT64_MAX: to the end of the object */
	uint32_t label;		/* name of the first node, in strings */
};

struct plait__race_plan {
	plait__vector parts;
	bool calls;
};

/* ---- per program ---- */

static int compare_parts(const void *left, const void *right)
{
	const struct part *one = left, *other = right;

	if (one->object != other->object)
		return one->object < other->object ? -1 : 1;
	if (one->writes != other->writes)
		return one->writes ? -1 : 1;
	if (one->atomic != other->atomic)
		return one->atomic ? -1 : 1;
	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->end < other->end ? -1 : one->end > other->end;
}

/* Returns true if the two may be one. */
static bool touches(const struct part *one, const struct part *next)
{
	return one->object == next->object && one->writes == next->writes &&
	       one->atomic == next->atomic && next->first <= one->end;
}

static void merge(plait__vector *parts)
{
	struct part *all = parts->items;
	uint32_t kept = 0;

	plait__vector_sort(parts, compare_parts);
	for (uint32_t i = 1; i < parts->count; i++)
		if (!touches(&all[kept], &all[i]))
			all[++kept] = all[i];
		else if (all[kept].end < all[i].end)
			all[kept].end = all[i].end;
	if (parts->count > 0)
		plait__vector_truncate(parts, kept + 1);
}

/* Returns true if all runs share the memory: it is no temporary. */
static bool is_shared(const plait__plan *plan, uint32_t object)
{
	uint32_t number = plait__access_number(object);

	return plait__access_is_param(object) ?
		       number < plan->params_count :
		       number < plan->slots_count &&
		       plan->slots[number].kind != PLAIT__SLOT_ARENA;
}

static bool push(const plait__plan *plan, plait__vector *parts,
		 const struct part *part)
{
	if (!is_shared(plan, part->object) || part->first >= part->end)
		return true;
	if (PLAIT__VECTOR_ADD(parts, part) == NULL)
		return false;
	/* Merged when there are twice as many as may stay. */
	if (parts->count < 2 * ACCESSES)
		return true;
	merge(parts);
	if (parts->count > ACCESSES)
		plait__vector_truncate(parts, ACCESSES);
	return true;
}

/* A box of one dimension, or the whole object; false: another shape. */
static bool read_box(const plait__plan *plan, uint32_t index, struct part *out)
{
	const plait__plan_box *box = &plan->boxes[index];

	out->first = 0;
	out->end = UINT64_MAX;
	if (index >= plan->boxes_count)
		return true;
	out->first = box->low[0];
	out->end = box->high[0];
	return box->low[1] == 0 && box->high[1] == 1 && box->low[2] == 0 &&
	       box->high[2] == 1;
}

/* Append what an access touches: one part, or for a rotation one per buffer.
 * Returns false without memory. */
static bool add_access(const plait__plan *plan, plait__vector *parts,
		       const plait__plan_access *access, uint32_t label)
{
	uint32_t number = plait__access_number(access->object);
	struct part part = { .object = access->object, .label = label,
			     .writes = access->mode != PLAIT__ACCESS_READ,
			     .atomic = access->mode == PLAIT__ACCESS_ATOMIC };
	const plait__plan_rotation *rotation;

	if (!read_box(plan, access->box, &part))
		return true;
	if (!plait__access_is_rotation(access->object))
		return push(plan, parts, &part);
	if (number >= plan->rotations_count)
		return true;
	rotation = &plan->rotations[number];
	for (uint32_t i = 0; i < rotation->slot_count; i++) {
		part.object = plan->rotation_slots[rotation->slot_first + i];
		if (!push(plan, parts, &part))
			return false;
	}
	return true;
}

/* Returns the offset of a node's name in strings, or none. */
static uint32_t name_at(const plait__plan *plan, uint32_t node)
{
	const char *name = plait__plan_node_name(plan, node);

	return *name != '\0' ? (uint32_t)(name - plan->strings) : PLAIT__NONE;
}

static bool fill(const plait__plan *plan, plait__race_plan *out)
{
	out->calls = plan->functions_count > 0 || plan->signals_count > 0;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const plait__plan_node *node = &plan->nodes[i];

		/* Not in a plan of a part. */
		if (node->command == PLAIT__NONE)
			continue;
		for (uint32_t k = node->access_first;
		     k < node[1].access_first; k++)
			if (!add_access(plan, &out->parts, &plan->accesses[k],
					name_at(plan, i)))
				return false;
	}
	merge(&out->parts);
	return true;
}

static void free_plan(const plait_allocator *allocator,
		      plait__race_plan *race_plan)
{
	if (race_plan == NULL)
		return;
	plait__vector_fini(&race_plan->parts);
	plait__free(allocator, race_plan, sizeof(*race_plan));
}

/* Null without memory. */
static const plait__race_plan *plan_of(plait__program *program)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	/* Acquire: pairs with the exchange below. */
	plait__race_plan *made = at_load_acquire_ptr(&program->race_plan);
	void *there = NULL;

	if (made != NULL)
		return made;
	made = plait__alloc(allocator, sizeof(*made));
	if (made == NULL)
		return NULL;
	plait__vector_init(&made->parts, allocator, sizeof(struct part));
	if (!fill(program->plan, made)) {
		free_plan(allocator, made);
		return NULL;
	}
	if (at_cas_ptr(&program->race_plan, &there, made))
		return made;
	free_plan(allocator, made);
	return there;
}

void plait__run_races_free(plait__program *program)
{
	const plait_allocator *allocator = plait__program_allocator(program);

	free_plan(allocator, at_load_acquire_ptr(&program->race_plan));
	plait__free(allocator, program->race_last, sizeof(*program->race_last));
}

/* ---- per run ---- */

static plait__races *races_of(const plait__program *program)
{
	/* A rehearsal accesses nothing. */
	return program->rehearsal != NULL ?
		       NULL : plait__context_races(program->context);
}

/* The buffer of a part in this run, and the offset of the part's byte 0. */
static const plait__buffer *buffer_of(const plait__instance *instance,
				      const struct part *part,
				      uint64_t *out_offset)
{
	const plait__program *program = instance->program;
	uint32_t number = plait__access_number(part->object);

	*out_offset = 0;
	if (!plait__access_is_param(part->object))
		return (const plait__buffer *)
			program->plan_object->buffers[number];
	if (program->plan->params[number].kind != PLAIT__PARAM_MEMORY)
		return NULL;
	*out_offset = instance->frame.bound[number].offset;
	return instance->frame.bound[number].buffer;
}

/* Tell the race check one access of the run, cut to the bytes that its buffer
 * has. */
static void tell_part(const plait__run_races *begun,
		      const plait__instance *instance, const struct part *part)
{
	const plait__plan_object *plan_object = instance->program->plan_object;
	uint64_t offset, end;
	const plait__buffer *buffer = buffer_of(instance, part, &offset);
	plait__race_access access;
	plait__race_work work = {
		.verb = "a run's node",
		.label = plait__plan_object_string(plan_object, part->label),
		.buffer = buffer != NULL ? &buffer->object : NULL,
	};

	if (buffer == NULL || offset > buffer->bytes)
		return;
	end = buffer->bytes - offset;
	if (end > part->end)
		end = part->end;
	if (part->first >= end)
		return;
	access = plait__buffer_races_access(buffer, offset + part->first,
					    end - part->first, part->writes);
	access.atomic = part->atomic;
	plait__races_run_access(begun->races, begun->event, &access, &work);
}

/* A vector clock, made at its first use; null without memory. */
static plait__race_clock *make_clock(const plait__program *program,
				     plait__race_clock **place)
{
	if (*place == NULL)
		*place = plait__alloc(plait__program_allocator(program),
				      sizeof(**place));
	return *place;
}

plait__run_races plait__run_races_begin(plait__instance *instance,
					plait__queue *queue)
{
	plait__program *program = instance->program;
	plait__races *races = races_of(program);
	const plait__race_plan *race_plan = plan_of(program);
	plait__run_races begun = { .races = races };
	plait__race_run run = {
		.program = program,
		.overlaps = (instance->flags & PLAIT_RUN_OVERLAP) != 0,
	};

	if (races == NULL)
		return begun;
	if (race_plan == NULL) {
		plait__races_give_up(races);
		return (plait__run_races){ .races = NULL };
	}
	run.calls = race_plan->calls;
	if (program->instance_count == 1)
		run.last = make_clock(program, &program->race_last);
	if (instance->run != NULL)
		run.known = make_clock(program, &instance->run->race_known);
	begun.mark = plait__races_mark(races);
	if (!plait__races_begin_run(races, queue != NULL ? &queue->race : NULL,
				    queue != NULL ? &queue->object : NULL,
				    &run, &begun.event))
		return (plait__run_races){ .races = NULL };
	for (uint32_t i = 0; i < race_plan->parts.count; i++)
		tell_part(&begun, instance,
			  plait__vector_at(&race_plan->parts, i));
	return begun;
}

void plait__run_races_undo(const plait__run_races *begun)
{
	if (begun->races != NULL)
		plait__races_undo_run(begun->races, begun->event, begun->mark);
}

void plait__run_races_undo_call(const plait__run_races *begun)
{
	if (begun->races != NULL)
		plait__races_undo_call(begun->races, begun->event, begun->mark);
}

void plait__run_races_commit(const plait__run_races *begun)
{
	if (begun->races == NULL)
		return;
	plait__races_commit_run(begun->races, begun->event);
	plait__races_report(begun->races);
}

void plait__run_races_end_call(const plait__run_races *begun)
{
	if (begun->races == NULL)
		return;
	plait__races_end_call(begun->races, begun->event);
	plait__races_report(begun->races);
}

void plait__run_races_on_idle(plait__queue *queue)
{
	plait__races *races = plait__context_races(queue->object.context);
	plait__race_clock clock;

	plait__races_read_queue(races, &queue->race, &clock);
	plait__races_host_saw_clock(races, &clock, true);
}

void plait__run_races_saw(const plait__run *run, bool is_told_later)
{
	plait__races *races = races_of(run->program);

	if (races != NULL && run->race_known != NULL)
		plait__races_host_saw_clock(races, run->race_known,
					    !is_told_later);
}
