/* SPDX-License-Identifier: MIT */
/*
 * The op of a task whose predecessors are known and few: its number, its entry, its
 * lane.  Included by each commit; inline, because a submission must
 * cost little beside a short task.  Caller holds the lock, and there is room.
 */
#ifndef PLAIT_SRC_FLOW_OP_COMMIT_H
#define PLAIT_SRC_FLOW_OP_COMMIT_H

#include "flow/flow.h"

enum {
	/* One op is kept free for plait__commit_last. */
	PLAIT__OP_COMMIT_KEPT = 1,
	/* Entries that are fetched before their ops come. */
	PLAIT__OP_COMMIT_AHEAD = 2
};

/* ---- lanes ---- */

static inline bool plait__op_commit_is_late(const plait__flow *flow,
					    uint64_t number)
{
	uint8_t lane = flow->lane_of[number & flow->window.ring.mask];

	return lane == flow->lanes.count + 1 || lane == PLAIT__LANE_OUTSIDE;
}

/* Returns true if an op that another thread finishes is not done, and among
 * these predecessors or before them. */
static inline bool plait__op_commit_is_held(const plait__flow *flow,
					    const plait__pred *preds,
					    uint32_t count, bool is_prefix)
{
	const uint64_t settled = plait__flow_settled(flow);

	if (flow->newest_late <= settled)
		return false;
	if (is_prefix)
		return true;
	for (uint32_t i = 0; i < count; i++)
		if (preds[i].number > settled &&
		    plait__op_commit_is_late(flow, preds[i].number) &&
		    !plait__flow_counts_done(flow, preds[i].number))
			return true;
	return false;
}

/* The lane whose last op is the newest predecessor among last ops, so that a chain stays
 * in its lane; else the next one. */
static inline uint32_t plait__op_commit_lane(plait__flow *flow,
					     const plait__pred *preds,
					     uint32_t count)
{
	uint64_t newest = 0;
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t number = preds[i].number;
		uint8_t lane = flow->lane_of[number & flow->window.ring.mask];

		if (number > newest && lane < flow->lanes.count &&
		    flow->last_in_lane[lane] == number) {
			newest = number;
			found = lane;
		}
	}
	if (newest > 0)
		return found;
	if (++flow->next_lane >= flow->lanes.count)
		flow->next_lane = 0;
	return flow->next_lane;
}

/* ---- ops ---- */

/* Number an op with these predecessors, which are few. */
static inline plait__op *plait__op_commit_number(plait__flow *flow,
						 const plait__pred *preds,
						 uint32_t count, uint64_t meta)
{
	plait__op *op = plait__window_next(&flow->window);

	/* A worker had the entries last, a window ago. */
	at_prefetch_write(plait__op_at(&flow->window.ring,
				       flow->window.newest +
					       PLAIT__OP_COMMIT_AHEAD));
	if (__builtin_expect(op->cause != NULL, 0))
		plait__outcomes_retire(&flow->lanes.outcomes, op);
	meta |= (uint64_t)count << PLAIT__OP_COUNT_SHIFT;
	for (uint32_t i = 0; i < count; i++) {
		plait__op_set_pred(op, i, preds[i].number);
		meta |= (uint64_t)preds[i].is_true
			<< (PLAIT__OP_TRUE_SHIFT + i);
	}
	/* Relaxed: published with the word. */
	at_store_relaxed_u64(&op->meta, meta);
	return op;
}

/* Another thread than a worker finishes the op: hold those behind it. */
static inline void plait__op_commit_make_late(plait__flow *flow,
					      uint64_t number)
{
	flow->lane_of[number & flow->window.ring.mask] = PLAIT__LANE_OUTSIDE;
	flow->newest_late = number;
}

/* Publish an op in a lane that its predecessors allow. */
static inline void plait__op_commit_publish(plait__flow *flow, uint64_t number,
					    const plait__pred *preds,
					    uint32_t count, bool is_prefix,
					    bool is_urgent)
{
	uint32_t lane;

	if (plait__op_commit_is_held(flow, preds, count, is_prefix))
		lane = flow->lanes.count + 1;
	else if (is_urgent)
		lane = flow->lanes.count;
	else
		lane = plait__op_commit_lane(flow, preds, count);
	flow->lane_of[number & flow->window.ring.mask] = (uint8_t)lane;
	if (lane < flow->lanes.count)
		flow->last_in_lane[lane] = number;
	if (lane == flow->lanes.count + 1)
		flow->newest_late = number;
	plait__flow_lanes_publish(&flow->lanes, lane, number);
}

#endif
