/* SPDX-License-Identifier: MIT */
/* Ops that something outside of the flow ends; see outside_tasks.h. */
#include "flow/outside_tasks.h"

static bool is_mapping(const plait__flow *flow, uint64_t number)
{
	const plait__data_mapping *at = flow->mappings;

	while (at != NULL && at->number != number)
		at = at->next;
	return at != NULL;
}

/* Returns true if there is no such op: no sweep is due. */
static bool has_none(const plait__flow *flow)
{
	return flow->mappings == NULL &&
	       flow->newest_outside <= flow->window.settled;
}

static bool is_outside(const plait__flow *flow, uint64_t number, uint64_t meta)
{
	return ((meta & PLAIT__OP_OUTSIDE) != 0 || is_mapping(flow, number)) &&
	       !plait__op_is_done(&flow->window.ring, number);
}

static bool is_behind(const plait__flow *flow, uint64_t number)
{
	const plait__op_ring *ring = &flow->window.ring;
	const plait__op *op = plait__op_at(ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);

	for (uint32_t i = 0; i < plait__op_pred_count(meta); i++) {
		uint64_t pred = plait__op_pred(op, number, i);

		if (pred > flow->window.settled &&
		    flow->behind[pred & ring->mask])
			return true;
	}
	return is_outside(flow, number, meta);
}

/* A sweep over the ops that are not known to be done, in their order. */
bool plait__outside_tasks_await(plait__flow *flow, uint64_t number)
{
	const plait__op_ring *ring = &flow->window.ring;
	bool any = false;

	plait__window_settle(&flow->window);
	if (has_none(flow))
		return false;
	for (uint64_t i = flow->window.settled + 1; i <= number; i++) {
		uint64_t meta = at_load_relaxed_u64(
			&plait__op_at(ring, i)->meta);
		bool is_late = (any && (meta & PLAIT__OP_PREFIX) != 0) ||
			       is_behind(flow, i);

		flow->behind[i & ring->mask] = is_late;
		any |= is_late;
	}
	return number > flow->window.settled &&
	       flow->behind[number & ring->mask] != 0;
}
