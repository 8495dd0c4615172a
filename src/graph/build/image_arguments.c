/* SPDX-License-Identifier: MIT */
/* Checks of images as arguments of launches; see image_arguments.h. */
#include "graph/build/image_arguments.h"

#include "graph/build/object_refs.h"
#include "base/error.h"
#include "object/memory/image.h"
#include "plan/access.h"

const char *plait__image_arguments_fault(const plait__node_draft *draft,
					 uint32_t slot, uint64_t offset,
					 const plait__parameter *parameter)
{
	return plait__image_argument_fault(
		parameter, plait__refs_buffer(draft, slot), offset);
}

/* The slots of a rotation are alike. */
static bool is_image(const plait__node_draft *draft, uint32_t object)
{
	const plait__store *store = draft->graph->store;
	uint32_t number = plait__access_number(object);
	const plait__plan_rotation *rotation;

	if (plait__access_is_param(object))
		return ((plait__plan_param *)plait__vector_at(
				&store->params, number))->type ==
		       PLAIT__TYPE_IMAGE;
	if (plait__access_is_rotation(object)) {
		rotation = plait__vector_at(&store->rotations, number);
		object = *(uint32_t *)plait__vector_at(&store->rotation_slots,
						       rotation->slot_first);
	}
	return plait__image_is(plait__refs_buffer(draft, object));
}

static const plait__plan_access *access_at(const plait__node_draft *draft,
					   uint32_t i)
{
	return plait__vector_at(&draft->graph->store->accesses,
				draft->node.access_first + i);
}

/* Returns true if another access of the node reads what access i writes. */
static bool reads_written(const plait__node_draft *draft, uint32_t i)
{
	const plait__plan_access *written = access_at(draft, i);
	bool reads = false;

	if (written->mode != PLAIT__ACCESS_WRITE ||
	    !is_image(draft, written->object))
		return false;
	for (uint32_t k = 0; k < draft->node.access_count; k++)
		reads |= k != i && access_at(draft, k)->object ==
					   written->object;
	return reads;
}

plait_status plait__image_arguments_check(const plait__node_draft *draft,
					  const plait__signature *signature)
{
	char room[PLAIT__REFS_TEXT_BYTES];
	bool twice = false;

	for (uint32_t i = 0; signature->image_count > 1 && !twice &&
	     i < draft->node.access_count; i++)
		twice = reads_written(draft, i);
	return !twice ? PLAIT_OK :
	       plait__fail(draft->error, PLAIT_E_INVALID,
			   "%s: %.60s: an image that it writes is an argument "
			   "twice", plait__refs_node_text(draft, room),
			   signature->name);
}
