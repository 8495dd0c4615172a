/* SPDX-License-Identifier: MIT */
/* Buffers that take turns in a loop, one an iteration. */
#include "graph/graph.h"
#include "graph/scope.h"

#include "base/error.h"

enum { MAX_TURNS = 8 };

static plait_status check(const plait__graph *graph,
			  plait_buffer *const *buffers, uint64_t count,
			  uint32_t flags, plait_error *error)
{
	uint64_t turns = count - (flags & PLAIT_ROTATION_PROLOGUE);
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
	if (buffers == NULL || turns < 2 || turns > MAX_TURNS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rotation: 2 to %d buffers take turns, and "
				   "one more with a prologue", MAX_TURNS);
	return PLAIT_OK;
}

static plait_status push_slots(plait__adding *adding,
			       plait_buffer *const *buffers, uint64_t count)
{
	plait__store *store = adding->graph->store;
	const plait__plan_slot *slot;
	uint32_t device = PLAIT__NONE;
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < count; i++) {
		plait__range range;
		plait_status status = plait__graph_range(
			adding, buffers[i], 0, "rotation", &range);

		if (status != PLAIT_OK)
			return status;
		slot = plait__vector_at(&store->slots, range.slot);
		if (range.offset != 0 || range.bytes != slot->bytes)
			return plait__fail(adding->error, PLAIT_E_INVALID,
					   "rotation: buffer %llu is a view",
					   (unsigned long long)i);
		if (i > 0 && range.bytes != bytes)
			return plait__fail(adding->error, PLAIT_E_INVALID,
					   "rotation: buffer %llu has %llu "
					   "bytes, the first one %llu",
					   (unsigned long long)i,
					   (unsigned long long)range.bytes,
					   (unsigned long long)bytes);
		if (i > 0 && slot->device != device)
			return plait__fail(adding->error, PLAIT_E_INVALID,
					   "rotation: buffer %llu is of "
					   "another device than the first one",
					   (unsigned long long)i);
		bytes = range.bytes;
		device = slot->device;
		if (plait__vector_push(&store->rotation_slots, &range.slot,
				       1) == NULL)
			return plait__fail(adding->error, PLAIT_E_NOMEM,
					   "no memory for a rotation");
	}
	return PLAIT_OK;
}

static plait_status rotate(plait__graph *graph, plait_buffer *const *buffers,
			   uint64_t count, uint32_t flags, uint64_t *out,
			   plait_error *error)
{
	static const plait_node_desc nothing = { .label = "rotation" };
	plait__adding adding = { .graph = graph, .desc = &nothing,
				 .error = error,
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
	status = push_slots(&adding, buffers, count);
	if (status == PLAIT_OK &&
	    plait__vector_push(&store->rotations, &rotation, 1) == NULL)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a rotation");
	if (status == PLAIT_OK)
		*out = plait__scope_rotation_number(
			store, store->rotations.count - 1);
	else
		plait__graph_cut(graph, &mark);
	return status;
}

plait_status plait_graph_rotate(plait_graph *graph,
				plait_buffer *const *buffers, uint64_t count,
				uint32_t flags, uint64_t *out,
				plait_error *error)
{
	plait_error own = { .size = sizeof(own) };
	plait__graph *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = 0;
	status = plait__graph_enter(graph, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = check(entered, buffers, count, flags, &own);
	if (status == PLAIT_OK)
		status = rotate(entered, buffers, count, flags, out, &own);
	if (status != PLAIT_OK)
		plait__error_copy(error, &own);
	plait__object_leave(&entered->object);
	return status;
}
