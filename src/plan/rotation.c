/* SPDX-License-Identifier: MIT */
/* Slots of rotations; see rotation.h. */
#include "plan/rotation.h"

#include <stddef.h>

const plait__plan_rotation *plait__rotation_of(
	const plait__plan *plan, const plait__plan_access *access)
{
	const plait__plan_rotation *rotation;
	uint32_t number = plait__access_number(access->object);

	if (access->alias != 0 || plait__access_is_param(access->object) ||
	    !plait__access_is_rotation(access->object) ||
	    number >= plan->rotations_count)
		return NULL;
	rotation = &plan->rotations[number];
	if (rotation->region >= plan->regions_count ||
	    rotation->slot_count <= rotation->prologue ||
	    rotation->slot_first > plan->rotation_slots_count ||
	    rotation->slot_count > plan->rotation_slots_count -
	    rotation->slot_first)
		return NULL;
	return rotation;
}

uint32_t plait__rotation_slot(const plait__plan *plan,
			      const plait__plan_rotation *rotation,
			      uint32_t object, uint32_t iteration)
{
	return plan->rotation_slots[
		rotation->slot_first +
		plait__access_slot(plait__access_phase_of(object), iteration,
				   rotation->slot_count - rotation->prologue,
				   rotation->prologue)];
}

uint32_t plait__rotation_period(const plait__plan_rotation *rotation)
{
	return rotation->slot_count;
}

bool plait__rotation_overlaps(const plait__plan *plan, uint32_t a,
			      const plait__plan_rotation *one, uint32_t b,
			      const plait__plan_rotation *other)
{
	uint32_t count =
		plait__rotation_period(one) * plait__rotation_period(other);

	for (uint32_t i = 0; i < count; i++)
		if (plait__rotation_slot(plan, one, a, i) ==
		    plait__rotation_slot(plan, other, b, i))
			return true;
	return false;
}

/* Returns the rotation of an argument, or null. */
static const plait__plan_rotation *rotation_at(const plait__plan *tables,
					       const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_ROTATION ?
		       &tables->rotations[arg->index] : NULL;
}

uint32_t plait__rotation_arg_slot(const plait__plan *tables,
				  const plait__plan_arg *arg,
				  uint32_t iteration)
{
	const plait__plan_rotation *rotation = rotation_at(tables, arg);

	if (rotation == NULL)
		return arg->index;
	return tables->rotation_slots[
		rotation->slot_first +
		plait__access_phase(iteration +
					    plait__payload_rotation_ahead(arg),
				    rotation->slot_count - rotation->prologue,
				    rotation->prologue)];
}

uint32_t plait__rotation_arg_period(const plait__plan *tables,
				    const plait__plan_arg *arg)
{
	const plait__plan_rotation *rotation = rotation_at(tables, arg);

	return rotation == NULL ? 1 : plait__rotation_period(rotation);
}

uint64_t plait__rotation_arg_offset(const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_ROTATION ?
		       plait__payload_rotation_offset(arg) : arg->offset;
}

bool plait__rotation_args_meet(const plait__plan *tables,
			       const plait__plan_arg *one,
			       const plait__plan_arg *other)
{
	const plait__plan_rotation *a = rotation_at(tables, one);
	const plait__plan_rotation *b = rotation_at(tables, other);
	uint32_t ones = plait__rotation_arg_period(tables, one);
	uint32_t others = plait__rotation_arg_period(tables, other);
	/* Two loops are in any pair of iterations. */
	bool apart = a != NULL && b != NULL && a->region != b->region;

	for (uint32_t i = 0; i < ones * others; i++)
		if (plait__rotation_arg_slot(tables, one,
					     apart ? i % ones : i) ==
		    plait__rotation_arg_slot(tables, other,
					     apart ? i / ones : i))
			return true;
	return false;
}
