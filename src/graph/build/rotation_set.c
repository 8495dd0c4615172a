/* SPDX-License-Identifier: MIT */
/* Rotations: lists of buffers of which a loop uses one per iteration. */
#include "graph/build/graph.h"
#include "graph/build/object_refs.h"
#include "graph/build/scopes.h"
#include "base/error.h"
#include "object/memory/buffer.h"

#include <stdio.h>

enum { MAX_SLOTS = 8 };

/* Check the arguments of plait_graph_add_rotation, except the buffers
 * themselves. */
static plait_status check_rotation(const plait__graph *graph,
				   plait_buffer *const *buffers, uint64_t count,
				   uint32_t flags, plait_error *error)
{
	uint64_t slot_count = count - (flags & PLAIT_ROTATION_PROLOGUE);
	const plait__store_scope *scope =
		plait__store_scope_at(graph->store, graph->scope);
	const plait__store_region *region;

	if (scope->region == PLAIT__NONE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rotation: the graph is not the body of a "
				   "loop");
	region = plait__vector_at(&graph->store->regions, scope->region);
	if (region->input.kind == PLAIT__REGION_CASE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rotation: a case has no iterations");
	if ((flags & ~(uint32_t)PLAIT_ROTATION_PROLOGUE) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "rotation: flags 0x%x are not known",
				   flags);
	if (buffers == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rotation: buffers is null");
	if (slot_count < 2 || slot_count > MAX_SLOTS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rotation: 2 to %d buffers take turns, and "
				   "one more with a prologue", MAX_SLOTS);
	return PLAIT_OK;
}

static plait_status no_memory(const plait__node_draft *draft)
{
	return plait__fail(draft->error, PLAIT_E_NOMEM,
			   "no memory for a rotation");
}

/* Name buffer `number` in the error. */
static plait_status name_buffer(const plait__node_draft *draft, uint64_t number)
{
	char what[32];

	(void)snprintf(what, sizeof(what), "buffer %llu",
		       (unsigned long long)number);
	return plait__refs_prefix_error(draft, what);
}

static bool is_alike(const plait__node_draft *draft, uint32_t one,
		     uint32_t other)
{
	const plait__buffer *a = plait__refs_buffer(draft, one);
	const plait__buffer *b = plait__refs_buffer(draft, other);

	return a->format == b->format && a->width == b->width &&
	       a->height == b->height;
}

/* Refuse a view, a repeated buffer, and one unlike the first. */
static plait_status check_slot(const plait__node_draft *draft,
			       const plait__range *range,
			       const uint32_t *before, uint64_t count)
{
	const plait__store *store = draft->graph->store;
	const plait__plan_slot *slot = plait__vector_at(&store->slots,
							range->slot);
	const plait__plan_slot *first = count == 0 ? slot :
		plait__vector_at(&store->slots, before[0]);

	if (range->offset != 0 || range->bytes != slot->bytes)
		return plait__fail(draft->error, PLAIT_E_INVALID,
				   "is a view");
	for (uint64_t i = 0; i < count; i++)
		if (before[i] == range->slot)
			return plait__fail(draft->error, PLAIT_E_INVALID,
					   "is buffer %llu too; give each turn "
					   "memory of its own",
					   (unsigned long long)i);
	if (slot->bytes != first->bytes)
		return plait__fail(draft->error, PLAIT_E_INVALID,
				   "has %llu bytes, the first one %llu",
				   (unsigned long long)slot->bytes,
				   (unsigned long long)first->bytes);
	if (!is_alike(draft, range->slot, count == 0 ? range->slot : before[0]))
		return plait__fail(draft->error, PLAIT_E_INVALID,
				   "and the first one are not both buffers, or "
				   "images of one size and format");
	if (slot->device != first->device)
		return plait__fail(draft->error, PLAIT_E_INVALID,
				   "is of another device than the first one");
	return PLAIT_OK;
}

/* plait__refs_range grows other tables, so `place` stays where it is. */
static plait_status push_slots(plait__node_draft *draft,
			       plait_buffer *const *buffers, uint64_t count)
{
	plait__vector *slots = &draft->graph->store->rotation_slots;
	uint32_t *place = plait__vector_extend(slots, (uint32_t)count);

	if (place == NULL)
		return no_memory(draft);
	for (uint64_t i = 0; i < count; i++) {
		plait__range range;
		plait_status status = plait__refs_range(draft, buffers[i], 0,
							&range);

		if (status == PLAIT_OK)
			status = check_slot(draft, &range, place, i);
		if (status != PLAIT_OK)
			return name_buffer(draft, i);
		place[i] = range.slot;
	}
	return PLAIT_OK;
}

/* check_rotation has accepted the arguments. */
static plait_status rotate(plait__graph *graph, plait_buffer *const *buffers,
			   uint64_t count, uint32_t flags, uint64_t *out,
			   plait_error *error)
{
	static const plait_node_desc nothing;
	plait__node_draft draft = { .graph = graph, .desc = &nothing,
				 .instead = "rotation", .error = error,
				 .first_buffer_device = PLAIT__NONE };
	plait__store *store = graph->store;
	plait__plan_rotation rotation = {
		.region = plait__store_scope_at(store, graph->scope)->region,
		.slot_first = store->rotation_slots.count,
		.slot_count = (uint32_t)count,
		.prologue = flags & PLAIT_ROTATION_PROLOGUE,
	};
	plait__store_mark mark;
	plait_status status;

	plait__store_take_mark(store, &mark);
	status = push_slots(&draft, buffers, count);
	if (status == PLAIT_OK &&
	    plait__vector_push(&store->rotations, &rotation, 1) == NULL)
		status = no_memory(&draft);
	if (status == PLAIT_OK)
		*out = plait__scopes_rotation_number(
			store, store->rotations.count - 1);
	else
		plait__graph_cut(graph, &mark);
	return status;
}

plait_status plait_graph_add_rotation(plait_graph *graph,
				      plait_buffer *const *buffers,
				      uint64_t count, uint32_t flags,
				      uint64_t *out, plait_error *error)
{
	plait_error own = { .size = sizeof(own) };
	plait__graph *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rotation: out is null");
	*out = 0;
	status = plait__graph_enter(graph, &entered, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "rotation: ");
		return status;
	}
	status = check_rotation(entered, buffers, count, flags, &own);
	if (status == PLAIT_OK)
		status = rotate(entered, buffers, count, flags, out, &own);
	if (status != PLAIT_OK)
		plait__error_copy(error, &own);
	plait__graph_leave(entered);
	return status;
}
