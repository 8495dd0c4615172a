/* SPDX-License-Identifier: MIT */
/* Rotations that a node names; see rotation_refs.h. */
#include "graph/build/rotation_refs.h"

#include "graph/build/object_refs.h"
#include "graph/build/scopes.h"
#include "base/error.h"
#include "object/memory/buffer_check.h"
#include "plan/access.h"

enum { MAX_AHEAD = (1 << PLAIT__ROTATION_AHEAD_BITS) - 1 };

static uint32_t slot_at(const plait__store *store,
			const plait__plan_rotation *rotation, uint32_t i)
{
	return *(uint32_t *)plait__vector_at(&store->rotation_slots,
					     rotation->slot_first + i);
}

const char *plait__rotation_refs_find(plait__node_draft *draft, uint64_t handle,
				      uint64_t ahead, plait__rotation_ref *out)
{
	const plait__store *store = draft->graph->store;
	const plait__plan_rotation *rotation;

	out->number = plait__scopes_find_rotation(store, handle);
	if (out->number == PLAIT__NONE)
		return "no such rotation in this graph";
	if (ahead > MAX_AHEAD)
		return "ahead is more than 15";
	rotation = plait__vector_at(&store->rotations, out->number);
	if (!plait__scopes_sees_loop(store, draft->graph->scope,
				     rotation->region))
		return "the rotation's loop is in a body that this node is "
		       "not part of";
	out->first_slot = slot_at(store, rotation, 0);
	out->object = plait__access_rotation(out->number, plait__access_phase(
		ahead, rotation->slot_count - rotation->prologue,
		rotation->prologue));
	if (draft->first_buffer_device == PLAIT__NONE)
		draft->first_buffer_device = ((plait__plan_slot *)
			plait__vector_at(&store->slots, out->first_slot))
				->device;
	return NULL;
}

plait_status plait__rotation_refs_check_slot(const plait__node_draft *draft,
					     uint32_t slot)
{
	const plait__buffer *buffer = plait__refs_buffer(draft, slot);
	char room[PLAIT__REFS_TEXT_BYTES];

	if (plait__buffer_check_write(buffer, draft->error) == PLAIT_OK)
		return PLAIT_OK;
	plait__error_prefix(draft->error, "%s: ",
			    plait__refs_node_text(draft, room));
	return PLAIT_E_INVALID;
}

plait_status plait__rotation_refs_check_write(const plait__node_draft *draft,
					      const plait__rotation_ref *ref)
{
	const plait__store *store = draft->graph->store;
	const plait__plan_rotation *rotation =
		plait__vector_at(&store->rotations, ref->number);
	plait_status status = PLAIT_OK;

	for (uint32_t i = rotation->prologue != 0 ? 1 : 0;
	     status == PLAIT_OK && i < rotation->slot_count; i++)
		status = plait__rotation_refs_check_slot(
			draft, slot_at(store, rotation, i));
	return status;
}
