/* SPDX-License-Identifier: MIT */
/* Memory conflicts between two runs of one plan; see run_conflicts.h. */
#include "run/run_conflicts.h"

#include "run/program.h"
#include "run/args/bind_parameters.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/memory/buffer.h"
#include "plan/access.h"

/* ---- per plan ---- */

/* Returns true if all runs share the memory: it is no temporary. */
static bool is_shared(const plait__plan *plan, uint32_t object)
{
	uint32_t number = plait__access_number(object);
	const plait__plan_rotation *rotation;

	if (!plait__access_is_rotation(object))
		return number >= plan->slots_count ||
		       plan->slots[number].kind != PLAIT__SLOT_ARENA;
	if (number >= plan->rotations_count)
		return true;
	rotation = &plan->rotations[number];
	for (uint32_t i = 0; i < rotation->slot_count; i++)
		if (is_shared(plan, plan->rotation_slots[
					    rotation->slot_first + i]))
			return true;
	return false;
}

/* Mark the written parameters.  Returns true if the plan also writes memory
 * that it names. */
static bool mark_written(const plait__plan *plan, bool *written)
{
	uint32_t number;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		const plait__plan_node *node = &plan->nodes[i];

		/* Not in a plan of a part. */
		if (node->command == PLAIT__NONE)
			continue;
		for (uint32_t k = node->access_first;
		     k < node[1].access_first; k++) {
			const plait__plan_access *access = &plan->accesses[k];

			if (access->mode == PLAIT__ACCESS_READ)
				continue;
			number = plait__access_number(access->object);
			if (plait__access_is_param(access->object) &&
			    number < plan->params_count)
				written[number] = true;
			else if (is_shared(plan, access->object))
				return true;
		}
	}
	return false;
}

static bool has_any(const bool *written, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (written[i])
			return true;
	return false;
}

static plait_status list_params(plait__program *program, const bool *written,
				plait_error *error)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	plait__run_conflicts *conflicts = &program->conflicts;
	const plait__plan *plan = program->plan;

	conflicts->params = plait__alloc_array(allocator, plan->params_count,
					       sizeof(*conflicts->params));
	conflicts->ranges = plait__alloc_array(
		allocator,
		(uint64_t)plan->params_count * program->instance_count,
		sizeof(*conflicts->ranges));
	if (conflicts->params == NULL || conflicts->ranges == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	for (uint32_t i = 0; i < plan->params_count; i++)
		if (plait__payload_param_is_memory(&plan->params[i]))
			conflicts->params[conflicts->param_count++] =
				(plait__memory_param){ i, written[i] };
	return PLAIT_OK;
}

plait_status plait__run_conflicts_find(plait__program *program,
				       plait_error *error)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan *plan = program->plan;
	plait_status status = PLAIT_OK;
	bool *written;

	/* A rehearsal accesses nothing, and one instance runs alone. */
	if (program->rehearsal != NULL || program->instance_count < 2)
		return PLAIT_OK;
	written = plait__alloc_array(allocator,
				     (uint64_t)plan->params_count + 1,
				     sizeof(*written));
	if (written == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	if (mark_written(plan, written)) {
		program->conflicts.kind = PLAIT__CONFLICTS_ALWAYS;
	} else if (has_any(written, plan->params_count)) {
		program->conflicts.kind = PLAIT__CONFLICTS_BY_BUFFER;
		status = list_params(program, written, error);
	}
	plait__free(allocator, written,
		    ((uint64_t)plan->params_count + 1) * sizeof(*written));
	return status;
}

void plait__run_conflicts_free(plait__program *program)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	plait__run_conflicts *conflicts = &program->conflicts;
	uint64_t count = program->plan->params_count;

	plait__free(allocator, conflicts->params,
		    count * sizeof(*conflicts->params));
	plait__free(allocator, conflicts->ranges,
		    count * program->instance_count *
			    sizeof(*conflicts->ranges));
}

/* ---- per run ---- */

/* Only where conflicts are by buffer: other plans have no ranges. */
static plait__bound_range *ranges_of(const plait__instance *instance)
{
	const plait__run_conflicts *conflicts = &instance->program->conflicts;

	return conflicts->ranges +
	       (size_t)instance->index * conflicts->param_count;
}

/* Returns the bytes of a buffer from an offset on.  Several roots may wrap the
 * same memory. */
static plait__bound_range range_of(const plait__buffer *buffer,
				   uint64_t offset)
{
	const plait__buffer *root = buffer->root;
	uint64_t base = (uintptr_t)root->wrapped;
	bool is_own = base == 0 && root->native == 0;

	return (plait__bound_range){
		is_own ? root : NULL, root->native,
		base + buffer->offset + offset,
		base + buffer->offset + buffer->bytes,
	};
}

static plait__bound_range host_range_of(const struct plait__bound_buffer *bound)
{
	uint64_t address = (uintptr_t)bound->mapped;

	return (plait__bound_range){ NULL, 0, address,
				     address + bound->host_bytes };
}

void plait__run_conflicts_note(const plait__instance *instance)
{
	const plait__run_conflicts *conflicts = &instance->program->conflicts;
	plait__bound_range *ranges = ranges_of(instance);

	for (uint32_t i = 0; i < conflicts->param_count; i++) {
		const struct plait__bound_buffer *bound =
			&instance->frame.bound[conflicts->params[i].param];

		ranges[i] = bound->buffer != NULL ?
			    range_of(bound->buffer, bound->offset) :
			    host_range_of(bound);
	}
}

static bool overlap(const plait__bound_range *one,
		    const plait__bound_range *other)
{
	return one->root == other->root && one->native == other->native &&
	       one->first < other->end && other->first < one->end;
}

/* Returns true if the run writes memory that the plan names.  The run has noted
 * its ranges. */
static bool hits_plan(const plait__instance *instance)
{
	const plait__program *program = instance->program;
	const plait__run_conflicts *conflicts = &program->conflicts;
	const plait__bound_range *ranges = ranges_of(instance);

	for (uint32_t i = 0; i < program->plan->slots_count; i++) {
		const plait__buffer *buffer = (const plait__buffer *)
			program->plan_object->buffers[i];
		plait__bound_range named;

		if (buffer == NULL)
			continue;
		named = range_of(buffer, 0);
		for (uint32_t k = 0; k < conflicts->param_count; k++)
			if (conflicts->params[k].written &&
			    overlap(&named, &ranges[k]))
				return true;
	}
	return false;
}

/* Returns true if `one` writes what `other` accesses.  Both runs have noted
 * their ranges. */
static bool hits(const plait__instance *one, const plait__instance *other)
{
	const plait__run_conflicts *conflicts = &one->program->conflicts;
	const plait__bound_range *written = ranges_of(one);
	const plait__bound_range *accessed = ranges_of(other);

	for (uint32_t i = 0; i < conflicts->param_count; i++)
		for (uint32_t k = 0;
		     conflicts->params[i].written &&
		     k < conflicts->param_count; k++)
			if (overlap(&written[i], &accessed[k]))
				return true;
	return false;
}

bool plait__run_conflicts_between(const plait__instance *one,
				  const plait__instance *other)
{
	if (one->program->conflicts.kind != PLAIT__CONFLICTS_BY_BUFFER)
		return one->program->conflicts.kind ==
		       PLAIT__CONFLICTS_ALWAYS;
	return hits(one, other) || hits(other, one) || hits_plan(one) ||
	       hits_plan(other);
}
