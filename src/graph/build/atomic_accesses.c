/* SPDX-License-Identifier: MIT */
/* Atomic accesses of a launch; see atomic_accesses.h. */
#include "graph/build/atomic_accesses.h"

#include "graph/build/object_refs.h"
#include "object/context/device.h"
#include "object/kernel/kernel.h"
#include "plan/access.h"

/* Returns the device of an object, or none; all slots of a rotation are on one
 * device. */
static uint32_t device_of(const plait__store *store, uint32_t object)
{
	const plait__plan_rotation *rotation;
	const plait__plan_slot *slot;

	if (plait__access_is_param(object))
		return PLAIT__NONE;
	if (plait__access_is_rotation(object)) {
		rotation = plait__vector_at(&store->rotations,
					    plait__access_number(object));
		object = *(uint32_t *)plait__vector_at(&store->rotation_slots,
						       rotation->slot_first);
	}
	slot = plait__vector_at(&store->slots, object);
	return slot->device;
}

/* Returns true if the code of the launch runs on its one device's memory. */
static bool runs_in_place(const plait__node_draft *draft)
{
	const plait__store *store = draft->graph->store;
	const plait__device *device;

	if (draft->node.kind != PLAIT__CMD_LAUNCH ||
	    draft->node.device_count != 1)
		return false;
	device = *(plait__device **)plait__vector_at(&store->device_objects,
						     draft->node.device);
	return device != NULL && plait__kernel_commutes(
		*(plait__kernel **)plait__vector_at(
			&store->objects[PLAIT__STORE_KERNELS],
			draft->payload.kernel), device);
}

/* runs_in_place has been true, so the launch has one device. */
static bool commutes(const plait__node_draft *draft, uint32_t object)
{
	uint32_t device = device_of(draft->graph->store, object);

	if (device == PLAIT__NONE)
		return draft->graph->object.context->device_count == 1;
	return device == draft->node.device;
}

void plait__atomic_accesses_settle(const plait__node_draft *draft)
{
	for (uint32_t i = 0; i < draft->node.access_count; i++) {
		plait__plan_access *access = plait__vector_at(
			&draft->graph->store->accesses,
			draft->node.access_first + i);

		if (access->mode == PLAIT__ACCESS_ATOMIC &&
		    !(runs_in_place(draft) &&
		      commutes(draft, access->object)))
			access->mode = PLAIT__ACCESS_READ_WRITE;
	}
}
