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
